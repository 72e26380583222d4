"""What a comparison of a gate says to the one question a gate asks: is the new side dearer beyond the limit?"""

from __future__ import annotations

from placement_cli.bench.figures import AMOUNTS, verdict_word
from placement_cli.store.run_document import Comparison


def leaves_open(comparison: Comparison) -> bool:
    """Tell whether it stays possible that the new side is dearer beyond the limit.

    A comparison that is inconclusive because it ended early does not, where its whole interval lies below the limit.
    """
    high = None if comparison.ci is None else comparison.ci[1]
    return comparison.verdict == "inconclusive" and may_exceed(high, comparison.same_within)


def may_exceed(high: float | None, limit: float) -> bool:
    """Tell whether a ratio whose interval ends at `high` (None: there is none) may lie beyond `limit`, a change."""
    return high is None or high > 1.0 + limit


def gate_word(comparison: Comparison) -> str:
    """Return the verdict in the words of its metric; `not slower` or `not more` where the limit is kept for certain."""
    if comparison.verdict == "inconclusive" and not leaves_open(comparison):
        return "not more" if comparison.metric in AMOUNTS else "not slower"
    return verdict_word(comparison)
