"""A plan on the terminal: what is fastest, by how much, and what else there is to know."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from syrupy.assertion import SnapshotAssertion

from placement_cli.blocks.finding import find_structure
from placement_cli.planning.comparison import predicted
from placement_cli.planning.document import Planned, plan_document
from placement_cli.planning.prices import shipped_price
from placement_cli.render.plan_report import STEPS_SHOWN, print_choices, print_plan
from placement_cli.store.plan_document import (
    AlternativeRecord,
    CostRecord,
    CrossoverRecord,
    FormulationRecord,
    LengthRecord,
    PlanDocument,
    StructureRecord,
    UpstreamRecord,
)
from placement_cli.store.run_document import ToolRecord

WIDTHS = (120, 80, 40)
NOTE = "NaN or infinity in an input reaches the outputs of its own blocks alone."
Report = Callable[..., str]


def way(name: str, predicted_s: float | None, over_dense: float, **more: Any) -> AlternativeRecord:
    """One way of computing, which is predicted to take `over_dense` times what the dense product does."""
    facts = {"kind": name, "name": name, "calls": 2, "predicted_s": predicted_s, "predicted_ratio": over_dense}
    return AlternativeRecord(**facts, **more)


def timed(name: str, measured_s: float, ratio: float) -> AlternativeRecord:
    """One way that was measured; ends of intervals lie a fifth below and a quarter above, but for dense over dense."""
    ends = (1.0, 1.0) if name == "dense" else (0.8 * ratio, 1.25 * ratio)
    interval = (0.8 * measured_s, 1.25 * measured_s)
    return way(name, 1e-5, 0.9, measured_s=measured_s, measured_ci=interval, ratio=ratio, ratio_ci=ends)


PREDICTED = (way("batch", 2e-5, 0.25), way("dense", 8e-5, 1.0))
MEASURED = (
    timed("permuted batch", 2e-5, 0.5),
    timed("dense", 4e-5, 1.0),
    way("block_masked_mm", 9e-5, 2.25, reason="this backend cannot compute it"),
)
DENSE = (way("dense", 8e-5, 1.0), way("batch", 9e-5, 1.125))


def length(
    samples: int, ways: Sequence[AlternativeRecord], steps: Sequence[str] = (), upstream: UpstreamRecord | None = None
) -> LengthRecord:
    """The plan for one length of chunk: the first of `ways`."""
    best = ways[0]
    whole = ["64 inputs x 64 outputs: it.", *steps]
    return LengthRecord(
        samples=samples,
        formulation=FormulationRecord(kind=best.kind, name=best.name, blocks=[], permuted=False, calls=2, steps=whole),
        predicted_s=best.predicted_s,
        measured_s=best.measured_s,
        alternatives=list(ways),
        upstream=upstream,
    )


def document(
    *plans: LengthRecord,
    weights: str = "w.npy",
    crossovers: Sequence[tuple[int, int | None, str]] = ((1, None, "batch"),),
    notes: Sequence[str] = (),
) -> PlanDocument:
    """The document of these plans."""
    first = plans[0]
    says = ["64 inputs x 64 outputs, 512 of 4096 weights nonzero.", "8 blocks (8 of 8 x 8)."]
    return PlanDocument(
        tool=ToolRecord(name="placement", version="1"),
        weights=weights,
        shape=(64, 64),
        costs=CostRecord(
            backend="numpy",
            threads=1,
            dtype="float32",
            provenance="Costs: fitted to 24 products timed on this machine on 2026-01-01.",
            profile="numpy-1-thread-float32",
            confidence="calibrated",
        ),
        structure=StructureRecord(kind="contiguous", blocks=8, zero_rows=0, zero_columns=0, nonzero=512, says=says),
        samples=first.samples,
        formulation=first.formulation,
        predicted_s=first.predicted_s,
        measured_s=first.measured_s,
        alternatives=first.alternatives,
        crossovers=[
            CrossoverRecord(samples_from=low, samples_to=high, kind=name, name=name, predicted_s=1e-6)
            for low, high, name in crossovers
        ],
        plans=list(plans),
        notes=list(notes),
    )


def theirs(name: str = "dense", calls: int = 1, **more: Any) -> UpstreamRecord:
    """What another planner would do, predicted at four times the plan's time."""
    return UpstreamRecord(version="3.11.1", name=name, calls=calls, predicted_s=8e-5, predicted_over_plan=4.0, **more)


