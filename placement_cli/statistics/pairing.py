"""From the samples of one block to its one number.

The median over rounds of the paired log ratios was held against other reductions of the same recorded blocks
(the ratio of medians, the mean over an ABBA sub-block, all pairs of a sub-block, all pairs of the block,
Walsh averages): none detects an injected change clearly more often, and those that average give bursts more
weight.
"""

from __future__ import annotations

import numpy as np

from placement_cli.statistics.finite import Numbers, positive


def block_log_ratio(base_samples: Numbers, new_samples: Numbers) -> float:
    """Return the median over rounds of log(new / base): positive means that `new` is slower, or more.

    Both rows hold one sample a round, in the order of the rounds and in one unit (seconds, bytes). Sample i
    of one arm is paired with sample i of the other, its neighbour in time. Raises ValueError when the rows
    differ in length, are empty, or hold anything but finite numbers above zero.
    """
    base = positive(base_samples, "samples of the base arm")
    new = positive(new_samples, "samples of the new arm")
    if base.size != new.size:
        raise ValueError(f"{base.size} samples of the base arm cannot be paired with {new.size} of the new arm")
    return float(np.median(np.log(new / base)))
