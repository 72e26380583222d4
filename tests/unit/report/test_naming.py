"""Names of cases, rows and files."""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.report.naming import LONGEST_NAME, anchor, arm_label, case_label, file_stem, row_label
from placement_cli.store.run_document import RunDocument


def test_cases_are_told_apart_by_what_varies(load_run_of: Callable[[str], RunDocument]) -> None:
    """A lone case names all its parameters."""
    cases = load_run_of("stream").cases
    assert case_label(cases[0], cases) == "chunk 30-64x256"
    assert case_label(cases[0], cases[:1]) == "chunk 30-64x256, dtype float32"


def test_in_a_gate_rows_are_arms_of_the_scenario(gate: RunDocument) -> None:
    """The arm is no part of the case's name; where both sides have rows they are named."""
    assert {case_label(case, gate.cases) for case in gate.cases} == {"chunk 30-64x256, dtype float32"}
    assert [arm_label(case, "new") for case in gate.cases] == ["async", "sync"]
    assert [row_label(gate.cases[1], side) for side in ("base", "new")] == ["sync, base", "sync, new"]


@settings(deadline=None)
@given(st.integers(1, 999), st.integers(1, 999), st.text(), st.text())
def test_names_of_files_are_plain_and_never_the_same(one: int, other: int, first: str, second: str) -> None:
    """No separator, no dot, no blank; a number apart is a name apart."""
    name = file_stem(one, first, second)
    assert re.fullmatch(r"[A-Za-z0-9_-]+", name)
    assert len(name) <= LONGEST_NAME
    assert (name == file_stem(other, first, second)) == (one == other)


def test_an_address_holds_no_characters_of_markup() -> None:
    """Also where nothing is left."""
    assert anchor("Chunk size <b>") == "chunk-size-b"
    assert anchor("<>") == ""
