"""Which cases of a gate run on one core each: those whose time would otherwise be luck. Pure.

MLX's CPU build evaluates on a thread of the same process. Between processes of one and the same build the time of a
chain of small operations differs by 8 to 15 % when its two threads run wherever they happen to, and by 2 % when they
share a core (robust standard deviations of block ratios, shared 2-core Linux machine). What one core cannot show is
whether host and device overlap, so cases with work of the host's own keep all cores, and so do messages that come at a
rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from placement_cli.gate.suite import GateCase
from placement_cli.measure.specs import Case, Reading

ON_ONE_CORE = " (one core)"
"""What the id of such a case ends in: it is another condition, and compares with its like alone."""
HOST = "host"
"""The operator that is work of the host's own."""


class Cores(StrEnum):
    """On which cores the workers of a gate run."""

    AUTO = "auto"
    """One where MLX evaluates on the CPU and the case is not about overlap, else all."""
    ALL = "all"
    ONE = "one"


def on_cores(cases: Sequence[GateCase], cores: Cores, *, on_cpu: bool) -> tuple[GateCase, ...]:
    """Return `cases` with those on one core that belong there; `on_cpu` says that MLX evaluates on the CPU."""
    if cores is Cores.ALL or (cores is Cores.AUTO and not on_cpu):
        return tuple(cases)
    return tuple(_on_one_core(each) if cores is Cores.ONE or _is_luck(each.case) else each for each in cases)


def _is_luck(case: Case) -> bool:
    overlaps = any(node.op == HOST for node in case.pipeline.nodes)
    return case.reading in (Reading.STREAM, Reading.BURST, Reading.PENDING) and not overlaps


def _on_one_core(each: GateCase) -> GateCase:
    return replace(each, case=replace(each.case, id=f"{each.id}{ON_ONE_CORE}"), one_core=True)
