"""How far the timeline is off on graphs it was not fitted to: the error to reckon with before any measurement.

Produced by `tests/statistics/test_timeline_fit.py`: constants fitted to some of the recorded graphs, errors on others
of the same machine, all without page faults. Quantiles of absolute errors, as shares (0.05 is 5 %).
"""

from __future__ import annotations

RATIO_ERROR_P50 = 0.018
RATIO_ERROR_P90 = 0.053
"""Of the time of a placement relative to others of its graph, as logarithms: what a comparison can be off by."""

PERIOD_ERROR_P50 = 0.063
PERIOD_ERROR_P95 = 0.21
"""Of the time a message takes."""

BUSY_ERROR_P50 = 0.107
BUSY_ERROR_P90 = 0.39
"""Of the time the host's thread is at work in a message: worst for graphs of a few microseconds, where waits count."""
