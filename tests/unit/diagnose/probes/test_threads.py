"""Probes of threads: what is refused is told apart from what works, on this build and on others."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from placement_cli.diagnose.probes import threads
from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.diagnose.probes.threads import THREADS

BY_ID = {probe.id.partition(".")[2]: probe for probe in THREADS}
UNTIMED = (
    "lazy-handed-over",
    "lazy-returned",
    "evaluated-handed-over",
    "foreign-stream",
    "thread-local-stream",
    "random-state",
)
"""Probes whose outcome does not depend on a clock."""


@pytest.mark.parametrize("name", UNTIMED)
def test_what_needs_no_clock_holds_on_this_build(name: str, rig: Rig) -> None:
    """MLX from 0.31.2 on keeps streams and random numbers to threads."""
    observed = BY_ID[name].run(rig)
    assert observed.held, observed.says
    assert observed.not_run is None


@pytest.mark.parametrize("name", sorted(BY_ID.keys() - set(UNTIMED)))
def test_what_is_timed_tells_its_numbers(name: str, rig: Rig) -> None:
    """Whatever they are on a busy machine, they are times, and the value that was read is right."""
    observed = BY_ID[name].run(rig)
    assert observed.not_run is None
    assert all(value > 0 for key, value in observed.numbers.items() if key.endswith("_s"))  # type: ignore[operator]  # All are numbers here.
    assert observed.numbers.get("value", 2.0) == 2.0


class Thing:
    """An array of a library that does not mind threads."""

    def __mul__(self, _: float) -> Thing:
        return self

    def tolist(self) -> list[float]:
        """The values."""
        return [2.0]


def on(core: Any, rig: Rig) -> Rig:
    """The rig with another library."""
    return replace(rig, mx=core)


@pytest.mark.parametrize("name", ["lazy-handed-over", "lazy-returned"])
def test_a_build_that_hands_lazy_arrays_over_refutes_the_claim(name: str, rig: Rig) -> None:
    """That of before 0.31.2: nothing is raised, and the probe says so."""
    core = SimpleNamespace(ones=lambda _: Thing(), eval=lambda _: None, async_eval=lambda _: None)
    observed = BY_ID[name].run(on(core, rig))
    assert not observed.held
    assert "eval worked" in observed.says


def test_another_error_is_not_the_one_that_was_claimed(rig: Rig) -> None:
    """Its words are told."""

    def fail(_: Any) -> None:
        raise RuntimeError("out of memory")

    core = SimpleNamespace(ones=lambda _: Thing(), eval=fail, async_eval=fail)
    observed = BY_ID["lazy-handed-over"].run(on(core, rig))
    assert not observed.held
    assert "raised RuntimeError (out of memory)" in observed.says
    assert observed.numbers["eval_error"] == "RuntimeError: out of memory"


def test_without_thread_local_streams_there_is_nothing_to_run(rig: Rig) -> None:
    """An older MLX is told as such."""
    observed = BY_ID["thread-local-stream"].run(on(SimpleNamespace(), rig))
    assert observed.not_run is not None
    assert "new_thread_local_stream" in observed.not_run


def with_gaps(monkeypatch: pytest.MonkeyPatch, rig: Rig, *shares: float) -> Observed:
    """What the probe of the lock says when another thread stood still for these shares of the work."""
    gaps = iter(shares)
    monkeypatch.setattr(threads, "longest_gap", lambda rig, _: next(gaps) * rig.work_s)
    return BY_ID["gil-released"].run(rig)


def test_a_lock_that_is_held_in_eval_refutes_the_claim(monkeypatch: pytest.MonkeyPatch, rig: Rig) -> None:
    """The other thread stood still while this one waited."""
    assert not with_gaps(monkeypatch, rig, 0.9, 0.01, 0.01).held


def test_a_lock_that_is_held_elsewhere_is_a_difference(monkeypatch: pytest.MonkeyPatch, rig: Rig) -> None:
    """The claim is about mx.eval; synchronize kept the lock in older builds."""
    observed = with_gaps(monkeypatch, rig, 0.01, 0.01, 0.9)
    assert observed.held
    assert observed.differs == "Python's lock was held in synchronize."
    assert with_gaps(monkeypatch, rig, 0.01, 0.01, 0.01).differs is None


@pytest.mark.parametrize(("backend", "held"), [("metal", True), ("cpu", False)])
def test_a_foreign_stream_that_is_refused_is_what_a_gpu_does(backend: str, held: bool, rig: Rig) -> None:
    """On the CPU backend waiting for it is allowed."""

    def refuse(*stream: Any) -> None:
        if stream:
            raise RuntimeError("There is no Stream(gpu, 3) in current thread.")

    names = ("new_stream", "default_device", "stream", "async_eval", "eval")
    core = SimpleNamespace(**{name: getattr(rig.mx, name) for name in names}, synchronize=refuse)
    observed = BY_ID["synchronize-foreign"].run(replace(rig, mx=core, backend=backend))
    assert observed.held is held
    assert "raised RuntimeError" in observed.says


@pytest.mark.parametrize("probe", THREADS, ids=lambda probe: probe.id)
def test_every_probe_of_threads_is_about_all_backends(probe: Probe) -> None:
    """Threads are the host's."""
    assert probe.group == "threads"
    assert set(probe.backends) == {"metal", "cuda", "cpu"}
