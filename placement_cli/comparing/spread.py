"""How far runs of one set-up lie apart from day to day: a change between stored runs must exceed it three times.

Two runs of different days, alike but for the noise of days, have log medians that differ by a normal value whose
standard deviation is sqrt(2) times that of one day. Of that deviation only the estimate s from k days is known, so the
difference stays within t sqrt(2) s in 99 of 100 pairs, t the 99.5 % quantile of Student's t with k - 1 degrees of
freedom: 14 s for 3 days, 4.6 s for 10, 3.6 s for very many. The spread is s times t sqrt(2) / 3, so that three times
the spread is that bound. It is more than 3 s for any number of days.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from math import log, sqrt
from statistics import median, stdev

from placement_cli.comparing.dates import moment
from placement_cli.comparing.recorded import Recorded
from placement_cli.comparing.setups import setup_of
from placement_cli.comparing.stored import Key
from placement_cli.statistics.two_sample import SPREAD_FACTOR

FEWEST_DAYS = 3
"""Days on which a series must have been measured for its spread between days to be known."""
FALSE_CLAIMS = 0.01
"""How often days alone may make two runs differ by more than three times the spread."""


def spread_between_days(runs: Iterable[Recorded], like: Recorded) -> Mapping[Key, float]:
    """Return, by series, the spread of the log medians of different days, over runs of `like`'s set-up.

    It is a standard deviation, widened for how few the days are. Several runs of one day (in UTC) count once, by the
    middle of their medians. Runs that do not say when they began, values of zero and series of fewer than three days
    are left out. A step in between widens the spread: then less is claimed.
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
        key: widening(len(by_day)) * stdev(median(medians) for medians in by_day.values())
        for key, by_day in days.items()
        if len(by_day) >= FEWEST_DAYS
    }


@cache
def widening(days: int) -> float:
    """Return what the standard deviation of so many days is multiplied with: always more than 1."""
    from scipy.stats import t

    return sqrt(2) * float(t.ppf(1 - FALSE_CLAIMS / 2, days - 1)) / SPREAD_FACTOR
