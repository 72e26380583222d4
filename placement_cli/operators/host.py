"""`host`: work of a given length on the host thread; the message is neither read nor changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from placement_cli.operators.operator import (
    Features,
    Operator,
    Parameter,
    Params,
    Shape,
    Unit,
)
from placement_cli.operators.unit import FunctionUnit, identity
from placement_cli.operators.work import Work

Clock = Callable[[], float]
"""Seconds from any origin, never going back."""

MATRIX_SIDE = 128
"""Side of the matrices that `blas` multiplies: they fit into a cache, one product is far below 1 ms."""
TRIALS = 5
"""The least of so many timings is taken as free of disturbance."""
SHORTEST_TRIAL_S = 1e-3
"""Trials are at least this long, for the clock's sake,"""
LONGEST_TRIAL_S = 0.05
"""and need not be longer than this, for the sake of those who wait."""


def blas_work() -> Callable[[int], None]:
    """Return a function that multiplies matrices so many times; other Python threads can run meanwhile."""
    import numpy as np

    left = np.full((MATRIX_SIDE, MATRIX_SIDE), 0.5, dtype=np.float32)
    right, product = left.copy(), np.empty_like(left)

    def work(amount: int) -> None:
        for _ in range(amount):
            np.matmul(left, right, out=product)

    return work


def python_work() -> Callable[[int], None]:
    """Return a function that runs so many rounds of plain Python; other Python threads wait meanwhile."""

    def work(amount: int) -> None:
        total = 0
        for number in range(amount):
            total ^= number

    return work


def sleep_work() -> Callable[[int], None]:
    """Return a function that sleeps so many microseconds."""
    from time import sleep

    def work(amount: int) -> None:
        sleep(amount * 1e-6)

    return work


WORK = {"blas": blas_work, "python": python_work, "sleep": sleep_work}


def calibrate(kind: str, length_s: float, clock: Clock) -> int:
    """Return the amount for which work of `kind` takes `length_s` seconds on this machine, undisturbed.

    The amount is a count of iterations, of microseconds for `sleep`. At least 1, unless `length_s` is 0.
    """
    if kind == "sleep":
        return round(length_s * 1e6)
    return amount_for(length_s, WORK[kind](), clock)


def amount_for(length_s: float, work: Callable[[int], None], clock: Clock) -> int:
    """Return the amount for which `work(amount)` takes `length_s` seconds, by proportion from trials.

    The trial doubles until its least time is `length_s`, brought within the limits for trials.
    """
    if length_s <= 0:
        return 0
    amount, enough_s = 1, min(max(length_s, SHORTEST_TRIAL_S), LONGEST_TRIAL_S)
    while (taken_s := _least_time(work, amount, clock)) < enough_s:
        amount *= 2
    return max(1, round(amount * length_s / taken_s))


def _least_time(work: Callable[[int], None], amount: int, clock: Clock) -> float:
    times = []
    for _ in range(TRIALS):
        begin = clock()
        work(amount)
        times.append(clock() - begin)
    return min(times)


def _features(shapes: Sequence[Shape], _params: Params, _dtype: str) -> Features:
    return Work().features(shapes[0])


def _make_working(_shapes: Sequence[Shape], params: Params, _dtype: str, _seed: int) -> Unit:
    kind = str(params["kind"])
    amount = int(params["amount"]) or calibrate(kind, float(params["length_ms"]) * 1e-3, perf_counter)
    work = WORK[kind]()

    def step(x: Any) -> Any:
        work(amount)
        return x

    return FunctionUnit(step)


def _make_idle(_shapes: Sequence[Shape], _params: Params, _dtype: str, _seed: int) -> Unit:
    return FunctionUnit(identity)


HOST = Operator(
    name="host",
    summary="work of a given length on the host thread; the message passes through untouched",
    make_mlx=_make_working,
    make_numpy=_make_idle,
    features=_features,
    parameters=(
        Parameter(
            "kind",
            "blas",
            "matrix products, plain Python that holds the interpreter lock, or sleep",
            choices=("blas", "python", "sleep"),
        ),
        Parameter("length_ms", 1.0, "how long it takes, in milliseconds", 0.0, 60_000.0),
        Parameter("amount", 0, "iterations (sleep: microseconds); 0: found from the length", 0, 10**12),
    ),
    backend="host",
    ranks=(2, 3),
)
