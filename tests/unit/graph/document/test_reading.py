"""What graph.yaml may say, what follows from it, and where its mistakes are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.errors import UsageError
from placement_cli.graph.document.reading import LIMITS, graph_of, load_graph, parse_graph
from placement_cli.graph.graph import (
    ALWAYS,
    BlockShape,
    Costs,
    Edge,
    Emission,
    Graph,
    GraphSource,
    Limits,
    Observed,
    Platform,
)
from placement_cli.graph.mode import OFF, SYNC, window
from placement_cli.located.yaml import YamlLimits, read_yaml_file

MUTATIONS = int(os.environ.get("PLACEMENT_GRAPH_MUTATIONS", "300"))
"""How many damaged documents are read; before a release 5000."""
CASES = sorted((Path(__file__).parents[3] / "data" / "cases").glob("*.yaml"))

GRAPH = """\
version: 1
name: band power
source: {shape: [30, 256], rate: 1000}
platform: {gpu: metal, mlx: 0.32.4}
limits: {memory: 512 MiB, latency: 5 ms, buffers: 499000}
observed: {step: 2.5 s, device_busy: 0.1, active: 3 GiB}
nodes:
  filter: {op: sosfilt, params: {sections: 2}, inputs: source}
  bins:   {op: bin, inputs: filter, evaluate: "window:4", pinned: true}
  mix: {inputs: [bins, {node: mix, lag: 1}], emits: {every: 2}, costs: {device: 2 ms}, blocks: {count: 8, shape: [2,3]}}
  decode: {backend: host, inputs: mix, repeat: 2, stream: s}
