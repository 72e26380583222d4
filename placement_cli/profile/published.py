"""A profile out of published figures of an Apple M4 Pro, nothing else: how each constant follows from them.

The figures are in `results/reference/published-m4-pro.yaml`; the shipped profile `apple-m4-pro-published` is what
`derive` makes of them (tests/statistics/test_published_profile.py makes it again). Ranges enter by their geometric
middle. The model is that of `timeline/play.py`:

- Small chunks are bound by the host: ASYNC at the tail takes 3 build_node + submit_call, a point at every node
  3 build_node + 3 submit_call. That gives both. The page's own 17 to 21 us for one submission explains two thirds of
  the difference in its table; the table is followed.
- SYNC adds the device's time and the round trip, of which the page gives 0.1 to 0.15 ms: what is left is the
  device's time of small chunks. Large chunks are bound by the device: there ASYNC at the tail is its time.
- A point at every node is 3 to 5 % faster there: device time for each byte that a submission holds until it is done.
- 2083 MiB in flight over 33 MiB are 63 messages: the queue of 64 command buffers. 33 MiB over chunks of 2 MiB are the
  arrays that three nodes hold.
- The overlap with 0.5 and 2 ms of host work gives the device's time of that benchmark, and the row of 6 ms then asks
  for a device that is slower after idling for 6 ms: one constant cannot explain all three rows.
- Only sums over the three nodes were published. The split is assumed.
- How many ops go into one command buffer, and how many of those may be outstanding, is read off MLX's source.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log, sqrt
from typing import Any

from placement_cli.profile.constant import Constant
from placement_cli.profile.key import ProfileKey
from placement_cli.profile.profile import Profile

NAME = "apple-m4-pro-published"
SPLIT: Mapping[str, float] = {"sosfilt": 0.7, "ewm_scaler": 0.22, "abs": 0.08}
"""Assumed shares of the device's time: the filter is sequential along time, the rectifier one light kernel."""
BUFFER_OPS = 40.0
"""Ops of one command buffer on base and Pro chips (mlx/backend/metal/device.cpp)."""
SOURCE = "published figures of an Apple M4 Pro"


def middle(entry: Mapping[str, Any]) -> float:
    """Return the geometric middle of a range, or the single value."""
    return sqrt(entry["min"] * entry["max"]) if "min" in entry else float(entry["value"])


def derive(figures: Mapping[str, Any]) -> Profile:
    """Return the profile that follows from the figures (the mapping `materialize` of the file)."""
    small, medium, large = figures["tail_or_every_node"]["rows"]
    point_s = (middle(small["every_node"]) - middle(small["async_tail"])) / 2 * 1e-6
    host_s = middle(small["async_tail"]) * 1e-6
    trip_s = middle(figures["modes"]["sync"]["round_trip"]) * 1e-3
    replay = {row["mode"]: row for row in figures["replay"]["rows"]}
    messages = figures["replay"]["messages"]
    chunk = figures["replay"]["chunk"]
    device = {
        _shape(30, 256): middle(small["sync_tail"]) * 1e-6 - host_s - trip_s,
        _shape(64, 256): middle(small["sync_tail"]) * 1e-6 - host_s - trip_s,
        _shape(**medium["chunk"]): middle(medium["async_tail"]) * 1e-6,
        _shape(**chunk): replay["async"]["wall"] * 1e-3 / messages,
        _shape(**large["chunk"]): middle(large["async_tail"]) * 1e-6,
    }
    one_message = replay["sync"]["in_flight"] * 2**20
    array = chunk["samples"] * chunk["channels"] * 4
    arrays = (one_message / array - 1) / figures["segment"]["count"]
    held = _held_byte(medium, large, arrays * figures["segment"]["count"])
    for shape, size in _sizes(device).items():
        device[shape] -= held * arrays * figures["segment"]["count"] * size if size > 64 * 256 * 4 else 0.0
    slow = _slowing(figures)
    spread = {"submit_call": (17e-6, 1e-6 * (small["every_node"]["max"] - small["async_tail"]["min"]) / 2)}
    constants = {
        "build_node": _constant((host_s - point_s) / figures["segment"]["count"], "s"),
        "submit_call": _constant(point_s, "s", spread["submit_call"]),
        "round_trip": _constant(trip_s, "s", (1e-4, 1.5e-4)),
        "queue_calls": _constant(replay["async"]["in_flight"] / replay["sync"]["in_flight"], "calls"),
        "buffer_ops": Constant(BUFFER_OPS, BUFFER_OPS, BUFFER_OPS, "ops", True, "read off the source of MLX 0.32"),
        "arrays_held": _constant(arrays, "arrays"),
        "held_byte": _constant(held, "s/B"),
        "idle.2ms": _constant(1.0, "ratio"),
        "idle.6ms": _constant(slow, "ratio"),
    }
    for operator, share in SPLIT.items():
        for shape, seconds in device.items():
            constants[f"device.{operator}.{shape}"] = _constant(share * seconds, "s/message", split=True)
    return Profile(
        NAME,
        ProfileKey("Apple M4 Pro", "mlx-gpu", 1, "float32", {}),
        "published",
        "derived from published figures of an Apple M4 Pro (Metal, MLX version unstated); nothing was measured here",
        constants,
    )


