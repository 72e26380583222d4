"""Placements in tables: predicted, compared with the current one, measured."""

from __future__ import annotations

import pytest

from placement_cli.render.advice_tables import interval_text, times_text, value_text
from placement_cli.store.advice_document import EstimateRecord
from placement_cli.units import format_duration

WHOLE = EstimateRecord(value=1e-3, low=9e-4, high=2e-3)
OPEN = EstimateRecord(value=1e-3, low=9e-4, high=None, reason="without bound")
ENDLESS = EstimateRecord(value=None, low=9e-4, high=None, reason="without bound")


@pytest.mark.parametrize(
    ("estimate", "value", "interval"),
    [
        (WHOLE, "1.00 ms", "1.00 ms [900 µs, 2.00 ms]"),
        (OPEN, "1.00 ms", "1.00 ms [900 µs, ...]"),
        (ENDLESS, "without bound", "without bound"),
        (None, "", ""),
    ],
)
def test_a_number_that_is_not_there_says_why(estimate: EstimateRecord | None, value: str, interval: str) -> None:
    """In words where it has no end; what was not measured is left empty."""
    assert value_text(estimate, format_duration) == value
    assert interval_text(estimate, format_duration) == interval


def test_ratios_are_factors() -> None:
    """So that nobody takes one for a duration."""
    assert times_text(0.66666) == "0.667x"
