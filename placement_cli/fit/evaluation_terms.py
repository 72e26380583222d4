"""The constants of evaluation by name: unit, meaning, and how much they differ between processes.

The model they belong to: the host builds and submits ops, the device works them off in order, and each waits for the
other where it must. A submission takes `submit_call` and `submit_op` for each op, and `submit_asleep` on top when the
device has nothing to do; it waits when calls / `queue_calls` + ops / `queue_ops` of what is outstanding exceed 1.
Waiting for a value takes until the device is done, and `round_trip` more, and `wake` more when the device was idle.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

HOST, STEADY, WAKING, COUNTED = 0.2, 0.15, 0.3, 0.0
"""Standard deviations of the logarithm of a constant between worker processes of one machine.

On a virtual machine with two cores and others at work on it, the medians of ten processes differed by about 20 % for
code on the host, by 15 % for the device, and by 10 to 90 % for what depends on the system's scheduler. Counts do not
differ.
"""


@dataclass(frozen=True, slots=True)
class Term:
    """What a constant is: its unit, one short phrase for people, and its standard deviation between processes."""

    unit: str
    meaning: str
    spread: float = STEADY


EVALUATION_TERMS: Mapping[str, Term] = MappingProxyType(
    {
        "build_op": Term("s/op", "building one op of a lazy graph", HOST),
        "build_call": Term("s", "building anything, before the first op", HOST),
        "submit_call": Term("s", "one submission to a busy device, before its first op", HOST),
        "submit_op": Term("s/op", "one op of a submission to a busy device", HOST),
        "submit_asleep": Term("s", "on top of a submission when the device was idle for 1 ms", WAKING),
        "submit_asleep.<ms>ms": Term("s", "on top of a submission when the device was idle for <ms> ms", WAKING),
        "round_trip": Term("s", "waiting for a tiny op after submitting it", WAKING),
        "wake": Term("s", "waiting longer because the device was idle for 1 ms", WAKING),
        "wake.<ms>ms": Term("s", "waiting longer because the device was idle for <ms> ms", WAKING),
        "queue_ops": Term("ops", "ops that fill the queue of the device", COUNTED),
        "queue_calls": Term("calls", "submissions that fill the queue of the device", COUNTED),
        "boundary_call": Term("s", "handing an evaluated array to NumPy", HOST),
        "boundary_byte": Term("s/B", "handing an evaluated array to NumPy, each byte", HOST),
        "ingest_call": Term("s", "making an array of a NumPy message", HOST),
        "ingest_byte": Term("s/B", "making an array of a NumPy message, each byte", HOST),
        "device.<operator>.<shape>": Term("s/message", "device time of <operator>, messages of <shape>"),
        "held.<operator>.<shape>": Term("B/message", "bytes that a message of <operator> keeps, <shape>", COUNTED),
        "contention.<kind>.host": Term("ratio", "<kind> work on the host while the device works, over alone"),
        "contention.<kind>.device": Term("ratio", "device work while the host does <kind> work, over alone"),
        "idle.<ms>ms": Term("ratio", "device work after <ms> ms of idling, over right after other work"),
    }
)
"""Every name, with what varies in it in angle brackets; `<shape>` is samples x channels, as in `30x64`. Ratios are 1
where nothing changes."""


def evaluation_term(name: str) -> Term:
    """Return the term of a constant, its meaning filled in; raises KeyError for a name that no constant has."""
    place, found = _match(name)
    term = tuple(EVALUATION_TERMS.values())[place]
    return Term(term.unit, _PLACEHOLDER.sub(lambda bracket: found[bracket[1]], term.meaning), term.spread)


def evaluation_meaning(name: str) -> str:
    """Return what a constant means in one short phrase; raises KeyError for a name that no constant has."""
    return evaluation_term(name).meaning


def evaluation_order(name: str) -> tuple[int, list[tuple[str, int]]]:
    """Return what to sort names by: the table's order, and numbers in a name by size; raises KeyError likewise."""
    parts = _NUMBER.split(name)
    numbers = [int(number) for number in parts[1::2]] + [0]
    return _match(name)[0], list(zip(parts[::2], numbers, strict=True))


_PLACEHOLDER, _NUMBER = re.compile(r"<(\w+)>"), re.compile(r"([0-9]{1,18})")
_PATTERNS = [re.compile(_PLACEHOLDER.sub(r"(?P<\1>.+)", re.escape(pattern)), re.DOTALL) for pattern in EVALUATION_TERMS]


def _match(name: str) -> tuple[int, dict[str, str]]:
    """Return which entry of the table a name belongs to, and what stands in it for each placeholder."""
    for place, pattern in enumerate(_PATTERNS):
        found = pattern.fullmatch(name)
        if found:
            return place, found.groupdict()
    raise KeyError(f"no constant of evaluation is called {name!r}")
