"""Where runs are kept: a journal and a document each, named by the run."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from placement_cli.errors import UsageError
from placement_cli.store.journal import is_journal, read_journal


def new_run_id(scenarios: Sequence[str]) -> str:
    """Return a name for a run: when it began, what it measures, and a few letters that make it unique."""
    began = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    what = scenarios[0] if len(scenarios) == 1 else f"{len(scenarios)}-scenarios"
    return f"{began}-{what}-{secrets.token_hex(2)}"


def journal_path(folder: Path, run_id: str) -> Path:
    """Return where the journal of a run is."""
    return folder / f"{run_id}.jsonl"


def document_path(folder: Path, run_id: str) -> Path:
    """Return where the document of a run is."""
    return folder / f"{run_id}.json"


def newest_unfinished(folder: Path) -> Path:
    """Return the journal of the newest run in `folder` that did not finish.

    Files that are no journals are passed over, and so is a run that was killed before it had begun. Raises
    UsageError when no run is left, UnreadableInput when a newer journal is damaged.
    """
    for path in sorted(folder.glob("*.jsonl"), reverse=True):
        if is_journal(path) and read_journal(path)[-1]["kind"] != "finished":
            return path
    raise UsageError(f"There is no unfinished run in {folder}. Start one without --resume.")
