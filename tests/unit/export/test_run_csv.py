"""A run as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placement_cli.export.run_csv import COLUMNS, run_csv
from placement_cli.store.run_document import RunDocument, SampleRecord

NUMBERS = ("at_s", "complete_s", "dispatch_s", "messages", "in_flight_bytes", "peak_bytes", "page_faults", "round")
FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("x","y")', "=cmd|' /C'!A0")


def rows_of(document: RunDocument) -> list[dict[str, str]]:
    """The rows as Python's own reader sees them."""
    return list(csv.DictReader(io.StringIO(run_csv(document), newline="")))


def samples_of(document: RunDocument) -> list[SampleRecord]:
    """All samples of a run in their order."""
    return [sample for case in document.cases for block in case.blocks for sample in block.samples]


def test_columns_are_those_documented(document: RunDocument) -> None:
    """The head holds the documented columns in their order, then the parameters of the cases."""
    head = run_csv(document).splitlines()[0].replace('"', "").split(",")
    params = sorted({f"param.{key}" for case in document.cases for key in case.params})
    assert head == [*COLUMNS, *params]


def test_every_sample_is_a_row_with_its_numbers(document: RunDocument) -> None:
    """Read back with pandas, every number is the one that was measured."""
    frame = pd.read_csv(io.StringIO(run_csv(document)))
    samples = samples_of(document)
    assert len(frame) == len(samples) > 0
    for name in NUMBERS:
        assert frame[name].tolist() == pytest.approx([getattr(sample, name) for sample in samples], rel=1e-14)
    assert frame["arm"].tolist() == [sample.arm for sample in samples]
    assert frame["phase"].tolist() == [sample.phase for sample in samples]
    each = [sample.complete_s / sample.messages for sample in samples]
    assert frame["complete_per_message_s"].tolist() == pytest.approx(each, rel=1e-14)


def test_no_digit_is_lost(document: RunDocument) -> None:
    """The text of every number reads back as exactly the number it was."""
    for row, sample in zip(rows_of(document), samples_of(document), strict=True):
        assert [float(row[name]) for name in NUMBERS] == [getattr(sample, name) for name in NUMBERS]


def test_rows_say_where_they_belong(document: RunDocument) -> None:
    """Case, scenario, block, validity, mode and parameters stand beside every sample."""
    rows = iter(rows_of(document))
    for case in document.cases:
        for block in case.blocks:
            for sample in block.samples:
                row = next(rows)
                assert (row["case"], row["scenario"], row["block"]) == (case.id, case.scenario, str(block.index))
                assert row["valid"] == str(block.valid)
                assert row["mode"] == case.arms[sample.arm]["mode"]
                assert {key: row[f"param.{key}"] for key in case.params} == {k: str(v) for k, v in case.params.items()}


def test_whole_numbers_stay_whole(load_run_of: Callable[[str], RunDocument]) -> None:
    """A parameter that one case lacks does not turn the others' numbers into fractions."""
    document = load_run_of("burst")
    first, second = document.cases
    mixed = document.model_copy(update={"cases": [first, second.model_copy(update={"params": {"chunk": "1x1"}})]})
    assert {row["param.ops"] for row in rows_of(mixed)} == {"1", ""}


def test_the_control_has_the_mode_of_the_base(load_run_of: Callable[[str], RunDocument]) -> None:
    """A second process of the base arm is called control, and does what the base does."""
    document = load_run_of("burst")
    case = document.cases[0]
    block = case.blocks[0]
    control = [sample.model_copy(update={"arm": "control"}) for sample in block.samples[:2]]
    changed = case.model_copy(update={"blocks": [block.model_copy(update={"samples": control})]})
    rows = rows_of(document.model_copy(update={"cases": [changed]}))
    assert {(row["arm"], row["mode"]) for row in rows} == {("control", "off")}


@pytest.mark.parametrize(
    "name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("x","y")', "=cmd|' /C'!A0"]
)
def test_no_cell_is_a_formula(name: str, renamed: Callable[[str], RunDocument]) -> None:
    """Whatever a scenario, a case, an arm or a parameter is called, no spreadsheet computes it."""
    for row in rows_of(renamed(name)):
        for column, cell in row.items():
            assert not cell.startswith(("=", "+", "@", "\t", "\r")), column
            assert not cell.startswith("-"), column


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20))
def test_any_name_reads_back(name: str, renamed: Callable[[str], RunDocument]) -> None:
    """Quotes, commas, line breaks and all else survive, with at most an apostrophe in front."""
    rows = rows_of(renamed(name))
    assert {row["arm"].removeprefix("'") for row in rows} == {name.removeprefix("'")}
    assert {row["param.key"].removeprefix("'") for row in rows} == {name.removeprefix("'")}
    assert len(rows) == len(samples_of(renamed(name)))


def test_a_run_without_samples_has_a_head(load_run_of: Callable[[str], RunDocument]) -> None:
    """Nothing measured is a file of one line."""
    empty = load_run_of("burst").model_copy(update={"cases": []})
    assert run_csv(empty).count("\n") == 1


def test_blocks_that_confirm_are_marked(document: RunDocument) -> None:
    """Their numbers begin anew, so nothing else tells them from the first ones."""
    case = document.cases[0]
    again = [block.model_copy(update={"confirms": True}) for block in case.blocks]
    more = case.model_copy(update={"blocks": [*case.blocks, *again]})
    found = [row["confirms"] for row in rows_of(document.model_copy(update={"cases": [more]}))]
    half = len(found) // 2
    assert found == ["False"] * half + ["True"] * half
