"""A trial of the planner as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from placement_cli.planning.trial import Trial, gain_over_theirs, regrets


def trial_document(drawn: Sequence[Trial], hard: Sequence[Trial], provenance: str) -> dict[str, Any]:
    """Return how the planner did: over the drawn products, and on each; SI units, null where nothing is known.

    `chosen`, `dense` and `theirs` are places in `plans`; `theirs_over_ours` of the whole is the geometric mean over the
    drawn products and the ends of its interval.
    """
    return {
        "schema": "placement.planner-trial",
        "schema_version": "1.0.0",
        "costs": provenance,
        "estimate": asdict(regrets(drawn, lambda trial: trial.estimate_regret)),
        "measured": asdict(regrets(drawn, lambda trial: trial.measured_regret)),
        "noise": asdict(regrets(drawn, lambda trial: trial.noise_regret)),
        "dense": asdict(regrets(drawn, lambda trial: trial.dense_regret)),
        "theirs_over_ours": gain_over_theirs(drawn),
        "drawn": [_trial(trial) for trial in drawn],
        "hard": [_trial(trial) for trial in hard],
    }


def _trial(trial: Trial) -> dict[str, Any]:
    theirs = trial.over_theirs
    return {
        "name": trial.name,
        "samples": trial.samples,
        "plans": [{"name": name, "seconds": seconds} for name, seconds in zip(trial.names, trial.seconds, strict=True)],
        "chosen": trial.top[0],
        "dense": trial.dense,
        "theirs": trial.theirs,
        "estimate_regret": trial.estimate_regret,
        "measured_regret": trial.measured_regret,
        "theirs_over_ours": theirs and theirs[0],
        "rounds": len(trial.rounds),
    }
