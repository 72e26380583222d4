"""What the host and the device take for their parts of an evaluation: the constants of the timeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf


@dataclass(frozen=True, slots=True)
class QueueRule:
    """When submitting blocks: what may be outstanding until then.

    Work of `calls` submissions and `ops` ops is outstanding at most, as shares that add up to 1 (MLX's CPU build:
    about 110 dispatches; the 64 command buffers of a Metal queue: 63 submissions). A submission of more than
    `buffer_ops` ops goes out in parts, of which MLX counts all but the last, and at most `buffer_tasks` of those may
    be outstanding (`MAX_ACTIVE_TASKS` in mlx/transforms.cpp). Infinite: no such limit.
    """

    calls: float = inf
    ops: float = inf
    buffer_ops: float = inf
    buffer_tasks: float = 10.0

    def messages(self, calls: float, ops: float, parts: float) -> float:
        """Return how many messages of `calls` submissions, `ops` ops and `parts` counted parts may be outstanding."""
        used = calls / self.calls + ops / self.ops + parts / (self.buffer_tasks + 1.0)
        return 1.0 / used if used > 0 else inf


@dataclass(frozen=True, slots=True)
class Costs:
    """The constants, in seconds; what they mean is in `fit/evaluation_terms.py` under the same names.

    `build_node_s` is what the code of one node takes on the host besides building its ops. `asleep_after_s`: idling for
    that long the device is asleep to 1 - 1/e, which is the share of `submit_asleep_s` to pay; far shorter idling costs
    next to nothing of it (a Linux guest polls for 200 us before it halts a core), and 0 is asleep at once. `wake_s`
    passes before an idle device begins. `sync_call_s` is what SYNC takes after waiting, `wait_busy_s` the part of any
    wait that keeps the host's thread itself busy. `held_byte_s` is device time for each byte that a submission of
    several nodes holds until all of it is done.

    By kind of host work: `host_slowing` and `device_slowing` give how much longer host work takes for each second that
    the device works beside it, and the device for each second of host work; `starting_s` is what one piece of work
    takes longer in a graph than on its own. The threads of `lingering` kinds go on spinning after their work (OpenBLAS:
    for 2**26 cycles), so that everything the host does in such a message is slowed like the work itself, and no core
    falls asleep.

    `idle` are (seconds of idling, ratio of device time) in rising order. `streams`: the device begins with the first op
    while the rest is still being submitted (MLX's CPU build); otherwise with the whole submission.
    """

    build_op_s: float = 0.0
    build_node_s: float = 0.0
    submit_call_s: float = 0.0
    submit_op_s: float = 0.0
    submit_asleep_s: float = 0.0
    wake_s: float = 0.0
    asleep_after_s: float = 0.0
    round_trip_s: float = 0.0
    sync_call_s: float = 0.0
    wait_busy_s: float = 0.0
    boundary_call_s: float = 0.0
    boundary_byte_s: float = 0.0
    ingest_call_s: float = 0.0
    ingest_byte_s: float = 0.0
    held_byte_s: float = 0.0
    host_slowing: Mapping[str, float] = field(default_factory=dict)
    device_slowing: Mapping[str, float] = field(default_factory=dict)
    starting_s: Mapping[str, float] = field(default_factory=dict)
    lingering: frozenset[str] = frozenset()
    idle: tuple[tuple[float, float], ...] = ()
    slowed_s: float = inf
    queue: QueueRule = QueueRule()
    streams: bool = False
