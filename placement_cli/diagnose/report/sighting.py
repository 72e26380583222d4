"""The symptom that was seen of a program: the finding or the record behind it, and what would confirm or refute it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from placement_cli.diagnose.finding import Finding
from placement_cli.diagnose.report.classes import KINDS, class_of
from placement_cli.store.diagnosis_document import Symptom, SymptomClass

UNSURE = "PL902"
"""The code of what the evidence does not decide."""
ANY: Symptom = "timing"
"""The symptom that a report is about where none was asked for and none was seen."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """What was seen, of which class, and where.

    `decided` says whether the evidence establishes the class. `code` is that of a finding, PL902 where it does not
    decide, None where there is no code for it. `next_check` is what would decide, or confirm: one command, or up to
    three lines of Python. `called` is a closer name than that of the class.
    """

    kind: SymptomClass
    says: str
    next_check: str
    decided: bool = True
    code: str | None = None
    file: str | None = None
    line: int | None = None
    fix: str = ""
    called: str = ""

    @property
    def name(self) -> str:
        """The name of its class, or a closer one."""
        return self.called or KINDS[self.kind].name

    def asked(self, symptom: Symptom | None) -> Symptom:
        """Return the symptom that was asked for, or else the most usual one of its class."""
        return symptom or (*self.bears_on, ANY)[0]

    @property
    def bears_on(self) -> tuple[Symptom, ...]:
        """The symptoms that its class may be behind."""
        return KINDS[self.kind].bears_on


def sighting_of(finding: Finding) -> Sighting:
    """Return a finding as a sighting; one that is PL902 by itself does not decide."""
    return Sighting(
        kind=class_of(finding),
        says=finding.says,
        next_check=finding.next_check,
        decided=finding.code != UNSURE,
        code=finding.code,
        file=finding.file,
        line=finding.line,
        fix=finding.fix,
    )


def leaning(finding: Finding) -> Sighting:
    """Return a note as a sighting that does not decide."""
    sighting = sighting_of(finding)
    if finding.code == UNSURE:
        return sighting
    told = f"Nothing above a note was seen; the nearest is {finding.code} {finding.name}, which asks for nothing by "
    return replace(sighting, says=f"{told}itself: {finding.says}", decided=False, code=UNSURE)
