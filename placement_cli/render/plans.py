"""What would be measured: the scenarios and their cases, and about how long it takes."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table

from placement_cli.bench.cases import Scenario
from placement_cli.bench.duration import ScenarioDuration
from placement_cli.render.plain import plain
from placement_cli.units import format_duration


def scenario_list(scenarios: Sequence[Scenario]) -> Table:
    """Return the scenarios with their questions, axes and arms."""
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("scenario", "question", "axes", "arms", "cases"):
        table.add_column(heading)
    for scenario in scenarios:
        axes = [f"{name}: {', '.join(map(str, values))}" for name, values in scenario.axes.items()]
        table.add_row(
            plain(scenario.name),
            plain(scenario.question),
            plain("\n".join(axes)),
            plain(", ".join(scenario.arms)),
            str(len(scenario.cases)),
        )
    return table


def plan_table(durations: Sequence[ScenarioDuration], stages: Sequence[int]) -> Table:
    """Return the cases, processes and estimated times; the second time is when no case is decided early."""
    least, most = stages[0], stages[-1]
    total = format_duration(sum(each.least_s for each in durations))
    table = Table(box=box.SIMPLE_HEAD, caption=f"about {total} in all for {least} blocks on a slow machine")
    table.add_column("scenario")
    for heading in ("cases", "processes a block", f"{least} blocks"):
        table.add_column(heading, justify="right")
    if most != least:
        table.add_column(f"{most} blocks", justify="right")
    for each in durations:
        cells = [str(each.cases), str(each.workers), format_duration(each.least_s)]
        table.add_row(plain(each.name), *cells, *([format_duration(each.most_s)] if most != least else []))
    return table
