"""PL503 no-arrays: evaluations that receive nothing that MLX would evaluate."""

from __future__ import annotations

import re
from collections.abc import Iterator

from placement_cli.diagnose.finding import Severity
from placement_cli.diagnose.findings.growth import growing, while_lazy
from placement_cli.diagnose.findings.seen import Seen, at, counted, listed, run_share, seen
from placement_cli.tracing.raw import RawPoint, RawProcess

INSIDE = re.compile(r"(?P<type>[^\s(),]+)\((?P<fields>[^()]+)\)")
"""An argument with fields that hold arrays, as the recorder writes it: `Message(data, state)`."""


def empty(process: RawProcess) -> Iterator[Seen]:
    """Yield a finding for each point that was called without arrays: a warning where an argument has some inside."""
    for point in process.points:
        if point.kind in {"eval", "async_eval"} and point.empty_calls > 0:
            yield _told(process, point)


def _told(process: RawProcess, point: RawPoint) -> Seen:
    holding = [text for text in point.receivers if "(" in text]
    severity: Severity = "warning" if holding else "note"
    calls = f"{point.empty_calls:,} of {counted(point.count, 'call')} of {point.call}"
    grown = growing(process) if holding else []
    says = f"{calls} received no array{_received(point, holding)}."
    if grown:
        says += f" Meanwhile {listed([grown[0].name])} grew to {while_lazy(grown[0])[-1].ops:,} pending operations."
    return seen(
        "PL503",
        severity,
        point.place,
        node=point.call,
        says=says,
        fix=_fix(point, holding),
        next_check=_check(point, holding),
        stake=run_share(process, point.host_before_s),
        thread=point.thread,
        empty_calls=point.empty_calls,
        calls=point.count,
        receivers="; ".join(point.receivers) or None,
    )


def _received(point: RawPoint, holding: list[str]) -> str:
    if holding:
        return f", but {listed(holding)}, whose arrays MLX does not look for: nothing was evaluated or waited for"
    if any(point.receivers):
        return f", but {listed(text for text in point.receivers if text)}"
    return " and no other argument"


def _fix(point: RawPoint, holding: list[str]) -> str:
    found = INSIDE.search(holding[0]) if holding else None
    if found is None:
        return f"Pass the arrays to {point.call} at {at(point.place)}, or leave the call out."
    if found["type"] in {"set", "frozenset"}:
        return f"Give {point.call} at {at(point.place)} a list or a tuple instead of a {found['type']}."
    fields = ", ".join(f"{found['type'].lower()}.{name.strip()}" for name in found["fields"].split(","))
    return f"Name the arrays at {at(point.place)}, as in {point.call}({fields}) for your {found['type']}."


def _check(point: RawPoint, holding: list[str]) -> str:
    if holding:
        return "placement diagnose --probe boundary.trees"
    return (
        f"# leave out line {point.place.line} of {at(point.place).rpartition(':')[0]}: results and times stay the same"
    )
