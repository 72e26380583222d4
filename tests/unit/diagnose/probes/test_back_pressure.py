from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.diagnose.probes.back_pressure import BACK_PRESSURE
from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.diagnose.probes.stalls import STALL_DISPATCHES, Message
from tests.unit.diagnose.probes.conftest import ChangeMlx
from tests.unit.diagnose.probes.measured import assert_measured

BY_ID = {probe.id: probe for probe in BACK_PRESSURE}
ON_CPU = [probe for probe in BACK_PRESSURE if "cpu" in probe.backends]


def _not_at_all(*arrays: Any) -> None:
    """Stand in for an evaluation that neither schedules nor waits."""


OTHERWISE: Mapping[str, Callable[[Any], Mapping[str, Any]]] = {
    "back-pressure.dispatches": lambda mx: {"async_eval": mx.eval},
    "back-pressure.long-call": lambda mx: {"async_eval": _not_at_all},
    "back-pressure.other-stream": lambda mx: {"async_eval": mx.eval},
    "back-pressure.window": lambda mx: {"eval": _not_at_all, "sort": lambda values: values},
    "back-pressure.memory-limit": lambda mx: {"set_memory_limit": lambda limit: limit},
}
"""What else MLX might do for a claim to be wrong, by the probe that must notice."""


@pytest.mark.parametrize("probe", ON_CPU, ids=lambda probe: probe.id)
def test_each_claim_holds_on_the_cpu_build(probe: Probe, rig: Rig) -> None:
    """Every claim about back-pressure that is about the CPU holds there, with numbers."""
    observed = probe.run(rig)
    assert_measured(observed)
    assert observed.held, observed.says


@pytest.mark.parametrize("probe", ON_CPU, ids=lambda probe: probe.id)
def test_each_claim_fails_when_mlx_does_otherwise(probe: Probe, rig: Rig, change_mlx: ChangeMlx) -> None:
    """A probe fails, with a sentence, on an MLX that does not do what its claim says."""
    observed = probe.run(change_mlx(**OTHERWISE[probe.id](rig.mx)))
    assert not observed.held, observed.says
    assert observed.numbers


def test_an_mlx_that_never_stalls_is_told(change_mlx: ChangeMlx) -> None:
    """Without any stall the number is unknown, and so much is said of every message."""
    observed = BY_ID["back-pressure.dispatches"].run(change_mlx(async_eval=_not_at_all))
    assert not observed.held
    assert observed.numbers["stall_1_op_calls"] is None
    assert observed.says.count("at none of 100 calls") == 6
    assert observed.differs is not None
    assert observed.differs.count("here never seen") == 6


def test_the_memory_limit_is_put_back_when_something_fails(rig: Rig, change_mlx: ChangeMlx) -> None:
    """The limit from before is in force again also when the messages under another one cannot be made."""

    def broken(values: Any) -> Any:
        raise ValueError("no memory")

    before = rig.mx.get_memory_limit()
    with pytest.raises(ValueError, match="no memory"):
        BY_ID["back-pressure.memory-limit"].run(change_mlx(array=broken))
    assert rig.mx.get_memory_limit() == before


def test_a_memory_limit_that_is_ignored_is_seen_on_gpus(rig: Rig, change_mlx: ChangeMlx) -> None:
    """The claim about GPUs fails where the limit bounds the run-ahead, and holds where setting it does nothing."""
    probe = BY_ID["back-pressure.memory-limit-ignored"]
    assert not probe.run(rig).held
    assert probe.run(change_mlx(set_memory_limit=lambda limit: limit)).held


@dataclass
class Queue:
    """A queue in fake time: it holds so many evaluations, and the next one waits for `work_s`."""

    room: int
    work_s: float
    now_s: float = 0.0
    calls: int = 0

    def now(self) -> float:
        """Seconds."""
        return self.now_s

    def async_eval(self, *arrays: Any) -> None:
        """Submit; the first call is the work."""
        self.calls += 1
        self.now_s += self.work_s if self.calls > self.room else 1e-6


def _observe(probe_id: str, room: int, change_mlx: ChangeMlx) -> Observed:
    changed = change_mlx()
    queue = Queue(room, changed.work_s)
    rig = replace(change_mlx(async_eval=queue.async_eval), now=queue.now, backend="metal")
    return BY_ID[probe_id].run(rig)


@pytest.mark.parametrize(("room", "held"), [(63, True), (64, True), (36, False), (200, False), (1000, False)])
def test_a_queue_of_metal_holds_about_64_evaluations(room: int, held: bool, change_mlx: ChangeMlx) -> None:
    """The claim holds for a queue of 64 command buffers; another depth fails it and is told."""
    observed = _observe("back-pressure.evaluations", room, change_mlx)
    assert observed.held is held
    assert observed.numbers == {"stall_calls": room if room < 256 else None}


@pytest.mark.parametrize(("room", "held"), [(1000, True), (64, False)])
def test_small_evaluations_are_not_counted_on_cuda(room: int, held: bool, change_mlx: ChangeMlx) -> None:
    """The claim holds when none of 256 evaluations waited."""
    assert _observe("back-pressure.uncounted", room, change_mlx).held is held


@given(st.integers(0, 40), st.integers(*STALL_DISPATCHES))
@settings(deadline=None)
def test_one_call_covers_the_dispatch_that_stalls(ops: int, dispatch: int) -> None:
    """Whatever a message holds, exactly one call, or two that meet there, covers a given count of dispatches."""
    message = Message("some", ops, (1, 1))
    spans = [message.outstanding(call) for call in range(1, 120)]
    covering = [least <= dispatch <= most for least, most in spans]
    assert 1 <= sum(covering) <= 2
    assert all(most == least for (_, most), (least, _) in pairwise(spans))
