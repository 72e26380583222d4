"""Sentences and diagnostics on the terminal."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Group

from placement_cli.render.sayings import diagnostics, sayings, scenario_says
from placement_cli.store.run_document import Diagnostic, RunDocument, Saying


def test_sentences_stand_under_a_heading(printed: Callable[..., str]) -> None:
    """Each is a point of a list, its further lines indented."""
    says = [Saying(text="One thing is so and so.", cases=["a"]), Saying(text="Another.", cases=["b"])]
    assert printed(Group(*sayings(says)), 22).splitlines() == [
        "What this says",
        "  - One thing is so",
        "    and so.",
        "  - Another.",
    ]


def test_no_sentences_have_no_heading() -> None:
    """Nothing said, nothing printed."""
    assert list(sayings([])) == []


def test_sentences_belong_to_their_scenario(load_run_of: Callable[[str], RunDocument]) -> None:
    """Of several scenarios each shows the sentences that rest on its cases."""
    document = load_run_of("burst")
    other = Saying(text="Other.", cases=["elsewhere"])
    both = document.model_copy(update={"says": [*document.says, other]})
    assert scenario_says(both, "call-cost") == document.says
    assert scenario_says(both, "no such") == []


def test_diagnostics_name_their_level(printed: Callable[..., str]) -> None:
    """A warning is a warning without colour too, and no text in it is interpreted."""
    found = [
        Diagnostic(level="info", code="a", text="good to know."),
        Diagnostic(level="warning", code="b", text="[red]careful[/]."),
        Diagnostic(level="error", code="c", text="\x1b[2Jbad."),
    ]
    assert printed(Group(*diagnostics(found))).splitlines() == [
        "info: good to know.",
        "warning: [red]careful[/].",
        "error: \N{REPLACEMENT CHARACTER}[2Jbad.",
    ]
