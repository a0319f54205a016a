"""CoNLL-2012: reader and writer."""
