"""Sentences about arms compared with the base: one for each arm and metric, over all cases."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from placement_cli.bench.says.phrases import arm_phrase, case_phrase, listed, ratio_phrase
from placement_cli.store.run_document import CaseRecord, Comparison, Saying

_MORE = {
    "complete_s": ("takes", "the time of"),
    "dispatch_s": ("costs the host", "the time of"),
    "in_flight_bytes": ("keeps", "the bytes in flight of"),
    "spike_s": ("has a longest message of", "that of"),
    "latency_s": ("has a median latency of", "that of"),
    "latency_p95_s": ("has a 95th percentile latency of", "that of"),
    "busy_share": ("keeps the host busy", "as long as"),
}
"""For each metric the words before and after a ratio."""

Judged = tuple[CaseRecord, Comparison]


def say_comparisons(cases: Sequence[CaseRecord], metrics: Sequence[str]) -> list[Saying]:
    """Return a sentence for each arm in each of `metrics`."""
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
    parts = [_say_group(group, metric, base) for group in groups]
    return Saying(text=f"{_capital(new)} {'; '.join(parts)}.", cases=[case.id for case, _ in pairs])


def _say_group(pairs: Sequence[Judged], metric: str, base: str) -> str:
    """Say what neighbouring cases with one verdict have in common."""
    verdict = pairs[0][1].verdict
    before, after = _MORE[metric]
    if verdict in ("faster", "slower"):
        ratios = listed([f"{ratio_phrase(each)} at {case_phrase(case)}" for case, each in pairs])
        return f"{before} {ratios} {after} {base}"
    where = listed([case_phrase(case) for case, _ in pairs])
    limit = max(each.limit for _, each in pairs)
    if verdict == "same":
        return f"differs from {base} by less than {100 * limit:.3g} % at {where}"
    if verdict == "invalid":
        return f"gives no valid measurement at {where} ({pairs[0][1].reason.rstrip('.')})"
    return f"cannot be told from {base} by this run at {where}{_open(pairs)}"


def _open(pairs: Sequence[Judged]) -> str:
    """Say how open an inconclusive case is, and what it would take."""
    shown = [ratio_phrase(each) for _, each in pairs if each.ratio is not None]
    needed = [each.blocks_needed for _, each in pairs if each.blocks_needed is not None]
    more = f", about {max(needed)} blocks would settle it" if needed else ""
    return f" ({listed(shown)}{more})" if shown else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
