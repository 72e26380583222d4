"""What would be measured: the scenarios and their cases, and about how long it takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group as Stack
from rich.text import Text

from placement_cli.bench.cases import Scenario
from placement_cli.bench.duration import ScenarioDuration
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain
from placement_cli.render.sheet import Group, Row, Sheet
from placement_cli.units import format_duration


def scenario_list(scenarios: Sequence[Scenario]) -> Stack:
    """Return the scenarios with their questions, axes and arms."""
    room = max((len(scenario.name) for scenario in scenarios), default=0) + 2
    return Stack(*(part for scenario in scenarios for part in _entry_lines(scenario, room)))


def _entry_lines(scenario: Scenario, room: int) -> Iterator[Hanging]:
    yield Hanging(plain(scenario.question), plain(scenario.name, "bold"), room)
    for name, values in scenario.axes.items():
        yield Hanging(plain(f"{name}: {', '.join(map(str, values))}"), room=room)
    cases = f"{len(scenario.cases)} cases" if len(scenario.cases) != 1 else "1 case"
    yield Hanging(plain(f"{cases}; arms: {', '.join(scenario.arms)}"), room=room)


def plan_table(durations: Sequence[ScenarioDuration], stages: Sequence[int]) -> Stack:
    """Return the cases, processes and estimated times; the second time is when no case is decided early."""
    least, most = stages[0], stages[-1]
    times = [f"{least} blocks", *([f"{most} blocks"] if most != least else [])]
    rows = tuple(_row(each, most != least) for each in durations)
    sheet = Sheet((), ("scenario", "cases", "processes", *times), (Group((), rows),))
    total = format_duration(sum(each.least_s for each in durations))
    note = Text(f"about {total} in all for {least} blocks on a slow machine", style="dim")
    return Stack(sheet, Text(), Hanging(note))


def _row(duration: ScenarioDuration, several_stages: bool) -> Row:
    times = [duration.least_s, *([duration.most_s] if several_stages else [])]
    numbers = [str(duration.cases), str(duration.workers), *map(format_duration, times)]
    return Row((plain(duration.name), *map(Text, numbers)))
