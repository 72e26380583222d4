"""Probes one after another, each in a process of its own: what crashes or hangs takes nothing else down."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from placement_cli.diagnose.probes.probe import Outcome, Probe, Result
from placement_cli.measure.spawn import CommandFailedError, Spawn, Worker, WorkerLostError, error_of, spawn_module

PROBER = "placement_cli.diagnose.probes.prober"
START_S = 60.0
"""How long a process may take to import MLX, open the device and make its work: a cold disk takes its time."""


@dataclass(frozen=True, slots=True)
class Build:
    """What is installed, and on what.

    `backend` is `metal`, `cuda` or `cpu`; `device` `gpu` or `cpu`. `variables` are the environment variables that alter
    how MLX works, `distributions` the installed packages of MLX with their versions.
    """

    mlx: str
    backend: str
    device: str
    variables: Mapping[str, str]
    python: str
    platform: str
    distributions: Mapping[str, str]


def spawn_prober(device: str | None = None) -> Worker:
    """Start a process for one probe on `device`, `gpu` or `cpu`; MLX's own choice without one."""
    return spawn_module(PROBER, [device] if device else [])


def read_build(spawn: Spawn) -> Build:
    """Return what is installed, as a process of its own sees it.

    Raises UsageError when there is no such device or no MLX, WorkerLostError when importing it ends the process.
    """
    with closing(spawn()) as worker:
        try:
            reply = worker.ask("hello", limit_s=START_S)
        except CommandFailedError as failed:
            raise error_of(failed) from None
    return Build(**{name: reply[name] for name in Build.__slots__})


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told of each probe: `begins` before it with its number, counted from 0, `done` as soon as it is over.

    `stopped` says that no more are wanted.
    """

    begins: Callable[[int, Probe], None]
    done: Callable[[Result], None]
    stopped: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs probes on `backend`, each in a process of its own that `spawn` starts; `now` is a clock in seconds."""

    backend: str
    spawn: Spawn
    now: Callable[[], float]

    def run_all(self, probes: Sequence[Probe], watch: Watch) -> None:
        """Run each of `probes` in their order, until `watch` says that no more are wanted."""
        for number, probe in enumerate(probes):
            if watch.stopped():
                return
            watch.begins(number, probe)
            watch.done(self.run(probe))

    def run(self, probe: Probe) -> Result:
        """Run one probe; its process has ended when this returns.

        A probe that is not about the backend, or whose process cannot be made ready, is not run and not replaced. One
        that crashes, hangs or raises has failed, with the reason.
        """
        if self.backend not in probe.backends:
            return _not_run(probe, f"it is about {' and '.join(probe.backends)}, and this is {self.backend}")
        try:
            worker = self.spawn()
        except WorkerLostError as lost:
            return _not_run(probe, str(lost))
        with closing(worker):
            try:
                worker.ask("work", limit_s=START_S)
            except (WorkerLostError, CommandFailedError) as error:
                return _not_run(probe, f"its process could not be made ready: {error}")
            return self._executed(probe, worker)

    def _executed(self, probe: Probe, worker: Worker) -> Result:
        began = self.now()
        try:
            reply = worker.ask("probe", limit_s=probe.limit_s, id=probe.id)
        except CommandFailedError as error:
            return _failed(probe, f"it raised {error}", self.now() - began)
        except WorkerLostError as lost:
            return _failed(probe, str(lost), self.now() - began)
        return _result(probe, reply)


def _result(probe: Probe, reply: Mapping[str, Any]) -> Result:
    if reply["not_run"] is not None:
        return _not_run(probe, reply["not_run"], reply["took_s"])
    outcome: Outcome = "passed" if reply["held"] else "failed"
    return Result(probe, outcome, reply["says"], reply["numbers"], reply["differs"], None, reply["took_s"])


def _failed(probe: Probe, reason: str, took_s: float) -> Result:
    return Result(probe, "failed", "", {}, None, reason, took_s)


def _not_run(probe: Probe, reason: str, took_s: float = 0.0) -> Result:
    return Result(probe, "not-run", "", {}, None, reason, took_s)
