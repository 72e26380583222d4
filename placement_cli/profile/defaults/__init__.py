"""The constants that are used when no profile of this machine was saved, and where they come from.

The recorded ones were fitted to timings of 2 x86 cores; a GPU was not recorded, and there, as on Apple CPUs
when asked for, the constants that ezmsg-sigproc ships stand in. Neither is this machine: who plans with them
must say so.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from placement_cli.profile.saved import parse_profile
from placement_cli.profile.upstream import APPLE, APPLE_DISPATCHED

if TYPE_CHECKING:
    from collections.abc import Callable

    from placement_cli.profile.profile import Profile
    from placement_cli.profile.shapes import FormulationLike

RECORDED: tuple[str, ...] = ("numpy-1-thread-float32", "numpy-2-threads-float32", "mlx-cpu-1-thread-float32")
"""Names of the shipped profiles. `tests/statistics/test_block_fits.py` fits them again from the recorded timings."""
PUBLISHED, RECORDED_EVALUATION = "apple-m4-pro-published", "mlx-cpu-evaluation-recorded"
"""Names of the shipped profiles of evaluation: derived from published figures of a GPU, fitted on 2 x86 cores."""
SHIPPED: tuple[str, ...] = (*RECORDED, PUBLISHED, RECORDED_EVALUATION)


@dataclass(frozen=True, slots=True)
class DefaultPrice:
    """A price to plan with before anything was measured here.

    `in_seconds` says that it predicts seconds; otherwise only the ratios of prices mean anything.
    `provenance` is the sentence to show.
    """

    price: Callable[[FormulationLike, int], float]
    provenance: str
    in_seconds: bool


@cache
def shipped_profile(name: str) -> Profile:
    """Return the shipped profile `name`, one of `SHIPPED`; raises KeyError for another."""
    if name not in SHIPPED:
        raise KeyError(name)
    source = files(__package__).joinpath(f"{name}.json")
    return parse_profile(json.loads(source.read_text(encoding="utf-8")), f"{name}.json")


def default_profile(backend: str, threads: int = 1) -> Profile | None:
    """Return the recorded profile that comes nearest to `backend`; None where nothing like it was recorded."""
    if backend == "numpy":
        return shipped_profile(RECORDED[0] if threads == 1 else RECORDED[1])
    return shipped_profile(RECORDED[2]) if backend == "mlx-cpu" else None


def default_price(backend: str, threads: int = 1, *, apple: bool = False) -> DefaultPrice:
    """Return the price to use for `backend` when there is no profile.

    With `apple` it goes by what ezmsg-sigproc ships, fitted on an Apple CPU, as it does for backends that
    were not recorded.
    """
    profile = None if apple else default_profile(backend, threads)
    if profile is not None:
        return DefaultPrice(profile.price, profile.provenance, in_seconds=True)
    upstream = APPLE if backend == "numpy" else APPLE_DISPATCHED
    return DefaultPrice(upstream, f"shipped by {upstream.call_cost_macs.source}", in_seconds=False)
