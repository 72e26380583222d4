"""When a run began, as far as its file says so."""

from __future__ import annotations

from datetime import UTC, datetime

STARTED = "started (UTC)"
"""What a column of moments is headed."""


def moment(started: str) -> datetime | None:
    """Return the moment that `started` (ISO 8601) means, in UTC where no zone stands; None where it means none."""
    try:
        found = datetime.fromisoformat(started)
        return (found.replace(tzinfo=UTC) if found.tzinfo is None else found).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def day_and_time(started: str) -> str:
    """Return a moment as tables show it under `STARTED`, `2026-01-05 14:30`; what is no moment stays as it is."""
    found = moment(started)
    return started if found is None else f"{found:%Y-%m-%d %H:%M}"


def moment_text(started: str) -> str:
    """Return a moment as sentences name it, `2026-01-05 14:30 UTC`; what is no moment stays as it is."""
    return started if moment(started) is None else f"{day_and_time(started)} UTC"
