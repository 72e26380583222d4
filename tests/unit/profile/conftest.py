"""A small profile with every constant, made by hand."""

from __future__ import annotations

import pytest

from placement_cli.profile.block_constants import BlockConstants
from placement_cli.profile.constant import Constant
from placement_cli.profile.key import ProfileKey
from placement_cli.profile.profile import Profile
from placement_cli.profile.terms import UNITS
from placement_cli.profile.upstream import UpstreamConstants
from placement_cli.profile.validation import Validation


@pytest.fixture
def key() -> ProfileKey:
    """The set-up the profile was measured on."""
    return ProfileKey("Chip X", "numpy", 2, "float32", {"numpy": "2.4", "blas": "OpenBLAS 0.3"})


@pytest.fixture
def constants() -> BlockConstants:
    """Prices 1e-9 each, `gather_mm_call` undetermined, and upstream's constants."""
    prices = {
        name: Constant(1e-9, 5e-10, 2e-9, unit, name != "gather_mm_call", "by hand") for name, unit in UNITS.items()
    }
    upstream = UpstreamConstants(
        Constant(3.0, 2.0, 4.0, "samples", True, "by hand"),
        Constant(5e4, 4e4, 6e4, "MAC", True, "by hand"),
        Constant(40.0, None, None, "MAC/element", True, "by hand"),
    )
    return BlockConstants(prices, upstream=upstream)


@pytest.fixture
def profile(key: ProfileKey, constants: BlockConstants) -> Profile:
    """A profile with both halves and a validation."""
    validation = Validation(0.1, 0.4, 0.01, 0.03, 0.05, 0.97, 12, 0.002, rules={"always-dense": 9.0})
    evaluation = {"submit_s": Constant(3e-6, 2e-6, 4e-6, "s", True, "by hand")}
    return Profile("mine", key, "calibrated", "by hand", evaluation, constants, validation, "runs/raw.jsonl")
