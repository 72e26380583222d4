"""About how much memory a case needs, worked out before anything is measured.

An estimate to refuse what cannot work, not a prediction of what the counters will show. It counts the messages an arm
keeps alive at once, each with its input and what every MLX node makes of it, and for every worker process its pool
of messages and the data one message touches (weights and intermediates among it). What MLX keeps in its cache of
freed buffers is not counted: it gives that back when memory gets short.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from placement_cli.errors import UsageError
from placement_cli.graph.mode import Mode
from placement_cli.graph.pipeline import ITEM_BYTES
from placement_cli.measure.messages import pool_size
from placement_cli.measure.shapes import pipeline_features, pipeline_shapes
from placement_cli.measure.sizing import fixed_messages
from placement_cli.measure.specs import Arm, ArmMode, Case, Reading
from placement_cli.measure.unread import held_messages, unread_sinks, waits_each_message
from placement_cli.operators.catalog import find_operator
from placement_cli.units import format_size

if TYPE_CHECKING:
    from collections.abc import Iterable

QUEUE_MESSAGES = 64
"""Most submissions that wait for a device: Metal's queue holds 64 command buffers, the CPU backend about 36."""
UNKNOWN_MESSAGES = 2 * QUEUE_MESSAGES
"""Messages of a sample whose number is only found by timing: at least twice what a queue holds."""


def case_bytes(case: Case) -> int:
    """Return about how many bytes measuring `case` needs, all worker processes together.

    The workers of a block live side by side but work in turn: the largest of what their arms keep alive counts
    once, what each of them holds anyway (one more worker for the control) counts every time.
    """
    source = case.pipeline.source
    touched = sum(f.bytes_moved + f.state_bytes for f in pipeline_features(case.pipeline).values())
    worker = pool_size(source) * source.message_bytes + int(touched)
    alive = max(kept_messages(case, arm) for arm in case.arms) * message_bytes(case)
    return (len(case.arms) + 1) * worker + alive


def message_bytes(case: Case) -> int:
    """Return the bytes of one message and of what every MLX node makes of it."""
    source = case.pipeline.source
    shapes = pipeline_shapes(case.pipeline)
    elements = sum(
        prod(shapes[node.name].output) for node in case.pipeline.nodes if find_operator(node.op).backend == "mlx"
    )
    return source.message_bytes + elements * ITEM_BYTES[source.dtype]


def kept_messages(case: Case, arm: Arm) -> int:
    """Return how many messages `arm` keeps alive at once at most: pending, or in flight."""
    messages = fixed_messages(case) or UNKNOWN_MESSAGES
    if case.reading is Reading.PENDING:
        return messages
    if waits_each_message(arm, case.pipeline):
        return 1
    held = [held_messages(arm, case.pipeline, sink) or messages for sink in unread_sinks(arm, case.pipeline)]
    return min(messages, max([1, *held, *map(_flying_messages, arm.points.values())]))


def _flying_messages(mode: Mode) -> int:
    """Return how many messages a point with `mode` lets be unfinished at most."""
    kept = {ArmMode.ASYNC: QUEUE_MESSAGES, ArmMode.WINDOW: mode.depth + 1, ArmMode.EVERY: mode.depth}
    return kept.get(mode.kind, 1)


def check_memory(cases: Iterable[Case], free_bytes: int) -> None:
    """Raise UsageError naming the first case that needs more than `free_bytes`."""
    for case in cases:
        needed = case_bytes(case)
        if needed > free_bytes:
            raise UsageError(
                f"{case.id} needs about {format_size(needed)} of memory, but only {format_size(free_bytes)} can be "
                f"used; expected smaller chunks or fewer messages (--set KEY=...)"
            )
