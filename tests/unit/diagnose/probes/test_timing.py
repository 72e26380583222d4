"""Probes of timing: what a clock shows is told apart from what the work takes; clocks here are scripted."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from placement_cli.diagnose.probes import timing, timing_compile
from placement_cli.diagnose.probes.probe import Observed
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.diagnose.probes.timing import TIMING

BY_ID = {probe.id.partition(".")[2]: probe for probe in TIMING}
WORK_S = 0.1


class Scripted:
    """A library without arrays on a clock of its own: each function takes as long as it is told, none without."""

    def __init__(self, **costs_s: Callable[[], float]) -> None:
        self.now_s = 0.0
        self.costs_s = costs_s
        self.mx = SimpleNamespace(
            **{name: self.taking(name) for name in ("eval", "async_eval", "synchronize", "full", "clear_cache", "exp")},
            ones=lambda _: 1.0,
            compile=lambda _: self.taking("compiled"),
        )

    def taking(self, name: str) -> Callable[..., float]:
        """A function of the library."""

        def call(*_: Any, **__: Any) -> float:
            self.now_s += self.costs_s.get(name, lambda: 0.0)()
            return 1.0

        return call

    def rig(self) -> Rig:
        """A rig on it."""
        return Rig(self.mx, "cpu", lambda: self.now_s, self.taking("build"), WORK_S, 12)


def first_then(first_s: float, later_s: float) -> Callable[[], float]:
    """A cost that is another one from the second call on."""
    calls = iter([first_s])
    return lambda: next(calls, later_s)


def observe(name: str, **costs_s: Callable[[], float]) -> Observed:
    """What a probe says of a library with these costs."""
    return BY_ID[name].run(Scripted(**costs_s).rig())


@pytest.mark.parametrize("name", ["submission-only", "evaluated-twice", "first-use", "first-touch", "lazy-input"])
def test_timed_probes_tell_their_numbers_on_this_build(name: str, rig: Rig) -> None:
    """Whatever they are on a busy machine, they are times."""
    observed = BY_ID[name].run(rig)
    assert observed.not_run is None
    assert observed.says.endswith(".")
    assert all(value > 0 for value in observed.numbers.values())  # type: ignore[operator]  # All are numbers here.


@pytest.mark.parametrize(("submit_s", "held"), [(1e-4, True), (WORK_S, False)])
def test_a_submission_that_waits_refutes_the_claim(submit_s: float, held: bool) -> None:
    """The clock around it then measures the work."""
    observed = observe("submission-only", async_eval=lambda: submit_s, eval=lambda: WORK_S)
    assert observed.held is held
    assert observed.numbers["submit_s"] == pytest.approx(submit_s)
    assert observed.numbers["complete_s"] == pytest.approx(submit_s + WORK_S)


@pytest.mark.parametrize(("later_s", "held"), [(3e-7, True), (WORK_S, False)])
def test_an_evaluation_again_that_computes_refutes_the_claim(later_s: float, held: bool) -> None:
    """It would take as long as the first."""
    observed = observe("evaluated-twice", eval=first_then(WORK_S, later_s))
    assert observed.held is held
    assert observed.numbers["again_s"] == pytest.approx(later_s)
    assert (observed.differs is None) is held


@pytest.mark.parametrize(("first_s", "held"), [(8e-3, True), (1e-3, False)])
def test_memory_that_is_not_slower_when_new_refutes_the_claim(first_s: float, held: bool) -> None:
    """The small array before it is not the one that is timed."""
    small_then = iter([0.0, first_s])
    observed = observe("first-touch", eval=lambda: next(small_then, 1e-3))
    assert observed.held is held
    assert observed.numbers == pytest.approx({"first_s": first_s, "warm_s": 1e-3})


@pytest.mark.parametrize(("first_s", "held"), [(WORK_S, True), (1e-4, False)])
def test_a_lazy_input_that_is_not_charged_refutes_the_claim(first_s: float, held: bool) -> None:
    """The first trial would be as short as the others."""
    assert observe("lazy-input", eval=first_then(first_s, 1e-4)).held is held


@pytest.mark.parametrize(("first_s", "held"), [(0.6, True), (1e-4, False)])
def test_a_compiled_function_that_starts_fast_refutes_the_claim(
    first_s: float, held: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a compiler and nothing of it on disk."""
    monkeypatch.setattr(timing_compile.shutil, "which", lambda _: "/usr/bin/g++")
    monkeypatch.delenv("MLX_DISABLE_COMPILE", raising=False)
    ready_then = iter([0.0, first_s])
    observed = observe("first-compile", eval=lambda: next(ready_then, 1e-4))
    assert observed.held is held
    assert (observed.differs is None) is held


@pytest.mark.parametrize("name", ["first-compile", "retrace"])
def test_without_a_compiler_compiled_functions_are_not_probed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """MLX then runs them as they are, and says nothing."""
    monkeypatch.setattr(timing_compile.shutil, "which", lambda _: None)
    monkeypatch.delenv("MLX_DISABLE_COMPILE", raising=False)
    assert "no C++ compiler (g++)" in (observe(name).not_run or "")


@pytest.mark.parametrize("name", ["first-compile", "retrace"])
def test_where_compiling_is_switched_off_it_is_not_probed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The presence of the variable alone does that."""
    monkeypatch.setenv("MLX_DISABLE_COMPILE", "0")
    assert "MLX_DISABLE_COMPILE" in (observe(name).not_run or "")


def test_traces_are_counted_on_this_build(rig: Rig) -> None:
    """Three new shapes and three new numbers, wherever functions are compiled at all."""
    observed = BY_ID["retrace"].run(rig)
    assert observed.held or observed.not_run


def test_a_function_that_is_traced_at_every_call_refutes_the_claim(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """A known shape should not be traced again."""
    monkeypatch.setattr(timing_compile.shutil, "which", lambda _: "/usr/bin/g++")
    monkeypatch.delenv("MLX_DISABLE_COMPILE", raising=False)
    core = SimpleNamespace(compile=lambda function: function, ones=rig.mx.ones, abs=rig.mx.abs)
    observed = BY_ID["retrace"].run(replace(rig, mx=core))
    assert not observed.held
    assert observed.numbers["known_shapes_traces"] == 3


def test_building_evaluates_nothing_on_this_build(rig: Rig) -> None:
    """All that was built is still lazy."""
    observed = BY_ID["build-cost"].run(rig)
    assert observed.numbers["pending_ops"] == timing.CHAIN


@pytest.mark.parametrize("before", [None, "/somewhere"])
def test_the_folder_of_compiled_functions_is_only_lent(
    before: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is empty inside the block and gone after it, and the variable is as it was, also after an error."""
    if before is None:
        monkeypatch.delenv("TMPDIR", raising=False)
    else:
        monkeypatch.setenv("TMPDIR", before)
    monkeypatch.setattr(timing_compile.tempfile, "tempdir", str(tmp_path))
    seen: list[list[Path]] = []

    def fail() -> None:
        with timing_compile._cold_cache():
            seen.append(list(Path(os.environ["TMPDIR"]).iterdir()))
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert seen == [[]]
    assert list(tmp_path.iterdir()) == []
    assert os.environ.get("TMPDIR") == before
