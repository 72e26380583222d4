"""What a comparison says to the question of a gate."""

from __future__ import annotations

import pytest

from placement_cli.gate.words import gate_word, leaves_open
from placement_cli.store.run_document import Comparison


def compared(verdict: str, ci: tuple[float, float] | None = (0.9, 1.02), metric: str = "complete_s") -> Comparison:
    """Return a comparison with a limit of 3 %."""
    return Comparison.model_validate(
        {
            "base": "base",
            "new": "new",
            "metric": metric,
            "ratio": 1.0,
            "ci": ci,
            "ci_level": 0.97,
            "n_blocks": 6,
            "noise_floor": 0.01,
            "limit": 0.03,
            "same_within": 0.03,
            "p": 0.5,
            "verdict": verdict,
            "reason": "so.",
        }
    )


@pytest.mark.parametrize(
    ("ci", "metric", "word"),
    [
        ((0.6, 0.8), "complete_s", "not slower"),
        ((0.9, 1.02), "in_flight_bytes", "not more"),
        ((0.9, 1.04), "complete_s", "inconclusive"),
        (None, "complete_s", "inconclusive"),
    ],
)
def test_what_keeps_its_limit_for_certain_is_no_open_question(
    ci: tuple[float, float] | None, metric: str, word: str
) -> None:
    """A case that ended early because it is faster is not called inconclusive."""
    comparison = compared("inconclusive", ci, metric)
    assert gate_word(comparison) == word
    assert leaves_open(comparison) is (word == "inconclusive")


@pytest.mark.parametrize("verdict", ["faster", "slower", "same", "invalid"])
def test_other_verdicts_keep_their_words(verdict: str) -> None:
    """And leave nothing open."""
    assert (gate_word(compared(verdict)), leaves_open(compared(verdict))) == (verdict, False)
