"""Coreference systems that run over a whole document, and the rules by which their clusters link part chains."""
