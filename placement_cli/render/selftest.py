"""A self-test on the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.text import Text

from placement_cli.bench.harness import LIMIT, HarnessCost
from placement_cli.bench.selftest import SelfTest
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain
from placement_cli.render.sheet import Group, Row, Sheet
from placement_cli.units import format_duration


def harness_table(costs: Sequence[HarnessCost]) -> Stack:
    """Return the tool's time of a message beside that of a loop written by hand."""
    title = Text("the tool's loop against one written by hand: time per message, in fresh processes", style="italic")
    headings = ("scenario", "tool", "by hand", "ratio", f"within {100 * LIMIT:g} %")
    return Stack(Hanging(title), Sheet((), headings, (Group((), tuple(map(_row, costs))),)))


def _row(cost: HarnessCost) -> Row:
    interval = "" if cost.interval is None else f" [{cost.interval.low:.4f}, {cost.interval.high:.4f}]"
    times = (format_duration(cost.tool_s), format_duration(cost.bare_s))
    verdict = Text("yes") if cost.ok else Text("no", style="bold red")
    return Row((plain(cost.scenario), *map(Text, times), Text(f"{cost.ratio:.4f}{interval}"), verdict))


def rate_lines(test: SelfTest) -> Iterator[RenderableType]:
    """Yield what a self-test found, its rate with exact bounds."""
    found = test.flagged
    bounds = f"{100 * found.rate:.1f} % [{100 * found.low:.1f}, {100 * found.high:.1f}]"
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(Counter(test.verdicts).items()))
    if test.inject:
        yield Text(f"{100 * test.inject:g} % slower: caught in {found.count} of {found.trials} verdicts, {bounds}")
    else:
        yield Text(f"An arm against itself: {found.count} of {found.trials} verdicts are false alarms, {bounds}")
    yield Text(f"  {counts}; {test.blocks:.1f} blocks a verdict in the mean")
    for reason in test.reasons if not test.inject else ():
        yield Hanging(plain(f"false alarm: {reason}", "red"), Text("  "))
