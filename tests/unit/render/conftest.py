"""Documents to print, and a terminal of a known width to print them on."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console, RenderableType

from placement_cli.store.run_document import RunDocument


@pytest.fixture
def make_console(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Console]:
    """Makes a console that records what is printed, as wide as asked for, without colour unless it is wanted."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")

    def make(width: int = 80, *, terminal: bool = False, **options: Any) -> Console:
        colour = "truecolor" if terminal else None
        settings = {"highlight": False, "emoji": False, "markup": False, "color_system": colour} | options
        return Console(file=io.StringIO(), width=width, height=50, force_terminal=terminal, **settings)

    return make


@pytest.fixture
def printed(make_console: Callable[..., Console]) -> Callable[..., str]:
    """Prints something on a console of this width and returns the text."""

    def show(part: RenderableType, width: int = 80) -> str:
        console = make_console(width)
        console.print(part)
        return text_of(console)

    return show


@pytest.fixture
def read_console() -> Callable[[Console], str]:
    """Returns what was printed on a console made here."""
    return text_of


def text_of(console: Console) -> str:
    """What was printed on `console`."""
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


HOSTILE = (
    "[red]x[/]",
    "[link=file:///etc/passwd]x[/link]",
    "\x1b[31mred",
    "a\u202eb",
    "a\nb",
    "\u2028",
    "x" * 300,
    "{0}",
    ":tada:",
)
"""Names that a terminal, Rich or a formatter could take for more than data."""


@pytest.fixture(params=HOSTILE, ids=range(len(HOSTILE)))
def hostile(request: pytest.FixtureRequest) -> str:
    """A name that is to be printed as it is."""
    name: str = request.param
    return name


@pytest.fixture
def renamed() -> Callable[[RunDocument, str], RunDocument]:
    """Gives everything in a document that has a name of its own this one: scenario, question, parameters, arms."""

    def rename(document: RunDocument, name: str) -> RunDocument:
        plain = json.loads(document.to_json())
        for scenario in plain["scenarios"]:
            scenario.update(name=name, question=name, control_case=None)
        for number, case in enumerate(plain["cases"]):
            case.update(id=f"{name}{number}", scenario=name, params={name: f"{name}{number}"})
            arms = {arm: f"{name}{place}" for place, arm in enumerate(case["arms"])}
            case["base"] = arms[case["base"]]
            case["arms"] = {arms[arm]: value for arm, value in case["arms"].items()}
            case["summary"] = {arms[arm]: value for arm, value in case["summary"].items()}
            for each in case["comparisons"]:
                each.update(base=arms[each["base"]], new=arms[each["new"]])
            for estimate in case["estimates"]:
                what, _, arm = estimate["name"].rstrip("]").partition("[")
                estimate["name"] = f"{what}[{arms[arm]}]"
        plain["says"] = [{"text": name, "cases": [case["id"] for case in plain["cases"]]}]
        plain["diagnostics"] = [{"level": "error", "code": "x", "text": name}]
        plain["env"]["stable"]["chip"] = name
        return RunDocument.model_validate(plain)

    return rename
