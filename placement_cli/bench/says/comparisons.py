"""Sentences about arms compared with the base: one for each arm and metric, over all cases."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from placement_cli.bench.says.phrases import arm_phrase, case_phrase, listed, ratio_phrase
from placement_cli.store.run_document import CaseRecord, Comparison, Saying

_SUBJECTS = {
    "complete_s": "Time per message",
    "dispatch_s": "Host time per message",
    "in_flight_bytes": "Bytes in flight",
    "spike_s": "Longest message",
    "latency_s": "Median latency",
    "latency_p95_s": "95th percentile of latency",
    "busy_share": "Host time in use",
}
"""What each metric is called at the head of a sentence."""

Judged = tuple[CaseRecord, Comparison]


def say_comparisons(cases: Sequence[CaseRecord], metrics: Sequence[str]) -> list[Saying]:
    """Return a sentence for each arm in each of `metrics`; `cases` are those that can be trusted."""
    says: list[Saying] = []
    for metric in metrics:
        found = [(case, each) for case in cases for each in case.comparisons if each.metric == metric]
        names = list(dict.fromkeys(each.new for _, each in found))
        says += [_say_arm([pair for pair in found if pair[1].new == name], metric) for name in names]
    return says


def _say_arm(pairs: Sequence[Judged], metric: str) -> Saying:
    case, first = pairs[0]
    new, base = (arm_phrase(case.arms[name], case) for name in (first.new, first.base))
    groups = [list(group) for _, group in groupby(pairs, key=lambda pair: pair[1].verdict)]
    parts = [_say_group(group, base if number == 0 else "that") for number, group in enumerate(groups)]
    text = f"{_SUBJECTS[metric]}: {new} {'; '.join(parts)}."
    return Saying(text=text, cases=[case.id for case, _ in pairs])


def _say_group(pairs: Sequence[Judged], base: str) -> str:
    """Say what neighbouring cases with one verdict have in common."""
    verdict = pairs[0][1].verdict
    if verdict in ("faster", "slower"):
        ratios = [f"{ratio_phrase(each)} at {case_phrase(case)}" for case, each in pairs]
        return f"against {base} takes {listed(ratios)}"
    where = listed([case_phrase(case) for case, _ in pairs])
    if verdict == "same":
        within = max(each.same_within for _, each in pairs)
        return f"differs from {base} by less than {100 * within:.3g} % at {where}"
    return f"cannot be told from {base} by this run at {where}{_open(pairs)}"


def _open(pairs: Sequence[Judged]) -> str:
    """Say how open an inconclusive case is, and what it would take."""
    shown = [ratio_phrase(each) for _, each in pairs if each.ratio is not None]
    needed = [each.blocks_needed for _, each in pairs if each.blocks_needed is not None]
    more = f", about {max(needed)} blocks would settle it" if needed else ""
    return f" ({listed(shown)}{more})" if shown else ""
