"""Whether a graph does what would be advised, on the terminal."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from rich.cells import cell_len
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from placement_cli.render.advice_gate import print_advice_gate
from placement_cli.store.advice_document import (
    AdviceDocument,
    EstimateRecord,
    GraphRecord,
    PredictedRecord,
    ProfileRecord,
    SourceRecord,
)
from placement_cli.store.run_document import ToolRecord

MOVED = {"filter": ("async", "off"), "rectify": ("off", "window:4")}
Show = Callable[..., str]


def advice(name: str = "band power") -> AdviceDocument:
    """The advice on a graph called `name`; nothing in it but names is looked at here."""
    about = EstimateRecord(value=1.0, low=0.9, high=1.1)
    return AdviceDocument(
        tool=ToolRecord(name="placement", version="1"),
        graph=GraphRecord(
            name=name,
            file="band.yaml",
            device=None,
            source=SourceRecord(shape=(30, 256), dtype="float32", rate_hz=None, messages=None, kind="live"),
            node_count=0,
            nodes=[],
        ),
        profile=ProfileRecord(name=name, confidence="published", why="There is no GPU here.", provenance="Figures."),
        objective="least host time",
        verdict="Evaluate once, with async after rectify: 0.67 times today's time.",
        placement={},
        current={},
        predicted=PredictedRecord(**dict.fromkeys(PredictedRecord.model_fields, about)),
        alternatives=[],
        findings=[],
        confidence="published",
        search="",
        assumed=[],
        settle=[],
        pareto=[],
        verified=None,
    )


@pytest.fixture
def show(make_console: Callable[..., Console], read_console: Callable[[Console], str]) -> Show:
    """Prints the outcome on a console of this width and returns the text."""

    def make(
        changed: dict[str, tuple[str, str]],
        width: int = 80,
        *,
        document: AdviceDocument | None = None,
        quiet: bool = False,
    ) -> str:
        console = make_console(width)
        print_advice_gate(document or advice(), changed, console, quiet=quiet)
        return read_console(console)

    return make


@pytest.mark.parametrize("width", [120, 80, 40])
@pytest.mark.parametrize("changed", [{}, MOVED], ids=["passed", "changed"])
def test_what_is_printed(
    width: int, changed: dict[str, tuple[str, str]], show: Show, snapshot: SnapshotAssertion
) -> None:
    """The outcome is printed as it was looked at and found good."""
    assert show(changed, width) == snapshot


def test_quiet_is_the_verdict_alone(show: Show) -> None:
    """No node and no advice how to go on."""
    text = show(MOVED, 200, quiet=True)
    (line,) = text.splitlines()
    assert line == (
        "CHANGED  band power: another placement is advised now, at 2 nodes. "
        "Evaluate once, with async after rectify: 0.67 times today's time."
    )
    assert "at 1 node." in show({"filter": ("async", "off")}, 200, quiet=True)


@pytest.mark.parametrize("width", [80, 40])
def test_names_are_data(width: int, hostile: str, show: Show) -> None:
    """Neither the graph nor a node nor a profile is taken for markup, and none breaks the width."""
    text = show({hostile: ("off", "async")}, width, document=advice(hostile))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e]", text)
    assert max(map(cell_len, text.splitlines())) <= width
    bare = re.sub(r"[\s\x00-\x1f\u2028\u202e]", "", hostile)
    assert bare in re.sub(r"\s|\N{REPLACEMENT CHARACTER}", "", text)
