"""What one finding means, in the words of `placement explain`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Explanation:
    """`summary` is one line; `decided` names the quantities that are compared; `do` are ways out, the best first."""

    code: str
    summary: str
    means: str
    why: str
    decided: str
    do: tuple[str, ...]
