"""How far runs of one set-up lie apart on different days: what a change between stored runs must exceed three times."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import log
from statistics import median, stdev

from placement_cli.comparing.dates import moment
from placement_cli.comparing.recorded import Recorded
from placement_cli.comparing.setups import setup_of
from placement_cli.comparing.stored import Key

FEWEST_DAYS = 3
"""Days on which a series must have been measured for its spread between days to be known."""


def spread_between_days(runs: Iterable[Recorded], like: Recorded) -> Mapping[Key, float]:
    """Return, by series, the standard deviation of the log medians of different days, over runs of `like`'s set-up.

    Several runs of one day count once, by the middle of their medians. Runs that do not say when they began, values of
    zero and series of fewer than three days are left out. A step in between widens the spread: then less is claimed.
    """
    days: dict[Key, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    setup = setup_of(like)
    for run in runs:
        began = moment(run.started)
        if began is None or setup_of(run) != setup:
            continue
        for series in run.series:
            if min(series.values) > 0:
                days[series.key][began.date().isoformat()].append(log(median(series.values)))
    return {
        key: stdev(median(medians) for medians in by_day.values())
        for key, by_day in days.items()
        if len(by_day) >= FEWEST_DAYS
    }
