"""What GitHub Actions is told of a gate."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placement_cli.export.github_annotations import MOST, annotation, github_annotations
from placement_cli.export.github_summary import github_summary
from placement_cli.export.markdown_text import MOST_BYTES
from placement_cli.store.run_document import RunDocument

MakeGate = Callable[..., RunDocument]
COMMAND = re.compile(r"::(error|warning) title=([^:,\r\n]*)::([^\r\n]*)")
SLOWER = {"verdict": "slower", "ratio": 1.25, "repeated": True}


def levels(document: RunDocument) -> list[str]:
    """The level of each annotation, all of which GitHub understands."""
    found = [COMMAND.fullmatch(line) for line in github_annotations(document)]
    assert None not in found
    return [match[1] for match in found if match]


def test_what_failed_is_invalid_or_undecided_is_told(make_gate: MakeGate) -> None:
    """Errors first; what cannot fail the gate, or did not, is not told."""
    document = make_gate(
        "regression",
        {"name": "unclear", "verdict": "inconclusive"},
        {"name": "broken", "verdict": "invalid"},
        SLOWER | {"name": "confirmed"},
        SLOWER | {"name": "once", "repeated": False},
        SLOWER | {"name": "free", "gated": False},
        {"name": "unclear and free", "verdict": "inconclusive", "gated": False},
        {"name": "same"},
        failed=["confirmed"],
    )
    lines = github_annotations(document)
    assert levels(document) == ["error", "error", "warning"]
    assert lines[1] == (
        "::error title=placement check%3A slower%3A confirmed::time per message 1.25 times the base: as measured."
    )
    assert "broken" in lines[0]
    assert "unclear" in lines[2]


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [("passed", []), ("nothing-comparable", ["error"]), ("scenario-failed", ["error"]), ("inconclusive", ["warning"])],
)
def test_a_gate_that_no_case_explains_has_its_own(make_gate: MakeGate, verdict: str, expected: list[str]) -> None:
    """Nothing is told of one that passed."""
    assert levels(make_gate(verdict, {})) == expected


@pytest.mark.parametrize(
    ("verdict", "changes", "code", "expected"),
    [
        ("inconclusive", {"verdict": "inconclusive"}, 124, ["error", "warning"]),
        ("inconclusive", {}, 130, ["error"]),
        ("inconclusive", {"verdict": "inconclusive"}, 3, ["warning"]),
        ("invalid", {"verdict": "inconclusive"}, 5, ["error", "warning"]),
        ("regression", {}, 0, ["warning"]),
    ],
)
def test_a_job_that_fails_has_an_error(
    make_gate: MakeGate, verdict: str, changes: dict[str, object], code: int, expected: list[str]
) -> None:
    """Also where no case explains it, as when the time ran out; what fails no job is a warning at most."""
    assert levels(make_gate(verdict, changes, code=code)) == expected


def test_a_run_without_a_gate_tells_nothing(document: RunDocument) -> None:
    """A benchmark is no check."""
    assert github_annotations(document) == []


def test_no_more_than_github_shows(make_gate: MakeGate) -> None:
    """The last of a level says how many are missing."""
    names = [f"case{n}" for n in range(25)]
    lines = github_annotations(make_gate("regression", *(SLOWER | {"name": name} for name in names), failed=names))
    assert len(lines) == MOST
    assert lines[-1] == "::error title=placement check::16 more, in the summary."


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(min_size=1, max_size=30), st.text(max_size=30))
def test_any_text_is_one_command(title: str, text: str) -> None:
    """No name ends a property, a line or the message, or begins another command; undone, it is what it was."""
    line = annotation("error", title, text)
    match = COMMAND.fullmatch(line)
    assert match is not None
    assert line.isprintable()
    if title.isprintable() and title == " ".join(title.split()) and "\ufffd" not in title:
        assert unquote(match[2], errors="strict") in (title, title.encode("utf-8", "replace").decode())


def test_hostile_names_are_told(make_gate: MakeGate, hostile: str) -> None:
    """As one error each."""
    document = make_gate("regression", SLOWER | {"name": hostile, "reason": hostile}, failed=[hostile])
    assert levels(document) == ["error"]


def test_a_summary_is_cut_to_its_room(make_gate: MakeGate) -> None:
    """Under GitHub's limit also for very many cases, and to what is left of it."""
    long = {"base_s": (1e-3,), "new_s": (1e-3,)}
    document = make_gate("passed", *(long | {"name": f"case{n}-{'*' * 1_500}"} for n in range(350)))
    assert 0.9 * MOST_BYTES < len(github_summary(document).encode()) <= MOST_BYTES
    assert "Left out" in github_summary(document)
    assert len(github_summary(document, 500).encode()) <= 500
    assert github_summary(document, 10) == ""
