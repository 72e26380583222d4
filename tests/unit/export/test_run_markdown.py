"""A run as Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from placement_cli.export.run_markdown import run_markdown
from placement_cli.store.run_document import RunDocument


def cells_of(line: str) -> list[str]:
    """The cells of a row of a table, escapes undone."""
    return [re.sub(r"\\(.)", r"\1", cell.strip()) for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_what_is_written(document: RunDocument, snapshot: SnapshotAssertion) -> None:
    """A run is written as it was looked at and found good."""
    assert run_markdown(document) == snapshot


def test_every_arm_and_verdict_is_in_the_table(document: RunDocument) -> None:
    """Each comparison has a row that ends with its verdict, each base one that says so; no row is ragged."""
    rows = [cells_of(line) for line in run_markdown(document).splitlines() if line.startswith("|")]
    assert len({len(row) for row in rows}) == 1
    expected = sum(len(case.comparisons) + 1 for case in document.cases)
    assert len(rows) == expected + 2
    compared = sum(len(case.arms) > 1 for case in document.cases)
    assert sum("base" in row for row in rows) == compared
    words = {"slower": "more", "faster": "less"}
    amounts = ("in_flight_bytes", "busy_share")
    given = [
        words.get(each.verdict, each.verdict) if each.metric in amounts else each.verdict
        for case in document.cases
        for arm in case.arms
        for each in case.comparisons
        if each.new == arm
    ]
    assert [row[-1] for row in rows[2:] if row[-1] not in ("",) and row[-4]] == given


def test_sentences_and_diagnostics_are_there(document: RunDocument) -> None:
    """What the run says, and what is wrong with it, follows the tables."""
    text = re.sub(r"\\(.)", r"\1", run_markdown(document))
    for saying in document.says:
        assert f"- {saying.text}\n" in text
    for item in document.diagnostics:
        assert f"- {item.level}: {item.text}\n" in text


def test_a_case_that_failed_is_invalid(load_run_of: Callable[[str], RunDocument]) -> None:
    """A lone arm that crashed is not shown as if nothing had happened."""
    (row,) = [line for line in run_markdown(load_run_of("queue")).splitlines() if "ops=60" in line and line[0] == "|"]
    assert cells_of(row)[-1] == "invalid"


def test_a_scenario_without_cases_says_so(load_run_of: Callable[[str], RunDocument]) -> None:
    """Nothing measured is no empty table."""
    empty = load_run_of("burst").model_copy(update={"cases": [], "says": []})
    assert "No case was measured." in run_markdown(empty)


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        "![x](http://a.b/c.png)",
        "a | b",
        "`code`",
        "**bold**",
        "_x_",
        "# heading",
        "- item",
        "1. item",
        "---",
        "===",
        "> quote",
        "$x$",
        "&lt;b&gt;",
        "a\\",
    ],
)
def test_names_are_data(name: str, renamed: Callable[[str], RunDocument]) -> None:
    """No name becomes markup, HTML, a list or a cell of its own."""
    text = run_markdown(renamed(name))
    for special in "`*_[]<>#|$":
        structure = {"#": r"^#+ ", "|": r"^\|.*\|$"}.get(special)
        bare = re.sub(r"\\.", "", text)
        lines = [line for line in bare.splitlines() if not (structure and re.match(structure, line))]
        assert special not in "\n".join(lines)
    question = text.split("\n\n")[3]
    assert not re.match(r"[-+=>#]|\d+[.)]\s", question)
    undone = re.sub(r"\\([^\s])", r"\1", question).replace("&amp;", "&")
    assert undone == name


@pytest.mark.parametrize("name", ["a\nb", "a\r\n\r\n# b", "a\x1b[31mb", "a\u202eb", "a\u2028b", "a\u200bb"])
def test_controls_do_not_get_through(name: str, renamed: Callable[[str], RunDocument]) -> None:
    """Line breaks become blanks, what hides or turns text is replaced."""
    text = run_markdown(renamed(name))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e]", text)
    assert len([line for line in text.splitlines() if line.startswith("#")]) == 2


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.text(min_size=1, max_size=20))
def test_any_name_keeps_the_table_in_shape(name: str, renamed: Callable[[str], RunDocument]) -> None:
    """Rows have as many cells as the head, whatever stands in them."""
    rows = [line for line in run_markdown(renamed(name)).split("\n") if line.startswith("|")]
    bare = [re.sub(r"\\.", "", row) for row in rows]
    assert len(rows) == 2 + 2
    assert len({row.count("|") for row in bare}) == 1
