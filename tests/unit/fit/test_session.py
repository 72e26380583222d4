"""One backend from nothing to a saved profile, with workers that only say what they took."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from placement_cli.blocks.drawing import Ranges
from placement_cli.errors import Interrupted, InvalidMeasurement, PlacementError, ScenarioFailed, UsageError
from placement_cli.fit import calibration, session
from placement_cli.fit.block_profile import fit_block_profile
from placement_cli.fit.calibration import Effort
from placement_cli.fit.evaluation_fit import fit_evaluation
from placement_cli.fit.observations import Configuration
from placement_cli.fit.raw_run import is_finished, kept_configurations
from placement_cli.fit.session import PROCESSES, PRODUCTS_SHARE, FitAround, fit_target
from placement_cli.fit.target import Target
from placement_cli.measure.evaluation.experiments import EXPERIMENTS
from placement_cli.measure.evaluation.observation import Observation
from placement_cli.measure.spawn import CommandFailedError, WorkerLostError
from placement_cli.profile.defaults import shipped_profile
from placement_cli.profile.key import ProfileKey
from placement_cli.profile.profile import Profile
from placement_cli.profile.saved import load_profile

SEED, PRODUCTS = 1000, 8
NUMPY, MLX = Target("numpy", 1), Target("mlx-cpu", 1)
EVERY_EXPERIMENT = [(process, name) for process in range(PROCESSES) for name in EXPERIMENTS]
PRICE = shipped_profile("numpy-1-thread-float32").price


@dataclass
class Shop:
    """Starts fake workers, and writes down what they are asked.

    `fault` is told every product and every experiment before it is carried out, and may raise; no more is begun once
    `most` of them were. `machine` is where the workers say they are, `problem` what is wrong with their fence.
    """

    profiles: Path
    fault: Callable[[object], None] = lambda asked: None
    most: int = 1_000_000
    machine: str = "Chip X"
    problem: str | None = None
    loaded: list[int] = field(default_factory=list)
    asked: list[tuple[int, str]] = field(default_factory=list)
    told: list[tuple[float, str]] = field(default_factory=list)
    started: list[Any] = field(default_factory=list)

    def start(self, worker: Any) -> Any:
        """Start a worker."""
        self.started.append(worker)
        return worker

    def again(self) -> Shop:
        """Return a shop for another try in the same folder."""
        return Shop(self.profiles)

    def fit(self, target: Target, seed: int = SEED) -> session.Fitted:
        """Fit `target` with these workers."""
        around = FitAround(
            profiles=self.profiles,
            run_folder=self.profiles / "raw" / "run",
            now=lambda: 0.0,
            spawn_products=lambda target: lambda: self.start(ProductWorker(self)),
            spawn_evaluation=lambda target: lambda: self.start(ExperimentWorker(self)),
            tell=lambda share, words: self.told.append((share, words)),
            stopped=lambda: len(self.loaded) + len(self.asked) >= self.most,
            effort=lambda _: Effort(10.0, PRODUCTS),
            tool_version="1.2.3",
            today="2026-01-01",
        )
        return fit_target(target, around, seed)


@dataclass
class ProductWorker:
    """Takes what the recorded prices say, give or take a percent."""

    shop: Shop
    seconds: list[float] = field(default_factory=list)
    closed: bool = False

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Answer as the real one does."""
        if do == "hello":
            return {"machine": self.shop.machine, "threads": 1, "versions": {"numpy": "2.4"}}
        if do == "load":
            return {"first_s": self._load(arguments["path"]), "problems": []}
        noise = np.random.default_rng(len(self.shop.loaded)).lognormal(0, 0.01, (len(arguments["orders"]), 1))
        return {"seconds": (np.array(self.seconds) * noise).tolist()}

    def close(self) -> None:
        """End."""
        self.closed = True

    def _load(self, path: str) -> list[float]:
        case = pickle.loads(Path(path).read_bytes())
        self.shop.fault(case.seed)
        self.shop.loaded.append(case.seed)
        self.seconds = [PRICE(plan.formulation, case.samples) for plan in case.plans]
        return self.seconds


