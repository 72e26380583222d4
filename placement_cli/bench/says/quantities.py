"""Sentences about quantities: knees, prices, shares, growth, deadlines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from placement_cli.bench.figures import spike_s
from placement_cli.bench.says.phrases import arm_phrase, case_phrase, listed, seconds_phrase
from placement_cli.store.run_document import CaseRecord, Estimate, Saying, ScenarioRecord
from placement_cli.units import format_duration, format_size

WAITS, FREE = 0.1, 0.05
"""A submitting thread that stands still for more than the first share of the time waits; below the second, not."""


def say_stalls(cases: Sequence[CaseRecord]) -> list[Saying]:
    """Say at which call the host stalls, for each arm of each case of a queue reading."""
    return [
        Saying(text=_stall(case, name, estimates[f"stall_call[{name}]"], estimates), cases=[case.id])
        for case in cases
        for estimates in [{estimate.name: estimate for estimate in case.estimates}]
        for name in case.arms
        if f"stall_call[{name}]" in estimates
    ]


def _stall(case: CaseRecord, name: str, call: Estimate, estimates: Mapping[str, Estimate]) -> str:
    whose = f" with {arm_phrase(case.arms[name], case)}" if len(case.arms) > 1 else ""
    where = _capital(f"at {case_phrase(case)}{whose}")
    if call.value is None:
        return f"{where} the host was not seen to stall: {call.reason}."
    ops = estimates[f"stall_ops[{name}]"]
    outstanding = "" if ops.value is None else f", with about {ops.value:.0f} ops outstanding"
    return f"{where} the host stalls in call {call.value:.0f}{_bounds(call)}{outstanding}."


def _bounds(estimate: Estimate) -> str:
    interval = [] if estimate.low is None or estimate.high is None else [f"[{estimate.low:.0f}, {estimate.high:.0f}]"]
    reason = [f"({estimate.reason})"] if estimate.reason else []
    return "".join(f" {part}" for part in [*interval, *reason])


def say_prices(scenario: ScenarioRecord, cases: Sequence[CaseRecord]) -> list[Saying]:
    """Say what one op and one evaluation call cost the host, from the lines through all cases of a burst reading."""
    prices = {estimate.name: estimate for estimate in scenario.estimates}
    ids = [case.id for case in cases]
    says = []
    for name, arm in cases[0].arms.items() if cases else ():
        per_op, per_call = prices.get(f"per_op_s[{name}]"), prices.get(f"per_call_s[{name}]")
        if per_op is None or per_call is None:
            continue
        off = arm["mode"] == "off" and not arm["values"]
        what = "Building without evaluating" if off else f"Building and {arm_phrase(arm, cases[0])}"
        text = (
            f"{what} costs the host {seconds_phrase(per_op)} for each op "
            f"and {seconds_phrase(per_call)} for each message."
        )
        says.append(Saying(text=text, cases=ids))
    return says


def say_waits(cases: Sequence[CaseRecord]) -> list[Saying]:
    """Say, where the base is an ASYNC, whether submitting waited for work in flight."""
    return [
        Saying(text=_wait(case, estimate), cases=[case.id])
        for case in cases
        for estimate in case.estimates
        if estimate.name == f"waited_share[{case.base}]" and estimate.low is not None
    ]


def _wait(case: CaseRecord, estimate: Estimate) -> str:
    assert estimate.value is not None
    assert estimate.low is not None
    assert estimate.high is not None
    if estimate.low > WAITS:
        verdict = "submitting waits for work in flight"
    elif estimate.high < FREE:
        verdict = "submitting does not wait"
    else:
        verdict = "whether submitting waits cannot be told"
    summary = case.summary[case.base]
    return (
        f"At {case_phrase(case)} {arm_phrase(case.arms[case.base], case)} left the host after "
        f"{format_duration(summary.dispatch_s.median)} of {format_duration(summary.complete_s.median)} a message; "
        f"it stood still for {100 * estimate.value:.0f} % [{100 * estimate.low:.0f}, {100 * estimate.high:.0f}] "
        f"of that time: {verdict}."
    )


def say_pending(cases: Sequence[CaseRecord]) -> list[Saying]:
    """Say what was still pending at the end of a pending reading, and what evaluating it cost."""
    says = []
    for case in cases:
        parts = [_pending(case, name) for name in case.arms if name in case.summary]
        if parts:
            says.append(Saying(text=_capital(f"at {case_phrase(case)}: {listed(parts)}."), cases=[case.id]))
    return says


def _pending(case: CaseRecord, name: str) -> str:
    summary = case.summary[name]
    ops, bytes_ = summary.pending_ops_end, summary.pending_bytes_end
    assert ops is not None
    assert bytes_ is not None
    held = format_size(bytes_.median)
    text = f"{arm_phrase(case.arms[name], case)} leaves {ops.median:.0f} ops pending and {held} held"
    longest_s = spike_s(case, name)
    if summary.latency_s is not None and longest_s is not None:
        usual = format_duration(summary.latency_s.p50)
        text += f" (longest message {format_duration(longest_s)}, median {usual})"
    return text


def say_deadlines(cases: Sequence[CaseRecord]) -> list[Saying]:
    """Say how many messages of a paced reading were later than one period, and how idle the host was."""
    says = []
    for case in cases:
        parts = [_deadline(case, name) for name in case.arms if name in case.summary]
        if parts:
            says.append(Saying(text=_capital(f"at {case_phrase(case)}: {'; '.join(parts)}."), cases=[case.id]))
    return says


def _deadline(case: CaseRecord, name: str) -> str:
    summary = case.summary[name]
    missed = summary.missed_share or 0.0
    late = "no message" if missed == 0 else f"{100 * missed:.2g} % of messages"
    text = f"{name} is late for {late}"
    if summary.free_share is not None:
        text += f" and leaves the host {100 * summary.free_share.median:.0f} % free"
    return text


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
