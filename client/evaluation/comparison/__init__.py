"""Strategies side by side on the same documents: scores, significance, breakdowns, time and memory.

    tasks = [make_task(parts, key) for ...]
    outcomes = tuple(attempt(contender, task, notices) for task in tasks)
    comparison = compare([task.facts for task in tasks], [StrategyOutcomes("greedy", signature, outcomes), ...], setup)
    as_text(comparison)

``contenders`` runs strategies on a ``task``, ``checkpoint`` stores the outcomes, ``summary``, ``breakdowns`` and
``significance`` add them up, and ``tables``, ``render`` and ``render_data`` show them.
"""
