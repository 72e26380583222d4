"""The rule for two stored runs, series by series: pure. What it says is advisory.

A claim needs one set-up, one value an independent process, and a change that is clear and beyond the floor. Whatever is
missing is named by its clause:

    other-facts        the runs were not measured on one set-up
    one-process        the values are repetitions within one process
    zero               a value is zero, which has no ratio
    too-few            fewer than 5 values on a side
    not-clear          the interval is not clear of zero change
    below-floor        clear of it, but too small for stored runs
    inside-floor       `same`: all of the interval is inside the floor
    clear-and-beyond   `slower` or `faster`
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from placement_cli.comparing.recorded import Recorded, Series
from placement_cli.comparing.setups import differing_facts
from placement_cli.statistics.order_statistics import Interval
from placement_cli.statistics.two_sample import StoredVerdict, TwoSample, judge_stored, stored_floor, two_sample
from placement_cli.statistics.verdict import VerdictKind

Key = tuple[str, str, str]
"""Case, arm and metric of a series."""
MOST_NAMED = 3
"""Facts that a reason names."""


@dataclass(frozen=True, slots=True)
class StoredRow:
    """One series of two runs. `ratio` is new over base, above 1 slower or more; its interval has its true coverage.

    `clause` names what decided `verdict`, `reason` says it in words. The medians are in the unit of the series.
    `ratio` is None where a value is zero, the interval also where there are too few values.
    """

    base: Series
    new: Series
    base_median: float
    new_median: float
    ratio: float | None
    interval: Interval | None
    p_value: float | None
    verdict: VerdictKind
    clause: str
    reason: str


def compare_stored(
    base: Recorded,
    new: Recorded,
    *,
    spread: Mapping[Key, float] | None = None,
    min_effect: Callable[[Series], float] = lambda _series: 0.0,
) -> tuple[StoredRow, ...]:
    """Return a row for each series that both runs hold, in the order of the base.

    `spread` holds, by series, that of log medians between days (`comparing.spread`); `min_effect`
    returns the smallest change that counts for a series of the base, as a share: below 5 % the floor is 5 %. Series
    that only one run holds are told by `unmatched`, the facts that differ by `setups.differing_facts`.
    """
    differs, others = differing_facts(base, new), {series.key: series for series in new.series}
    return tuple(
        stored_row(series, others[series.key], differs, (spread or {}).get(series.key), min_effect(series))
        for series in base.series
        if series.key in others
    )


def unmatched(base: Recorded, new: Recorded) -> tuple[tuple[Key, ...], tuple[Key, ...]]:
    """Return the series that only the base holds, and those that only the new run holds."""
    left, right = [each.key for each in base.series], [each.key for each in new.series]
    known_left, known_right = set(left), set(right)
    return (
        tuple(key for key in left if key not in known_right),
        tuple(key for key in right if key not in known_left),
    )


def stored_row(
    base: Series, new: Series, differs: Sequence[str] = (), spread: float | None = None, min_effect: float = 0.0
) -> StoredRow:
    """Return how one series compares; `differs` are the facts that the two runs do not share."""
    seen = None if min(*base.values, *new.values) <= 0 else two_sample(base.values, new.values)
    verdict = _withheld(base, new, differs, seen) or _judged(seen, spread, min_effect)
    return StoredRow(
        base=base,
        new=new,
        base_median=median(base.values),
        new_median=median(new.values),
        ratio=None if seen is None else seen.ratio,
        interval=None if seen is None else seen.ratio_interval,
        p_value=None if seen is None else seen.p_value,
        verdict=verdict.kind,
        clause=verdict.clause,
        reason=verdict.reason,
    )


def _judged(seen: TwoSample | None, spread: float | None, min_effect: float) -> StoredVerdict:
    if seen is None:
        return _undecided("zero", "a value is zero, which has no ratio")
    return judge_stored(seen, stored_floor(spread, min_effect))


def _withheld(base: Series, new: Series, differs: Sequence[str], seen: TwoSample | None) -> StoredVerdict | None:
    """Return why nothing may be claimed whatever the values say, None where it may."""
    if differs:
        more = f" and {len(differs) - MOST_NAMED} more" if len(differs) > MOST_NAMED else ""
        return _undecided("other-facts", f"measured with other facts: {'; '.join(differs[:MOST_NAMED])}{more}")
    if seen is not None and not (base.independent and new.independent):
        return _undecided("one-process", "repetitions within one process are no independent trials")
    return None


def _undecided(clause: str, reason: str) -> StoredVerdict:
    return StoredVerdict(VerdictKind.INCONCLUSIVE, clause, reason)
