"""What a gate would measure: its cases with their limits, and about how long that takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from placement_cli.bench.duration import ScenarioDuration
from placement_cli.bench.metrics import METRICS
from placement_cli.gate.suite import GateCase
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain
from placement_cli.render.sheet import Group, Row, Sheet
from placement_cli.settings.limits import format_limit
from placement_cli.units import format_duration


def gate_plan(cases: Sequence[GateCase], duration: ScenarioDuration) -> Iterator[RenderableType]:
    """Yield the cases with the limit of each metric, and about how long a gate over them takes."""
    rows = tuple(_row(each) for each in cases)
    yield Sheet((), ("case", "limits"), (Group((), rows),))
    yield Text()
    times = f"{format_duration(duration.least_s)} where nothing changed, {format_duration(duration.most_s)} at most"
    what = "1 case" if len(cases) == 1 else f"{len(cases)} cases"
    text = f"{what}; about {times} on a slow machine. Confirming what is flagged takes more."
    yield Hanging(Text(text, style="dim"))


def _row(each: GateCase) -> Row:
    limits = [f"{metric.title} {format_limit(each.limits.get(metric.key))}" for metric in METRICS[each.case.reading]]
    return Row((plain(each.id), Text(", ".join(limits))))
