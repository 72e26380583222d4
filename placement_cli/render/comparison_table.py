"""Stored runs side by side on the terminal: the runs, their ratios, and what that says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_uppercase

from rich.console import Console
from rich.text import Text

from placement_cli.comparing.columns import UNKNOWN
from placement_cli.comparing.dates import STARTED, day_and_time
from placement_cli.comparing.stored import MOST_NAMED, Key
from placement_cli.comparing.table import ComparisonTable, Line
from placement_cli.comparing.titles import mark, metric_title
from placement_cli.render.grid import Cells, grid
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain
from placement_cli.render.sheet import Group, Row, Sheet, fit, fits
from placement_cli.render.stored_cells import UNCLAIMED, mark_cell, quantity_text, ratio_cell, shared_line
from placement_cli.statistics.verdict import VerdictKind

LONGEST_NAME = 16
"""Columns are headed by the names of runs up to this length, by letters else."""
MOST_ALONE = 6
"""Series without a partner that are named."""
BULLET = "  - "
BASE = "base"
"""Stands beside what the others in a row are compared with."""
CAPTION = (
    "Ratios are to the base: above 1 is slower, or more. Intervals are at 99 %. Runs stored at different times share "
    "no noise that could cancel, so all of this is advisory; `placement check --against` measures both sides now."
)
NO_MEAN = (
    "There is no mean over the rows: where nothing is claimed (~) a ratio is noise, and a mean of the claimed ones "
    "alone would count what happened to be clear."
)
COUNTED = (VerdictKind.SLOWER, VerdictKind.FASTER, VerdictKind.SAME, VerdictKind.INCONCLUSIVE)


def print_comparison(table: ComparisonTable, console: Console, *, explain: bool = False) -> None:
    """Print the runs, the table and its sentences; with `explain` also what decided each row."""
    names = labels(table)
    for line in fit(_runs(table, names), console.width):
        console.print(line)
    console.print()
    if shared := shared_line(table.layout):
        console.print(shared)
    for line in comparison_lines(table, names, console.width):
        console.print(line)
    console.print()
    for sentence in (*_sentences(table, names), *(_explained(table, names) if explain else ())):
        console.print(sentence)
    console.print(Hanging(Text(f"{CAPTION} {NO_MEAN}", style=UNCLAIMED)))


def labels(table: ComparisonTable) -> tuple[str, ...]:
    """Return what runs are called in the table: their names where these are short, else letters."""
    names = [run.name for run in table.runs]
    if max(map(len, names)) <= LONGEST_NAME:
        return tuple(names)
    letters = [ascii_uppercase[n] if n < len(ascii_uppercase) else f"run {n + 1}" for n in range(len(names))]
    return tuple(letters)


def comparison_lines(table: ComparisonTable, names: Sequence[str], columns: int) -> list[Text]:
    """Return the ratios in the first layout that fits: with the medians, without them, a run a line."""
    for medians in (True, False):
        lines = _wide(table, names, medians=medians)
        if fits(lines, columns):
            return lines
    return fit(_narrow(table, names), columns)


def _runs(table: ComparisonTable, names: Sequence[str]) -> Sheet:
    facts = {name: values for name, values in table.facts.items() if name != "run.started"}
    started = table.facts.get("run.started") or tuple(day_and_time(run.started) or UNKNOWN for run in table.runs)
    lettered = any(name != run.name for name, run in zip(names, table.runs, strict=True))
    rows = [
        Row(
            (
                plain(name, "bold") + plain(f"  {BASE}" if number == 0 else "", UNCLAIMED),
                *([plain(table.runs[number].name)] if lettered else []),
                plain(started[number]),
                *(plain(values[number]) for values in facts.values()),
            )
        )
        for number, name in enumerate(names)
    ]
    headings = ("run", *(["name"] if lettered else []), STARTED, *(_heading(fact) for fact in facts))
    return Sheet((), headings, (Group((), tuple(rows)),))


def _heading(fact: str) -> str:
    return plain(fact.removeprefix("env.")).plain


def _wide(table: ComparisonTable, names: Sequence[str], *, medians: bool) -> list[Text]:
    headings = [*map(plain, table.layout.names), plain(names[0])]
    for name in names[1:]:
        headings += [plain(name), *([Text("ratio")] if medians else []), Text()]
    blocks: list[list[Cells]] = [[], []]
    for line, where in zip(table.lines, table.layout.where, strict=True):
        cells = [*map(plain, where), *_line_cells(line, len(names), medians=medians)]
        blocks[0 if line.claims else 1].append([_dimmed(cell, line) for cell in cells])
    return grid(headings, [block for block in blocks if block])


def _line_cells(line: Line, runs: int, *, medians: bool) -> Iterator[Text]:
    base = Text(quantity_text(line.base_median, line.unit))
    yield base if line.base == 0 else Text()
    for number in range(1, runs):
        row = line.rows[number]
        if row is None:
            # What the first run lacks is compared with the next that has it, which says so in its own place.
            held = number == line.base
            yield from (base if held else Text(), Text(BASE if held else ""), *([Text()] if medians else []))
            continue
        yield from ([Text(quantity_text(row.new_median, line.unit))] if medians else [])
        yield from (ratio_cell(row), mark_cell(row))


def _dimmed(cell: Text, line: Line) -> Text:
    return cell if line.claims else Text(cell.plain, style=UNCLAIMED)


def _narrow(table: ComparisonTable, names: Sequence[str]) -> Sheet:
    groups = []
    for line, where in zip(table.lines, table.layout.where, strict=True):
        held = [number for number, row in enumerate(line.rows) if row or number == line.base]
        rows = tuple(_narrow_row(line, number, names[number]) for number in held)
        groups.append(Group(tuple(_dimmed(plain(value), line) for value in where), rows))
    return Sheet(tuple(map(plain, table.layout.names)), ("run", "median"), tuple(groups))


def _narrow_row(line: Line, number: int, name: str) -> Row:
    row = line.rows[number]
    median = line.base_median if row is None else row.new_median
    cells = tuple(_dimmed(cell, line) for cell in (plain(name), Text(quantity_text(median, line.unit))))
    if row is None:
        return Row(cells, None if number == 0 else (_dimmed(Text(BASE), line), Text()))
    return Row(cells, (_dimmed(ratio_cell(row), line), mark_cell(row)))


def _sentences(table: ComparisonTable, names: Sequence[str]) -> Iterator[Hanging]:
    for number, name in enumerate(names):
        for base in table.bases(number):
            counts, words = table.counts(number, base), _words(table)
            said = ", ".join(f"{counts.get(kind, 0)} {words[kind]}" for kind in COUNTED)
            yield Hanging(plain(f"{name} against {names[base]}: {said}."), Text(BULLET))
        if table.differs[number]:
            yield Hanging(plain(_differs(name, table.differs[number]), "yellow"), Text(BULLET))
        for note in table.runs[number].notes:
            yield Hanging(plain(f"{name}: {note}", "yellow"), Text(BULLET))
        if table.alone[number]:
            yield Hanging(plain(_alone(name, table.alone[number])), Text(BULLET))


def _words(table: ComparisonTable) -> dict[VerdictKind, str]:
    """Return what each verdict is called in this table: in the words of all units that stand in it."""
    units = sorted({line.unit for line in table.lines}, key=lambda unit: unit != "s")
    return {kind: " or ".join(dict.fromkeys(mark(kind, unit) for unit in units)) for kind in COUNTED}


def _differs(name: str, differs: Sequence[str]) -> str:
    more = f" and {len(differs) - MOST_NAMED} more" if len(differs) > MOST_NAMED else ""
    facts = "; ".join(fact[:160] for fact in differs[:MOST_NAMED])
    return f"{name} was measured with other facts, so nothing is claimed of it: {facts}{more}."


def _alone(name: str, keys: Sequence[Key]) -> str:
    named = ", ".join(_series(key) for key in keys[:MOST_ALONE])
    more = f" and {len(keys) - MOST_ALONE} more" if len(keys) > MOST_ALONE else ""
    return f"{len(keys)} only in {name}: {named}{more}."


def _series(key: Key) -> str:
    case, arm, metric = key
    return " ".join(filter(None, (case, arm, metric_title(metric))))


def _explained(table: ComparisonTable, names: Sequence[str]) -> Iterator[Hanging]:
    for line in table.lines:
        for number, row in enumerate(line.rows):
            if row is not None:
                what = f"{_series(line.key)}, {names[number]} against {names[line.base]}"
                yield Hanging(plain(f"{what}: {mark_cell(row).plain} ({row.clause}): {row.reason}."), Text(BULLET))
