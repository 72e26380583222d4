"""The grammar of values: what an axis of a scenario, or `--set KEY=...`, may be.

    values  = item {"," item}
    item    = number | range | word
    range   = FIRST-LAST           every whole step of 1:      1-4      is 1,2,3,4
            | FIRST-LAST+STEP      equal steps:                0-10+2   is 0,2,4,6,8,10
            | FIRST-LAST*FACTOR    equal factors:              1-16*2   is 1,2,4,8,16
    word    = letters, digits, dot, hyphen and underscore, such as `blas` or `30-64x256`
    chunk   = SAMPLESxCHANNELS | FEWEST-MOSTxCHANNELS

The ranges are those of llama-bench. A chunk such as `30-64x256` is a word, not a range: its length jitters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from math import isfinite

from placement_cli.errors import UsageError
from placement_cli.graph.pipeline import ParameterValue
from placement_cli.located.places import quoted

MAX_AXIS_VALUES = 256
"""Most values of one axis."""
MAX_SAMPLES = 2**20
MAX_CHANNELS = 2**16
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""What a name may be: nothing that a terminal, a file system or markup could read as something else."""

_MAX_ITEM_CHARACTERS = 64
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_DECIMAL = r"([0-9]+(?:\.[0-9]+)?)"
_RANGE = re.compile(rf"{_DECIMAL}-{_DECIMAL}(?:([*+]){_DECIMAL})?")
_CHUNK = re.compile(r"([0-9]+)(?:-([0-9]+))?x([0-9]+)")
_EXACT = 2**53
"""Whole numbers below this are the same number as a float and as an int."""


def parse_values(text: str) -> tuple[ParameterValue, ...]:
    """Return the values that `text` lists; raises UsageError.

    Whole numbers come out as int, other numbers as float, everything else as str. No value comes twice.
    """
    values: list[ParameterValue] = []
    for item in text.split(","):
        values += parse_item(item.strip())
        check_count(len(values))
    check_different(values)
    return tuple(values)


def parse_item(text: str) -> tuple[ParameterValue, ...]:
    """Return the values of one item: one, or those of a range; raises UsageError."""
    if len(text) <= _MAX_ITEM_CHARACTERS:
        if _NUMBER.fullmatch(text):
            return (canonical(float(text) if re.search(r"[.eE]", text) else int(text)),)
        if found := _RANGE.fullmatch(text):
            return _range(text, *found.groups())
        if NAME.fullmatch(text):
            return (text,)
    raise UsageError(
        f"{quoted(text)} is not a value; expected a number, a range such as 1-16*2 or 0-10+2, or a word of "
        f"letters, digits, '.', '-' and '_'"
    )


def canonical(value: ParameterValue) -> ParameterValue:
    """Return `value` in the one form it has in names of cases (2.0 is 2); raises UsageError for infinity."""
    if isinstance(value, str):
        return value
    if not isfinite(value):
        raise UsageError(f"{value} is not a number that can be measured")
    return int(value) if abs(value) < _EXACT and value == int(value) else value


def format_value(value: ParameterValue) -> str:
    """Return `value` as `parse_item` reads it and as names of cases show it."""
    return value if isinstance(value, str) else repr(value)


def format_values(values: Sequence[ParameterValue]) -> str:
    """Return `values` as `parse_values` reads them."""
    return ",".join(format_value(value) for value in values)


def check_count(count: int) -> None:
    """Raise UsageError when an axis would have more than MAX_AXIS_VALUES values."""
    if count > MAX_AXIS_VALUES:
        raise UsageError(f"gives more than {MAX_AXIS_VALUES} values, the most one axis may have")


def check_different(values: Sequence[ParameterValue]) -> None:
    """Raise UsageError when a value comes twice."""
    seen: set[ParameterValue] = set()
    for value in values:
        if value in seen:
            raise UsageError(f"{quoted(format_value(value))} is given twice")
        seen.add(value)


def _range(text: str, first: str, last: str, sign: str | None, by: str | None) -> tuple[ParameterValue, ...]:
    value, end, step = Decimal(first), Decimal(last), Decimal(by or "1")
    if value > end:
        raise UsageError(f"{quoted(text)} ends before it begins; expected the smaller number first")
    if sign == "*" and (step <= 1 or value == 0):
        raise UsageError(f"{quoted(text)} never ends; expected a factor above 1 and a first value above 0")
    if step == 0:
        raise UsageError(f"{quoted(text)} never ends; expected a step above 0")
    values: list[ParameterValue] = []
    while value <= end:
        values.append(canonical(float(value) if value % 1 else int(value)))
        check_count(len(values))
        value = value * step if sign == "*" else value + step
    return tuple(values)


def parse_chunk(value: ParameterValue) -> tuple[int, int, int]:
    """Return the fewest and the most samples and the channels of a chunk such as `30-64x256`.

    Raises UsageError for anything else, and for sizes out of bounds.
    """
    found = _CHUNK.fullmatch(value) if isinstance(value, str) and len(value) <= _MAX_ITEM_CHARACTERS else None
    if found is None:
        raise UsageError(
            f"chunk {quoted(value)} is not SAMPLESxCHANNELS; expected for example 128x1024, or 30-64x256 where "
            f"the length jitters"
        )
    low, high, channels = int(found[1]), int(found[2] or found[1]), int(found[3])
    if not 1 <= low <= high <= MAX_SAMPLES:
        raise UsageError(f"chunk {quoted(value)}: expected 1 to {MAX_SAMPLES} samples, the fewest first")
    if not 1 <= channels <= MAX_CHANNELS:
        raise UsageError(f"chunk {quoted(value)}: expected 1 to {MAX_CHANNELS} channels")
    return low, high, channels
