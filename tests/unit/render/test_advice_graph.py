"""The graph of an advice: modes today and as advised, where nodes run, and no more lines than people read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from rich.console import Group, RenderableType

from placement_cli.render.advice_graph import ALL_SHOWN, graph_parts
from placement_cli.store.advice_document import (
    AdviceDocument,
    EdgeRecord,
    EstimateRecord,
    GraphRecord,
    NodeRecord,
    PredictedRecord,
    ProfileRecord,
    SourceRecord,
)
from placement_cli.store.run_document import ToolRecord

Show = Callable[[RenderableType], str]
ONE = EstimateRecord(value=1.0, low=1.0, high=1.0)


def node(name: str, *reads: str | EdgeRecord, **more: Any) -> NodeRecord:
    """A node on MLX that reads these."""
    inputs = [read if isinstance(read, EdgeRecord) else EdgeRecord(node=read) for read in reads]
    facts = {"op": None, "repeat": 1, "backend": "mlx", "pinned": False, "process": "", "thread": ""} | more
    return NodeRecord(name=name, inputs=inputs, **facts)


def lines_of(
    show: Callable[..., str], nodes: Sequence[NodeRecord], today: dict[str, str], advised: dict[str, str], **source: Any
) -> list[str]:
    """Return the lines of a graph of these nodes, without the title, the head and its rule."""
    facts = {"shape": (30, 256), "dtype": "float32", "rate_hz": None, "messages": None, "kind": "replay"} | source
    count = sum(each.repeat for each in nodes)
    document = AdviceDocument(
        tool=ToolRecord(name="placement", version="1"),
        graph=GraphRecord(
            name="", file="g.yaml", device=None, source=SourceRecord(**facts), node_count=count, nodes=list(nodes)
        ),
        profile=ProfileRecord(name="p", confidence="assumed", why="", provenance=""),
        objective="",
        verdict="",
        placement=advised,
        current=today,
        predicted=PredictedRecord(**dict.fromkeys(PredictedRecord.model_fields, ONE)),
        alternatives=[],
        findings=[],
        confidence="assumed",
        search="",
        assumed=[],
        settle=[],
        pareto=[],
        verified=None,
    )
    return show(Group(*graph_parts(document)), 120).splitlines()


def cells(line: str) -> list[str]:
    """Split a line of a table; the indent stays with the first cell."""
    return re.split(r"(?<=\S)\s{2,}", line)


def test_a_node_shows_what_it_reads_and_its_modes(printed: Show) -> None:
    """One mode where it stays, both where it changes; host nodes have none."""
    nodes = [
        node("a", "source"),
        node("b", "a", EdgeRecord(node="b", lag=2), EdgeRecord(node="c", lag=1, leaky=True)),
        node("c", "b", pinned=True),
        node("d", "c", backend="host"),
    ]
    lines = lines_of(printed, nodes, {"a": "off", "b": "sync", "c": "sync"}, {"a": "off", "b": "every:4", "c": "sync"})
    assert lines[0] == "g.yaml: 4 nodes; 30x256 float32, replay"
    assert [cells(line) for line in lines[1:2]] == [["node", "reads", "mode"]]
    assert [cells(line) for line in lines[3:]] == [
        ["a", "source", "off"],
        ["b", "a, b (2 messages ago), c (1 message ago, leaky)", "sync -> every:4"],
        ["c", "b", "sync (pinned)"],
        ["d", "c", "host"],
    ]


def test_rate_and_length_of_the_source_are_told(printed: Show) -> None:
    """Where they are known."""
    lines = lines_of(printed, [node("a", "source")], {}, {}, rate_hz=31.25, messages=1, kind="live")
    assert lines[0] == "g.yaml: 1 node; 30x256 float32, live, 31.2 messages/s, 1 message"


@pytest.mark.parametrize(
    ("today", "advised", "told"),
    [
        ({"l": "off"}, {"l": "async"}, [["l x3", "source", "off -> async"]]),
        (
            {"l": "off"},
            {"l.0": "off", "l.1": "off", "l.2": "async"},
            [["l.0", "source", "off"], ["l.1", "l.0", "off"], ["l.2", "l.1", "off -> async"]],
        ),
        (
            {"l.0": "sync", "l.1": "off", "l.2": "off"},
            {"l": "off"},
            [["l.0", "source", "sync -> off"], ["l.1", "l.0", "off"], ["l.2", "l.1", "off"]],
        ),
    ],
)
def test_copies_are_one_line_where_they_agree(
    today: dict[str, str], advised: dict[str, str], told: list[list[str]], printed: Show
) -> None:
    """And lines of their own where they do not, each reading the one before."""
    lines = lines_of(printed, [node("l", "source", repeat=3)], today, advised)
    assert [cells(line) for line in lines[3:]] == told


@pytest.mark.parametrize(
    ("places", "told"),
    [
        ([("", ""), ("", "")], ["n0", "n1"]),
        ([("", ""), ("viewer", "")], ["process main", "  n0", "process viewer", "  n1"]),
        ([("", ""), ("", "pool")], ["thread main", "  n0", "thread pool", "  n1"]),
        (
            [("p", "a"), ("p", "b"), ("q", "b")],
            [
                *("process p", "  thread a", "    n0", "  thread b", "    n1"),
                *("process q", "  thread b", "    n2"),
            ],
        ),
        ([("p", ""), ("q", ""), ("p", "")], ["process p", "  n0", "process q", "  n1", "process p", "  n2"]),
    ],
)
def test_nodes_stand_below_where_they_run(places: list[tuple[str, str]], told: list[str], printed: Show) -> None:
    """Processes and threads are named where there are several, in the order in which nodes run."""
    nodes = [node(f"n{at}", "source", process=here[0], thread=here[1]) for at, here in enumerate(places)]
    lines = lines_of(printed, nodes, {}, {})
    assert [cells(line)[0] for line in lines[3:]] == told


def test_of_a_large_graph_what_matters_is_shown(printed: Show) -> None:
    """Nodes that are evaluated or change; the rest is counted by mode."""
    nodes = [node(f"n{at}", "source") for at in range(ALL_SHOWN)] + [node("h", "n0", backend="host")]
    today = {f"n{at}": "off" for at in range(ALL_SHOWN)} | {"n1": "sync", "n2": "async"}
    lines = lines_of(printed, nodes, today, today | {"n1": "off", "n3": "async"})
    assert [cells(line)[::2] for line in lines[3:6]] == [["n1", "sync -> off"], ["n2", "async"], ["n3", "off -> async"]]
    assert lines[6:] == ["  and 38 nodes more: 37 off today and as advised, 1 host (--json has them all)"]


def test_no_graph_is_longer_than_a_screen(printed: Show) -> None:
    """Where much changes, the first lines are shown and the rest is counted, copies one by one."""
    copies = {f"l.{at}": "async" if at % 2 else "sync" for at in range(500)}
    lines = lines_of(printed, [node("l", "source", repeat=500)], {"l": "off"}, copies)
    assert len(lines) == 3 + ALL_SHOWN + 1
    assert lines[-1] == "  and 460 nodes more: 230 off -> sync, 230 off -> async (--json has them all)"
