"""The errors a person can meet, one class for each documented exit code.

PlacementError
├── RegressionFound        1   a gate found a confirmed regression (the only meaning of 1)
├── UsageError             2   wrong option, scenario, graph or name
├── InconclusiveResult     3   the user asked to fail on `inconclusive`
├── NothingComparable      4   no cases, other fingerprint, missing baseline
├── InvalidMeasurement     5   fence self-test failed, thermal excursion, drift
├── ScenarioFailed         6   a scenario crashed, or its arms disagree on the values they compute
├── UnreadableInput        7   damaged input file, or one with a newer major schema
├── InternalError         70   a fault of this program
├── TimeLimitReached     124   `--timeout` ran out
└── Interrupted          130   Ctrl-C
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import ClassVar


class PlacementError(Exception):
    """Something a person must be told: what happened, where, and what to do about it."""

    exit_code: ClassVar[int] = 70
    exit_name: ClassVar[str] = "internal-error"


class RegressionFound(PlacementError):
    """A gate found a confirmed regression."""

    exit_code = 1
    exit_name = "regression"


class UsageError(PlacementError):
    """The command line, a scenario or another document asks for something that does not exist."""

    exit_code = 2
    exit_name = "usage"


class InconclusiveResult(PlacementError):
    """At least one verdict is `inconclusive` and the user asked to fail on that."""

    exit_code = 3
    exit_name = "inconclusive"


class NothingComparable(PlacementError):
    """No case is left to compare, or the two sides were not measured on the same kind of machine."""

    exit_code = 4
    exit_name = "nothing-comparable"


class InvalidMeasurement(PlacementError):
    """The measurement cannot be trusted: the fence does not wait, the machine throttled, samples drift."""

    exit_code = 5
    exit_name = "invalid-measurement"


class ScenarioFailed(PlacementError):
    """A scenario crashed, or two arms that should compute the same values do not."""

    exit_code = 6
    exit_name = "scenario-failed"


class UnreadableInput(PlacementError):
    """An input file is damaged, or was written by a newer major version of its schema."""

    exit_code = 7
    exit_name = "unreadable-input"


class InternalError(PlacementError):
    """A fault of this program, never of the person who ran it."""


class TimeLimitReached(PlacementError):
    """`--timeout` ran out."""

    exit_code = 124
    exit_name = "time-limit"


class Interrupted(PlacementError):
    """The user pressed Ctrl-C; what was measured until then is saved."""

    exit_code = 130
    exit_name = "interrupted"


_KINDS: list[type[PlacementError]] = [*PlacementError.__subclasses__(), PlacementError]

EXIT_NAMES: dict[int, str] = {0: "ok"} | {kind.exit_code: kind.exit_name for kind in _KINDS}
"""Exit code to its name, as documents carry it."""

PRECEDENCE: tuple[int, ...] = (130, 124, 70, 7, 6, 5, 4, 2, 1, 3, 0)
"""Which code wins when several apply, the strongest first."""


def strongest(codes: Iterable[int]) -> int:
    """Return the exit code that wins among `codes`; 0 when there are none."""
    return min(codes, key=PRECEDENCE.index, default=0)


def did_you_mean(name: str, known: Sequence[str], most: int | None = None) -> str:
    """Return a sentence naming the nearest known name, or all of them, or the first `most`, when none is near."""
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    if near:
        return f"Did you mean {near[0]!r}?"
    shown = [*known[:most], *(["..."] if most is not None and len(known) > most else [])]
    return f"Known: {', '.join(shown)}." if shown else "None are known."
