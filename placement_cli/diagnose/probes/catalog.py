"""All probes: by id, by group and by symptom."""

from __future__ import annotations

from collections.abc import Sequence

from placement_cli.diagnose.probes.back_pressure import BACK_PRESSURE
from placement_cli.diagnose.probes.boundary import BOUNDARY
from placement_cli.diagnose.probes.ordering import ORDERING
from placement_cli.diagnose.probes.ownership import OWNERSHIP
from placement_cli.diagnose.probes.probe import GROUPS, Probe
from placement_cli.diagnose.probes.threads import THREADS
from placement_cli.diagnose.probes.timing import TIMING
from placement_cli.diagnose.probes.transforms import TRANSFORMS
from placement_cli.diagnose.probes.zero_size import ZERO_SIZE
from placement_cli.errors import UsageError, did_you_mean

PROBES: tuple[Probe, ...] = (
    *BOUNDARY,
    *ORDERING,
    *OWNERSHIP,
    *BACK_PRESSURE,
    *ZERO_SIZE,
    *THREADS,
    *TIMING,
    *TRANSFORMS,
)
"""In the order of GROUPS."""


def find_probe(probe_id: str) -> Probe:
    """Return the probe of that id; raises UsageError naming the nearest one."""
    found = next((probe for probe in PROBES if probe.id == probe_id), None)
    if found is None:
        raise UsageError(_unknown(probe_id))
    return found


def select_probes(names: Sequence[str] = (), symptom: str | None = None) -> tuple[Probe, ...]:
    """Return the probes that `names` ask for, ids or groups, and of these the ones that bear on `symptom`.

    Without names all are asked for. The order is that of PROBES, and each comes once. Raises UsageError when a name
    is unknown, or when no probe asked for bears on the symptom.
    """
    for name in names:
        if name not in GROUPS:
            find_probe(name)
    asked = [probe for probe in PROBES if not names or probe.id in names or probe.group in names]
    found = tuple(probe for probe in asked if symptom is None or symptom in probe.symptoms)
    if not found:
        raise UsageError(f"No probe of {', '.join(names)} bears on the symptom {symptom!r}. See `diagnose --list`.")
    return found


def _unknown(name: str) -> str:
    hint = did_you_mean(name, (*GROUPS, *(probe.id for probe in PROBES)), most=len(GROUPS))
    return f"There is no probe {name!r}. {hint} `placement diagnose --list` shows all."
