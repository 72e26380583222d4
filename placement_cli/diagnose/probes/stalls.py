"""At which call of `async_eval` the host has to wait while a stream is held by work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from typing import Any

from placement_cli.diagnose.probes.earlier import Earlier
from placement_cli.diagnose.probes.footprint import chained
from placement_cli.diagnose.probes.rig import Rig

SORTED = 2**19
"""Numbers in the sort that holds the worker: one operation of tens of milliseconds on any CPU."""
CALL_DISPATCHES = 1
"""Dispatches of a call on the CPU, beside those of its operations."""
OP_DISPATCHES = 2
"""Dispatches of an operation on the CPU: itself, and what keeps its buffers until then. A view is one."""
TASK_DISPATCHES = 10
"""Dispatches that MLX counts as one task on the CPU (`cpu/encoder.h`)."""
STALL_DISPATCHES = (100, 110)
"""How many are outstanding on the CPU when the host waits: more than ten tasks, the last of them just begun."""


@dataclass(frozen=True, slots=True)
class Message:
    """What one call evaluates (`ops` is 0 for a view), and at which calls of such messages the host stalled before."""

    name: str
    ops: int
    before: tuple[int, int]

    @property
    def dispatches(self) -> int:
        """Dispatches of one call on the CPU."""
        return (OP_DISPATCHES * self.ops or 1) + CALL_DISPATCHES

    def make(self, rig: Rig, source: Any) -> Any:
        """Build it, lazy."""
        return chained(rig, source, self.ops)[-1] if self.ops else source.reshape(-1)

    def said_before(self) -> str:
        """Say at which calls the host stalled before."""
        low, high = self.before
        return f"{low if low == high else f'{low} to {high}'} with {self.name}"

    def earlier(self) -> Earlier:
        """Where the host stalled before, give or take a task: some of its dispatches may have been there already."""
        low, high = self.before
        task = ceil(TASK_DISPATCHES / self.dispatches)
        return Earlier(f"The call that stalls with {self.name} a message", low - task, high + task, "calls")

    def outstanding(self, call: int) -> tuple[int, int]:
        """Dispatches behind `one_slow_op` that were outstanding when that call began, and that it ended with."""
        held = OP_DISPATCHES + CALL_DISPATCHES
        return (call - 1) * self.dispatches + held, call * self.dispatches + held


MESSAGES = (
    Message("1 view", 0, (54, 54)),
    Message("1 op", 1, (33, 36)),
    Message("2 ops", 2, (21, 22)),
    Message("3 ops", 3, (15, 15)),
    Message("5 ops", 5, (9, 10)),
    Message("10 ops", 10, (5, 5)),
)


def one_slow_op(rig: Rig) -> Rig:
    """Return a rig whose work is one operation, so that hardly any dispatch is its own: a sort, with its output."""
    values = rig.mx.random.uniform(shape=(SORTED,))
    rig.mx.eval(values)

    def work() -> Any:
        return rig.mx.sort(values)

    work_s = min(rig.timed(lambda: rig.mx.eval(work())) for _ in range(2))
    return replace(rig, work=work, work_s=work_s, links=1)


def holding(rig: Rig) -> Rig:
    """Return the rig whose work holds a stream with fewest dispatches of its own: on a GPU a sort is over too soon."""
    return one_slow_op(rig) if rig.backend == "cpu" else rig


def stalled_call(rig: Rig, make: Callable[[], Any], calls: int) -> int | None:
    """Return at which `async_eval` of what `make` builds, counted from 1, the host waited; None: at none of `calls`.

    The stream is busy with the rig's work meanwhile.
    """
    rig.quiet()
    ahead = rig.work()
    rig.mx.async_eval(ahead)
    found = None
    for call in range(1, calls + 1):
        if rig.waited(rig.timed(partial(rig.mx.async_eval, make()))):
            found = call
            break
    rig.quiet()
    return found
