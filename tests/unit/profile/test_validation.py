"""How well a fit did."""

from dataclasses import replace

from placement_cli.profile.validation import Validation


def test_a_fit_passes_when_it_misses_nothing() -> None:
    """Misses of the gate, and only they, fail a fit."""
    validation = Validation(0.1, 0.4, 0.01, 0.03, 0.05, 0.97, 12)

    assert validation.passed
    assert not replace(validation, misses=("mean regret is high",)).passed
