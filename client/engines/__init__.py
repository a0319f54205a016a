"""Merges many documents: in this process, in processes beside it, or on a Ray cluster, with the same result.

:mod:`~client.engines.source` turns inputs into jobs, an engine turns jobs into outcomes in the order of the jobs, and
:mod:`~client.engines.work` is what every engine does with one job. What is done can be kept and taken again:
:mod:`~client.engines.partitions` by document, :mod:`~client.engines.manifest` by input file.
"""
