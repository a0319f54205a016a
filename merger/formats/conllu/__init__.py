"""CoNLL-U with CorefUD entities: reader, checks and writer."""
