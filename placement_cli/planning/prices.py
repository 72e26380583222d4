"""Whose prices to plan by: a profile that was named, the one saved for this set-up, or the shipped defaults."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from placement_cli.errors import NothingComparable, UnreadableInput, UsageError
from placement_cli.measure.products.setup import profile_key
from placement_cli.profile.defaults import default_price
from placement_cli.profile.places import profile_folder
from placement_cli.profile.saved import find_profile, load_profile

if TYPE_CHECKING:
    from placement_cli.blocks.formulation import Price
    from placement_cli.profile.profile import Profile

FIT = "`placement fit-costs` measures this machine."


@dataclass(frozen=True, slots=True)
class PlanPrice:
    """A price, one sentence on where it comes from, and how far to trust it.

    `in_seconds` says that it predicts seconds; otherwise only ratios mean anything. `trusted` is False for a fit
    that missed its gate: then choices are to be measured.
    """

    price: Price
    provenance: str
    in_seconds: bool
    trusted: bool
    profile: Profile | None = None


def price_of_profile(profile: Profile, backend: str) -> PlanPrice:
    """Return the price of a profile; raises UsageError when it is of another backend, or holds no costs of products."""
    if profile.key.backend != backend:
        raise UsageError(f"The profile {profile.name} is one of {profile.key.backend}, not of {backend}.")
    trusted = profile.validation is None or profile.validation.passed
    return PlanPrice(profile.price, f"Costs: {profile.provenance}.", True, trusted, profile)


def saved_price(backend: str, threads: int, dtype: str = "float32", folder: Path | None = None) -> PlanPrice:
    """Return the price by the profile saved for this set-up, or by the shipped defaults where there is none.

    `folder` is the folder of profiles, the user's own without it. A profile that no longer fits, or cannot be read, is
    passed over, and `provenance` says so; so it does of a backend that is not on this machine.
    """
    try:
        key = profile_key(backend, threads, dtype)
    except UsageError:
        return shipped_price(backend, threads, f"There is no {backend} on this machine to measure.")
    reason = f"Nothing was measured for this set-up yet. {FIT}"
    try:
        profile = find_profile(folder or profile_folder(), key)
        if profile is not None and profile.blocks is not None:
            return price_of_profile(profile, backend)
    except (NothingComparable, UnreadableInput) as error:
        reason = str(error)
    return shipped_price(backend, threads, reason)


def shipped_price(backend: str, threads: int, reason: str) -> PlanPrice:
    """Return the price by the shipped defaults, with the reason why."""
    shipped = default_price(backend, threads)
    return PlanPrice(shipped.price, f"Costs: {shipped.provenance}. {reason}", shipped.in_seconds, trusted=True)


def named_price(path: Path, backend: str, threads: int, dtype: str) -> PlanPrice:
    """Return the price by the profile at `path`; what differs from this set-up stands in `provenance`."""
    profile = load_profile(path)
    found = price_of_profile(profile, backend)
    reasons = profile.key.stale_reasons(profile_key(backend, threads, dtype))
    if not reasons:
        return found
    provenance = f"{found.provenance} It is of another set-up: {'; '.join(reasons)}."
    return PlanPrice(found.price, provenance, found.in_seconds, found.trusted, profile)
