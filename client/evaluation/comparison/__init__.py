"""Strategies side by side on the same documents: scores, significance, breakdowns, time and memory.

    tasks = [make_task(document, parts) for ...]
    outcomes = [attempt(contender, task, notices) for task in tasks]
    comparison = compare([task.facts for task in tasks], [StrategyOutcomes("greedy", signature, outcomes), ...])
    as_text(comparison)

Running (``run``), keeping what was run (``store``), adding up (``summary``, ``breakdowns``, ``significance``) and
showing (``render``, ``render_data``) are apart.
"""
