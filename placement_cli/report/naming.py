"""What cases and files are called: no longer than it takes to tell them apart, and safe wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Sequence

from placement_cli.render.plain import harmless
from placement_cli.store.run_document import CaseRecord

ARM = "arm"
"""The parameter that says, in a gate, which arm of its scenario a case is."""
LONGEST_NAME = 80
"""Characters of a file's name before its ending."""

_OTHER = re.compile(r"[^A-Za-z0-9_]+")


def case_label(case: CaseRecord, among: Sequence[CaseRecord]) -> str:
    """Return where `case` stands on the axes that tell the cases `among` apart; a lone case names them all.

    The arm that a case of a gate is of is no part of it: see `arm_label`.
    """
    own = {key: value for key, value in case.params.items() if key != ARM}
    varying = {key: value for key, value in own.items() if any(other.params.get(key) != value for other in among)}
    return harmless(", ".join(f"{key} {value}" for key, value in (varying or own).items())) or harmless(case.id)


def arm_label(case: CaseRecord, new: str) -> str:
    """Return what the row of `new` is called in `case`: in a gate the arm of the scenario that both sides ran."""
    both_sides = new in ("new", "base") and ARM in case.params
    return harmless(str(case.params[ARM]) if both_sides else new)


def row_label(case: CaseRecord, arm: str) -> str:
    """Return what a row of `arm` alone is called: in a gate both the arm of the scenario and the side that ran it."""
    name = arm_label(case, arm)
    return name if name == harmless(arm) else f"{name}, {arm}"


def anchor(text: str) -> str:
    """Return `text` as the address of a place in a page: letters, digits and hyphens, perhaps none at all."""
    return _OTHER.sub("-", text).strip("-").lower()[:LONGEST_NAME]


def file_stem(number: int, *parts: str) -> str:
    """Return the name of the `number`-th file about `parts`: plain characters, and never the same for two numbers."""
    words = "-".join(filter(None, (_OTHER.sub("-", part).strip("-") for part in parts)))
    return f"{number:03d}-{words}"[:LONGEST_NAME].rstrip("-")
