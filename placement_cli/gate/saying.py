"""What a gate says: the sentence of its verdict, and one for each comparison worth one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from placement_cli.bench.metrics import Metric
from placement_cli.gate.judging import Finding
from placement_cli.gate.words import may_exceed
from placement_cli.statistics.verdict import Verdict, VerdictKind
from placement_cli.store.run_document import Saying
from placement_cli.units import format_ratio


def says(findings: Sequence[Finding], against: str) -> Iterator[Saying]:
    """Yield a sentence for each confirmed regression, for what was not repeated, and for what became faster."""
    for each in findings:
        text = _sentence(each, against)
        if text:
            yield Saying(text=text, cases=[each.case.id])


def _sentence(each: Finding, against: str) -> str:
    what = f"{_title(each.compared.metric)} of {each.case.id}"
    verdict, repeat = each.compared.verdict, each.repeat
    if repeat is not None and each.confirmed:
        again = f"confirmed by {repeat.verdict.n_blocks} fresh blocks ({_times(repeat.verdict)})"
        return f"{what} is {_times(verdict)} that of {against}, {again}."
    if each.flagged:
        return f"{what} is {_times(verdict)} that of {against}; no fresh blocks were asked for."
    if repeat is not None:
        return f"{what} was slower at first, {_times(verdict)}, but {_again(repeat.verdict)}."
    if verdict.kind is VerdictKind.FASTER:
        return f"{what} is {_times(verdict)} that of {against}."
    return ""


def _title(metric: Metric) -> str:
    return f"Bytes {metric.title}" if metric.unit == "bytes" else metric.title.capitalize()


def _again(verdict: Verdict) -> str:
    if verdict.kind is VerdictKind.INVALID:
        return "its fresh blocks are invalid"
    return (
        f"fresh blocks in reverse order say {_times(verdict)}" if verdict.n_blocks else "no fresh blocks were measured"
    )


def _times(verdict: Verdict) -> str:
    """Return the ratio with its interval, such as `1.05 times [1.04, 1.06]`."""
    if verdict.ratio is None:
        return "unknown"
    text = f"{format_ratio(verdict.ratio)} times"
    if verdict.interval is None:
        return text
    return f"{text} [{format_ratio(verdict.interval.low)}, {format_ratio(verdict.interval.high)}]"


def headline(findings: Sequence[Finding], failed: Sequence[str], against: str) -> str:
    """Return the sentence of the verdict, where the measurement itself is sound."""
    gated = [each for each in findings if each.gated]
    of = f"of {len(gated)} comparisons" if len(gated) != 1 else "of 1 comparison"
    if failed:
        worse = [each for each in gated if each.case.id in failed and (each.confirmed or each.flagged)]
        be = "are" if len(worse) != 1 else "is"
        return f"{len(worse)} {of} with {against} {be} {_dearer(worse)} beyond the limit."
    open_ended = sum(undecided(each) for each in gated)
    if open_ended:
        its = "its" if open_ended == 1 else "their"
        return f"None {of} with {against} is shown to be {_dearer(gated)}; {open_ended} cannot be told at {its} limit."
    return f"None {of} with {against} is {_dearer(gated)}."


def _dearer(findings: Sequence[Finding]) -> str:
    """Return what a comparison can be that fails: slower where it is about time, larger where it is about bytes."""
    words = {"larger" if each.compared.metric.unit == "bytes" else "slower" for each in findings}
    return " or ".join(sorted(words, reverse=True)) or "slower"


def undecided(each: Finding) -> bool:
    """Tell whether a comparison leaves it open that the new side is slower beyond the limit."""
    verdict = each.compared.verdict
    if not each.gated or verdict.kind is not VerdictKind.INCONCLUSIVE:
        return False
    high = None if verdict.interval is None else verdict.interval.high
    return may_exceed(high, each.case.limits[each.compared.metric.key])
