"""From timings to the profile that is kept: constants, how sure they are, and how they choose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placement_cli.fit.block_fit import DRAWS, fit_blocks
from placement_cli.fit.validation import cross_validate, validate
from placement_cli.profile.block_constants import BlockPrice
from placement_cli.profile.profile import Confidence, Profile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from placement_cli.fit.observations import Configuration
    from placement_cli.profile.constant import Constant
    from placement_cli.profile.key import ProfileKey

ITEM_BYTES: Mapping[str, int] = {"float32": 4, "float64": 8, "float16": 2, "bfloat16": 2}
"""Element types that can be fitted, and their size in bytes."""


def fit_block_profile(
    configurations: Sequence[Configuration],
    key: ProfileKey,
    *,
    name: str,
    provenance: str,
    confidence: Confidence = "calibrated",
    held_out: Sequence[Configuration] = (),
    evaluation: Mapping[str, Constant] | None = None,
    observations: str | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Profile:
    """Return the profile fitted to `configurations`, validated on `held_out` or, without any, across themselves.

    `evaluation` are constants fitted elsewhere that belong to the same set-up, `observations` the path of the
    raw timings. Deterministic in its input and `seed`. Raises KeyError for an element type without a size and
    ValueError with too few configurations.
    """
    item_bytes = ITEM_BYTES[key.dtype]
    dispatched = key.backend.startswith("mlx")
    blocks = fit_blocks(configurations, dispatched=dispatched, item_bytes=item_bytes, draws=draws, seed=seed)
    if blocks.upstream is None:
        raise ValueError("a fit has upstream's constants")
    validation = (
        validate(held_out, BlockPrice.of(blocks), blocks.upstream)
        if held_out
        else cross_validate(configurations, blocks.upstream, item_bytes)
    )
    return Profile(name, key, confidence, provenance, evaluation or {}, blocks, validation, observations)
