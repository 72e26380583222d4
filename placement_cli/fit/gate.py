"""The gate: what a fit must reach on held-out timings before its choices are trusted without measuring.

Choices must be within 2 % of the best on average, or within the noise of the timings; clear pairs must be in the right
order; and a chunk length, channel count or block size that was never seen must hold no surprise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from placement_cli.profile.validation import Validation

REGRET_LIMIT = 0.02
"""Mean regret a fit may have, unless the noise of the timings is larger."""

ORDER_LIMIT = 0.93
"""Share of clearly different pairs a fit must predict in the right order."""

FOLD_LIMIT = 0.05
"""Mean regret a fit may have on a chunk length, channel count or block size it never saw."""


def misses_of(validation: Validation) -> tuple[str, ...]:
    """Return which conditions of the gate a validation misses, in words; empty when the fit may choose."""
    allowed = max(REGRET_LIMIT, validation.noise_floor or 0.0)
    found = []
    if validation.regret_mean > allowed:
        found.append(f"mean regret {validation.regret_mean:.1%} is above {allowed:.1%}")
    if validation.order < ORDER_LIMIT:
        found.append(f"only {validation.order:.1%} of clear pairs are in the right order, not {ORDER_LIMIT:.0%}")
    if validation.worst_fold is not None and validation.worst_fold > FOLD_LIMIT:
        found.append(
            f"mean regret {validation.worst_fold:.1%} on {validation.fold} never seen is above {FOLD_LIMIT:.0%}"
        )
    return tuple(found)
