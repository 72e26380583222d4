"""The source of a graph: the shape of a message, how often one comes, how many there were."""

from __future__ import annotations

from math import prod

from placement_cli.diagnose.graph.pace import Pace
from placement_cli.diagnose.graph.wiring import Wiring
from placement_cli.graph.document.node_schema import MAX_COUNT
from placement_cli.graph.document.scalars import MAX_SIDE
from placement_cli.graph.document.schema import MAX_RATE
from placement_cli.graph.graph import DTYPE_BYTES, GraphSource
from placement_cli.tracing.raw import RawOp
from placement_cli.units import MAX_SIZE

LARGEST_ITEM = max(DTYPE_BYTES.values())


def source_of(wiring: Wiring, pace: Pace) -> GraphSource:
    """Return the source: samples x channels where an array has two dimensions, else elements x 1."""
    samples, channels = message_shape(wiring.origin)
    live = pace.paced and wiring.kind == "replay"
    rate = None
    if live and pace.period_s:
        rate = min(float(f"{1 / pace.period_s:.4g}"), MAX_RATE)
    return GraphSource(
        samples=samples,
        channels=channels,
        dtype=element_type(wiring.origin) or "float32",
        rate=rate,
        messages=min(pace.messages, MAX_COUNT),
        kind="live" if live else wiring.kind,
    )


def message_shape(op: RawOp | None) -> tuple[int, int]:
    """Return samples and channels of the array that an operation made, as documents take them; 1 x 1 without any."""
    shape = op.shape if op is not None else ()
    if len(shape) == 2 and all(1 <= side <= MAX_SIDE for side in shape) and prod(shape) * LARGEST_ITEM <= MAX_SIZE:
        return shape[0], shape[1]
    return min(max(1, prod(shape)), MAX_SIDE), 1


def element_type(op: RawOp | None) -> str | None:
    """Return the element type of the array that an operation made; None where documents have no word for it."""
    word = "" if op is None else op.dtype.rsplit(".", 1)[-1].rstrip("_")
    return word if word in DTYPE_BYTES else None
