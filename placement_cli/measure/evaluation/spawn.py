"""Starts a worker process that carries out experiments."""

from __future__ import annotations

from placement_cli.measure.spawn import Worker, spawn_module


def spawn_evaluation(device: str | None = None) -> Worker:
    """Start a worker on `device` (`gpu`, `cpu`, or MLX's default) with one BLAS thread; returns at once.

    It answers `hello` and `experiment`; see `worker`.
    """
    return spawn_module("placement_cli.measure.evaluation.worker", [device] if device else [])
