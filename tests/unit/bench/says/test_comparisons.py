"""Sentences about compared arms are never stronger than the verdicts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placement_cli.bench.metrics import METRICS
from placement_cli.bench.says.comparisons import say_comparisons
from placement_cli.store.run_document import CaseRecord, Comparison

METRIC_KEYS = sorted({metric.key for metrics in METRICS.values() for metric in metrics})

RATIO = st.floats(0.01, 100.0)
VERDICTS = st.sampled_from(["faster", "slower", "same", "inconclusive"])


@st.composite
def comparisons(draw: st.DrawFn) -> dict[str, Any]:
    """What differs between comparisons: verdict, ratio, interval, blocks needed."""
    verdict = draw(VERDICTS)
    low, ratio, high = sorted(draw(st.tuples(RATIO, RATIO, RATIO)))
    measured = verdict != "inconclusive" or draw(st.booleans())
    return {
        "verdict": verdict,
        "ratio": ratio if measured else None,
        "ci": (low, high) if measured and (verdict != "inconclusive" or draw(st.booleans())) else None,
        "same_within": draw(st.floats(0.001, 0.2)),
        "blocks_needed": draw(st.none() | st.integers(7, 100)) if verdict == "inconclusive" else None,
    }


def parts_of(text: str) -> list[str]:
    """The parts of a sentence, one for neighbouring cases of one verdict."""
    return text.removesuffix(".").split("; ")


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(found=st.lists(comparisons(), min_size=1, max_size=5), metric=st.sampled_from(METRIC_KEYS))
def test_sentences_are_never_stronger_than_verdicts(
    found: list[dict[str, Any]],
    metric: str,
    make_record: Callable[..., CaseRecord],
    make_comparison: Callable[..., Comparison],
) -> None:
    """Each part claims what its verdict does: a ratio, less than a margin, or that nothing can be told."""
    cases = [make_record([make_comparison(metric=metric, **each)], {"n": n}) for n, each in enumerate(found)]
    (saying,) = say_comparisons(cases, [metric])
    assert saying.cases == [case.id for case in cases]
    parts = parts_of(saying.text)
    verdicts = [each["verdict"] for each in found]
    changes = [verdict for n, verdict in enumerate(verdicts) if n == 0 or verdicts[n - 1] != verdict]
    assert len(parts) == len(changes)
    for part, verdict in zip(parts, changes, strict=True):
        claimed = re.sub(r"\(.*\)", "", part)
        assert (" takes " in claimed) == (verdict in ("faster", "slower"))
        assert (" times " in claimed) == (verdict in ("faster", "slower"))
        assert ("by less than" in claimed) == (verdict == "same")
        assert ("cannot be told" in claimed) == (verdict == "inconclusive")
    for number in range(len(cases)):
        assert len(re.findall(rf"\bn {number}\b", saying.text)) == 1


def test_the_sentence_of_the_issue(
    make_record: Callable[..., CaseRecord], make_comparison: Callable[..., Comparison]
) -> None:
    """A slower case and one that cannot be told make one sentence about one arm."""
    arms = ("async", "async@every-node")
    slow = make_comparison("async@every-node")
    open_ = make_comparison("async@every-node", "inconclusive", ratio=1.01, ci=(0.98, 1.05), blocks_needed=30)
    cases = [
        make_record([slow], {"chunk": "30x256"}, arms=arms),
        make_record([open_], {"chunk": "1024x2048"}, arms=arms),
    ]
    (saying,) = say_comparisons(cases, ["complete_s"])
    assert saying.text == (
        "Time per message: ASYNC at every node against ASYNC at the tail takes 1.40 times [1.30, 1.50] at chunk "
        "30x256; cannot be told from that by this run at chunk 1024x2048 (1.01 times [0.980, 1.05], about 30 blocks "
        "would settle it)."
    )


def test_same_names_the_widest_margin(
    make_record: Callable[..., CaseRecord], make_comparison: Callable[..., Comparison]
) -> None:
    """Cases that are the same within different margins are the same within the wider."""
    cases = [
        make_record([make_comparison(verdict="same", same_within=within)], {"n": within}) for within in (0.03, 0.05)
    ]
    (saying,) = say_comparisons(cases, ["complete_s"])
    assert "differs from ASYNC at the tail by less than 5 % at n 0.03 and n 0.05" in saying.text


def test_each_arm_and_metric_has_a_sentence(
    make_record: Callable[..., CaseRecord], make_comparison: Callable[..., Comparison]
) -> None:
    """Sentences come metric by metric, within one in the order of the arms; other metrics are left out."""
    made = [
        make_comparison(new, metric=metric) for metric in ("in_flight_bytes", "complete_s") for new in ("sync", "off")
    ]
    case = make_record(made, arms=("async", "sync", "off"))
    says = say_comparisons([case], ["complete_s", "in_flight_bytes", "spike_s"])
    assert [saying.text.split(" against")[0] for saying in says] == [
        "Time per message: SYNC at the tail",
        "Time per message: no evaluation point until the end",
        "Bytes in flight: SYNC at the tail",
        "Bytes in flight: no evaluation point until the end",
    ]


def test_an_arm_that_is_missing_in_a_case_is_passed_over(
    make_record: Callable[..., CaseRecord], make_comparison: Callable[..., Comparison]
) -> None:
    """A case in which an arm does the same as another has no comparison of it, and is not named."""
    cases = [make_record([], {"n": 1}), make_record([make_comparison()], {"n": 2})]
    (saying,) = say_comparisons(cases, ["complete_s"])
    assert saying.cases == ["s[n=2]"]


def test_nothing_compared_says_nothing(make_record: Callable[..., CaseRecord]) -> None:
    """Without comparisons there are no sentences."""
    assert say_comparisons([make_record()], ["complete_s"]) == []
