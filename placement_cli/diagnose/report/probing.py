"""Which probes a report needs: few, by the symptom and by what was found."""

from __future__ import annotations

import re
from collections.abc import Sequence

from placement_cli.diagnose.probes.catalog import PROBES
from placement_cli.diagnose.probes.probe import GROUPS, Probe
from placement_cli.diagnose.report.classes import BASE, KINDS
from placement_cli.diagnose.report.sighting import Sighting
from placement_cli.store.diagnosis_document import Symptom
from placement_cli.tracing.raw import READING_KINDS, RawProcess

MOST = 9
"""Probes that are run at most: each takes about a second with its process, and the whole has to stay short."""
PROBE_COMMAND = re.compile(r"placement diagnose --probe (?P<name>[a-z0-9.-]+)")
"""A next check that runs a probe, or a group of them."""


def probes_for(sighting: Sighting, symptom: Symptom | None, process: RawProcess | None) -> tuple[Probe, ...]:
    """Return the probes to run, in the order of the catalog; none for a program without MLX.

    Those that the class rests on come first, then the one that its next check names, the ones for how a value was
    read, others of the class, and those of the symptom; what is beyond MOST is left out. Probes of another backend
    are among them: they are not run, and said not to be.
    """
    if process is None:
        return ()
    kind = KINDS[sighting.kind]
    wanted = [
        *kind.rests_on,
        *named(sighting.next_check),
        *_readings(sighting, process),
        *kind.probes,
        *BASE[sighting.asked(symptom)],
    ]
    backends = {probe.id: probe.backends for probe in PROBES}
    here = [each for each in dict.fromkeys(wanted) if process.backend in backends.get(each, ())][:MOST]
    chosen = {*here, *(each for each in wanted if process.backend not in backends.get(each, (process.backend,)))}
    return tuple(probe for probe in PROBES if probe.id in chosen)


def named(check: str) -> list[str]:
    """Return the probe that a next check runs, if it is a single one."""
    found = PROBE_COMMAND.fullmatch(check)
    return [found["name"]] if found is not None and found["name"] not in GROUPS else []


def _readings(sighting: Sighting, process: RawProcess) -> Sequence[str]:
    """Return the probes for the ways in which values were read at the place of a hidden synchronization."""
    if sighting.kind != "hidden-synchronization":
        return ()
    here = [each for each in process.points if (each.place.file, each.place.line) == (sighting.file, sighting.line)]
    return sorted(f"boundary.{point.kind}" for point in here if point.kind in READING_KINDS)