WHOLE = document(
    length(1, DENSE, ["One product with a matrix of 64 x 64."], theirs()),
    length(30, PREDICTED, ["8 blocks of 8 x 8 as one batched product.", NOTE], theirs()),
    length(300, MEASURED[:2], ["8 blocks of 8 x 8 as one batched product.", NOTE], theirs(over_plan=2.0)),
    crossovers=((1, 1, "dense"), (2, 299, "batch"), (300, None, "permuted batch")),
    notes=[NOTE],
)


@pytest.fixture
def report(make_console: Callable[..., Console], read_console: Callable[[Console], str]) -> Report:
    """Prints a document on a console of this width and returns the text."""

    def show(plan: PlanDocument, width: int = 120, pictures: Sequence[Text] = ()) -> str:
        console = make_console(width)
        print_plan(plan, pictures, console)
        return read_console(console)

    return show


@pytest.fixture
def choices(make_console: Callable[..., Console], read_console: Callable[[Console], str]) -> Report:
    """Prints the choices alone and returns the lines."""

    def show(plan: PlanDocument, width: int = 120) -> list[str]:
        console = make_console(width)
        print_choices(plan, console)
        return read_console(console).splitlines()

    return show


@pytest.mark.parametrize("width", WIDTHS)
def test_what_is_printed(width: int, report: Report, snapshot: SnapshotAssertion) -> None:
    """A plan is printed as it was looked at and found good."""
    assert report(WHOLE, width) == snapshot


@pytest.mark.parametrize("width", [*WIDTHS, 20])
def test_no_line_is_wider_than_the_terminal(width: int, report: Report) -> None:
    """Whatever was predicted or measured."""
    assert max(map(cell_len, report(WHOLE, width).splitlines())) <= width


@pytest.mark.parametrize("width", WIDTHS)
def test_names_are_data(width: int, hostile: str, report: Report) -> None:
    """No name is taken for markup or a control code, however long; none breaks the width."""
    ways = (way(hostile, 2e-5, 0.25), way("dense", 8e-5, 1.0), way("loop", 1e-5, 2.0, measured_s=1e-5, reason=hostile))
    plan = length(1, ways, [hostile], theirs(hostile))
    text = report(document(plan, weights=hostile, crossovers=[(1, None, hostile)] * 2, notes=[hostile]), width)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028]", text)
    assert max(map(cell_len, text.splitlines())) <= width
    flat = re.sub(r"\s", "", text).replace("\N{REPLACEMENT CHARACTER}", "")
    assert flat.count(re.sub(r"[\s\x1b\u2028\u202e]", "", hostile)) >= 5


def test_pictures_come_first(report: Report) -> None:
    """Below the name of the file, above the structure in words."""
    lines = report(WHOLE, 80, [Text("as it is"), Text("reordered")]).splitlines()
    assert lines[:4] == ["w.npy: 64 inputs x 64 outputs", "as it is", "reordered", "8 blocks (8 of 8 x 8)."]


@pytest.mark.parametrize(
    ("ways", "told"),
    [
        (DENSE, "the dense product; no other way is faster"),
        (PREDICTED, "batch, 4.00 times as fast as dense (predicted)"),
        (MEASURED, "permuted batch, 2.00 [1.60, 2.50] times as fast as dense (measured)"),
        ((way("zeros", 0.0, 0.0), *DENSE), "zeros; there is nothing to multiply"),
    ],
)
def test_quiet_is_a_line_a_length(ways: Sequence[AlternativeRecord], told: str, choices: Report) -> None:
    """What wins and by how much over the dense product, on one line however narrow the terminal."""
    assert choices(document(length(1, ways), length(30, ways)), 20) == [f"1 sample: {told}", f"30 samples: {told}"]


