"""The call at which the host stalls: how far it may run ahead of the device.

The device is given work that holds it for a known time, and the host keeps submitting. As long as the queue
has room a call takes microseconds. The first call that finds it full waits until the work that holds the
device is done, so it takes most of what is left of the hold: nothing else a host does looks like that.
"""

from __future__ import annotations

import numpy as np

from placement_cli.statistics.finite import Numbers, finite

SHARE_OF_REST = 0.5
"""A stall takes at least this share of what is left of the hold. A full stall takes all of it; half leaves
room for a hold that was itself measured to be longer than it is this time."""

SHARE_OF_HOLD = 0.1
"""And at least this share of the whole hold: towards its end a hiccup of the scheduler, a few milliseconds,
would be all that is left."""

TIMES_ORDINARY = 5.0
"""And this many times the median of the calls before it: where every call is long, one more says nothing."""


def knee(call_seconds: Numbers, held_s: float) -> int | None:
    """Return the 1-based index of the first call that stalls; None when none does while the device is held.

    `call_seconds` are the durations of consecutive calls in seconds, the first made as the hold begins;
    `held_s` is how long the device is held from then on. Take a hold of 100 ms or more: it must be long
    against hiccups. None too when the calls before used up the hold, since the queue may then have drained.
    Raises ValueError on NaN, infinite, negative or no durations, and when `held_s` is not above zero.
    """
    calls = finite(call_seconds, "durations of calls")
    if (calls < 0).any():
        raise ValueError("durations of calls cannot be negative")
    if not 0 < held_s < float("inf"):
        raise ValueError(f"the device must be held for some time, not {held_s} s")
    spent_s = np.concatenate(([0.0], np.cumsum(calls)[:-1]))
    long_enough = (calls >= SHARE_OF_REST * (held_s - spent_s)) & (calls >= SHARE_OF_HOLD * held_s)
    for index in np.flatnonzero(long_enough & (spent_s < held_s)):
        if not index or calls[index] >= TIMES_ORDINARY * np.median(calls[:index]):
            return int(index) + 1
    return None
