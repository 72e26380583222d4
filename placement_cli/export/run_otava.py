"""A run as one row of CSV, for the change-point detection of Apache Otava (formerly Hunter)."""

from __future__ import annotations

import csv
import io
import re

from placement_cli.export.machine_facts import machine_facts, side_of
from placement_cli.export.plain_names import plain_line
from placement_cli.export.process_values import values_in
from placement_cli.export.run_csv import inert
from placement_cli.store.run_document import RunDocument

FIXED = ("time", "commit", "run", "fingerprint")
"""The columns before those of the metrics: the time column, and attributes."""
UNITS = ("s", "bytes", "share")
COMMIT = re.compile(r"\b[0-9a-f]{7,40}\b")


def run_otava(document: RunDocument, arm: str | None = None) -> str:
    """Return a line of headings and one row: when, which commit if that is known, and every median in SI units.

    Rows of several runs under the headings of the first are the history that is analysed. A metric that was not
    measured has no column, as Otava takes no empty cell. Raises UsageError for an arm that no case has, and
    NothingComparable without values.
    """
    found = values_in(UNITS, document, arm, "otava")
    facts = [document.run.started, _commit(document, arm), document.run.id, machine_facts(document, arm).fingerprint]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*FIXED, *(inert(values.name) for values in found)])
    writer.writerow([*(inert(plain_line(fact)) for fact in facts), *(repr(values.middle.median) for values in found)])
    return text.getvalue()


def _commit(document: RunDocument, arm: str | None) -> str:
    """Return the commit that was measured; only gates know one, and of theirs the new side's unless asked for."""
    side = side_of(document, arm or "new")
    found = COMMIT.search(side.resolved) if side and side.kind in ("revision", "current") else None
    return found[0] if found else ""
