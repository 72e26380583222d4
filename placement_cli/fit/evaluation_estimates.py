"""From the readings of an experiment to its constants: one function an experiment.

Each returns what the readings give, by name; a constant whose cases were not measured is left out. A number that is not
above zero, where only a positive one makes sense, says that the readings do not determine the constant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from placement_cli.fit.evaluation_readings import Readings, Vector
from placement_cli.fit.robust import Data, Prior, Ties, fit_prices

Estimates = dict[str, float]
Estimate = Callable[[Readings, np.random.Generator | None], Estimates]
"""Takes the readings, and for a refit of a bootstrap what draws at random."""

SHORTEST_S = 1e-10
"""Stands in for a time too short for the clock, so that its logarithm is finite."""
LEAST_SHARE = 0.05
"""A term that makes up less of any time than this cannot be told from none: that much is how well lines fit."""
LIKELY: tuple[float, float] = (1e-6, 1e-8)
"""Where the search for a price of one call, and for one more op or byte, begins."""
LOOSE = 30.0
"""Standard deviation of the logarithm of a price before any timing: nothing is believed."""


def midmean(values: Vector) -> float:
    """Return the mean of the middle half.

    What waits for the scheduler falls into two heaps, awake or not. Its median jumps from one to the other, a mean
    follows a single interruption.
    """
    row = np.sort(values)
    cut = row.size // 4
    return float(row[cut : row.size - cut].mean())


def line(points: Sequence[tuple[float, Vector]], names: tuple[str, str]) -> Estimates:
    """Return (price of a call, price of one more) by the medians of `points`, each an amount and the times it took.

    Log errors with a robust loss. 0 for a price that is too small a part of all times. Nothing for fewer than two
    amounts.
    """
    points = [point for point in points if point[0] > 0]
    if len(points) < 2:
        return {}
    seconds = [max(float(np.median(times)), SHORTEST_S) for _, times in points]
    return _prices(np.array([[1.0, amount] for amount, _ in points]), np.array(seconds), names)


def _prices(amounts: Vector, seconds: Vector, names: tuple[str, str]) -> Estimates:
    priors = {name: Prior(None, likely, LOOSE) for name, likely in zip(names, LIKELY, strict=True)}
    data = Data(amounts, seconds, np.arange(seconds.size, dtype=np.intp))
    start = np.log(np.maximum(np.linalg.lstsq(amounts / seconds[:, None], np.ones(seconds.size))[0], 1e-15))
    fit = fit_prices(data, Ties.of(priors, names), start)
    shares = (amounts * fit.prices / (amounts @ fit.prices)[:, None]).max(axis=0)
    return {
        name: float(price) if share >= LEAST_SHARE else 0.0
        for name, price, share in zip(names, fit.prices, shares, strict=True)
    }


def building(readings: Readings, _: object = None) -> Estimates:
    """Return what building costs."""
    return line(readings.column("ops", reading="build"), ("build_call", "build_op"))


def submitting(readings: Readings, _: object = None) -> Estimates:
    """Return what submitting to a busy device costs."""
    return line(readings.column("ops", reading="submit"), ("submit_call", "submit_op"))


def crossing(readings: Readings, _: object = None) -> Estimates:
    """Return what handing arrays to NumPy costs."""
    return line(readings.column("bytes", reading="boundary"), ("boundary_call", "boundary_byte"))


def ingesting(readings: Readings, _: object = None) -> Estimates:
    """Return what making arrays of NumPy messages costs."""
    return line(readings.column("bytes", reading="ingest"), ("ingest_call", "ingest_byte"))


def waking(readings: Readings, _: object = None) -> Estimates:
    """Return what an idle device adds to submitting and to waiting, by how long it was idle."""
    submit = dict(readings.column("idle_ms", reading="submit"))
    wait = dict(readings.column("idle_ms", reading="wait"))
    found: Estimates = {}
    if -1.0 in submit:
        awake = midmean(submit[-1.0])
        for idle_ms, times in submit.items():
            if idle_ms >= 0:
                found[f"submit_asleep{_suffix(idle_ms)}"] = midmean(times) - awake
    if 0.0 in wait:
        found["round_trip"] = midmean(wait[0.0])
        for idle_ms, times in wait.items():
            if idle_ms > 0:
                found[f"wake{_suffix(idle_ms)}"] = midmean(times) - found["round_trip"]
    return found


def _suffix(idle_ms: float) -> str:
    return "" if idle_ms == 1 else f".{idle_ms:g}ms"


def queueing(readings: Readings, generator: np.random.Generator | None = None) -> Estimates:
    """Return how many ops, and how many submissions, fill the queue; nothing when none of the counts blocked.

    When call number n of k ops blocks, what fits is between n - 1 and n calls; refits take any number there.
    """
    names = ("queue_calls", "queue_ops")
    fits = []
    for ops, blocked in readings.column("ops", reading="blocked"):
        stalled = blocked[blocked > 0]
        if ops > 0 and 2 * stalled.size > blocked.size:
            part = generator.random() if generator is not None else 0.5
            fits.append((ops, float(np.median(stalled)) - part))
    if len(fits) < 2:
        return dict.fromkeys(names, 0.0) if readings.values else {}
    amounts = np.array([[calls, ops * calls] for ops, calls in fits])
    shares = _prices(np.maximum(amounts, 0.1), np.ones(len(fits)), names)
    return {name: 1 / share if share > 0 else 0.0 for name, share in shares.items()}


def working(readings: Readings, _: object = None) -> Estimates:
    """Return the device time of a message, by operator and shape."""
    found: Estimates = {}
    for key, times in readings.values.items():
        case = dict(key)
        operator, samples, channels = (case.get(name) for name in ("operator", "samples", "channels"))
        if operator and isinstance(samples, float) and isinstance(channels, float):
            found[f"device.{operator}.{samples:g}x{channels:g}"] = float(np.median(times))
    return found


def holding(readings: Readings, _: object = None) -> Estimates:
    """Return the bytes that a message keeps in flight, by operator and shape; always above zero."""
    return {f"held.{name.removeprefix('device.')}": max(value, 1.0) for name, value in working(readings).items()}


def contending(readings: Readings, _: object = None) -> Estimates:
    """Return how much host work and device work slow each other down, by kind of host work.

    Both are by how much longer one takes for the time that the other works beside it, in medians over rounds.
    """
    found: Estimates = {}
    for kind in readings.distinct("kind"):
        names = ("host_alone", "device_alone", "host_both", "device_both")
        rows = [readings.of(kind=kind, reading=name) for name in names]
        if kind and all(row is not None for row in rows):
            host, device = _dilations(*(row for row in rows if row is not None))
            found |= {f"contention.{kind}.host": host, f"contention.{kind}.device": device}
    return found


def _dilations(host: Vector, device: Vector, host_both: Vector, device_both: Vector) -> tuple[float, float]:
    rounds = min(row.size for row in (host, device, host_both, device_both))
    host, device, host_both, device_both = (row[:rounds] for row in (host, device, host_both, device_both))
    beside = np.maximum(np.minimum(host_both, device_both), SHORTEST_S)
    host_ratio = np.median(host_both / np.maximum(host, SHORTEST_S))
    return float(host_ratio), float(1 + np.median((device_both - device) / beside))


def idling(readings: Readings, _: object = None) -> Estimates:
    """Return how much longer device work takes after idling, by how long, waking up not counted."""
    product = dict(readings.column("idle_ms", reading="product"))
    tiny = dict(readings.column("idle_ms", reading="tiny"))
    work = {idle_ms: _median(product[idle_ms]) - _median(tiny[idle_ms]) for idle_ms in product if idle_ms in tiny}
    base = work.pop(0.0, 0.0)
    return {f"idle.{idle_ms:g}ms": seconds / base for idle_ms, seconds in work.items()} if base > 0 else {}


def _median(values: Vector) -> float:
    return float(np.median(values))


ESTIMATES: Mapping[str, Estimate] = {
    "build": building,
    "submit": submitting,
    "wake": waking,
    "queue": queueing,
    "boundary": crossing,
    "ingest": ingesting,
    "device": working,
    "held": holding,
    "contention": contending,
    "idle": idling,
}
"""What each experiment gives."""