def _shape(samples: int, channels: int) -> str:
    return f"{samples}x{channels}"


def _sizes(device: Mapping[str, float]) -> dict[str, int]:
    return {shape: 4 * int(shape.split("x")[0]) * int(shape.split("x")[1]) for shape in device}


def _held_byte(medium: Mapping[str, Any], large: Mapping[str, Any], arrays: float) -> float:
    """Return what a byte held by one submission costs, in the geometric middle of both rows that show it."""
    found = []
    for row in (medium, large):
        gain_s = (middle(row["async_tail"]) - middle(row["every_node"])) * 1e-6
        found.append(gain_s / (arrays * 4 * row["chunk"]["samples"] * row["chunk"]["channels"]))
    return exp(sum(map(log, found)) / len(found))


def overlap_device_s(figures: Mapping[str, Any]) -> float:
    """Return the device's time of a message in the benchmark of the overlap table, in seconds.

    It was not published. The rows of 0.5 and 2 ms of host work both depend on it; this is the geometric middle of what
    each gives alone. `h` is building and submitting, `r` the round trip, `D` the device, `w` the host work:

        0.5 ms, hidden in the device's time:  (h + w + D + r) / (h + D + r) = ratio
        2 ms, hiding it:                      (h + w + D + r) / (h + w)     = ratio
    """
    _, half, two, _ = figures["deferred_or_async_at_the_end"]["rows"]
    host_s, around_s = _around(figures)
    work_s = float(half["other_host_work"]) * 1e-3
    from_half_s = work_s / (middle(half["async_at_end"]) - 1) - around_s
    work_s = float(two["other_host_work"]) * 1e-3
    from_two_s = middle(two["async_at_end"]) * (host_s + work_s) - work_s - around_s
    return sqrt(from_half_s * from_two_s)


def _slowing(figures: Mapping[str, Any]) -> float:
    """Return how much slower the device is after 6 ms of idling: the row of 6 ms, as that of 2 ms."""
    *_, six = figures["deferred_or_async_at_the_end"]["rows"]
    host_s, around_s = _around(figures)
    work_s = float(six["other_host_work"]) * 1e-3
    slowed_s = middle(six["async_at_end"]) * (host_s + work_s) - work_s - around_s
    return slowed_s / overlap_device_s(figures)


def _around(figures: Mapping[str, Any]) -> tuple[float, float]:
    """Return the host's time of a message without other work, and the same with the round trip."""
    small = figures["tail_or_every_node"]["rows"][0]
    host_s = middle(small["async_tail"]) * 1e-6
    return host_s, host_s + middle(figures["modes"]["sync"]["round_trip"]) * 1e-3


def _constant(value: float, unit: str, ends: tuple[float, float] | None = None, *, split: bool = False) -> Constant:
    low, high = ends if ends is not None else (value * 0.85, value * 1.15)
    source = f"{SOURCE}; the split between nodes is assumed" if split else SOURCE
    return Constant(value, min(low, value), max(high, value), unit, True, source)
