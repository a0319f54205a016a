"""Merged documents as records of checkpoints."""

from __future__ import annotations

from typing import Any

from client.engines.jobs import Merged
from merger.errors import Location
from merger.notices import Notice


def merged_record(merged: Merged) -> dict[str, Any]:
    """A merged document as JSON data."""
    return {
        "id": merged.id,
        "token_count": merged.token_count,
        "text": merged.text,
        "decisions": merged.decisions,
        "report": merged.report,
        "strategy": merged.strategy,
        "notices": [_notice_record(notice) for notice in merged.notices],
        "strategy_notices": [_notice_record(notice) for notice in merged.strategy_notices],
    }


def merged_from(record: dict[str, Any]) -> Merged:
    """A merged document from :func:`merged_record`. Raises ``KeyError`` or ``TypeError`` for anything else."""
    notices = {name: tuple(map(_notice_from, record[name])) for name in ("notices", "strategy_notices")}
    return Merged(**{**record, **notices})


def notices_record(notices: tuple[Notice, ...]) -> list[list[Any]]:
    """Notices as JSON data."""
    return [_notice_record(notice) for notice in notices]


def notices_from(records: list[list[Any]]) -> tuple[Notice, ...]:
    """Notices from :func:`notices_record`."""
    return tuple(map(_notice_from, records))


def _notice_record(notice: Notice) -> list[Any]:
    place = notice.location
    return [
        *(notice.kind, notice.message, notice.count),
        *(place.file, place.line, place.document, place.part, place.sentence, place.token),
    ]


def _notice_from(record: list[Any]) -> Notice:
    kind, message, count, *place = record
    return Notice(kind, message, Location(*place), count)
