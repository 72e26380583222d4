"""A gate as Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable

from syrupy.assertion import SnapshotAssertion

from placement_cli.export.run_markdown import run_markdown
from placement_cli.store.run_document import RunDocument

MakeGate = Callable[..., RunDocument]
CASES = (
    {"name": "same", "ratio": 1.004},
    {"name": "faster", "verdict": "faster", "ratio": 0.8},
    {"name": "unclear", "verdict": "inconclusive", "ratio": 1.02},
    {"name": "free", "verdict": "slower", "ratio": 1.3, "gated": False},
    {"name": "once", "verdict": "slower", "ratio": 1.2, "repeated": False},
    {"name": "broken", "verdict": "invalid", "ratio": None},
    {"name": "confirmed", "verdict": "slower", "ratio": 1.25, "repeated": True, "new_s": (1.25e-3,) * 6},
)


def test_what_is_written(make_gate: MakeGate, snapshot: SnapshotAssertion) -> None:
    """A gate is written as it was looked at and found good."""
    assert run_markdown(make_gate("regression", *CASES, failed=["confirmed"])) == snapshot


def test_the_verdict_comes_first_and_what_is_the_same_last(make_gate: MakeGate) -> None:
    """Between them, what asks for something before what does not."""
    lines = run_markdown(make_gate("regression", *CASES, failed=["confirmed"])).splitlines()
    assert lines[0] == "# placement check: regression"
    assert lines[2] == "It is regression."
    rows = [re.split(r" \| ", line.strip("| ")) for line in lines if line.startswith("| ")][2:]
    assert [row[0] for row in rows] == ["confirmed", "broken", "unclear", "free", "once", "faster", "same"]
    notes = {row[0]: line.rsplit("|", 2)[1].strip() for row, line in zip(rows, lines[-7:], strict=True)}
    assert notes["confirmed"] == "failed"
    assert (notes["once"], notes["free"], notes["same"]) == ("not confirmed", "not gated", "")


def test_nothing_is_claimed_where_nothing_may_be(make_gate: MakeGate) -> None:
    """The ratio of an inconclusive case is marked, that of a case without one is a dash."""
    text = run_markdown(make_gate("regression", *CASES, failed=["confirmed"]))
    assert re.search(r"\| unclear \|.*\| \\~1\.02 \|", text)
    assert re.search(r"\| broken \|.*\| \\- \| \\- \| \+3\.0 % \|", text)


def test_a_gate_without_cases_says_why(make_gate: MakeGate) -> None:
    """No empty table."""
    text = run_markdown(make_gate("nothing-comparable"))
    assert text.startswith("# placement check: nothing-comparable\n\nIt is nothing-comparable.\n")
    assert "|" not in text


def test_hostile_names_are_data(make_gate: MakeGate, hostile: str) -> None:
    """Rows keep their cells, and nothing becomes markup."""
    text = run_markdown(make_gate("passed", {"name": hostile, "scenario": hostile, "reason": hostile}))
    rows = [re.sub(r"\\.", "", line) for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 3
    assert len({row.count("|") for row in rows}) == 1
    assert "<script>" not in text
