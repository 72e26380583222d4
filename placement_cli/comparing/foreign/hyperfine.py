"""Files of hyperfine: every time is that of a command started anew, so each is a process of its own.

Nothing in such a file says where or when it was measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import Field

from placement_cli.comparing.foreign.parts import ForeignPart, Name, Quantity, nothing_in, parsed
from placement_cli.comparing.recorded import Recorded, Series
from placement_cli.comparing.values import checked

TOOL = "hyperfine"
NOWHERE = "hyperfine does not write down where it ran: that the machine is the same is taken on trust."


class _Result(ForeignPart):
    command: Name
    times: list[Quantity] | None = None
    median: Quantity | None = None
    memory_usage_byte: list[Quantity] | None = None
    parameters: dict[str, str | int | float] = Field(default_factory=dict)


class _Results(ForeignPart):
    results: list[_Result]


def recognised(data: Mapping[str, Any]) -> bool:
    """Tell whether `data` looks like a file of hyperfine."""
    results = data.get("results")
    return isinstance(results, list) and all(isinstance(each, dict) and "command" in each for each in results)


def recorded(data: Mapping[str, Any], name: str, origin: str) -> Recorded:
    """Return the commands of a hyperfine file; raises UnreadableInput, with the place, when it is damaged."""
    results = parsed(_Results, data, origin, TOOL).results
    series = [found for number, each in enumerate(results) for found in _series(each, f"{origin}: results.{number}")]
    if not series:
        raise nothing_in(origin, TOOL)
    return Recorded(name, origin, TOOL, "", "", {}, tuple(series), (NOWHERE,))


def _series(result: _Result, place: str) -> Iterator[Series]:
    times = result.times or ([] if result.median is None else [result.median])
    if times:
        yield Series(result.command, "", "time_s", "s", checked(times, place), result.parameters)
    if result.memory_usage_byte:
        sizes = checked(result.memory_usage_byte, place)
        yield Series(result.command, "", "peak_bytes", "bytes", sizes, result.parameters)
