"""Which file format belongs to which ending."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from placement_cli.errors import UsageError, did_you_mean
from placement_cli.export.run_csv import run_csv
from placement_cli.export.run_markdown import run_markdown
from placement_cli.store.run_document import RunDocument

FORMATS: dict[str, Callable[[RunDocument], str]] = {
    ".json": RunDocument.to_json,
    ".csv": run_csv,
    ".md": run_markdown,
}
"""Endings of files a run can be written to."""


def format_for(path: Path) -> Callable[[RunDocument], str]:
    """Return what writes a run in the format of `path`'s ending; raises UsageError for another ending."""
    try:
        return FORMATS[path.suffix.lower()]
    except KeyError:
        known = list(FORMATS)
        raise UsageError(
            f"-o {path}: no format has the ending {path.suffix!r}. {did_you_mean(path.suffix, known)}"
        ) from None
