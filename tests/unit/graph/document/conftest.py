"""Graphs made up by hypothesis, as any document could describe them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

from placement_cli.graph.graph import (
    ALWAYS,
    DTYPE_BYTES,
    BlockShape,
    Costs,
    Edge,
    Emission,
    Graph,
    GraphNode,
    GraphSource,
    Limits,
    Observed,
    Platform,
)
from placement_cli.graph.mode import ASYNC, OFF, SYNC, Mode, every, window
from placement_cli.graph.pipeline import SOURCE

PARAMS: dict[str | None, dict[str, Any]] = {
    None: {},
    "abs": {},
    "sosfilt": {"sections": 3},
    "scale": {"gain": 2.5},
    "bin": {"size": 50},
    "downsample": {"factor": 4},
    "values": {},
    "host": {"kind": "sleep"},
}
HOST = {"values", "host"}

words = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12)
names = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,10}", fullmatch=True).filter(lambda name: name != SOURCE)
seconds = st.one_of(st.sampled_from([0.0, 0.002, 17e-6, 2.5]), st.floats(0, 3600))
sizes = st.one_of(st.sampled_from([0, 64, 33 << 20, 512 * 10**6]), st.integers(0, 2**63 - 1))
counts = st.integers(0, 10**12)
modes = st.one_of(
    st.sampled_from([OFF, ASYNC, SYNC]),
    st.builds(window, st.integers(1, 10**6)),
    st.builds(every, st.integers(1, 10**6)),
)
emissions = st.builds(
    Emission,
    every=st.integers(1, 10**12),
    probability=st.none() | st.floats(0, 1, exclude_min=True),
)


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return nothing, or what the strategy gives."""
    return st.none() | strategy


costs = st.builds(
    Costs,
    build_s=maybe(seconds),
    submit_s=maybe(seconds),
    device_s=maybe(seconds),
    device_after_idle_s=maybe(seconds),
    host_s=maybe(seconds),
    kernels=maybe(counts),
    ops=maybe(counts),
    output_bytes=maybe(sizes),
    weights_bytes=maybe(sizes),
    intermediates_bytes=maybe(sizes),
    buffers=maybe(counts),
)


@st.composite
def sources(draw: st.DrawFn) -> GraphSource:
    """Return messages of any kind."""
    kind = draw(st.sampled_from(["live", "replay", "loop", "once"]))
    rate = None if kind == "once" else draw(maybe(st.floats(1e-3, 1e9)))
    samples, channels = draw(st.integers(1, 2**20)), draw(st.integers(1, 2**20))
    dtype = draw(st.sampled_from(sorted(DTYPE_BYTES)))
    return GraphSource(samples, channels, dtype, rate, draw(maybe(st.integers(1, 10**12))), kind)


@st.composite
def nodes_called(draw: st.DrawFn, name: str, before: list[str], everyone: list[str]) -> GraphNode:
    """Return a node that reads those before it, and earlier messages of anyone."""
    op = draw(st.sampled_from(list(PARAMS)))
    edges = st.builds(Edge, st.sampled_from([SOURCE, *before]), st.just(0), st.booleans()) | st.builds(
        Edge, st.sampled_from([SOURCE, *everyone]), st.integers(1, 10**12), st.booleans()
    )
    backend = "host" if op in HOST else draw(st.sampled_from(["mlx", "host"]))
    mode = OFF if backend == "host" else draw(modes)
    return GraphNode(
        name,
        tuple(draw(st.lists(edges, min_size=1, max_size=1 if op else 3))),
        op=op,
        params=draw(st.sampled_from([{}, PARAMS[op]])),
        repeat=draw(st.sampled_from([1, 1, 2, 4096])) if "." not in name else 1,
        backend=backend,
        state=draw(st.sampled_from(["none", "carried", "side"])),
        emits=draw(st.just(ALWAYS) | emissions),
        forces=draw(st.sampled_from(["never", "always", "on-emit"])),
        evaluate=mode,
        pinned=mode != OFF and draw(st.booleans()),
        costs=draw(st.just(Costs()) | costs),
        process=draw(st.just("") | words),
        thread=draw(st.just("") | words),
        stream=draw(st.just("") | words),
        device=draw(maybe(words)),
        weights=draw(maybe(words.map(lambda word: f"{word}.npy"))),
        blocks=draw(maybe(st.builds(BlockShape, st.integers(1, 10**6), st.integers(1, 2**31), st.integers(1, 2**31)))),
    )


@st.composite
def any_graphs(draw: st.DrawFn) -> Graph:
    """Return a graph of up to four nodes."""
    everyone = draw(
        st.lists(names.filter(lambda name: not name.endswith(tuple("0123456789"))), min_size=1, max_size=4, unique=True)
    )
    nodes = tuple(draw(nodes_called(name, everyone[:index], everyone)) for index, name in enumerate(everyone))
    return Graph(
        draw(sources()),
        nodes,
        name=draw(st.just("") | words),
        device=draw(st.sampled_from([None, "gpu", "cpu"])),
        platform=Platform(
            draw(st.sampled_from([None, "metal", "cuda", "none"])), draw(st.sampled_from([None, "0.32", "0.32.4"]))
        ),
        limits=Limits(
            draw(maybe(sizes.filter(bool))), draw(maybe(seconds.filter(bool))), draw(maybe(counts.filter(bool)))
        ),
        observed=Observed(
            draw(maybe(seconds.filter(bool))), draw(maybe(st.floats(0, 1))), draw(maybe(sizes)), draw(maybe(sizes))
        ),
    )


@pytest.fixture(scope="session")
def graphs() -> st.SearchStrategy[Graph]:
    """Graphs with anything in them that a document can say."""
    return any_graphs()


@pytest.fixture(scope="session")
def any_modes() -> st.SearchStrategy[Mode]:
    """Every mode of an evaluation point."""
    return modes
