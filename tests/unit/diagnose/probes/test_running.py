"""Running probes: whatever one does to its process, the others run and it is told."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import pytest

from placement_cli.diagnose.probes.probe import Observed, Probe, Result
from placement_cli.diagnose.probes.running import Build, Runner, Watch, read_build
from placement_cli.errors import UsageError
from placement_cli.measure import spawn
from placement_cli.measure.spawn import CommandFailedError, Worker, WorkerLostError

OBSERVED = {"held": True, "says": "It did.", "numbers": {"n": 3}, "differs": None, "not_run": None, "took_s": 0.5}
BUILD = {
    "mlx": "1.0",
    "backend": "cpu",
    "device": "cpu",
    "variables": {},
    "python": "CPython 3",
    "platform": "Linux",
    "distributions": {"mlx": "1.0"},
}


class FakeWorker:
    """A process that answers with what it was given, or raises it."""

    def __init__(self, **replies: dict[str, Any] | Exception) -> None:
        self.replies = {"work": {}, "probe": OBSERVED, "hello": BUILD} | replies
        self.asked: list[tuple[str, float | None, dict[str, Any]]] = []
        self.closed = False

    def ask(self, do: str, *, limit_s: float | None = None, **arguments: Any) -> dict[str, Any]:
        """Answer one command."""
        self.asked.append((do, limit_s, arguments))
        reply = self.replies[do]
        if isinstance(reply, Exception):
            raise reply
        return reply

    def close(self) -> None:
        """End."""
        self.closed = True


def never(_: Any) -> Observed:
    """What a probe does is done in another process."""
    raise AssertionError("a probe runs in a process of its own")


def probe(name: str = "timing.x", **changes: Any) -> Probe:
    """A probe that does not run here."""
    return Probe(name, "It does.", never, ("timing",), **changes)


def run(worker: Worker | Exception, which: Probe | None = None) -> Result:
    """Run one probe with this process for it, on the CPU backend; each look at the clock is a second later."""
    ticks = iter(range(100))

    def start() -> Worker:
        if isinstance(worker, Exception):
            raise worker
        return worker

    return Runner("cpu", start, lambda: float(next(ticks))).run(which or probe())


@pytest.mark.parametrize(("held", "outcome"), [(True, "passed"), (False, "failed")])
def test_what_was_observed_becomes_a_result(held: bool, outcome: str) -> None:
    """A claim that does not hold is a finding and has no reason beside what was observed."""
    worker = FakeWorker(probe=OBSERVED | {"held": held, "differs": "Before 2."})
    result = run(worker)
    assert (result.outcome, result.observed, result.numbers, result.took_s) == (outcome, "It did.", {"n": 3}, 0.5)
    assert (result.differs, result.reason) == ("Before 2.", None)
    assert worker.closed


def test_the_limit_is_that_of_the_probe() -> None:
    """Making ready has another one, so that a slow start is not charged to the probe."""
    worker = FakeWorker()
    run(worker, probe(limit_s=7.0))
    assert worker.asked[-1] == ("probe", 7.0, {"id": "timing.x"})
    assert [do for do, _, _ in worker.asked] == ["work", "probe"]


def test_a_probe_that_could_not_be_executed_is_not_run() -> None:
    """It says why itself."""
    result = run(FakeWorker(probe=OBSERVED | {"not_run": "there is no compiler"}))
    assert (result.outcome, result.reason, result.observed) == ("not-run", "there is no compiler", "")


def test_a_probe_about_another_backend_starts_nothing() -> None:
    """It is not replaced by what this backend does."""
    result = run(AssertionError("nothing is started"), probe(backends=("metal", "cuda")))
    assert (result.outcome, result.reason) == ("not-run", "it is about metal and cuda, and this is cpu")


@pytest.mark.parametrize(
    "error", [WorkerLostError("it was lost (exit status -9)"), CommandFailedError("RuntimeError: no memory", None)]
)
def test_a_process_that_does_not_get_ready_runs_nothing(error: Exception) -> None:
    """The claim was not put to a test."""
    worker = FakeWorker(work=error)
    result = run(worker)
    assert result.outcome == "not-run"
    assert str(error) in (result.reason or "")
    assert worker.closed


def test_a_process_that_cannot_be_started_runs_nothing() -> None:
    """Nothing is left to close."""
    result = run(WorkerLostError("a worker process could not be started"))
    assert (result.outcome, result.reason) == ("not-run", "a worker process could not be started")


def test_a_probe_that_raises_has_failed_by_accident() -> None:
    """The error is the reason, and nothing was observed."""
    result = run(FakeWorker(probe=CommandFailedError("ValueError: no such stream", None)))
    assert (result.outcome, result.reason) == ("failed", "it raised ValueError: no such stream")
    assert (result.observed, result.took_s) == ("", 1.0)


def stand_in(code: str) -> Callable[[], Worker]:
    """What starts a real process that gets ready and then runs `code`."""
    ready = 'print(json.dumps({"ok": True}), flush=True)'
    program = f"import json, os, sys, time\nsys.stdin.readline()\n{ready}\nsys.stdin.readline()\n{code}"
    return lambda: spawn._Process([sys.executable, "-S", "-c", program], os.environ)


def test_a_probe_that_kills_its_process_is_contained() -> None:
    """A real process that ends with a signal; the reason has its status and its last words."""
    code = "sys.stderr.write('bad access\\n'); sys.stderr.flush(); os.kill(os.getpid(), 11)"
    result = Runner("cpu", stand_in(code), lambda: 0.0).run(probe())
    assert result.outcome == "failed"
    assert result.reason == "a worker process ended while it carried out 'probe' (exit status -11): bad access"


def test_a_probe_that_hangs_is_ended_at_its_limit() -> None:
    """A real process that goes on for ever; it is gone afterwards."""
    started: list[Any] = []

    def start() -> Worker:
        started.append(stand_in("time.sleep(1000)")())
        return started[0]

    result = Runner("cpu", start, lambda: 0.0).run(probe(limit_s=0.05))
    assert result.outcome == "failed"
    assert "did not answer 'probe' within 0.05 s" in (result.reason or "")
    assert started[0]._process.returncode is not None


def test_probes_run_in_turn_until_no_more_are_wanted() -> None:
    """Each begins after the one before is over, in a process of its own, and what is done is handed over at once."""
    seen: list[str] = []
    workers: list[FakeWorker] = []

    def start() -> Worker:
        assert all(worker.closed for worker in workers)
        workers.append(FakeWorker())
        return workers[-1]

    def done(result: Result) -> None:
        seen.append(f"{result.probe.id} {result.outcome}")

    watch = Watch(lambda at, one: seen.append(f"{at} {one.id}"), done, lambda: len(workers) == 2)
    Runner("cpu", start, lambda: 0.0).run_all([probe("timing.a"), probe("timing.b"), probe("timing.c")], watch)
    assert seen == ["0 timing.a", "timing.a passed", "1 timing.b", "timing.b passed"]


def test_the_build_is_that_of_a_process_of_its_own() -> None:
    """Which ends before anything else is started."""
    worker = FakeWorker()
    assert read_build(lambda: worker) == Build(**BUILD)  # type: ignore[arg-type]  # Fields by name.
    assert worker.closed


def test_a_missing_device_is_a_usage_error() -> None:
    """It comes with the words of the process that looked for it."""
    worker = FakeWorker(hello=CommandFailedError("MLX 1.0 has no GPU here.", 2))
    with pytest.raises(UsageError, match="has no GPU here"):
        read_build(lambda: worker)
    assert worker.closed
