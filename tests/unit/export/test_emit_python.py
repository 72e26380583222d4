"""Advice as Python: what is printed runs, and evaluates what it should."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from placement_cli.export.emit_python import emit_python
from placement_cli.graph.graph import Edge, Graph, GraphNode, GraphSource, State
from placement_cli.graph.mode import ASYNC, OFF, SYNC, Mode, every, window

HOSTILE = 'a\nraise SystemExit(\'"""\r\f\x00\u2028\u202e\ud800 # coding: utf-7 +AAo-raise'


class FakeArray:
    """Stands for an array of MLX."""


class FakeMlx(SimpleNamespace):
    """Stands for `mlx.core`, and notes what it is asked to evaluate."""

    array = FakeArray

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[object, ...]]] = []

    def eval(self, *arrays: object) -> None:
        """Note a wait."""
        self.calls.append(("eval", arrays))

    def async_eval(self, *arrays: object) -> None:
        """Note a submission."""
        self.calls.append(("async_eval", arrays))


@pytest.fixture
def mlx(monkeypatch: pytest.MonkeyPatch) -> FakeMlx:
    """Takes the place of MLX."""
    fake = FakeMlx()
    monkeypatch.setitem(__import__("sys").modules, "mlx.core", fake)
    return fake


def graph(*names: str, state: State = "none", repeat: int = 1) -> Graph:
    """A chain of these nodes; state and repeat are those of the last."""
    reads = ["source", *names]
    nodes = [GraphNode(name, (Edge(reads[at]),)) for at, name in enumerate(names[:-1])]
    last = GraphNode(names[-1], (Edge(reads[-2]),), state=state, repeat=repeat)
    return Graph(GraphSource(30, 64), (*nodes, last), name="g")


def run(text: str) -> dict[str, Any]:
    """Execute the source as a file would be, and return its names."""
    names: dict[str, Any] = {}
    exec(compile(text.encode(), "points.py", "exec", dont_inherit=True), names)
    return names


def emitted(mode: Mode, today: Mode = OFF, **how: Any) -> dict[str, Any]:
    """Return the names of what is printed for one node whose mode changes."""
    made = graph("a", **how)
    return run(emit_python(made, {"a": mode}, {"a": today}))


def test_what_is_printed(snapshot: SnapshotAssertion) -> None:
    """The source is as it was looked at and found good."""
    made = graph("filter", "class", "rectify", "layer", repeat=3)
    advised = {"filter": OFF, "class": window(2), "rectify": ASYNC, "layer": every(4)}
    assert emit_python(made, advised, {"filter": SYNC}) == snapshot


@pytest.mark.parametrize(("mode", "call"), [(ASYNC, "async_eval"), (SYNC, "eval")])
def test_a_mode_evaluates_the_output(mode: Mode, call: str, mlx: FakeMlx) -> None:
    """At once, and gives it back; what is no array of MLX passes."""
    after, output = emitted(mode, window(3))["after_a"], FakeArray()
    assert after(output) is output
    assert after(None) is None
    assert mlx.calls == [(call, (output,))]


def test_a_window_waits_for_the_message_so_many_back(mlx: FakeMlx) -> None:
    """And at the end for those that are still in flight."""
    names, outputs = emitted(window(2)), [FakeArray() for _ in range(3)]
    assert [names["after_a"](output) for output in outputs] == outputs
    assert mlx.calls == [*(("async_eval", (output,)) for output in outputs), ("eval", (outputs[0],))]
    names["finish"]()
    assert mlx.calls[4:] == [("eval", (outputs[1],)), ("eval", (outputs[2],))]


def test_every_so_many_messages_one_is_evaluated(mlx: FakeMlx) -> None:
    """The rest when all is over."""
    names, outputs = emitted(every(2)), [FakeArray() for _ in range(3)]
    for output in outputs:
        names["after_a"](output)
    names["finish"]()
    assert mlx.calls == [("eval", (outputs[1],)), ("eval", (outputs[2],))]


@pytest.mark.parametrize(
    ("mode", "calls"), [(ASYNC, ["async_eval"]), (window(1), ["async_eval"]), (every(1), ["eval"])]
)
def test_a_state_beside_the_output_goes_into_the_same_call(mode: Mode, calls: list[str], mlx: FakeMlx) -> None:
    """Where no output depends on it."""
    after, output, state = emitted(mode, state="side")["after_a"], FakeArray(), FakeArray()
    assert after(output, state) is output
    assert mlx.calls == [(call, (output, state)) for call in calls]


def test_copies_count_their_messages_each(mlx: FakeMlx) -> None:
    """A window over the copies together would be as many times too short."""
    names = emitted(window(1), repeat=2)
    for copy in (0, 1):
        names["after_a"](FakeArray(), copy)
    assert [call for call, _ in mlx.calls] == ["async_eval"] * 2
    names["finish"]()
    assert [call for call, _ in mlx.calls[2:]] == ["eval"] * 2


def test_what_stays_is_not_added() -> None:
    """Nor what goes, which is told; a graph to leave alone is told too."""
    text = emit_python(graph("a", "b"), {"a": OFF, "b": ASYNC}, {"a": SYNC, "b": ASYNC})
    assert "# 'a': sync -> off: take the evaluation away" in text
    assert ast.parse(text).body == []
    assert "Nothing to change" in emit_python(graph("a"), {"a": OFF}, {"a": OFF})


@pytest.mark.parametrize("mode", [ASYNC, SYNC, window(2), every(2), OFF])
def test_names_are_data(mode: Mode) -> None:
    """Newlines, quotes, controls and encodings never leave comments, keywords are no functions, names stay apart."""
    names = (HOSTILE, "class", "after_b", "b_window", "b", "a raise")
    text = emit_python(graph(*names), dict.fromkeys(names, mode), dict.fromkeys(names, window(9)))
    body = ast.parse(text.encode()).body
    assert {type(part) for part in body} <= {ast.ImportFrom, ast.Assign, ast.FunctionDef}
    functions = {part.name for part in body if isinstance(part, ast.FunctionDef)} - {"finish"}
    assert len(functions) == (0 if mode is OFF else len(names))
    run(text)
