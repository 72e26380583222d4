"""A trial of the planner on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from placement_cli.blocks.wording import counted
from placement_cli.planning.trial import Regrets, Trial, gain_over_theirs, regrets
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain
from placement_cli.render.sheet import Group, Row, Sheet
from placement_cli.units import format_duration, format_percent, format_ratio


def print_trials(
    drawn: Sequence[Trial], hard: Sequence[Trial], provenance: str, version: str | None, console: Console
) -> None:
    """Print how the planner did on drawn products, then each hard case."""
    console.print(Hanging(plain(provenance, "dim")))
    console.print(Text(f"\n{counted(len(drawn), 'drawn product')}: time over that of the fastest way", style="italic"))
    rows = (
        ("chosen by price", regrets(drawn, lambda trial: trial.estimate_regret)),
        ("the fastest of the best three by price", regrets(drawn, lambda trial: trial.measured_regret)),
        ("the fastest of all (noise)", regrets(drawn, lambda trial: trial.noise_regret)),
        ("always the dense product", regrets(drawn, lambda trial: trial.dense_regret)),
    )
    console.print(Sheet((), ("choice", "mean", "95 %", "most"), (Group((), tuple(_row(*each) for each in rows)),)))
    gain = gain_over_theirs(drawn)
    if gain is not None:
        middle, low, high = map(format_ratio, gain)
        text = f"ezmsg-sigproc {version}'s plans take {middle} [{low}, {high}] times as long (geometric mean)."
        console.print(Hanging(plain(text)))
    console.print(
        Text("\nhard cases: time over that of the fastest way, and ezmsg-sigproc's over the plan's", style="italic")
    )
    headings = ("case", "samples", "plan", "time", "of fastest", *(("ezmsg's",) if gain else ()))
    cells = tuple(_hard(trial, with_theirs=gain is not None) for trial in hard)
    console.print(Sheet((), headings, (Group((), cells),)))


def _row(name: str, found: Regrets) -> Row:
    numbers = (found.mean, found.p95, found.most)
    return Row((plain(name), *(Text(format_percent(number)) for number in numbers)))


def _hard(trial: Trial, *, with_theirs: bool) -> Row:
    chosen = trial.top[0]
    cells = [
        plain(trial.name),
        Text(str(trial.samples)),
        plain(trial.names[chosen]),
        Text(format_duration(trial.seconds[chosen])),
        Text(format_ratio(1 + trial.estimate_regret)),
    ]
    if with_theirs:
        theirs = trial.over_theirs
        cells.append(Text("" if theirs is None else format_ratio(theirs[0])))
    return Row(tuple(cells))
