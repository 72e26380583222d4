"""What a command tells GitHub Actions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from placement_cli.cli.github_steps import tell_github
from placement_cli.export.markdown_text import MOST_BYTES
from placement_cli.export.run_markdown import run_markdown
from placement_cli.store.run_document import ExitRecord, GateRecord, RunDocument, SideRecord


@pytest.fixture
def gate(load_run_of: Callable[[str], RunDocument]) -> RunDocument:
    """A gate that compared nothing."""
    document = load_run_of("stream")
    side = SideRecord(given="main", kind="revision", resolved="", fingerprint="", stable={})
    nothing = GateRecord(
        verdict="nothing-comparable",
        reason="No case is left.",
        base=side,
        new=side,
        differs=[],
        cases=0,
        compared=0,
        failed=[],
    )
    code = ExitRecord(code=4, name="nothing-comparable")
    empty = {"cases": [], "scenarios": [], "says": [], "diagnostics": []}
    return document.model_copy(update={**empty, "gate": nothing, "exit": code})


def test_elsewhere_nothing_is_told(gate: RunDocument) -> None:
    """Without the variables of GitHub."""
    assert tell_github(gate, {}) == []
    assert tell_github(gate, {"GITHUB_ACTIONS": "false", "GITHUB_STEP_SUMMARY": ""}) == []


def test_the_summary_is_added_to_what_is_there(gate: RunDocument, tmp_path: Path) -> None:
    """Other commands of the step may have written theirs."""
    path = tmp_path / "summary.md"
    path.write_text("before\n")
    assert tell_github(gate, {"GITHUB_STEP_SUMMARY": str(path)}) == []
    assert path.read_text() == f"before\n{run_markdown(gate)}"


def test_annotations_are_for_actions(gate: RunDocument) -> None:
    """Where they are lines that GitHub reads."""
    lines = tell_github(gate, {"GITHUB_ACTIONS": "true"})
    assert lines == ["::error title=placement check%3A nothing-comparable::No case is left."]


@pytest.mark.parametrize("name", ["missing/summary.md", ".", "a\0b"])
def test_a_summary_that_cannot_be_written_is_a_warning(gate: RunDocument, tmp_path: Path, name: str) -> None:
    """In the form of an annotation on GitHub, as plain text elsewhere."""
    env = {"GITHUB_STEP_SUMMARY": f"{tmp_path}/{name}"}
    (line,) = tell_github(gate, env)
    assert line.startswith("warning: the summary of this step cannot be written to GITHUB_STEP_SUMMARY (")
    lines = tell_github(gate, {**env, "GITHUB_ACTIONS": "true"})
    assert lines[-1].startswith("::warning title=placement::the summary of this step cannot be written")


def test_a_full_summary_stays_as_it_is(gate: RunDocument, tmp_path: Path) -> None:
    """GitHub would drop the whole of it if it grew beyond the limit."""
    path = tmp_path / "summary.md"
    path.write_bytes(b"x" * MOST_BYTES)
    (line,) = tell_github(gate, {"GITHUB_STEP_SUMMARY": str(path)})
    assert "is full" in line
    assert path.stat().st_size == MOST_BYTES
