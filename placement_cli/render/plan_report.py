"""A plan on the terminal: the picture, the structure in words, and for each length what is fastest and by how much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, RenderableType
from rich.text import Text

from placement_cli.blocks.wording import counted
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain
from placement_cli.render.sheet import Group, Row, Sheet
from placement_cli.store.plan_document import AlternativeRecord, CrossoverRecord, LengthRecord, PlanDocument
from placement_cli.units import format_duration, format_ratio

STEPS_SHOWN = 6
"""Steps of a plan that are shown; the document has them all."""

Interval = tuple[float, float] | None


def print_plan(document: PlanDocument, pictures: Sequence[RenderableType], console: Console) -> None:
    """Print the whole plan; `pictures` show the matrix as it is, and perhaps reordered."""
    rows, columns = document.shape
    console.print(Hanging(plain(f"{document.weights}: {rows} inputs x {columns} outputs", "bold")))
    for picture in pictures:
        console.print(picture)
    for sentence in document.structure.says[1:]:
        console.print(Hanging(plain(sentence)))
    console.print(Hanging(plain(document.costs.provenance, "dim")))
    for length in document.plans:
        console.print()
        for part in _length_lines(length, document.notes):
            console.print(part)
    console.print()
    for part in _closing(document):
        console.print(part)


def print_choices(document: PlanDocument, console: Console) -> None:
    """Print one line a length alone, for `-q`."""
    for length in document.plans:
        console.print(plain(f"{_samples(length.samples)}: {_gain(length)}"), soft_wrap=True)


def _length_lines(length: LengthRecord, notes: Sequence[str]) -> Iterator[RenderableType]:
    """Yield the plan of one length; steps end with the notes of the plan, which are shown once, at the end."""
    yield Hanging(plain(f"{_samples(length.samples)}: {_gain(length)}", "bold"))
    yield _table(length)
    steps = [step for step in length.formulation.steps[1:] if step not in notes]
    for step in steps[:STEPS_SHOWN]:
        yield Hanging(plain(step), Text("  - "))
    if len(steps) > STEPS_SHOWN:
        more = counted(len(steps) - STEPS_SHOWN, "more step")
        yield Hanging(plain(f"and {more} (--json has them all)", "dim"), Text("  - "))
    if length.upstream is not None:
        yield Hanging(plain(_upstream(length)))


def _table(length: LengthRecord) -> Sheet:
    predicts = any(each.predicted_s is not None for each in length.alternatives)
    measures = any(each.measured_s is not None for each in length.alternatives)
    times = (*(("predicted",) if predicts else ()), *(("measured",) if measures else ()))
    headings = ("formulation", "calls", *times, "times dense")
    rows = tuple(_row(each, predicts=predicts, measures=measures) for each in length.alternatives)
    return Sheet((), headings, (Group((), rows),))


def _row(each: AlternativeRecord, *, predicts: bool, measures: bool) -> Row:
    cells = [plain(each.name), Text(str(each.calls))]
    if predicts:
        cells.append(Text("" if each.predicted_s is None else format_duration(each.predicted_s)))
    if measures:
        cells.append(Text(_measured(each)) if each.measured_s is not None else plain(each.reason or ""))
    ratio = each.predicted_ratio if each.ratio is None else each.ratio
    shown = "" if measures and each.ratio is None else _with_interval(format_ratio(ratio), _ratios(each.ratio_ci))
    return Row((*cells, Text(shown)))


def _measured(each: AlternativeRecord) -> str:
    interval = None
    if each.measured_ci is not None:
        interval = format_duration(each.measured_ci[0]), format_duration(each.measured_ci[1])
    return _with_interval(format_duration(each.measured_s or 0.0), interval)


def _with_interval(middle: str, ends: tuple[str, str] | None) -> str:
    return middle if ends is None else f"{middle} [{ends[0]}, {ends[1]}]"


def _ratios(interval: Interval) -> tuple[str, str] | None:
    return None if interval is None else (format_ratio(interval[0]), format_ratio(interval[1]))


def _gain(length: LengthRecord) -> str:
    """Return the plan and what it wins over the dense product."""
    best = length.alternatives[0]
    if best.kind == "dense":
        return "the dense product; no other way is faster"
    basis = "measured" if best.ratio is not None else "predicted"
    ratio = best.ratio if best.ratio is not None else best.predicted_ratio
    if ratio <= 0:
        return f"{best.name}; there is nothing to multiply"
    ends = best.ratio_ci
    faster = _with_interval(format_ratio(1 / ratio), None if ends is None else _ratios((1 / ends[1], 1 / ends[0])))
    return f"{best.name}, {faster} times as fast as dense ({basis})"


def _upstream(length: LengthRecord) -> str:
    theirs = length.upstream
    if theirs is None:
        return ""
    how = f"{theirs.name} ({counted(theirs.calls, 'call')})"
    if theirs.over_plan is not None:
        over, basis = _with_interval(format_ratio(theirs.over_plan), _ratios(theirs.over_plan_ci)), "measured"
    elif theirs.predicted_over_plan is not None:
        over, basis = format_ratio(theirs.predicted_over_plan), "predicted"
    else:
        return f"ezmsg-sigproc {theirs.version} would compute {how}."
    return f"ezmsg-sigproc {theirs.version} would compute {how}: {over} times this time ({basis})."


def _closing(document: PlanDocument) -> Iterator[RenderableType]:
    if len(document.plans) > 1 or len(document.crossovers) > 1:
        yield Text("Over the length of a chunk (predicted)", style="bold")
        for each in document.crossovers:
            yield Hanging(plain(f"{_range(each)}: {each.name}"), Text("  - "))
    for note in document.notes:
        yield Hanging(plain(note), Text("note: "))


def _range(each: CrossoverRecord) -> str:
    if each.samples_to is None:
        return f"from {_samples(each.samples_from)} on"
    if each.samples_from == each.samples_to:
        return _samples(each.samples_from)
    return f"{each.samples_from} to {each.samples_to} samples"


def _samples(count: int) -> str:
    return counted(count, "sample")
