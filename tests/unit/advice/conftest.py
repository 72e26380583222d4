"""Graphs made up by hypothesis, and machines whose constants are known, for advice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import strategies as st

from placement_cli.advice.advice import ProfileUse
from placement_cli.advice.flow import Flow, flow_of
from placement_cli.advice.machine import Machine, machine_of
from placement_cli.graph.document.reading import parse_graph
from placement_cli.graph.graph import Graph
from placement_cli.profile.defaults import PUBLISHED, shipped_profile
from placement_cli.timeline.costs import Costs, QueueRule

Document = dict[str, Any]

NAMES = ("a", "filter", "b.1", "scale", "x-y", "model.layers.0", "Bins", "9", "_", "decode", "join", "w", "v", "out")
"""Beginnings of names; a number follows where there are more nodes."""
HOSTILE = ("[red]x[/red]", "[/]", "$(reboot)", "a; b", "<b>&", ":smile:", "\\[x]", "名前", "%s{0}")
"""Texts that are nothing but names."""
FEATURES = (
    *("operators", "hosts", "state", "side", "emits", "chance", "forces", "points", "pinned", "repeat", "lag", "leaky"),
    *("process", "thread", "stream", "limits", "observed", "extremes", "rate", "idle", "loop", "once", "costs"),
)
"""What a graph may have; each has some of it, so that features meet in twos and threes instead of all at once."""
OPERATORS: Mapping[str, Mapping[str, Any]] = {
    "abs": {},
    "sosfilt": {"sections": 3},
    "ewm_scaler": {"time_constant": 100.0},
    "scale": {"gain": 2.5},
    "fir": {"taps": 9},
    "car": {},
    "bin": {"size": 50},
    "downsample": {"factor": 4},
}
"""Operators with one input that keep the rank of messages, and parameters they take."""


def durations(*, extremes: bool = False) -> st.SearchStrategy[str]:
    """Return times of one message, from nothing to a second or, with `extremes`, an hour."""
    usual = st.sampled_from(["0 us", "1 us", "7 us", "30 us", "200 us", "1.5 ms", "6 ms", "40 ms"])
    return usual | st.sampled_from(["0.001 ns", "1 s", "3600 s"]) if extremes else usual


def sizes(*, extremes: bool = False) -> st.SearchStrategy[str]:
    """Return sizes of arrays."""
    usual = st.sampled_from(["0 B", "64 B", "30 KiB", "1 MiB", "33 MiB"])
    return usual | st.sampled_from(["300 GB", "8000000 TiB"]) if extremes else usual


def counts(*, extremes: bool = False) -> st.SearchStrategy[int]:
    """Return counts of kernels, ops and buffers."""
    usual = st.integers(0, 60)
    return usual | st.sampled_from([1000, 10**12]) if extremes else usual


def modes(*, extremes: bool = False) -> st.SearchStrategy[str]:
    """Return modes of an evaluation point, all but `off`."""
    deep = st.sampled_from([1, 2, 4, 100, 1_000_000] if extremes else [1, 2, 3, 7])
    return st.sampled_from(["async", "sync"]) | st.builds("{}:{}".format, st.sampled_from(["window", "every"]), deep)


@st.composite
def costs_of(draw: st.DrawFn, features: set[str], *, host: bool) -> Document:
    """Return some of what can be known about a node."""
    extremes = "extremes" in features
    times, amounts, bytes_ = durations(extremes=extremes), counts(extremes=extremes), sizes(extremes=extremes)
    if host:
        return draw(st.fixed_dictionaries({}, optional={"host": times, "output": bytes_}))
    known = {"build": times, "device": times, "kernels": amounts, "ops": amounts, "output": bytes_}
    if "idle" in features:
        known |= {"device_after_idle": times, "submit": times, "host": times}
    if extremes:
        known |= {"intermediates": bytes_, "weights": bytes_, "buffers": amounts}
    return draw(st.fixed_dictionaries({}, optional=known))


@st.composite
def edges_of(draw: st.DrawFn, before: list[str], everyone: list[str], features: set[str], most: int) -> list[Any]:
    """Return what a node reads: those before it, near ones rather than far ones, and with a lag anyone."""
    found: list[Any] = []
    for _ in range(draw(st.integers(1, most))):
        lag = "lag" in features and draw(st.integers(0, 3)) == 0
        known = [*everyone] if lag else ["source", *before[-4:]]
        edge: Document = {"node": known[-1 - draw(st.integers(0, len(known) - 1))]}
        if lag:
            edge["lag"] = draw(st.sampled_from([1, 1, 2, 10**12] if "extremes" in features else [1, 1, 2]))
        if "leaky" in features and draw(st.booleans()):
            edge["leaky"] = True
        found.append(edge if len(edge) > 1 else edge["node"])
    return found


@st.composite
def behaviour_of(draw: st.DrawFn, features: set[str], *, host: bool) -> Document:
    """Return how a node behaves: state, output, reading, points."""
    node: Document = {}
    states = [state for state, name in (("carried", "state"), ("side", "side")) if name in features]
    if states and not host and draw(st.integers(0, 2)) == 0:
        node["state"] = draw(st.sampled_from(states))
    emissions: list[Any] = [{"every": 4}, {"every": 7}] if "emits" in features else []
    emissions += [{"probability": 0.2}, {"probability": 1.0}, {"every": 3, "probability": 0.5}] * ("chance" in features)
    if "extremes" in features:
        emissions += [{"every": 10**12}, {"probability": 1e-12}][: len(emissions)]
    if emissions and draw(st.integers(0, 3)) == 0:
        node["emits"] = draw(st.sampled_from(emissions))
    if "forces" in features and draw(st.integers(0, 3)) == 0:
        node["forces"] = draw(st.sampled_from(["always", "on-emit"]))
    if "points" in features and not host and draw(st.integers(0, 1)) == 0:
        node["evaluate"] = draw(modes(extremes="extremes" in features))
        if "pinned" in features and draw(st.booleans()):
            node["pinned"] = True
    if "repeat" in features and draw(st.integers(0, 4)) == 0:
        node["repeat"] = draw(st.sampled_from([2, 3]))
    for place in ("process", "thread", "stream"):
        if place in features and draw(st.integers(0, 2)) == 0:
            node[place] = draw(st.sampled_from(HOSTILE[:3]))
    return node


@st.composite
def nodes_of(draw: st.DrawFn, before: list[str], everyone: list[str], features: set[str]) -> Document:
    """Return a node that may read what is `before` it."""
    op = draw(st.sampled_from(sorted(OPERATORS))) if "operators" in features and draw(st.booleans()) else None
    host = op is None and "hosts" in features and draw(st.integers(0, 4)) == 0
    node: Document = {"inputs": draw(edges_of(before, everyone, features, 1 if op else 3))}
    if op is not None:
        node |= {"op": op, "params": dict(OPERATORS[op])} if draw(st.booleans()) else {"op": op}
    if host:
        kind = draw(st.sampled_from(["own", "values", "host"]))
        node |= {"backend": "host"} if kind == "own" or len(node["inputs"]) > 1 else {"op": kind}
    node |= draw(behaviour_of(features, host=host))
    if host or "costs" in features:
        node["costs"] = draw(costs_of(features, host=host))
    return node


@st.composite
def sources_of(draw: st.DrawFn, features: set[str]) -> Document:
    """Return the messages of a graph."""
    shapes = [[30, 256], [64, 256], [20, 4], [512, 1024]]
    extreme = [[1, 1], [1 << 20, 1 << 20]] if "extremes" in features else []
    source: Document = {"shape": draw(st.sampled_from([*shapes, *extreme]))}
    if draw(st.integers(0, 4)) == 0:
        source["dtype"] = draw(st.sampled_from(["float16", "int8", "complex64"]))
    kinds = ["live", "replay"] + ["loop"] * ("loop" in features) + ["once"] * ("once" in features)
    source["kind"] = draw(st.sampled_from(kinds))
    if source["kind"] != "once" and ("rate" in features or source["kind"] == "live"):
        rates = [0.5, 50, 400, 3000] + [1e-9, 1e9] * ("extremes" in features)
        source["rate"] = draw(st.sampled_from(rates))
    if draw(st.booleans()):
        source["messages"] = draw(st.sampled_from([1, 400, 20_000, *([10**12] if extreme else [])]))
    return source


@st.composite
def documents_of(draw: st.DrawFn, most: int = 14) -> Document:
    """Return the document of a valid graph with up to `most` nodes, copies not counted."""
    features = set(draw(st.lists(st.sampled_from(FEATURES), max_size=12)))
    count = draw(st.integers(1, most))
    everyone = [f"{NAMES[n % len(NAMES)]}{n // len(NAMES) or ''}" for n in range(count)]
    document: Document = {
        "version": 1,
        "name": draw(st.sampled_from(HOSTILE)),
        "source": draw(sources_of(features)),
        "nodes": {name: draw(nodes_of(everyone[:number], everyone, features)) for number, name in enumerate(everyone)},
    }
    if "limits" in features:
        limits = {"memory": sizes(extremes="extremes" in features).filter(lambda size: size != "0 B")}
        limits |= {"latency": durations().filter(lambda time: time != "0 us"), "buffers": st.sampled_from([1, 499_000])}
        document["limits"] = draw(st.fixed_dictionaries({}, optional=limits))
    if "observed" in features:
        seen = {"step": st.sampled_from(["2.5 s", "10 us"]), "device_busy": st.sampled_from([0, 0.1, 1])}
        seen |= {"active": sizes(extremes=True), "cache": sizes(extremes=True)}
        document["observed"] = draw(st.fixed_dictionaries({}, optional=seen))
    return document


def read(nodes: str, source: str = "{shape: [30, 256]}", **other: str) -> Graph:
    """Return the graph of these nodes, one a line, this source, and other keys of the document."""
    top = [f"{key}: {value}" for key, value in {"version": "1", "source": source, **other}.items()]
    lines = [f"  {line.strip()}" for line in nodes.strip().splitlines()]
    return parse_graph("\n".join([*top, "nodes:", *lines]) + "\n", "f").graph


@pytest.fixture(scope="session")
def graph_from() -> Callable[..., Graph]:
    """Return the graph of nodes that are written one a line."""
    return read


@pytest.fixture(scope="session")
def flow_from() -> Callable[..., Flow]:
    """Return such a graph written out."""
    return lambda *given, **other: flow_of(read(*given, **other))


def use(confidence: Any) -> ProfileUse:
    """Return a profile that is used with this confidence."""
    return ProfileUse("made up", confidence, "a test needs one", "made up")


SIMPLE = Costs(
    build_node_s=10e-6,
    submit_call_s=20e-6,
    round_trip_s=100e-6,
    boundary_call_s=1e-6,
    ingest_call_s=2e-6,
    queue=QueueRule(calls=63.0),
)
"""Constants that can be added up by head: 10 us a node, 20 us a point, 100 us until values are back."""


@pytest.fixture(scope="session")
def simple() -> Machine:
    """A GPU whose constants can be added up by head."""
    return Machine("metal", SIMPLE, use("calibrated"), byte_s=0.0, kernel_s=50e-6)


@pytest.fixture(scope="session")
def documents() -> Callable[[int], st.SearchStrategy[Document]]:
    """Return the strategy of documents of up to so many nodes."""
    return documents_of


@pytest.fixture(scope="session")
def metal() -> Machine:
    """The machine of the published figures."""
    return machine_of(shipped_profile(PUBLISHED), "metal", use("published"))


CPU = Costs(
    build_op_s=1e-6,
    build_node_s=3e-7,
    submit_call_s=3.7e-6,
    submit_op_s=1.7e-6,
    submit_asleep_s=4.7e-6,
    wake_s=16e-6,
    asleep_after_s=50e-6,
    round_trip_s=20e-6,
    wait_busy_s=2e-6,
    boundary_call_s=6e-7,
    boundary_byte_s=1e-12,
    ingest_call_s=1.3e-6,
    ingest_byte_s=7e-11,
    held_byte_s=1e-13,
    host_slowing={"python": 0.06, "blas": 0.9},
    device_slowing={"python": 0.04},
    idle=((1e-3, 1.0), (6e-3, 1.3)),
    queue=QueueRule(ops=110.0),
    streams=True,
)
"""Every term of the timeline, in the order of magnitude that cost-models.md 2.2 found on x86 cores."""


@pytest.fixture(scope="session")
def cpu(metal: Machine) -> Machine:
    """A machine whose device is the CPU."""
    return replace(metal, kind="cpu", costs=CPU, use=use("assumed"))


@pytest.fixture(scope="session", params=["metal", "cpu"])
def machine(request: pytest.FixtureRequest) -> Machine:
    """Each of the machines."""
    found: Machine = request.getfixturevalue(request.param)
    return found
