"""The HTML report of a comparison: tables, plots and a document browser in one self-contained file."""
