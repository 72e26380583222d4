"""Operators that gather samples before they give output: where frames begin, and what nothing looks like.

A message that completes no frame is answered with an array without samples. That array belongs to no graph:
it was made once and is evaluated. So evaluating it, or anything computed from it alone, forces nothing of
the work upstream, and the state there goes on growing. (A slice `x[:0]` has no samples either, but
evaluating it runs everything before it.) The units of ezmsg-sigproc do not publish such messages at all,
which comes to the same for whatever follows.
"""

from __future__ import annotations

from math import gcd


def count_frames(samples: int, length: int, hop: int) -> int:
    """Return how many frames of `length`, `hop` apart, fit into `samples`."""
    return 0 if samples < length else 1 + (samples - length) // hop


def largest_carry(message: int, length: int, hop: int) -> int:
    """Return the most samples that wait for the next message when every message has `message` samples.

    What waits is shorter than a frame, and a multiple of the greatest common divisor of `message` and `hop`.
    """
    unit = gcd(message, hop)
    return unit * ((length - 1) // unit)