@dataclass
class ExperimentWorker:
    """Finds out what building ops takes, and nothing else; every process says that it is the first."""

    shop: Shop
    closed: bool = False

    def ask(self, do: str, name: str = "", seed: int = 0) -> dict[str, Any]:
        """Answer as the real one does."""
        if do == "hello":
            return {"fence": {"ok": not self.shop.problem, "problem": self.shop.problem}}
        self.shop.fault(name)
        self.shop.asked.append((seed - SEED, name))
        found = [
            Observation("build", {"ops": ops, "reading": "build"}, tuple(1e-6 + 3e-7 * ops for _ in range(5)))
            for ops in (1, 2, 4, 8)
        ]
        return {"observations": [each.to_json() for each in found] if name == "build" else []}

    def close(self) -> None:
        """End."""
        self.closed = True


def no_fit(configurations: Sequence[Configuration], key: ProfileKey, **facts: Any) -> Profile:
    """Return a profile that was fitted to others, at once."""
    recorded = shipped_profile("numpy-1-thread-float32")
    changes = {**facts, "evaluation": facts["evaluation"] or {}}
    return replace(recorded, key=key, confidence="calibrated", **changes)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """Workers for a few small products, and no time spent on fitting."""
    small = partial(Ranges, channels=(64, 96), samples=(1, 50), block=(4, 12))
    monkeypatch.setattr(session, "Ranges", small)
    monkeypatch.setattr(session, "fit_block_profile", no_fit)
    monkeypatch.setattr(session, "fit_evaluation", partial(fit_evaluation, draws=3))
    monkeypatch.setattr(calibration, "DRAWINGS", PRODUCTS)
    return Shop(tmp_path / "profiles")


def raw_path(shop: Shop, target: Target) -> Path:
    """The raw timings of a target."""
    return shop.profiles / "raw" / "run" / f"{target.backend}-1-thread-float32.jsonl"


