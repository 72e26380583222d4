"""Sentences about quantities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placement_cli.bench.says.quantities import say_deadlines, say_pending, say_prices, say_stalls, say_waits
from placement_cli.store.run_document import (
    ArmSummary,
    BlockRecord,
    CaseRecord,
    Estimate,
    SampleRecord,
    ScenarioRecord,
    Spread,
)

MakeRecord = Callable[..., CaseRecord]
MakeSummary = Callable[..., ArmSummary]


def estimate(
    name: str, value: float | None, low: float | None = None, high: float | None = None, **more: Any
) -> Estimate:
    """An estimate of this name."""
    return Estimate(name=name, value=value, low=low, high=high, unit="", **more)


def texts(says: list[Any]) -> list[str]:
    """The sentences alone."""
    return [saying.text for saying in says]


def test_a_stall_is_named_with_its_interval(make_record: MakeRecord) -> None:
    """The call, its interval and the ops outstanding are told for each case."""
    found = [estimate("stall_call[async]", 37, 36, 38), estimate("stall_ops[async]", 111, 108, 114)]
    case = make_record(params={"ops": 3}, reading="queue", arms=("async",), estimates=found)
    assert texts(say_stalls([case])) == [
        "At ops 3 the host stalls in call 37 [36, 38], with about 111 ops outstanding."
    ]


def test_no_stall_is_what_was_seen(make_record: MakeRecord) -> None:
    """That nothing blocked is told as what was seen among the messages tried, not as a law."""
    found = [estimate("stall_call[async]", None, reason="no call of 64 messages blocked")]
    case = make_record(params={"ops": 3}, reading="queue", arms=("async",), estimates=found)
    assert texts(say_stalls([case])) == ["At ops 3 the host was not seen to stall: no call of 64 messages blocked."]


def test_a_stall_with_a_reservation_tells_it(make_record: MakeRecord) -> None:
    """Too few blocks, or blocks without a stall, stand beside the number."""
    found = [
        estimate("stall_call[async]", 37, reason="3 blocks are too few for an interval"),
        estimate("stall_ops[async]", 37),
    ]
    (text,) = texts(say_stalls([make_record(reading="queue", arms=("async",), estimates=found)]))
    assert "call 37 (3 blocks are too few for an interval), with" in text


def test_arms_of_a_queue_are_told_apart(make_record: MakeRecord) -> None:
    """With several arms each sentence names its own; an arm without an estimate has none."""
    found = [
        estimate("stall_call[async]", 37, 36, 38),
        estimate("stall_ops[async]", 37),
        estimate("stall_call[window:4]", None, reason="no call of 64 messages blocked"),
    ]
    case = make_record(reading="queue", arms=("async", "window:4", "sync"), estimates=found)
    first, second = texts(say_stalls([case]))
    assert first.startswith("At the one case with ASYNC at the tail the host stalls")
    assert second.startswith("At the one case with a window of 4 at the tail the host was not seen")


def scenario(*estimates: Estimate) -> ScenarioRecord:
    """A scenario with estimates."""
    return ScenarioRecord(name="s", question="?", noise_floor=None, control_case=None, estimates=list(estimates))


def test_prices_are_told_for_each_arm(make_record: MakeRecord) -> None:
    """Building alone, and building with an evaluation, have a price for an op and for a message."""
    prices = scenario(
        estimate("per_op_s[off]", 3e-7, 2e-7, 4e-7),
        estimate("per_call_s[off]", 1e-6, 5e-7, 2e-6),
        estimate("per_op_s[async]", 1e-6, 5e-7, 2e-6),
        estimate("per_call_s[async]", 1e-8, -1e-6, 1e-6),
    )
    case = make_record(reading="burst", arms=("off", "async", "sync"))
    building, evaluating = texts(say_prices(prices, [case]))
    assert building == (
        "Building without evaluating costs the host 300 ns [200 ns, 400 ns] for each op and 1.00 µs [500 ns, 2.00 µs] "
        "for each message."
    )
    assert evaluating == (
        "Building and ASYNC at the tail costs the host 1.00 µs [500 ns, 2.00 µs] for each op and nothing that can be "
        "told from zero (10.0 ns [-1.00 µs, 1.00 µs]) for each message."
    )


def test_no_prices_are_no_sentences(make_record: MakeRecord) -> None:
    """Where no line could be drawn nothing is said of prices."""
    assert say_prices(scenario(), [make_record(reading="burst")]) == []
    assert say_prices(scenario(), []) == []


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.11, 0.5, "submitting waits for work in flight"),
        (0.0, 0.04, "submitting does not wait"),
        (0.04, 0.3, "whether submitting waits cannot be told"),
        (0.06, 0.09, "whether submitting waits cannot be told"),
    ],
)
def test_waiting_is_told_by_its_interval(
    low: float, high: float, verdict: str, make_record: MakeRecord, make_summary: MakeSummary
) -> None:
    """Only an interval clear of the limits says that submitting waits, or that it does not."""
    case = make_record(
        params={"stages": 2},
        summary={"async": make_summary()},
        estimates=[estimate("waited_share[async]", (low + high) / 2, low, high)],
    )
    (text,) = texts(say_waits([case]))
    assert text.startswith("At stages 2 ASYNC at the tail left the host after 1.00 ms of 2.00 ms a message;")
    assert text.endswith(f": {verdict}.")


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)))
def test_waiting_is_never_told_beyond_its_interval(
    share: tuple[float, float, float], make_record: MakeRecord, make_summary: MakeSummary
) -> None:
    """An interval that reaches below 10 % does not say that submitting waits; one above 5 % not that it does not."""
    low, value, high = sorted(share)
    found = [estimate("waited_share[async]", value, low, high)]
    (text,) = texts(say_waits([make_record(summary={"async": make_summary()}, estimates=found)]))
    assert ("submitting waits for" in text) == (low > 0.1)
    assert ("does not wait" in text) == (high < 0.05)


def test_waiting_without_an_interval_is_not_told(make_record: MakeRecord, make_summary: MakeSummary) -> None:
    """Too few blocks, or a base that is no ASYNC, say nothing about waiting."""
    few = make_record(summary={"async": make_summary()}, estimates=[estimate("waited_share[async]", 0.5)])
    other = make_record(
        summary={"async": make_summary()}, estimates=[estimate("waited_share[window:4]", 0.5, 0.4, 0.6)]
    )
    assert say_waits([few, other]) == []


@pytest.fixture
def make_pending(
    make_record: MakeRecord,
    make_summary: MakeSummary,
    make_spread: Callable[[float], Spread],
    make_block: Callable[..., BlockRecord],
) -> Callable[..., CaseRecord]:
    """Makes a pending case of one arm whose samples have these longest messages and ends."""

    def make(longest: Sequence[float], finish: Sequence[float]) -> CaseRecord:
        ends = {"pending_ops_end": make_spread(134), "pending_bytes_end": make_spread(2048)}
        samples = [
            SampleRecord(
                arm="off", phase="measure", round=number, at_s=0, messages=2, dispatch_s=1, complete_s=1,
                in_flight_bytes=0, peak_bytes=0, active_bytes=0, cache_bytes=0, page_faults=0,
                latency_s=[1e-3, long_s], finish_s=finish_s,
            )
            for number, (long_s, finish_s) in enumerate(zip(longest, finish, strict=True))
        ]  # fmt: skip
        blocks = [make_block(0, samples=samples)]
        return make_record(reading="pending", arms=("off",), summary={"off": make_summary(**ends)}, blocks=blocks)

    return make


def test_what_is_pending_is_told_with_its_spike(make_pending: Callable[..., CaseRecord]) -> None:
    """Ops and bytes at the end, and the longest message against the median, the end included."""
    (text,) = texts(say_pending([make_pending([9e-3, 9e-3], [1e-3, 1e-3])]))
    assert text == (
        "At the one case: no evaluation point leaves 134 ops pending and 2.00 KiB held (longest message 9.00 ms, "
        "median 1.00 ms)."
    )
    (text,) = texts(say_pending([make_pending([9e-3], [12e-3])]))
    assert "longest message 12.0 ms" in text


def test_one_hiccup_is_no_spike(make_pending: Callable[..., CaseRecord]) -> None:
    """A message that was long in one sample alone is not what piles up in every sample."""
    (text,) = texts(say_pending([make_pending([2e-3, 500e-3, 2e-3], [1e-3] * 3)]))
    assert "longest message 2.00 ms" in text


def test_pending_work_without_latencies_is_told_without_a_spike(
    make_record: MakeRecord, make_summary: MakeSummary, make_spread: Callable[[float], Spread]
) -> None:
    """Where no samples are kept the rest is told, arm by arm."""
    summary = make_summary(pending_ops_end=make_spread(134), pending_bytes_end=make_spread(2048))
    case = make_record(reading="pending", arms=("async", "off"), summary={"off": summary, "async": summary})
    (text,) = texts(say_pending([case]))
    assert text == (
        "At the one case: ASYNC at the tail leaves 134 ops pending and 2.00 KiB held and no evaluation point leaves "
        "134 ops pending and 2.00 KiB held."
    )


def test_late_messages_are_told(
    make_record: MakeRecord, make_summary: MakeSummary, make_spread: Callable[[float], Spread]
) -> None:
    """The share of late messages and how free the host is are told for each arm."""
    summary = {
        "async": make_summary(missed_share=0.0, free_share=make_spread(0.9)),
        "sync": make_summary(missed_share=0.0123),
    }
    case = make_record(params={"rate": 200}, reading="paced", summary=summary)
    assert texts(say_deadlines([case])) == [
        "At rate 200: async is late for no message and leaves the host 90 % free; sync is late for 1.2 % of messages."
    ]


def test_arms_that_were_not_measured_are_left_out(make_record: MakeRecord) -> None:
    """Without summaries there is nothing to tell."""
    cases = [make_record(reading="paced"), make_record(reading="pending")]
    assert [*say_deadlines(cases), *say_pending(cases)] == []
