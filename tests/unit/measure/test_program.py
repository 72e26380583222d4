"""The written-out loop does what an interpreter of the pipeline would do, and keeps nothing alive."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.graph.pipeline import SOURCE, Node, Pipeline, Source
from placement_cli.measure.program import Parts, sinks, source_of, write_run

HOSTILE_NAMES = ("v0", "message", "run", "step0", "lambda", "'); raise SystemExit #", "\n    break", "{0}", "名", "")
Event = tuple[Any, ...]


@st.composite
def pipelines(draw: st.DrawFn) -> Pipeline:
    """Draw a pipeline of any topology with any names; operators do not matter here."""
    names = draw(st.lists(st.one_of(st.sampled_from(HOSTILE_NAMES), st.text()), min_size=1, max_size=7, unique=True))
    known = [SOURCE]
    nodes = []
    for name in [name for name in names if name != SOURCE] or ["node"]:
        inputs = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3))
        nodes.append(Node(name, "any", tuple(inputs)))
        known.append(name)
    return Pipeline(Source(4, 4, 1), tuple(nodes))


@dataclass
class Recorder:
    """Steps, points and ends that write down what they were called with; steps count, which is their state."""

    pipeline: Pipeline
    sites: Sequence[str] = ()
    states: bool = False
    keeps: Sequence[str] = ()
    converts: bool = False
    events: list[Event] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def ingest(self, message: Any) -> Any:
        """Make an array of a message."""
        self.events.append(("ingest", message))
        return ("array", message)

    def step(self, name: str, *values: Any) -> Any:
        """Compute one node."""
        self.counts[name] = self.counts.get(name, 0) + 1
        self.events.append(("step", name, values))
        return (name, self.counts[name], values)

    def state(self, name: str) -> list[Any]:
        """Return the state of a node."""
        return [(name, self.counts.get(name, 0))]

    def note(self, kind: str, name: str) -> Callable[..., None]:
        """Return a function that writes down that it was called."""
        return lambda *values: self.events.append((kind, name, *values))

    def parts(self) -> Parts:
        """Return what the loop calls."""
        nodes = self.pipeline.nodes
        return Parts(
            ingest=self.ingest,
            steps={node.name: partial(self.step, node.name) for node in nodes},
            points={site: self.note("point", site) for site in self.sites},
            states=[partial(self.state, node.name) for node in nodes] if self.states else (),
            keeps={name: self.note("keep", name) for name in self.keeps},
            convert=self.note("convert", "") if self.converts else None,
        )

    def interpret(self, messages: Sequence[Any]) -> tuple[Any, ...]:
        """Run the pipeline node by node, as a person would write it down."""
        values: dict[str, Any] = {}
        for message in messages:
            values = {SOURCE: self.ingest(message)}
            for node in self.pipeline.nodes:
                values[node.name] = self.step(node.name, *(values[name] for name in node.inputs))
                if node.name in self.sites:
                    carried = [array for other in self.pipeline.nodes for array in self.state(other.name)]
                    self.note("point", node.name)(values[node.name], *(carried if self.states else ()))
            ends = [values[name] for name in sinks(self.pipeline)]
            for name in self.keeps:
                self.note("keep", name)(values[name])
            for end in ends if self.converts else ():
                self.note("convert", "")(end)
        return tuple(values.get(name) for name in sinks(self.pipeline))


@st.composite
def programs(draw: st.DrawFn) -> tuple[Recorder, Recorder]:
    """Draw the same program twice: one to be written out, one to be interpreted."""
    pipeline = draw(pipelines())
    names = [node.name for node in pipeline.nodes]
    sites = draw(st.lists(st.sampled_from(names), unique=True))
    keeps = draw(st.lists(st.sampled_from(sinks(pipeline)), unique=True))
    states, converts = draw(st.booleans()), draw(st.booleans())
    return (
        Recorder(pipeline, sites, states, keeps, converts),
        Recorder(pipeline, sites, states, keeps, converts),
    )


@given(programs(), st.integers(0, 4))
@settings(deadline=None)
def test_loop_does_what_an_interpreter_does(programs: tuple[Recorder, Recorder], messages: int) -> None:
    """For any topology, sites, states, keeping and conversion the calls, their order and the outputs are equal."""
    written, read = programs
    fed = [f"message {number}" for number in range(messages)]
    assert write_run(written.pipeline, written.parts())(fed) == read.interpret(fed)
    assert written.events == read.events


@given(pipelines(), st.booleans())
@settings(deadline=None)
def test_names_never_enter_the_source(pipeline: Pipeline, points: bool) -> None:
    """The source is the same whatever the nodes are called."""
    renamed = {SOURCE: SOURCE} | {node.name: f"plain{index}" for index, node in enumerate(pipeline.nodes)}
    nodes = (Node(renamed[node.name], "any", tuple(renamed[name] for name in node.inputs)) for node in pipeline.nodes)
    plain = Pipeline(pipeline.source, tuple(nodes))
    sources = [
        source_of(each, Recorder(each, [node.name for node in each.nodes] if points else (), states=True).parts())
        for each in (pipeline, plain)
    ]
    assert sources[0] == sources[1]


class Value:
    """An output that does not know its inputs, so that only the loop can keep those alive."""


@dataclass
class Watch:
    """Steps that look, whenever something is called, at which outputs of the message are still alive."""

    pipeline: Pipeline
    alive: dict[str, weakref.ref[Value]] = field(default_factory=dict)
    leaks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.last_reader = {SOURCE: -1}
        for index, node in enumerate(self.pipeline.nodes):
            self.last_reader |= dict.fromkeys(node.inputs, index)

    def parts(self) -> Parts:
        """Return steps and a point at every node, all of which look."""
        indices = {node.name: index for index, node in enumerate(self.pipeline.nodes)}
        return Parts(
            ingest=lambda message: self.made(SOURCE, -1),
            steps={name: partial(self.made, name, index) for name, index in indices.items()},
            points={name: partial(self.look, index) for name, index in indices.items()},
        )

    def made(self, name: str, index: int, *_: Value) -> Value:
        """Look before a node makes its output: only what this node or a later one reads may be alive."""
        self.look(index - 1)
        value = Value()
        self.alive[name] = weakref.ref(value)
        return value

    def look(self, done: int, *_: Value) -> None:
        """Note every intermediate that is alive although its last reader, at most node `done`, has run."""
        for name, last in self.last_reader.items():
            if name in self.alive and last <= done and self.alive[name]() is not None and done >= 0:
                self.leaks.append(f"{name!r} after node {done}")


@given(pipelines(), st.integers(1, 3))
@settings(deadline=None)
def test_intermediates_die_with_their_last_reader(pipeline: Pipeline, messages: int) -> None:
    """Whatever the topology, no local name keeps a value once the last node that reads it has run."""
    watch = Watch(pipeline)
    write_run(pipeline, watch.parts())(list(range(messages)))
    assert not watch.leaks


def test_chain_needs_one_slot() -> None:
    """In a chain every output takes the place of its input."""
    nodes = tuple(Node(f"n{i}", "any", (f"n{i - 1}" if i else SOURCE,)) for i in range(5))
    chain = Pipeline(Source(4, 4, 1), nodes)
    source = source_of(chain, Recorder(chain).parts())
    assert "v0 = step4(v0)" in source
    assert "v1" not in source


def test_point_comes_right_after_its_node() -> None:
    """A point is called with the node's output and the newest states before the next node begins."""
    nodes = (Node("first", "any", (SOURCE,)), Node("second", "any", ("first",)))
    recorder = Recorder(Pipeline(Source(4, 4, 1), nodes), sites=["first"], states=True)
    write_run(recorder.pipeline, recorder.parts())(["m"])
    assert [event[:2] for event in recorder.events] == [
        ("ingest", "m"),
        ("step", "first"),
        ("point", "first"),
        ("step", "second"),
    ]
    output = ("first", 1, (("array", "m"),))
    assert recorder.events[2] == ("point", "first", output, ("first", 1), ("second", 0))


def test_sinks_are_what_nobody_reads() -> None:
    """The sinks of a pipeline are its unread nodes, in its order."""
    nodes = (
        Node("a", "any", (SOURCE,)),
        Node("b", "any", ("a",)),
        Node("c", "any", (SOURCE,)),
        Node("d", "any", ("a", "c")),
    )
    assert sinks(Pipeline(Source(4, 4, 1), nodes)) == ("b", "d")


def test_errors_of_a_step_pass_through() -> None:
    """What a step raises is raised by the loop."""

    def fail(_: Any) -> Any:
        raise ZeroDivisionError("step")

    pipeline = Pipeline(Source(4, 4, 1), (Node("a", "any", (SOURCE,)),))
    with pytest.raises(ZeroDivisionError, match="step"):
        write_run(pipeline, Parts(lambda message: message, {"a": fail}, {}))([1])
