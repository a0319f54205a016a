"""The part of CoreNLP's serialized documents that is read and written here, as a schema and its generated code."""
