"""Merges many documents: in this process, in worker processes, on a server or on a Ray cluster, with the same result.

:mod:`~client.engines.job_source` turns inputs into jobs, an engine turns jobs into outcomes in the order of the jobs,
and :mod:`~client.engines.worker` runs one job in every engine. Checkpoints keep finished work for a later run:
:mod:`~client.engines.stream_checkpoint` by document, :mod:`~client.engines.folder_checkpoint` by input file.
"""
