"""One arm made ready to run: its operators, its evaluation points and its written-out loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from placement_cli.device.interface import Device
from placement_cli.graph.mode import Mode
from placement_cli.graph.pipeline import Pipeline
from placement_cli.materialize import EvaluateEvery, RunAheadWindow
from placement_cli.measure.program import Parts, Run, write_run
from placement_cli.measure.specs import Arm, ArmMode, Case, Reading
from placement_cli.measure.units import make_units
from placement_cli.measure.unread import held_messages, unread_sinks
from placement_cli.operators.catalog import find_operator
from placement_cli.operators.operator import Unit


@dataclass(slots=True)
class Rig:
    """An arm of a case, ready to be fed.

    `run` feeds messages, `finish` evaluates whatever they left pending and waits for it, `reset` forgets every
    message seen. `held` are lists of outputs that nothing has computed yet, `last` the sinks of the newest message.
    """

    run: Run
    units: Mapping[str, Unit]
    device: Device
    windows: Sequence[RunAheadWindow | EvaluateEvery]
    held: Sequence[list[Any]]
    last: tuple[Any, ...] = ()

    @property
    def kept(self) -> list[Any]:
        """All outputs that are held."""
        return [output for outputs in self.held for output in outputs]

    def states(self) -> list[Any]:
        """Return the arrays that all nodes carry to the next message."""
        return [array for unit in self.units.values() for array in unit.state()]

    def feed(self, messages: Sequence[Any]) -> None:
        """Run messages through the loop and remember the sinks of the last one."""
        self.last = self.run(messages)

    def finish(self) -> None:
        """Evaluate what is pending, states included, and wait until every stream is idle."""
        self.device.evaluate(*self.kept, *self.last, *self.states())
        self.device.synchronize()

    def let_go(self) -> None:
        """Drop every output and everything in flight, after `finish`."""
        for window in self.windows:
            _let_go(window)
        for outputs in self.held:
            outputs.clear()
        self.last = ()

    def reset(self) -> None:
        """Start again as if no message had been seen."""
        self.let_go()
        for unit in self.units.values():
            unit.reset()


def _let_go(window: RunAheadWindow | EvaluateEvery) -> None:
    if isinstance(window, RunAheadWindow):
        window.drain()
    else:
        window.flush()


def build_rig(
    case: Case,
    arm: Arm,
    device: Device,
    seed: int,
    amounts: Mapping[str, int],
    designs: Mapping[str, Any] | None = None,
) -> Rig:
    """Build `arm` of `case`.

    `amounts` gives the calibrated amount of work of every host node, so that all arms do the same,
    `designs` what their operators need that was worked out before.
    """
    pipeline = case.pipeline
    units = make_units(pipeline, seed, amounts, designs, workload=case.workload)
    windows: list[RunAheadWindow | EvaluateEvery] = []
    keeping = _Keeping(device)
    unread = unread_sinks(arm, pipeline) if case.reading is Reading.STREAM else ()
    parts = Parts(
        ingest=ingest_for(pipeline.source.dtype),
        steps={name: unit.step for name, unit in units.items()},
        points={site: _point(mode, device, windows) for site, mode in arm.points.items()},
        states=_states(pipeline, units) if arm.state else (),
        keeps=keeping.keepers({sink: held_messages(arm, pipeline, sink) for sink in unread}),
        convert=to_numpy(pipeline.source.dtype) if arm.values else None,
    )
    return Rig(write_run(pipeline, parts), units, device, windows, keeping.held)


def ingest_for(dtype: str) -> Callable[[Any], Any]:
    """Return the function that turns a NumPy message into an MLX array (a copy, as at a process boundary)."""
    import mlx.core as mx

    array: Callable[..., Any] = mx.array
    return partial(array, dtype=mx.bfloat16) if dtype == "bfloat16" else array


def _point(mode: Mode, device: Device, windows: list[RunAheadWindow | EvaluateEvery]) -> Callable[..., Any]:
    if mode.kind is ArmMode.SYNC:
        return device.evaluate
    if mode.kind is ArmMode.ASYNC:
        return device.submit
    window = RunAheadWindow(mode.depth) if mode.kind is ArmMode.WINDOW else EvaluateEvery(mode.depth)
    windows.append(window)
    return window


def _states(pipeline: Pipeline, units: Mapping[str, Unit]) -> list[Callable[[], Sequence[Any]]]:
    return [units[node.name].state for node in pipeline.nodes if find_operator(node.op).carries_state]


class _Keeping:
    """Holds the outputs that nothing computes, in one list for all that are evaluated after as many messages."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self.held: list[list[Any]] = []

    def keepers(self, messages: Mapping[str, int]) -> dict[str, Callable[[Any], None]]:
        """Return what holds the output of each sink for so many `messages`, or with 0 until the end."""
        counts = Counter(messages.values())
        keepers = {count: self._keeper(count * sinks) for count, sinks in counts.items()}
        return {sink: keepers[count] for sink, count in messages.items()}

    def _keeper(self, full: int) -> Callable[[Any], None]:
        """Return what puts an output into a new list, and evaluates and empties it once `full` are there."""
        outputs: list[Any] = []
        self.held.append(outputs)
        if not full:
            return outputs.append
        evaluate = self._device.evaluate

        def keep(value: Any) -> None:
            outputs.append(value)
            if len(outputs) == full:
                evaluate(*outputs)
                outputs.clear()

        return keep


def to_numpy(dtype: str) -> Callable[[Any], Any]:
    """Return the function that turns a value into NumPy, which waits for it.

    NumPy has no bfloat16: values of such a source become float32 first.
    """
    import mlx.core as mx
    import numpy as np

    if dtype != "bfloat16":
        convert: Callable[[Any], Any] = np.asarray
        return convert
    return lambda value: np.asarray(value.astype(mx.float32) if isinstance(value, mx.array) else value)
