"""The real surroundings of a session: worker processes, clocks, and where the run takes place."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

import placement_cli
from placement_cli.bench.session import Surroundings
from placement_cli.bench.watch import Watcher
from placement_cli.device.affinity import confine, own_cores
from placement_cli.device.builds import mlx_problem
from placement_cli.device.clock import SystemClock
from placement_cli.device.environment import Environment, collect_environment
from placement_cli.device.threads import pin_blas, pinned_environment
from placement_cli.errors import InvalidMeasurement
from placement_cli.measure.blocks import Bench
from placement_cli.measure.spawn import CommandFailedError, Spawn, WorkerLostError, error_of, spawn_process
from placement_cli.store.run_document import Diagnostic, ToolRecord

WORKER_THREADS = 1
"""Threads of BLAS in a worker, as `spawn_process` starts it."""


@dataclass(frozen=True, slots=True)
class ProbedDevice:
    """What a worker said of its device: the facts of the environment that only MLX knows."""

    name: str
    backend: str
    said: Mapping[str, Any]

    def facts(self) -> dict[str, Any]:
        """Return the stable facts of the device."""
        return dict(self.said)


def probe(spawn: Spawn) -> tuple[ProbedDevice, dict[str, Any]]:
    """Ask a worker what its device is; return that and the harness's own costs.

    Raises the error the worker met, for instance that there is no MLX, and InvalidMeasurement when the fence does
    not wait: then every time would be the time of submitting, and nothing is reported.
    """
    with closing(spawn()) as worker:
        try:
            hello, probed = worker.ask("hello"), worker.ask("probe")
        except CommandFailedError as failed:
            raise error_of(failed) from None
        except WorkerLostError as lost:
            raise InvalidMeasurement(f"no worker process could be started: {lost}.") from None
    if not probed["fence"]["ok"]:
        raise InvalidMeasurement(f"{probed['fence']['problem']} Nothing is reported.")
    harness = {
        "protocol": hello.get("protocol", 1),
        "timer": "time.perf_counter",
        "resolution_s": hello["timer_s"],
        "empty_sample_s": hello["empty_s"],
        "fence_selftest": {"ok": True, "ratio": probed["fence"]["ratio"]},
    }
    return ProbedDevice(hello["device"], hello["backend"], probed["facts"]), harness


def real_surroundings(device: str | None, seed: int, watcher: Watcher, interrupted: Callable[[], bool]) -> Surroundings:
    """Return the surroundings of a run on `device` of this machine."""
    spawn = partial(spawn_process, device)
    probed, harness = probe(spawn)
    environment = environment_of(probed)
    clock, problem = SystemClock(), mlx_problem()
    state = partial(_state, environment)
    bench = Bench(spawn, clock.now, state, seed, watcher.sampling, cores=own_cores(), confine=confine)
    return Surroundings(
        bench=bench,
        now=clock.now,
        stable=environment.stable,
        harness=harness,
        tool=ToolRecord(name="placement", version=placement_cli.__version__),
        watcher=watcher,
        interrupted=interrupted,
        diagnostics=[Diagnostic(level="warning", code="mlx-builds", text=problem)] if problem else [],
    )


def environment_of(probed: ProbedDevice) -> Environment:
    """Return the environment as the workers have it: the facts of BLAS are read with their number of threads."""
    with pin_blas(WORKER_THREADS):
        return collect_environment(probed, env=pinned_environment(os.environ, WORKER_THREADS))


def _state(environment: Environment) -> dict[str, Any]:
    return environment.read_state().to_json()