def test_a_gain_is_told_before_its_table(report: Report) -> None:
    """The same sentence as in quiet mode stands above the ways it was chosen from."""
    lines = report(document(length(30, PREDICTED))).splitlines()
    at = lines.index("30 samples: batch, 4.00 times as fast as dense (predicted)")
    assert lines[at + 1].split() == ["formulation", "calls", "predicted", "times", "dense"]
    assert lines[at + 3].split() == ["batch", "2", "20.0", "µs", "0.250"]


def test_measured_ways_have_intervals_and_one_that_cannot_run_its_reason(report: Report) -> None:
    """A prediction is no measurement: what was not timed has no ratio."""
    lines = report(document(length(30, MEASURED))).splitlines()
    rows = {line.split("  ")[0]: re.split(r"\s{2,}", line) for line in lines}
    assert rows["formulation"] == ["formulation", "calls", "predicted", "measured", "times dense"]
    assert rows["permuted batch"][3:] == ["20.0 µs [16.0 µs, 25.0 µs]", "0.500 [0.400, 0.625]"]
    assert rows["block_masked_mm"][2:] == ["90.0 µs", "this backend cannot compute it"]


def test_costs_that_are_no_seconds_have_no_column(report: Report) -> None:
    """Where only ratios are known, only they are shown."""
    ways = (way("batch", None, 0.25), way("dense", None, 1.0))
    text = report(document(length(30, ways)))
    assert "predicted  " not in text
    assert re.search(r"batch +2 +0\.250\n", text)


def test_few_steps_are_shown_and_the_rest_counted(report: Report) -> None:
    """Notes are no steps: they neither take their place nor count as more of them."""
    steps = [f"Step {number}." for number in range(STEPS_SHOWN)]
    whole = report(document(length(30, PREDICTED, [*steps, NOTE]), notes=[NOTE]))
    assert all(f"  - {step}" in whole for step in steps)
    assert "more step" not in whole
    longer = report(document(length(30, PREDICTED, [*steps, "Another.", NOTE]), notes=[NOTE]))
    assert "Another." not in longer
    assert "  - and 1 more step (--json has them all)" in longer


def test_notes_of_real_plans_are_shown_once(report: Report) -> None:
    """What holds for several lengths stands at the end alone."""
    weights = np.kron(np.eye(8, dtype=np.float32), np.arange(1, 4097, dtype=np.float32).reshape(64, 64))
    structure, price = find_structure(weights), shipped_price("numpy", 1, "Nothing was measured.")
    plans = tuple(predicted(structure, samples, price.price, "numpy") for samples in (30, 300))
    made = plan_document(Planned("w.npy", structure, "numpy", 1, "float32", price, plans, ()), "1")
    flat = " ".join(report(made).split())
    assert made.notes
    assert all(flat.count(f"note: {note}") == flat.count(note) == 1 for note in made.notes)
    assert flat.count("as one batched product.") == 2


@pytest.mark.parametrize(
    ("upstream", "told"),
    [
        (theirs(), "would compute dense (1 call): 4.00 times this time (predicted)."),
        (theirs("loop", 3), "would compute loop (3 calls): 4.00 times this time (predicted)."),
        (theirs(over_plan=2.0), "would compute dense (1 call): 2.00 times this time (measured)."),
        (
            theirs(over_plan=2.0, over_plan_ci=(1.5, 2.5)),
            "would compute dense (1 call): 2.00 [1.50, 2.50] times this time (measured).",
        ),
    ],
)
def test_the_other_planner_is_compared(upstream: UpstreamRecord, told: str, report: Report) -> None:
    """With its version, and whether its time was measured."""
    assert f"ezmsg-sigproc 3.11.1 {told}" in report(document(length(30, PREDICTED, upstream=upstream)))


def test_without_another_planner_nothing_is_said_of_it(report: Report) -> None:
    """Nor is the length of a chunk a matter where there was one and one plan serves all."""
    text = report(document(length(30, PREDICTED)))
    assert "ezmsg" not in text
    assert "length of a chunk" not in text


def test_ranges_of_lengths_are_words(report: Report) -> None:
    """One length, several, and from one on."""
    lines = report(WHOLE).splitlines()
    at = lines.index("Over the length of a chunk (predicted)")
    assert lines[at + 1 : at + 4] == [
        "  - 1 sample: dense",
        "  - 2 to 299 samples: batch",
        "  - from 300 samples on: permuted batch",
    ]
