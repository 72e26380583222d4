"""What is believed before any timing."""

from placement_cli.fit.block_priors import BLOCK_PRIORS, TERM_ORDER
from placement_cli.fit.robust import Ties
from placement_cli.profile.terms import UNITS


def test_every_term_has_a_prior() -> None:
    """Priors and terms name the same things, parents before children."""
    assert set(BLOCK_PRIORS) == set(UNITS)
    assert Ties.of(BLOCK_PRIORS, TERM_ORDER).start.size == len(UNITS)


def test_untimed_kinds_are_on_the_dear_side() -> None:
    """What MLX alone has is expected to cost more than what it replaces until it was timed."""
    for dear, known in (
        ("gather_mm_call", "batch_call"),
        ("gather_mm_block", "batch_block"),
        ("masked_mm_call", "call"),
        ("masked_mm_mac", "large_mac"),
        ("compiled_once", "once"),
    ):
        assert BLOCK_PRIORS[dear].parent == known
        assert BLOCK_PRIORS[dear].ratio > 1
