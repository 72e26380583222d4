"""Numbers as people read them."""

from math import log

import pytest

from placement_cli.statistics import wording
from placement_cli.statistics.noise_floor import effect_floor
from placement_cli.statistics.order_statistics import Interval


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (1.048, "+4.8 %"),
        (0.97, "-3.0 %"),
        (1.0, "+0.0 %"),
        (1.0003, "+0.03 %"),
        (2.5, "+150.0 %"),
        (0.05, "-95.0 %"),
        (81000.0, "8.1e+04 times"),
        (25.0, "25 times"),
    ],
)
def test_change(ratio: float, words: str) -> None:
    """A ratio reads as a signed change, small ones with their digits, large ones as a factor."""
    assert wording.change(log(ratio)) == words


def test_size_has_no_sign() -> None:
    """The size of a fall and of a rise by the same factor read alike."""
    assert wording.size(log(1.03)) == wording.size(-log(1.03)) == "3.0 %"


def test_interval_states_its_true_coverage() -> None:
    """The interval is told with the coverage it has, not the one asked for."""
    assert wording.spread(Interval(log(1.03), log(1.07), 0.9614)) == "96.1 % interval +3.0 % to +7.0 %"
    assert wording.spread(None) == "too few for an interval"


def test_what_was_measured() -> None:
    """One block is a block."""
    assert wording.measured(log(1.05), None, 1) == "+5.0 % over 1 block (too few for an interval)"


def test_floor_names_what_set_it() -> None:
    """The floor says whether the user, the noise or the timer set it, with the number."""
    assert wording.floor_set_by(effect_floor(0.03)) == "3.0 % (the smallest change asked for)"
    noisy = wording.floor_set_by(effect_floor(0.03, noise=log(1.04)))
    assert noisy == "6.1 % (1.5 times the noise floor of 4.0 %)"
    assert wording.floor_set_by(effect_floor(0.03, timer_quantum=0.1)) == "10.0 % (the tick of the timer)"
