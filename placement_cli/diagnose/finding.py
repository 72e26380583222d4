"""Something about a program that ran, with where it is and one next check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from placement_cli.codes import CODES

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding with a code of `placement explain`.

    `file` and `line` are None where it is about the whole program. `node` names the variable or function it is about.
    `says` is one sentence or two with the numbers seen; `fix` what to change; `next_check` one command, or up to three
    lines of Python, whose result would confirm or refute it. `evidence` holds the numbers, with the unit in the key.
    A `note` is worth knowing and asks for nothing, a `warning` costs time, memory or truth, an `error` broke the
    program.
    """

    code: str
    severity: Severity
    file: str | None
    line: int | None
    node: str | None
    says: str
    fix: str
    next_check: str
    evidence: Mapping[str, float | str | None]

    @property
    def name(self) -> str:
        """The name that goes with the code."""
        return CODES[self.code]