def test_a_profile_is_fitted_and_saved_from_nothing(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is of the set-up that the worker names, says where it comes from, and is read back as it was."""
    monkeypatch.setattr(session, "fit_block_profile", fit_block_profile)
    fitted = shop.fit(NUMPY)
    profile = fitted.profile
    assert fitted.path == shop.profiles / "numpy-1-thread-float32.json"
    assert load_profile(fitted.path) == profile
    assert profile.name == "numpy-1-thread-float32"
    assert (profile.key.machine, profile.key.versions) == ("Chip X", {"numpy": "2.4"})
    assert profile.provenance == "fitted to 8 products timed on this machine on 2026-01-01"
    assert profile.validation is not None
    assert profile.blocks is not None
    assert profile.blocks.upstream is not None
    assert len(fitted.configurations) == PRODUCTS


def test_the_timings_are_named_from_the_folder_of_the_profile(shop: Shop) -> None:
    """So that both can be moved together; all products are in them, and that the profile was saved."""
    fitted = shop.fit(NUMPY)
    assert fitted.profile.observations == "raw/run/numpy-1-thread-float32.jsonl"
    path = shop.profiles / fitted.profile.observations
    assert kept_configurations(path) == fitted.configurations
    assert is_finished(path)


def test_numpy_has_no_evaluation(shop: Shop) -> None:
    """Its calls compute at once: no worker of experiments is started."""
    assert not shop.fit(NUMPY).profile.evaluation
    assert (len(shop.started), shop.asked) == (1, [])


def test_evaluation_on_mlx_is_measured_in_fresh_processes(shop: Shop) -> None:
    """Each carries out every experiment, in an order of its own, and constants rest on all of them."""
    constants = shop.fit(MLX).profile.evaluation
    assert shop.asked == EVERY_EXPERIMENT
    assert len(shop.started) == 1 + PROCESSES
    assert constants["build_op"].value == pytest.approx(3e-7, rel=0.01)
    assert constants["build_op"].source == f"measured in {5 * PROCESSES} rounds of {PROCESSES} processes"


def test_progress_is_told_in_order(shop: Shop) -> None:
    """Products take their share of the way, experiments the rest, and fitting is last."""
    shop.fit(MLX)
    shares = [share for share, _ in shop.told]
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= PRODUCTS_SHARE == shares[PRODUCTS]
    assert shop.told[-2] == (pytest.approx(1 - 0.4 / len(EVERY_EXPERIMENT)), f"evaluation: {EXPERIMENTS[-1]}")
    assert shop.told[-1] == (1.0, "fitting")


@pytest.mark.parametrize(
    "most",
    [0, 4, 1 + PRODUCTS, 3 + PRODUCTS, 1 + PRODUCTS + len(EXPERIMENTS), PRODUCTS + len(EVERY_EXPERIMENT)],
)
def test_what_was_stopped_is_resumed_and_nothing_is_measured_twice(shop: Shop, most: int) -> None:
    """A stop keeps what was timed and saves no profile; going on comes to the same as in one go."""
    shop.most = most
    with pytest.raises(Interrupted, match="--resume"):
        shop.fit(MLX)
    assert all(worker.closed for worker in shop.started)
    assert not (shop.profiles / "mlx-cpu-1-thread-float32.json").exists()
    rest = shop.again()
    fitted = rest.fit(MLX)
    assert sorted(shop.loaded[1:] + rest.loaded) == list(range(SEED, SEED + PRODUCTS))
    assert shop.asked + rest.asked == EVERY_EXPERIMENT
    assert fitted.configurations == kept_configurations(raw_path(shop, MLX))
    assert fitted.profile.evaluation["build_op"].source.endswith("of 2 processes")


def test_a_finished_run_that_is_resumed_measures_nothing(shop: Shop) -> None:
    """Everything is kept; the profile is fitted to it again."""
    first, rest = shop.fit(MLX), shop.again()
    assert rest.fit(MLX) == first
    assert (rest.loaded, rest.asked) == ([], [])
    assert len(rest.started) == 1


@pytest.mark.parametrize("at", [0, SEED + 3, EXPERIMENTS[0], EXPERIMENTS[4]])
def test_a_lost_worker_is_an_invalid_measurement(shop: Shop, at: object) -> None:
    """It says how the worker ended, every worker is ended, and what was kept can be gone on from."""

    def lose(asked: object) -> None:
        if asked == at:
            raise WorkerLostError("a worker process ended (exit status 9)")

    shop.fault = lose
    with pytest.raises(InvalidMeasurement, match=r"exit status 9.*\. .*measured before"):
        shop.fit(MLX)
    assert all(worker.closed for worker in shop.started)
    rest = shop.again()
    rest.fit(MLX)
    drawn = [seed for seed in shop.loaded + rest.loaded if seed >= SEED]
    assert drawn == list(range(SEED, SEED + PRODUCTS))
    assert shop.asked + rest.asked == EVERY_EXPERIMENT


def test_a_fence_that_does_not_wait_ends_the_fit(shop: Shop) -> None:
    """No experiment is carried out and nothing is saved: every time would be that of submitting."""
    shop.problem = "The fence returned at once."
    with pytest.raises(InvalidMeasurement, match="The fence returned at once"):
        shop.fit(MLX)
    assert shop.asked == []
    assert list(shop.profiles.glob("*.json")) == []
    assert all(worker.closed for worker in shop.started)


@pytest.mark.parametrize("at", [SEED + 3, EXPERIMENTS[4]])
@pytest.mark.parametrize("kind", [UsageError, ScenarioFailed])
def test_what_a_worker_cannot_do_keeps_its_class(shop: Shop, at: object, kind: type[PlacementError]) -> None:
    """The error has the exit code that the worker asked for."""

    def fail(asked: object) -> None:
        if asked == at:
            raise CommandFailedError("no such thing here", kind.exit_code)

    shop.fault = fail
    with pytest.raises(kind, match="no such thing here"):
        shop.fit(MLX)


def test_timings_of_another_set_up_are_not_gone_on_with(shop: Shop) -> None:
    """Nor those that were drawn with another seed; both are named."""
    shop.fit(NUMPY)
    other = replace(shop.again(), machine="Chip Y")
    with pytest.raises(UsageError, match=r"machine was Chip X and is Chip Y.*--resume"):
        other.fit(NUMPY)
    with pytest.raises(UsageError, match="seed was 1000 and is 7"):
        shop.again().fit(NUMPY, seed=7)
    assert not other.loaded


def test_a_backend_that_cannot_multiply_is_not_fitted(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the dense product cannot run nothing can."""
    monkeypatch.setattr(ProductWorker, "_load", lambda worker, path: [None])
    with pytest.raises(InvalidMeasurement, match="dense product could not be timed"):
        shop.fit(NUMPY)
