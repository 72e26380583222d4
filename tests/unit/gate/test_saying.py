"""What a gate says of what it found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import log

import pytest

from placement_cli.bench.judge import Compared
from placement_cli.bench.metrics import COMPLETE, IN_FLIGHT, Metric
from placement_cli.gate.judging import Finding, confirmed
from placement_cli.gate.saying import headline, says, undecided
from placement_cli.gate.suite import GateCase
from placement_cli.statistics.noise_floor import effect_floor
from placement_cli.statistics.verdict import Verdict, VerdictKind, invalid, judge, withheld

FLOOR = effect_floor(0.03)


def verdict(ratio: float, spread: float = 0.01) -> Verdict:
    """Judge twelve blocks around this ratio."""
    return judge(row(ratio, spread), FLOOR)


def row(ratio: float, spread: float = 0.01) -> tuple[float, ...]:
    """Return twelve log ratios around this ratio."""
    return tuple(log(ratio) + spread * (-1) ** number for number in range(12))


@pytest.fixture
def finding(make_gate_case: Callable[..., GateCase]) -> Callable[..., Finding]:
    """Makes a finding about a case from its verdict; it could fail the gate unless told otherwise."""

    def make(
        found: Verdict, number: int = 1, *, metric: Metric = COMPLETE, gated: bool = True, repeat: Verdict | None = None
    ) -> Finding:
        case = make_gate_case(
            number, {metric.key: 0.03} if gated else {"spike_s": 0.03, "latency_s": 1.0, "complete_s": 0.03}
        )
        compared = Compared("base", "new", metric, row(found.ratio or 1.0), FLOOR, found, stop=True)
        again = repeat and replace(compared, verdict=repeat, log_ratios=row(1.0)[: repeat.n_blocks])
        made = Finding(case, compared, gated, p_adjusted=0.001 if gated else None)
        if again is None:
            return made
        (made,) = confirmed([made], [Finding(case, again, gated)])
        return made

    return make


def said(*findings: Finding) -> list[str]:
    """Return the sentences about them."""
    return [saying.text for saying in says(findings, "main")]


def test_a_confirmed_regression_says_both_ratios(finding: Callable[..., Finding]) -> None:
    """That of the first blocks and that of the fresh ones, each with its interval."""
    (text,) = said(finding(verdict(1.2), repeat=verdict(1.25)))
    assert text == (
        "Time per message of chain[n=1] async is 1.20 times [1.19, 1.21] that of main, "
        "confirmed by 12 fresh blocks (1.25 times [1.24, 1.26])."
    )


def test_without_fresh_blocks_that_is_said(finding: Callable[..., Finding]) -> None:
    """A flag alone is weaker."""
    (text,) = said(finding(verdict(1.2)))
    assert text.endswith("that of main; no fresh blocks were asked for.")


@pytest.mark.parametrize(
    ("repeat", "ending"),
    [
        (verdict(1.0), "but fresh blocks in reverse order say 1.00 times [0.990, 1.01]."),
        (Verdict(VerdictKind.INCONCLUSIVE, None, None, 0, FLOOR, "none"), "but no fresh blocks were measured."),
        (invalid("new: it crashed"), "but its fresh blocks are invalid."),
    ],
)
def test_what_was_not_repeated_is_told(repeat: Verdict, ending: str, finding: Callable[..., Finding]) -> None:
    """With what the fresh blocks said, or that there are none worth a word."""
    (text,) = said(finding(verdict(1.2), repeat=repeat))
    assert text == f"Time per message of chain[n=1] async was slower at first, 1.20 times [1.19, 1.21], {ending}"


def test_what_became_faster_is_told_and_what_stayed_is_not(finding: Callable[..., Finding]) -> None:
    """Nobody wants a sentence for each case that is the same."""
    assert said(finding(verdict(1.0)), finding(withheld(row(1.03), FLOOR, "unclear"))) == []
    assert said(finding(verdict(0.8))) == [
        "Time per message of chain[n=1] async is 0.800 times [0.792, 0.808] that of main."
    ]


def test_names_keep_their_letters(make_gate_case: Callable[..., GateCase]) -> None:
    """A sentence begins with a capital, and no other letter of a case's name is changed."""
    case = make_gate_case(mode="FastPath")
    compared = Compared("base", "new", IN_FLIGHT, row(0.5), FLOOR, verdict(0.5), stop=True)
    (text,) = said(Finding(case, compared, True))
    assert text.startswith("Bytes in flight of chain[n=0,mode=FastPath] async is 0.500 times")


def test_the_headline_counts_what_could_fail(finding: Callable[..., Finding]) -> None:
    """What is slower, else what is open, else nothing; comparisons without a limit are not counted."""
    slow = finding(verdict(1.2), repeat=verdict(1.2))
    same, other = finding(verdict(1.0), 2), finding(verdict(1.0), 3, gated=False)
    open_ended = finding(withheld(row(1.03), FLOOR, "unclear"), 4)
    failed = [slow.case.id]
    assert headline([slow], failed, "main") == "1 of 1 comparison with main is slower beyond the limit."
    assert headline([slow, same, other], failed, "main") == "1 of 2 comparisons with main is slower beyond the limit."
    assert headline([same, other], [], "main") == "None of 1 comparison with main is slower."
    assert headline([same, open_ended], [], "main") == (
        "None of 2 comparisons with main is shown to be slower; 1 cannot be told at its limit."
    )


def test_what_takes_more_is_not_called_slower(finding: Callable[..., Finding]) -> None:
    """Bytes are larger; where times are compared too, either can be meant."""
    larger = finding(verdict(2.0), metric=IN_FLIGHT, repeat=verdict(2.0))
    same = finding(verdict(1.0), 2)
    failed = [larger.case.id]
    assert headline([larger, same], failed, "main") == "1 of 2 comparisons with main is larger beyond the limit."
    assert (
        headline([finding(verdict(1.0), metric=IN_FLIGHT)], [], "main") == "None of 1 comparison with main is larger."
    )
    assert headline([finding(verdict(1.0), 1, metric=IN_FLIGHT), same], [], "main") == (
        "None of 2 comparisons with main is slower or larger."
    )


@pytest.mark.parametrize(
    ("ratio", "spread", "is_open"), [(1.02, 0.02, True), (1.0, 0.02, False), (0.8, 0.2, False), (0.95, 0.3, True)]
)
def test_a_comparison_is_open_where_it_may_be_beyond_its_limit(
    ratio: float, spread: float, is_open: bool, finding: Callable[..., Finding]
) -> None:
    """An interval that ends below the limit leaves nothing open, also where no verdict was given."""
    found = finding(withheld(row(ratio, spread), FLOOR, "ended early"))
    assert undecided(found) is is_open


def test_only_inconclusive_comparisons_that_could_fail_are_open(finding: Callable[..., Finding]) -> None:
    """A verdict closes a comparison, and without a limit there is nothing to leave open."""
    unclear = withheld(row(1.02, 0.02), FLOOR, "unclear")
    assert not undecided(finding(verdict(1.2)))
    assert not undecided(finding(invalid("no", row(1.2), FLOOR)))
    assert not undecided(finding(unclear, gated=False))
    assert undecided(finding(Verdict(VerdictKind.INCONCLUSIVE, None, None, 0, FLOOR, "nothing")))
