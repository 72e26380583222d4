"""What is shown of one arm of one case in each reading, as text: the columns of tables, wherever they are printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from placement_cli.bench.metrics import METRICS
from placement_cli.measure.specs import Reading
from placement_cli.store.run_document import ArmSummary, CaseRecord, Comparison, Estimate, LatencySpread, Spread
from placement_cli.units import format_duration, format_size

NOTHING = "-"
"""Stands where nothing was measured."""
AMOUNTS = frozenset(metric.key for metrics in METRICS.values() for metric in metrics if metric.unit != "s")
"""Metrics of which there is more or less, not slower or faster."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One column: its heading, and how it is read off an arm of a case."""

    heading: str
    read: Callable[[CaseRecord, str], str]


def _of_summary(heading: str, read: Callable[[ArmSummary], str]) -> Figure:
    def shown(case: CaseRecord, arm: str) -> str:
        summary = case.summary.get(arm)
        return NOTHING if summary is None else read(summary)

    return Figure(heading, shown)


def _estimate(case: CaseRecord, name: str) -> Estimate | None:
    return next((each for each in case.estimates if each.name == name), None)


def _stall_call(case: CaseRecord, arm: str) -> str:
    call = _estimate(case, f"stall_call[{arm}]")
    if call is None:
        return "not measured"
    if call.value is None:
        return "none"
    bounds = "" if call.low is None or call.high is None else f" [{call.low:.0f}, {call.high:.0f}]"
    return f"{call.value:.0f}{bounds}"


def _stall_ops(case: CaseRecord, arm: str) -> str:
    ops = _estimate(case, f"stall_ops[{arm}]")
    return NOTHING if ops is None or ops.value is None else f"{ops.value:.0f}"


def _tried(case: CaseRecord, _arm: str) -> str:
    tried = [block.messages for block in case.counted]
    return str(tried[0]) if tried else NOTHING


def _waited(case: CaseRecord, arm: str) -> str:
    share = _estimate(case, f"waited_share[{arm}]")
    if share is None or share.value is None:
        return NOTHING
    bounds = "" if share.low is None or share.high is None else f" [{100 * share.low:.0f}, {100 * share.high:.0f}]"
    return f"{100 * share.value:.0f} %{bounds}"


def _latency(part: Callable[[LatencySpread], float]) -> Callable[[ArmSummary], str]:
    return lambda s: NOTHING if s.latency_s is None else format_duration(part(s.latency_s))


def spike_s(case: CaseRecord, arm: str) -> float | None:
    """Return the longest message of a sample, what was left to finish included: the middle of all samples.

    The longest of all messages would show the one hiccup of the machine, not what piles up in every sample.
    """
    samples = [sample for block in case.counted for sample in block.samples]
    spikes = [
        max(sample.finish_s or 0.0, *sample.latency_s)
        for sample in samples
        if sample.arm == arm and sample.phase == "measure" and sample.latency_s
    ]
    return median(spikes) if spikes else None


def _longest(case: CaseRecord, arm: str) -> str:
    longest_s = spike_s(case, arm)
    return NOTHING if longest_s is None else format_duration(longest_s)


def _median(pick: Callable[[ArmSummary], Spread | None], show: Callable[[float], str]) -> Callable[[ArmSummary], str]:
    """Return what shows the median of a spread that only some readings have."""

    def shown(summary: ArmSummary) -> str:
        spread = pick(summary)
        return NOTHING if spread is None else show(spread.median)

    return shown


def _missed(summary: ArmSummary) -> str:
    return NOTHING if summary.missed_share is None else f"{100 * summary.missed_share:.2g} %"


TIME = _of_summary("time per message", lambda s: format_duration(s.complete_s.median))
HOST = _of_summary("host held", lambda s: format_duration(s.dispatch_s.median))
IN_FLIGHT = _of_summary("in flight", lambda s: format_size(s.in_flight_bytes.median))
WAITED = Figure("of that waiting", _waited)

FIGURES: dict[Reading, tuple[Figure, ...]] = {
    Reading.STREAM: (TIME, HOST, IN_FLIGHT),
    Reading.BURST: (HOST, TIME),
    Reading.QUEUE: (
        Figure("stalls in call", _stall_call),
        Figure("ops outstanding", _stall_ops),
        Figure("messages tried", _tried),
    ),
    Reading.PENDING: (
        _of_summary("ops left", _median(lambda s: s.pending_ops_end, "{:.0f}".format)),
        _of_summary("bytes left", _median(lambda s: s.pending_bytes_end, format_size)),
        _of_summary("median", _latency(lambda spread: spread.p50)),
        Figure("longest", _longest),
        _of_summary("finish", _median(lambda s: s.finish_s, format_duration)),
    ),
    Reading.PACED: (
        _of_summary("p50", _latency(lambda spread: spread.p50)),
        _of_summary("p95", _latency(lambda spread: spread.p95)),
        _of_summary("p99", _latency(lambda spread: spread.p99)),
        _of_summary("max", _latency(lambda spread: spread.max)),
        _of_summary("late", _missed),
        _of_summary("host free", _median(lambda s: s.free_share, lambda share: f"{100 * share:.0f} %")),
    ),
}
"""The columns of each reading."""


def verdict_word(comparison: Comparison) -> str:
    """Return the verdict in the words of its metric: there is more or less of bytes and shares, times are slower."""
    words = {"slower": "more", "faster": "less"} if comparison.metric in AMOUNTS else {}
    return words.get(comparison.verdict, comparison.verdict)
