"""What `placement history` does with its options: read a folder, follow each series; then print and write."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from placement_cli.comparing.choosing import chosen
from placement_cli.comparing.documents import history_json
from placement_cli.comparing.folder import load_folder
from placement_cli.comparing.history import History, history_of
from placement_cli.errors import NothingComparable, UsageError
from placement_cli.render.console import stdout_console
from placement_cli.render.history_table import print_history
from placement_cli.store.files import write_whole


@dataclass(frozen=True, slots=True)
class HistoryOptions:
    """The options of `placement history` as they were given."""

    folder: Path
    cases: tuple[str, ...]
    metrics: tuple[str, ...]
    output: Path | None
    as_json: bool


def run_history(options: HistoryOptions) -> int:
    """Carry out `placement history` and return the exit code."""
    if options.output is not None and options.output.suffix.lower() != ".json":
        raise UsageError(f"-o {options.output}: a history is written as .json alone.")
    history = load_history(options)
    document = history_json(history)
    if options.as_json:
        sys.stdout.write(document)
    else:
        print_history(history, stdout_console())
    if options.output is not None:
        write_whole(options.output, document)
    return 0


def load_history(options: HistoryOptions) -> History:
    """Return the history of a folder; raises NothingComparable when no file in it can be read as a run."""
    runs, unreadable = load_folder(options.folder)
    if not runs:
        first = f" {unreadable[0].path}: {unreadable[0].reason}" if unreadable else ""
        raise NothingComparable(f"{options.folder}: none of its {len(unreadable)} JSON files is a run.{first}")
    return history_of(str(options.folder), chosen(runs, options.cases, options.metrics), unreadable)
