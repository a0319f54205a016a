"""CoreNLP's coreference systems, in a Java server of their own."""
