"""Merges many documents: in this process, in processes beside it, or on a Ray cluster, with the same result.

:mod:`~client.engines.job_source` turns inputs into jobs, an engine turns jobs into outcomes in the order of the jobs,
and :mod:`~client.engines.worker` is what every engine does with one job. What is done can be kept and taken again:
:mod:`~client.engines.stream_checkpoint` by document, :mod:`~client.engines.folder_checkpoint` by input file.
"""
