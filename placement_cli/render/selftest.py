"""A self-test on the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from placement_cli.bench.harness import LIMIT, HarnessCost
from placement_cli.bench.selftest import SelfTest
from placement_cli.units import format_duration


def harness_table(costs: Sequence[HarnessCost]) -> Table:
    """Return the tool's time of a message beside that of a loop written by hand."""
    table = Table(
        box=box.SIMPLE_HEAD,
        title="the tool's loop against one written by hand, time per message, paired in fresh processes",
        title_justify="left",
        title_style="italic",
    )
    for heading in ("scenario", "tool", "by hand", "ratio", f"within {100 * LIMIT:g} %"):
        table.add_column(heading)
    for cost in costs:
        interval = "" if cost.interval is None else f" [{cost.interval.low:.4f}, {cost.interval.high:.4f}]"
        table.add_row(
            cost.scenario,
            format_duration(cost.tool_s),
            format_duration(cost.bare_s),
            f"{cost.ratio:.4f}{interval}",
            "yes" if cost.ok else "no",
        )
    return table


def rate_lines(test: SelfTest) -> Iterator[Text]:
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
        yield Text(f"  false alarm: {reason}", style="red")
