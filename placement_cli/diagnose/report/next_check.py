"""The one next check of a report: what the finding names, or the cure where its probe has just been run."""

from __future__ import annotations

from collections.abc import Sequence

from placement_cli.diagnose.probes.probe import Result
from placement_cli.diagnose.report.observing import ASK_AGAIN
from placement_cli.diagnose.report.probing import PROBE_COMMAND
from placement_cli.diagnose.report.sighting import Sighting
from placement_cli.store.diagnosis_document import Symptom


def next_check_of(sighting: Sighting, symptom: Symptom | None, results: Sequence[Result], program: str) -> str:
    """Return one command, or up to three lines.

    A probe that was run for this report has told what it can; the cure and the same question are then what is left.
    """
    found = PROBE_COMMAND.fullmatch(sighting.next_check)
    ran = {result.probe.id for result in results if result.outcome != "not-run"}
    ran |= {each.partition(".")[0] for each in ran}
    if found is None or found["name"] not in ran or not sighting.decided or not sighting.fix:
        return sighting.next_check
    again = ASK_AGAIN.format(symptom=sighting.asked(symptom), program=program)
    return f"# {sighting.fix}\n{again}  # it must be gone"
