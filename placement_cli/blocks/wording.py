"""Words for counts."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return the number with its noun in the singular or plural, such as `1 block` or `3 blocks`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
