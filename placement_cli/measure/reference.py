"""What the arms of a case must compute: the NumPy reference, worked out once and read by every worker."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from placement_cli.graph.pipeline import SOURCE
from placement_cli.measure.messages import message_pool
from placement_cli.measure.program import sinks
from placement_cli.measure.specs import Case
from placement_cli.measure.units import make_units

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHECKED_MESSAGES = 3
"""Messages compared when each gives output; more where a node withholds it."""
CHECKED_BYTES = 64 * 2**20
"""At most this much input is compared, but always one message."""


def reference_outputs(case: Case, seed: int) -> list[list[NDArray[Any]]]:
    """Return the reference values of every sink for the first messages of the pool, in NumPy at double precision.

    As many messages as it takes until some output came out, at least `CHECKED_MESSAGES`.
    """
    import numpy as np

    pool = message_pool(case.pipeline.source, seed)
    units = make_units(case.pipeline, seed, reference=True, workload=case.workload)
    least = max(1, min(CHECKED_MESSAGES, CHECKED_BYTES // case.pipeline.source.message_bytes))
    outputs: list[list[NDArray[Any]]] = []
    while len(outputs) < least or (not any(a.size for row in outputs for a in row) and len(outputs) < 4096):
        values: dict[str, Any] = {SOURCE: np.asarray(pool[len(outputs) % len(pool)], dtype=np.float64)}
        for node in case.pipeline.nodes:
            values[node.name] = units[node.name].step(*(values[name] for name in node.inputs))
        outputs.append([np.asarray(values[name]) for name in sinks(case.pipeline)])
    return outputs


def save_reference(path: Path, outputs: Sequence[Sequence[NDArray[Any]]]) -> None:
    """Write reference values where the workers can read them."""
    import numpy as np

    arrays: dict[str, Any] = {
        f"{message}.{sink}": array for message, row in enumerate(outputs) for sink, array in enumerate(row)
    }
    with path.open("wb") as file:
        np.savez(file, **arrays)
