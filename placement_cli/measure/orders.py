"""In which order the arms of a block are sampled.

Two arms alternate in random ABBA or BAAB sub-blocks, so that linear drift cancels. More arms follow a cyclic Latin
square with random labels and rows, so that every arm stands in every slot about equally often.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

ROUNDS = 6
"""Rounds of one block (measurement.md, 2)."""


def block_order(arms: Sequence[str], rng: Random, rounds: int = ROUNDS) -> list[list[str]]:
    """Return the order of `arms` in each of `rounds` rounds; every arm appears once a round."""
    if len(arms) == 2:
        return _abba(arms, rng, rounds)
    labels = rng.sample(list(arms), len(arms))
    shifts: list[int] = []
    while len(shifts) < rounds:
        shifts += rng.sample(range(len(labels)), len(labels))
    return [labels[shift:] + labels[:shift] for shift in shifts[:rounds]]


def _abba(arms: Sequence[str], rng: Random, rounds: int) -> list[list[str]]:
    order: list[list[str]] = []
    while len(order) < rounds:
        first = list(arms) if rng.random() < 0.5 else list(reversed(arms))
        order += [first, first[::-1]]
    return order[:rounds]