"""


def graph_from(nodes: str, source: str = "{shape: [20, 4]}") -> Graph:
    """Return the graph of these nodes, one a line."""
    return parse_graph(f"version: 1\nsource: {source}\nnodes:\n{nodes}\n", "f").graph


def test_a_graph_is_read_as_written() -> None:
    """Names, units and modes become plain values; what is not said is not known."""
    graph = parse_graph(GRAPH, "f").graph

    assert graph.name == "band power"
    assert graph.device is None
    assert graph.source == GraphSource(30, 256, "float32", 1000.0, None, "live")
    assert graph.platform == Platform("metal", "0.32.4")
    assert graph.limits == Limits(512 << 20, 0.005, 499_000)
    assert graph.observed == Observed(2.5, 0.1, 3 << 30)
    assert graph.node("filter").params == {"sections": 2}
    assert graph.node("bins").evaluate == window(4)
    assert graph.node("bins").pinned
    assert graph.node("mix").inputs == (Edge("bins"), Edge("mix", lag=1))
    assert graph.node("mix").costs == Costs(device_s=0.002)
    assert graph.node("mix").blocks == BlockShape(8, 2, 3)
    assert graph.node("decode").repeat == 2
    assert graph.node("decode").stream == "s"


def test_what_an_operator_does_is_filled_in() -> None:
    """Where it works, whether it carries state, and when it gives output."""
    graph = graph_from(
        "  a: {op: sosfilt, inputs: source}\n"
        "  b: {op: bin, params: {size: 50}, inputs: a}\n"
        "  c: {op: values, inputs: b}\n"
        "  d: {op: bin, inputs: a, state: none, emits: always, backend: host}\n"
        "  e: {inputs: d}"
    )

    found = [(node.backend, node.state, node.emits) for node in graph.nodes]
    assert found[:2] == [("mlx", "carried", ALWAYS), ("mlx", "carried", Emission(3))]
    assert found[2:] == [("host", "none", ALWAYS), ("host", "none", ALWAYS), ("mlx", "none", ALWAYS)]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("{shape: [1, 1]}", "replay"),
        ("{shape: [1, 1], rate: 31.25}", "live"),
        ("{shape: [1, 1], rate: 5, kind: replay}", "replay"),
        ("{shape: [1, 1], kind: loop}", "loop"),
        ("{shape: [1, 1], kind: once}", "once"),
    ],
)
def test_messages_that_come_at_a_rate_are_live(source: str, kind: str) -> None:
    """Unless the document says something else."""
    assert graph_from("  a: {inputs: source}", source).source.kind == kind


@pytest.mark.parametrize("written", ["off", "false", "'off'"])
def test_yamls_false_is_off(written: str) -> None:
    """Writers of YAML 1.1 spell the mode off as false."""
    assert graph_from(f"  a: {{inputs: source, evaluate: {written}}}").node("a").evaluate == OFF


def test_nodes_come_in_the_order_of_the_document_but_after_their_inputs() -> None:
    """An input of an earlier message need not come before."""
    graph = graph_from(
        "  c: {inputs: [b, {node: d, lag: 2}]}\n  a: {inputs: source}\n  d: {inputs: a}\n  b: {inputs: a}"
    )

    assert [node.name for node in graph.nodes] == ["a", "d", "b", "c"]


def test_shapes_are_checked_as_far_as_they_are_known() -> None:
    """Nothing is known behind a node without operator, nor of integers, which no operator takes."""
    assert graph_from("  a: {inputs: source}\n  b: {op: window, inputs: a}\n  c: {op: bin, inputs: b}")
    assert graph_from("  a: {op: window, inputs: source}\n  b: {op: bin, inputs: a}", "{shape: [20, 4], dtype: int32}")
    with pytest.raises(UsageError, match=r"^f:5:24: node 'b': bin takes samples x channels, not an array of shape"):
        graph_from("  a: {op: window, inputs: source}\n  b: {op: bin, inputs: a}")


def test_copies_are_checked_one_after_the_other() -> None:
    """The second of two windows would get windows."""
    with pytest.raises(UsageError, match=r"^f:4:38: node 'a': window takes samples x channels"):
        graph_from("  a: {op: window, repeat: 2, inputs: source}")


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_cases_are_graphs(path: Path) -> None:
    """Each case of a real person is one."""
    limits = YamlLimits("a case", LIMITS.max_bytes, LIMITS.max_depth + 1, LIMITS.max_values)
    graph = read_yaml_file(path, path.name, limits)[0]["graph"]

    assert [node.name for node in graph_of(graph).nodes] == list(graph["nodes"])


def test_all_cases_are_there() -> None:
    """Sixteen of them."""
    assert len(CASES) == 16


ERRORS = [
    ("version: 1", "version: 2", "1:10: version: version 2 is newer than this program reads; expected 1"),
    ("version: 1", "version: '1'", "1:10: version: expected 1"),
    ("version: 1\n", "", "1:1: the graph needs the key 'version'"),
    ("name: band power", "nme: x", "2:1: 'nme' is no key of the graph. Did you mean 'name'?"),
    ("name: band power", "name: 3", "2:7: name: expected one line of text, at most 200 characters, not '3'; put it"),
    ("name: band power", "name: ''", "2:7: name: expected one line of text"),
    ("name: band power", "device: gup", "2:9: device: 'gup' is not a device. Did you mean 'gpu'?"),
    ("shape: [30, 256]", "shape: [30]", "3:17: source.shape: expected two whole numbers from 1 to 2147483648"),
    ("shape: [30, 256]", "shape: [30, 0]", "3:17: source.shape: expected two whole numbers"),
    ("shape: [30, 256]", "shape: [30, true]", "3:17: source.shape: expected two whole numbers"),
    ("shape: [30, 256]", "shape: [30, 2147483649]", "3:17: source.shape: expected two whole numbers"),
    ("shape: [30, 256]", "shape: 30x256", "3:17: source.shape: expected two whole numbers"),
    (
        "shape: [30, 256]",
        "shape: [2147483648, 2147483648]",
        "3:17: one message is larger than any memory; expected smaller numbers",
    ),
    ("{shape: [30, 256], ", "{", "3:9: source needs the key 'shape'"),
    ("rate: 1000", "dtype: flot32", "3:35: source.dtype: 'flot32' is not an element type. Did you mean 'float32'?"),
    ("rate: 1000", "rate: 0", "3:34: source.rate: expected a number above 0 and at most 1000000000, not '0'"),
    ("rate: 1000", "rate: -1", "3:34: source.rate: expected a number above 0"),
    ("rate: 1000", "rate: 1e400", "3:34: '1e400' is not a plain decimal number"),
    ("rate: 1000", "rate: true", "3:34: source.rate: expected a number above 0 and at most 1000000000, not true or"),
    ("rate: 1000", "rate: .nan", "3:34: '.nan' is not a plain decimal number"),
    ("rate: 1000", "rate: ", "3:33: source.rate: expected a number above 0 and at most 1000000000, not nothing"),
    ("rate: 1000", "messages: 0", "3:38: source.messages: expected a whole number from 1 to 1000000000000, not '0'"),
    ("rate: 1000", "kind: lve", "3:34: source.kind: 'lve' is not a kind of source. Did you mean 'live'?"),
    ("rate: 1000", "rate: 1000, kind: once", "3:28: kind once is a single pass, which has no rate"),
    ("gpu: metal", "gpu: vulkan", "4:17: platform.gpu: 'vulkan' is not a backend of MLX. Known: metal, cuda, none."),
    ("mlx: 0.32.4", "mlx: 0.32", "4:29: platform.mlx: expected a version such as 0.32.4, not '0.32'; put it in quotes"),
    ("memory: 512 MiB", "memory: 512", "5:18: limits.memory: '512' is not a size: write a number and a unit"),
    ("memory: 512 MiB", "memory: 0 B", "5:18: limits.memory: expected a size above zero, not '0 B'"),
    ("memory: 512 MiB", "memory: 9000000 TiB", "5:18: limits.memory: '9000000 TiB' is not a size"),
    ("latency: 5 ms", "latency: 5 mS", "5:36: limits.latency: '5 mS' is not a duration: write a number and a unit"),
    ("latency: 5 ms", "latency: 0 s", "5:36: limits.latency: expected a duration above zero, not '0 s'"),
    ("latency: 5 ms", "latency: 2 h", "5:36: limits.latency: '2 h' is longer than 1 h, the most there may be"),
    ("latency: 5 ms", "latncy: 5 ms", "5:27: 'latncy' is no key of limits. Did you mean 'latency'?"),
    ("device_busy: 0.1", "device_busy: 1.1", "6:38: observed.device_busy: expected a number from 0 to 1"),
    ("active: 3 GiB", "active: -3 GiB", "6:51: observed.active: '-3 GiB' is not a size"),
    ("  filter: ", "  source: ", "8:3: node 'source': 'source' is the message that comes in; call the node something"),
    (
        "  filter: ",
        "  'a b': ",
        "8:3: node 'a b': 'a b' is not a name; expected up to 128 letters, digits, '_', '-' and",
    ),
    ("  filter: ", "  .a: ", "8:3: node '.a': '.a' is not a name"),
    ("  filter: ", "  " + "x" * 129 + ": ", "8:3: node 'xxxx"),
    ("  filter: ", "  bins: ", "9:3: key 'bins' is given twice (first in line 8)"),
    ("op: sosfilt", "op: sosfit", "8:16: There is no operator 'sosfit'. Did you mean 'sosfilt'?"),
    ("op: sosfilt", "oop: sosfilt", "8:12: 'oop' is no key of node 'filter'. Did you mean 'op'?"),
    ("op: sosfilt, ", "", "8:12: node 'filter' has parameters but no 'op'"),
    ("sections: 2", "section: 2", "8:34: 'section' is no parameter of sosfilt. Did you mean 'sections'?"),
    ("sections: 2", "sections: 0", "8:44: sosfilt: parameter 'sections' is 0, but must be a whole number from 1 to"),
    ("sections: 2", "sections: true", "8:44: node 'filter'.params.sections: expected a number or a word, not true or"),
    ("inputs: source", "inputs: sauce", "8:56: node 'filter' reads 'sauce', which is no node of the graph. Did you"),
    ("inputs: source", "inputs: []", "8:56: node 'filter'.inputs: is empty; expected the name of a node, 'source', or"),
    ("inputs: source", "inputs: 3", "8:56: node 'filter'.inputs.0.node: '3' is not a name"),
    (", inputs: source", "", "8:11: node 'filter' needs the key 'inputs'"),
    (
        "inputs: source",
        "inputs: mix",
        "8:56: nodes form a cycle: filter -> bins -> mix -> filter; what is of an earlier message is read as {node: m",
    ),
    ("lag: 1", "lag: 0", "10:24: nodes form a cycle: mix -> mix; "),
    ("lag: 1", "lag: -1", "10:41: node 'mix'.inputs.1.lag: expected a whole number from 0 to 1000000000000, not '-1'"),
    ("lag: 1", "leak: true", "10:36: 'leak' is no key of node 'mix'.inputs.1. Did you mean 'leaky'?"),
    ("lag: 1", "leaky: yes", "10:43: node 'mix'.inputs.1.leaky: expected true or false, not 'yes'"),
    ("node: mix, lag", "lag", "10:24: node 'mix'.inputs.1 needs the key 'node'"),
    ('"window:4"', "window:0", "9:47: node 'bins'.evaluate: window needs a whole number from 1 to 1000000"),
    (
        '"window:4"',
        "asinc",
        "9:47: node 'bins'.evaluate: 'asinc' is no mode; expected one of off, async, sync, window:K",
    ),
    ('"window:4"', "true", "9:47: node 'bins'.evaluate: true or false is no mode; expected one of off, async"),
    ('"window:4"', "off", "9:52: node 'bins' has no evaluation point to pin; expected an 'evaluate' other than off"),
    ("op: bin, ", "op: bin, backend: host, ", "9:52: node 'bins' works on the host, where values are there already"),
    ("op: bin, ", "op: values, backend: mlx, ", "9:33: values works on the host; expected host, or no backend"),
    ("{every: 2}", "{every: 0}", "10:61: node 'mix'.emits.every: expected a whole number from 1 to 1000000000000"),
    ("{every: 2}", "{probability: 0}", "10:67: node 'mix'.emits.probability: expected a number above 0 and at most 1"),
    ("{every: 2}", "{}", "10:53: node 'mix'.emits: expected always, {every: 4} or {probability: 0.2}, not a mapping"),
    ("{every: 2}", "sometimes", "10:53: node 'mix'.emits: expected always, {every: 4} or {probability: 0.2}, not"),
    ("device: 2 ms", "devise: 2 ms", "10:73: 'devise' is no key of node 'mix'.costs. Did you mean 'device'?"),
    ("device: 2 ms", "device: 61 min", "10:81: node 'mix'.costs.device: '61 min' is longer than 1 h"),
    ("device: 2 ms", "kernels: 1.5", "10:82: node 'mix'.costs.kernels: expected a whole number from 0 to"),
    ("count: 8", "count: 0", "10:104: node 'mix'.blocks.count: expected a whole number from 1 to 1000000, not '0'"),
    ("stream: s", "stream: 1", "11:59: node 'decode'.stream: expected one line of text, at most 200 characters, not"),
    ("stream: s", "weights: w.mtx", "11:60: node 'decode'.weights: expected the path of a file that ends in .npy or"),
    (
        "stream: s",
        "forces: allways",
        "11:59: node 'decode'.forces: 'allways' is not a way to force values. Did you mean",
    ),
    ("repeat: 2", "repeat: 0", "11:48: node 'decode'.repeat: expected a whole number from 1 to 4096, not '0'"),
    ("repeat: 2", "repeat: 4097", "11:48: node 'decode'.repeat: expected a whole number from 1 to 4096, not '4097'"),
    (
        "  filter: {",
        "  decode.1: {inputs: source}\n  filter: {",
        "8:3: node 'decode.1' is called like a copy of 'decode'",
    ),
    ("nodes:", "nodes: {}\nnotes:", "7:8: nodes: is empty; expected at least one"),
    ("name: band power", "name: &a x", "2:7: anchors (&) and aliases (*) are not taken"),
    ("name: band power", "name: [", "4:1: is not YAML"),
]


@pytest.mark.parametrize(("old", "new", "message"), ERRORS)
def test_each_mistake_is_named_with_file_line_and_column(old: str, new: str, message: str) -> None:
    """One sentence says where, what, and what would be right."""
    assert old in GRAPH
    with pytest.raises(UsageError) as raised:
        parse_graph(GRAPH.replace(old, new, 1), "f.yaml")

    assert str(raised.value).startswith(f"f.yaml:{message}")
    assert "\n" not in str(raised.value)


def test_too_many_copies_are_refused() -> None:
    """Five times 4096 are more nodes than can be reasoned about."""
    with pytest.raises(UsageError, match=r"^f:8:32: with its copies the graph has more than 20000 nodes"):
        graph_from("\n".join(f"  n{index}: {{inputs: source, repeat: 4096}}" for index in range(5)))


def test_a_long_cycle_is_told_in_short() -> None:
    """The names of a few of its nodes are enough."""
    nodes = "\n".join(f"  n{index}: {{inputs: n{(index - 1) % 500}}}" for index in range(500))
    with pytest.raises(UsageError, match=r"^f:4:16: nodes form a cycle: n0 -> n1 .* n11 -> ... 488 more -> n0; "):
        graph_from(nodes)


@pytest.mark.parametrize("text", ["null", "3", "[1]", "text"])
def test_a_document_must_be_a_mapping(text: str) -> None:
    """Anything else is no graph."""
    with pytest.raises(UsageError, match="f:1:1: expected a mapping"):
        parse_graph(text, "f")


BOMBS = {
    "aliases": "a: &a [1]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(9)),
    "deep lists": "[" * 1_000_000,
    "deep mappings": "{a: " * 500_000,
    "deep blocks": "\n".join(" " * n + "a:" for n in range(1000)),
    "too long": "x" * (LIMITS.max_bytes + 1),
    "long key": '? "' + "x" * 100_000 + '"\n: 1\n',
    "long number": "version: " + "9" * 100_000,
    "tags": "version: !!python/object/apply:os.system [id]",
    "two documents": "version: 1\n---\nversion: 1",
}


@pytest.mark.parametrize("name", BOMBS)
def test_hostile_documents_are_refused_in_one_short_sentence(name: str) -> None:
    """No more of them is read than is needed to see what they are."""
    with pytest.raises(UsageError, match=r"^f[:\w]*: .{1,400}$"):
        parse_graph(BOMBS[name], "f")


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    """Of ten megabytes no more than the limit is read."""
    path = tmp_path / "graph.yaml"
    path.write_bytes(b"#" * 10_000_000)

    with pytest.raises(UsageError, match=r"graph.yaml: is larger than 4096 KiB, the most a graph may have"):
        load_graph(path)


def test_a_file_is_read_with_its_name(tmp_path: Path) -> None:
    """Places begin with it."""
    path = tmp_path / "graph.yaml"
    path.write_text(GRAPH, encoding="utf-8")
    file = load_graph(path)

    assert file.origin == str(path)
    assert file.places.of("nodes", "bins", "evaluate") == f"{path}:9:47"
    assert file.graph == parse_graph(GRAPH, "f").graph


def mapping() -> dict[str, Any]:
    """Return a graph as Python values."""
    return {
        "version": 1,
        "source": {"shape": (30, 256)},
        "nodes": {"filter": {"op": "sosfilt", "inputs": ["source"], "evaluate": "sync"}},
    }


def test_a_mapping_is_read_like_a_document() -> None:
    """With the same keys; tuples are lists."""
    graph = graph_of(mapping())

    assert graph.node("filter").evaluate == SYNC
    assert (graph.source.samples, graph.source.channels) == (30, 256)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"op": "sosfit"}, "graph['nodes']['filter']['op']: There is no operator 'sosfit'. Did you mean 'sosfilt'?"),
        ({"inputs": ["x"]}, "graph['nodes']['filter']['inputs'][0]: node 'filter' reads 'x'"),
        ({"opp": 1}, "graph['nodes']['filter']['opp']: 'opp' is no key of node 'filter'. Did you mean 'op'?"),
        ({"params": {"gain": float("nan")}}, "graph['nodes']['filter']['params']['gain']: expected a plain value"),
        ({"costs": {3: 1}}, "graph['nodes']['filter']['costs']: a key must be a name"),
    ],
)
def test_mistakes_of_a_mapping_are_named_by_their_keys(change: Mapping[str, Any], message: str) -> None:
    """There are no lines; the keys lead to the value."""
    data = mapping()
    data["nodes"]["filter"].update(change)
    with pytest.raises(UsageError) as raised:
        graph_of(data)

    assert str(raised.value).startswith(message)


def refusal(text: str) -> str:
    """Return what the reader says of a text, nothing when it reads it."""
    try:
        parse_graph(text, "f")
    except UsageError as error:
        return str(error)
    return ""


pieces = st.sampled_from(
    [
        "",
        ":",
        " ",
        "\n",
        "  ",
        "{",
        "}",
        "[",
        "]",
        ",",
        "'",
        '"',
        "#",
        "&a ",
        "*a",
        "!",
        "-1",
        "0",
        "1e9",
        "null",
        "true",
        "off",
        "source",
        "mix",
        "é",
        "\x00",
        "\t",
        "|",
        "%",
        "lag: 1",
        "repeat: 4096",
        "9" * 30,
    ]
)


@settings(deadline=None, max_examples=MUTATIONS)
@given(st.lists(st.tuples(st.integers(0, len(GRAPH)), st.integers(0, 12), pieces), min_size=1, max_size=4))
def test_damaged_documents_are_read_or_refused(cuts: list[tuple[int, int, str]]) -> None:
    """No damage makes the reader raise anything but one short usage error with its place."""
    text = GRAPH
    for start, length, piece in cuts:
        text = text[:start] + piece + text[start + length :]
    said = refusal(text)

    assert said[:1] in ("", "f")
    assert len(said) < 600
    assert "\n" not in said
