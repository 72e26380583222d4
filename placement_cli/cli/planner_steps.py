"""What `placement selftest --planner` does: plan drawn and hard products, and time every way of computing them."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from placement_cli.blocks.drawing import draw
from placement_cli.errors import UsageError, did_you_mean
from placement_cli.export.trial_json import trial_document
from placement_cli.ezmsg import installed_version, upstream_plan
from placement_cli.measure.products.backends import BACKENDS
from placement_cli.measure.products.taking import ProductBench, opened, product_worker
from placement_cli.planning.hard_cases import HARD_CASES
from placement_cli.planning.prices import saved_price
from placement_cli.planning.trial import Planner, Trial, run_trial, trial_ranges
from placement_cli.render.console import stderr_console, stdout_console
from placement_cli.render.planner_trial import print_trials
from placement_cli.render.steps import StepBar, StepLines, steps_on

SEED_APART = 100_003
"""Added to the seed, so that products drawn here are others than `fit-costs` was fitted to with the same seed."""
DTYPE = "float32"


def run_planner_trial(*, number: int, backend: str, threads: int, seed: int, as_json: bool) -> int:
    """Try the planner on `number` drawn products and on all hard cases, print how it did, and return the exit code."""
    if backend not in BACKENDS:
        raise UsageError(f"--backend {backend}: is no backend. {did_you_mean(backend, BACKENDS)}")
    price = saved_price(backend, threads, DTYPE)
    version = installed_version()
    dispatched = backend != "numpy"
    theirs = None if version is None else lambda weights, n: upstream_plan(weights, n, dispatched=dispatched)
    planner = Planner(price.price, "mlx" if dispatched else "numpy", theirs)
    spawn = product_worker(backend, 1 if dispatched else threads, DTYPE)
    with (
        tempfile.TemporaryDirectory(prefix="placement-") as scratch,
        opened(spawn) as worker,
        steps_on(stderr_console(), 2, quiet=as_json) as steps,
    ):
        bench = ProductBench(worker, Path(scratch), np.random.default_rng(seed))
        hard = _hard(planner, bench, steps)
        drawn = _drawn(planner, bench, steps, number, seed + SEED_APART)
    if as_json:
        sys.stdout.write(json.dumps(trial_document(drawn, hard, price.provenance), indent=1) + "\n")
    else:
        print_trials(drawn, hard, price.provenance, version, stdout_console())
    return 0


def _hard(planner: Planner, bench: ProductBench, steps: StepBar | StepLines) -> list[Trial]:
    steps.piece(0, "hard cases")
    found = []
    for at, case in enumerate(HARD_CASES):
        steps.tell(at / len(HARD_CASES), f"{case.name}: {case.what}")
        weights = case.make()
        name = f"{case.name} {case.what}"
        found += [run_trial(name, weights, count, planner, bench, case.tolerance) for count in case.samples]
    return found


def _drawn(planner: Planner, bench: ProductBench, steps: StepBar | StepLines, number: int, seed: int) -> list[Trial]:
    steps.piece(1, "drawn products" if number > 1 else "a drawn product")
    found = []
    for at, drawn in enumerate(draw(number, seed, trial_ranges(bench))):
        steps.tell(at / number, f"{drawn.layout}, {drawn.channels} channels, {drawn.samples} samples")
        name = f"{drawn.layout} {drawn.channels}"
        found.append(run_trial(name, drawn.weights(), drawn.samples, planner, bench))
    return found
