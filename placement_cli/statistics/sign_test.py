"""The sign test: does a row of differences lean to one side of zero?"""

from __future__ import annotations

from math import comb

import numpy as np

from placement_cli.statistics.finite import Numbers, finite


def sign_p_value(differences: Numbers) -> float:
    """Return the two-sided p-value that the median of independent `differences` is zero.

    With k the larger of the counts above and below zero, p = 2 P(Binomial(n, 1/2) >= k), at most 1. Zeros
    stay in n: they speak for no difference. So p <= 1 - level exactly when the interval of the median at
    `level` is clear of zero. Raises ValueError on NaN, infinite or no values.
    """
    row = finite(differences, "differences of a sign test")
    n = row.size
    most = max(int(np.count_nonzero(row > 0)), int(np.count_nonzero(row < 0)))
    as_many: int = sum(comb(n, count) for count in range(most, n + 1))
    return min(1.0, as_many / (1 << (n - 1)))
