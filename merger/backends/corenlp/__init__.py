"""CoreNLP's coreference systems, run in a separate Java server."""
