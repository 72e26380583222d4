"""One backend from nothing to a saved profile: timed, kept line by line, fitted, validated, saved."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from placement_cli.blocks.drawing import Ranges
from placement_cli.errors import Interrupted, InvalidMeasurement
from placement_cli.fit.block_profile import fit_block_profile
from placement_cli.fit.calibration import Calibration, Effort, Tell, ranges_for
from placement_cli.fit.evaluation_fit import fit_evaluation
from placement_cli.fit.raw_run import RawRun, open_raw
from placement_cli.measure.evaluation.experiments import EXPERIMENTS
from placement_cli.measure.evaluation.observation import Observation
from placement_cli.measure.products.speed import macs_a_second
from placement_cli.measure.products.taking import ProductBench, opened
from placement_cli.measure.spawn import CommandFailedError, Spawn, WorkerLostError, error_of
from placement_cli.profile.defaults import default_price
from placement_cli.profile.saved import save_profile

if TYPE_CHECKING:
    from placement_cli.fit.observations import Configuration
    from placement_cli.fit.target import Target
    from placement_cli.profile.key import ProfileKey
    from placement_cli.profile.profile import Profile

PRODUCTS_SHARE = 0.6
"""Of the work of a backend that has evaluation constants too; progress goes by it."""
PROCESSES = 2
"""Fresh processes in which evaluation constants are measured: what a process drew at its start counts as noise."""


@dataclass(frozen=True, slots=True)
class FitAround:
    """What surrounds a fit: folders, clock, how workers start, who is told, and who may stop it."""

    profiles: Path
    run_folder: Path
    now: Callable[[], float]
    spawn_products: Callable[[Target], Spawn]
    spawn_evaluation: Callable[[Target], Spawn]
    tell: Tell
    stopped: Callable[[], bool]
    effort: Callable[[Target], Effort]
    tool_version: str
    today: str


@dataclass(frozen=True, slots=True)
class Fitted:
    """A profile, the products it was fitted to, and where it was saved."""

    target: Target
    profile: Profile
    configurations: tuple[Configuration, ...]
    path: Path


def fit_target(target: Target, around: FitAround, seed: int) -> Fitted:
    """Measure and fit one backend and save its profile; what an earlier try kept in the run's folder is not redone.

    Raises Interrupted when it was stopped (what was timed is kept), InvalidMeasurement when a worker is lost,
    UsageError when the backend is not here or the kept timings are of another set-up.
    """
    with tempfile.TemporaryDirectory(prefix="placement-") as scratch, opened(around.spawn_products(target)) as worker:
        bench = ProductBench(worker, Path(scratch), np.random.default_rng(seed))
        key = bench.key(target.backend, target.dtype)
        with open_raw(around.run_folder, key, seed) as raw, threadpool_limits(1):
            configurations = _configurations(target, bench, raw, around, seed)
            evaluation = _observations(target, raw, around, seed) if target.on_mlx else []
            profile = _profile(key, configurations, evaluation, raw, around)
            path = save_profile(profile, around.profiles, around.tool_version)
            raw.finish()
    return Fitted(target, profile, tuple(configurations), path)


def _configurations(
    target: Target, bench: ProductBench, raw: RawRun, around: FitAround, seed: int
) -> list[Configuration]:
    most_macs = raw.most_macs or raw.keep_most_macs(ranges_for(macs_a_second(bench), around.effort(target)).most_macs)
    share = PRODUCTS_SHARE if target.on_mlx else 1.0
    calibration = Calibration(
        bench,
        target,
        default_price(target.backend, target.threads).price,
        seed,
        around.effort(target),
        around.now,
        raw.keep_configuration,
        lambda done, told: around.tell(share * done, told),
        around.stopped,
    )
    found = calibration.run(Ranges(most_macs=most_macs), raw.configurations)
    _check_stopped(around)
    return [found[number] for number in sorted(found)]


def _observations(target: Target, raw: RawRun, around: FitAround, seed: int) -> list[Observation]:
    """Run the experiments on evaluation, each in several fresh processes; those already kept are not repeated."""
    wanted = [(process, name) for process in range(PROCESSES) for name in EXPERIMENTS]
    for process in range(PROCESSES):
        left = [name for name in EXPERIMENTS if (process, name) not in raw.experiments]
        if not left:
            continue
        with opened(around.spawn_evaluation(target)) as worker:
            _check_fence(_asked(worker, "hello"))
            for name in left:
                _check_stopped(around)
                at = wanted.index((process, name))
                around.tell(PRODUCTS_SHARE + (1 - PRODUCTS_SHARE) * at / len(wanted), f"evaluation: {name}")
                raw.keep_experiment(
                    process, name, _asked(worker, "experiment", name=name, seed=seed + process)["observations"]
                )
    return [
        Observation.from_json({**row, "process": process})
        for (process, _), rows in sorted(raw.experiments.items())
        for row in rows
    ]


def _check_fence(hello: Mapping[str, Any]) -> None:
    """Raise InvalidMeasurement when the fence does not wait: then every time would be that of submitting."""
    if not hello["fence"]["ok"]:
        raise InvalidMeasurement(f"{hello['fence']['problem']} Nothing is fitted.")


def _asked(worker: Any, do: str, **arguments: Any) -> Mapping[str, Any]:
    try:
        reply: Mapping[str, Any] = worker.ask(do, **arguments)
    except CommandFailedError as failed:
        raise error_of(failed) from None
    except WorkerLostError as lost:
        raise InvalidMeasurement(f"{lost}. What was measured before is kept; --resume goes on from it.") from None
    return reply


def _profile(
    key: ProfileKey,
    configurations: list[Configuration],
    evaluation: list[Observation],
    raw: RawRun,
    around: FitAround,
) -> Profile:
    around.tell(1.0, "fitting")
    return fit_block_profile(
        configurations,
        key,
        name=key.file_name.removesuffix(".json"),
        provenance=f"fitted to {len(configurations)} products timed on this machine on {around.today}",
        evaluation=fit_evaluation(evaluation) if evaluation else None,
        observations=raw.path.relative_to(around.profiles).as_posix(),
    )


def _check_stopped(around: FitAround) -> None:
    if around.stopped():
        raise Interrupted("stopped; what was timed is kept. `placement fit-costs --resume` goes on from here.")
