"""A graph made of what a trace recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli import load_graph
from placement_cli.diagnose.graph_of_trace import graph_text
from placement_cli.errors import NothingComparable
from placement_cli.graph.document.reading import parse_graph
from placement_cli.graph.graph import Edge, Graph
from placement_cli.graph.mode import ASYNC, OFF, SYNC, parse_mode
from placement_cli.tracing.raw import Place, RawCost, RawEvent, RawMemory, RawOp, RawPoint, RawProcess

COST = RawCost(call_s=0.0, op_s=0.0, calls=0, ops=0, looks_s=0.0, samples_s=0.0)
LINES = {name: 10 * place for place, name in enumerate(("read", "filter", "scale", "left", "right", "join", "main"), 1)}
KIB = 1024


@dataclass
class Recording:
    """Plays a program: operations and calls one after another, each with the time it takes."""

    now_s: float = 0.0
    window: int = 0
    serial: int = 0
    ops: list[RawOp] = field(default_factory=list)
    events: list[RawEvent] = field(default_factory=list)
    points: list[RawPoint] = field(default_factory=list)

    def op(
        self,
        function: str,
        *inputs: int,
        name: str = "multiply",
        shape: tuple[int, ...] = (8, 32),
        dtype: str = "mlx.core.float32",
        thread: str = "MainThread",
        line: int | None = None,
        took_s: float = 1e-6,
    ) -> int:
        """Build one operation and return the serial of its output."""
        self.serial += 1
        size = 4
        for side in shape:
            size *= side
        place = Place("app.py", line or LINES.get(function, 1), function)
        self.ops.append(
            RawOp(self.window, self.now_s, took_s, name, place, thread, self.serial, inputs, shape, dtype, size)
        )
        self.now_s += took_s
        return self.serial

    def call(
        self,
        kind: str,
        *arrays: int,
        function: str = "main",
        took_s: float = 1e-3,
        thread: str = "MainThread",
        line: int = 90,
        stream: str = "gpu:0",
    ) -> None:
        """Call a point with arrays."""
        place = Place("app.py", line, function)
        point = RawPoint(kind, f"mx.{kind}", place, thread, stream, 1, 0.0, 0.0, 0.0, (), 1, 0, 0.0, 0.0)
        known = [(each.kind, each.place, each.thread, each.stream) for each in self.points]
        if (kind, place, thread, stream) not in known:
            self.points.append(point)
            known.append((kind, place, thread, stream))
        number = known.index((kind, place, thread, stream))
        self.events.append(RawEvent(self.now_s, took_s, number, self.window, arrays))
        self.now_s += took_s

    def pause(self, seconds: float) -> None:
        """Let time pass without anything being recorded."""
        self.now_s += seconds

    def process(self) -> RawProcess:
        """Return what the recorder would have written."""
        calls = [sum(event.point == number for event in self.events) for number in range(len(self.points))]
        points = [
            RawPoint(
                **{name: getattr(point, name) for name in RawPoint.__slots__ if name != "count"} | {"count": count}
            )
            for point, count in zip(self.points, calls, strict=True)
        ]
        return RawProcess(
            pid=7,
            parent=1,
            argv=("app.py",),
            started_s=1000.0,
            duration_s=self.now_s,
            ended=True,
            python="3.11",
            mlx="0.32.4",
            device="Device(gpu, 0)",
            backend="metal",
            variables={},
            cost=COST,
            points=tuple(points),
            events=tuple(self.events),
            ops=tuple(self.ops),
            memory=(RawMemory(0.0, 4096, 1024, 8192, 1 << 20, 3),),
        )


def graph_of(program: Callable[[Recording, int], None], messages: int = 6) -> tuple[Graph, str]:
    """Return the graph of a program that does the same for every message, and its text."""
    recording = Recording()
    for number in range(messages):
        program(recording, number)
    text = graph_text([recording.process()], "app")
    return parse_graph(text, "app").graph, text


def edges(graph: Graph, name: str) -> set[str | tuple[str, int]]:
    """Return what a node reads: names, with a lag where it reads an earlier message."""
    return {(edge.node, edge.lag) if edge.lag else edge.node for edge in graph.node(name).inputs}


@dataclass
class Kept:
    """Arrays that a program keeps from message to message."""

    arrays: list[int] = field(default_factory=list)


def test_a_streaming_pipeline_of_two_stages(tmp_path: Path) -> None:
    """Functions become nodes with their costs, the last one with the point, and the read a node on the host."""

    def message(run: Recording, number: int) -> None:
        x = run.op("read", name="array")
        a = run.op("filter", x, took_s=2e-6)
        b = run.op("filter", a, took_s=3e-6)
        y = run.op("scale", b, name="abs")
        run.call("eval", y, took_s=4e-3)
        run.call("numpy", y, function="decode", took_s=1e-6, line=91)
        run.pause(5e-4)

    graph, text = graph_of(message)
    assert [node.name for node in graph.nodes] == ["filter", "scale", "decode-values"]
    assert (graph.source.samples, graph.source.channels, graph.source.kind) == (8, 32, "replay")
    assert (graph.source.messages, graph.device, graph.name) == (6, "gpu", "app")
    assert edges(graph, "filter") == {"source"}
    assert edges(graph, "scale") == {"filter"}
    assert edges(graph, "decode-values") == {"scale"}
    filtered, scaled, decode = (node.costs for node in graph.nodes)
    assert filtered.build_s == pytest.approx(5e-6)
    assert (filtered.ops, filtered.kernels) == (2, 2)
    assert (filtered.output_bytes, filtered.intermediates_bytes) == (KIB, KIB)
    assert filtered.device_s is not None
    assert scaled.device_s is not None
    assert filtered.device_s + scaled.device_s == pytest.approx(4e-3, rel=1e-3)
    assert filtered.device_s == pytest.approx(2 * scaled.device_s, rel=1e-3)
    assert decode.host_s == pytest.approx(5e-4)
    assert graph.node("scale").evaluate == SYNC
    assert graph.node("decode-values").backend == "host"
    assert "its share, by bytes touched, of the time of eval app.py:90" in text
    path = tmp_path / "graph.yaml"
    path.write_text(text, encoding="utf-8")
    assert load_graph(path).graph == graph


def test_a_node_that_is_evaluated_alone_has_a_measured_device_time() -> None:
    """With one node behind an evaluation nothing is shared out."""

    def message(run: Recording, number: int) -> None:
        y = run.op("filter", run.op("read", name="array"))
        run.call("eval", y, took_s=3e-3)

    graph, text = graph_of(message)
    assert graph.node("filter").costs.device_s == pytest.approx(3e-3)
    assert "filter: device: the time of eval app.py:90, which evaluates this node alone." in text


def test_views_are_operations_without_kernels() -> None:
    """What only shows the same bytes in another way counts as an operation."""

    def message(run: Recording, number: int) -> None:
        x = run.op("read", name="array")
        run.call("eval", run.op("filter", run.op("filter", x, name="reshape")))

    costs = graph_of(message)[0].node("filter").costs
    assert (costs.ops, costs.kernels, costs.intermediates_bytes) == (2, 1, 0)


def test_a_token_loop_reads_the_message_before_as_its_source() -> None:
    """Without anything fresh, what the last part made is the next message, and its cache is carried state."""
    kept = Kept()

    def message(run: Recording, number: int) -> None:
        if not kept.arrays:
            kept.arrays = [
                run.op("start", shape=(1, 1), dtype="mlx.core.int32", name="array"),
                run.op("start", name="zeros"),
            ]
            run.call("eval", *kept.arrays, line=5, function="start")
        token, cache = kept.arrays
        cache = run.op("model", token, cache)
        token = run.op("sample", cache, shape=(1, 1), dtype="mlx.core.int32", name="argmax")
        run.call("eval", token)
        kept.arrays = [token, cache]

    graph, _ = graph_of(message)
    assert graph.source.kind == "loop"
    assert (graph.source.samples, graph.source.channels, graph.source.dtype) == (1, 1, "int32")
    assert edges(graph, "model") == {"source"}
    assert graph.node("model").state == "carried"
    assert edges(graph, "sample") == {"model"}
    assert graph.node("sample").evaluate == SYNC


def test_a_token_that_passes_through_the_host_is_taken_for_a_loop() -> None:
    """Small integers that are read at the end and come in again as an array of the same size."""

    def message(run: Recording, number: int) -> None:
        x = run.op("main", shape=(1,), dtype="mlx.core.int32", name="array")
        y = run.op("model", x, shape=(1,), dtype="mlx.core.uint32")
        run.call("item", y)

    graph, text = graph_of(message)
    assert graph.source.kind == "loop"
    assert "Taken as a loop" in text


def test_branches_meet_in_a_join() -> None:
    """A value that two functions read and a third joins keeps its edges, and a function called twice is one node."""

    def message(run: Recording, number: int) -> None:
        x = run.op("read", name="array")
        a = run.op("filter", x)
        left, right = run.op("left", a), run.op("right", a)
        y = run.op("join", left, right, name="add")
        run.call("async_eval", y, took_s=1e-5)
        run.call("numpy", y, took_s=1e-3, line=91)

    graph, text = graph_of(message)
    assert edges(graph, "left") == edges(graph, "right") == {"filter"}
    assert edges(graph, "join") == {"left", "right"}
    assert graph.node("join").evaluate == ASYNC
    assert edges(graph, "main-values") == {"join"}
    assert "at most that" in text


def test_a_function_called_along_the_way_is_as_many_nodes_as_needed() -> None:
    """Norm before and after the filter would close a cycle as one node."""

    def message(run: Recording, number: int) -> None:
        a = run.op("norm", run.op("read", name="array"))
        run.call("eval", run.op("norm", run.op("filter", a)))

    graph, _ = graph_of(message)
    assert [node.name for node in graph.nodes] == ["norm", "filter", "norm-2"]


def test_state_that_no_output_depends_on_is_side_state() -> None:
    """A running mean that nobody evaluates is told from a state that the output needs."""
    kept = Kept()

    def message(run: Recording, number: int) -> None:
        kept.arrays = kept.arrays or [run.op("start", name="zeros"), run.op("start", name="zeros")]
        state, mean = kept.arrays
        x = run.op("read", name="array")
        y = run.op("filter", x, state)
        mean = run.op("track", mean, x)
        run.call("eval", y)
        kept.arrays = [y, mean]

    graph, _ = graph_of(message)
    assert graph.node("filter").state == "carried"
    assert graph.node("track").state == "side"
    assert graph.source.kind == "replay"


def test_side_state_that_is_evaluated_too_is_carried() -> None:
    """The healthy twin passes the mean to the evaluation."""
    kept = Kept()

    def message(run: Recording, number: int) -> None:
        mean = run.op("track", *kept.arrays, x := run.op("read", name="array"))
        run.call("eval", run.op("filter", x), mean)
        kept.arrays = [mean]

    graph, text = graph_of(message)
    assert graph.node("track").state == "carried"
    assert (graph.node("track").evaluate, graph.node("filter").evaluate) == (ASYNC, SYNC)
    assert "track: evaluated in one call with filter" in text


def test_another_nodes_value_of_the_message_before_is_an_edge_with_a_lag() -> None:
    """Feedback from the end to the beginning is read one message later."""
    kept = Kept()

    def message(run: Recording, number: int) -> None:
        a = run.op("filter", run.op("read", name="array"), *kept.arrays)
        y = run.op("scale", a)
        run.call("eval", y)
        kept.arrays = [y]

    graph, _ = graph_of(message)
    assert edges(graph, "filter") == {"source", ("scale", 1)}


def test_a_read_in_the_middle_forces_what_is_built_next() -> None:
    """What is built after a hidden synchronisation waits for the values of what was built before."""

    def message(run: Recording, number: int) -> None:
        a = run.op("filter", run.op("read", name="array"))
        run.call("item", a, line=92)
        run.call("eval", run.op("scale", a))

    graph, _ = graph_of(message)
    assert graph.node("scale").forces == "always"
    assert edges(graph, "scale") == {"filter"}
    assert graph.node("filter").forces == "never"
    assert [node.name for node in graph.nodes] == ["filter", "scale"]


def test_a_round_trip_through_numpy_is_a_node_on_the_host() -> None:
    """Values that become an array again lead on from a host node."""

    def message(run: Recording, number: int) -> None:
        a = run.op("filter", run.op("read", name="array"))
        run.call("numpy", a, line=92, function="clean")
        run.pause(2e-4)
        b = run.op("clean", name="array")
        run.call("eval", run.op("scale", b), function="main")

    graph, _ = graph_of(message)
    assert edges(graph, "clean-values") == {"filter"}
    assert graph.node("clean-values").costs.host_s == pytest.approx(2e-4)
    assert edges(graph, "clean") == {"clean-values"}
    assert edges(graph, "scale") == {"clean"}


def test_waiting_for_an_earlier_message_is_a_window() -> None:
    """Each message is handed over, and the one two messages back is waited for."""
    kept = Kept()

    def message(run: Recording, number: int) -> None:
        y = run.op("filter", run.op("read", name="array"))
        run.call("async_eval", y, took_s=1e-5)
        kept.arrays.append(y)
        if len(kept.arrays) > 2:
            run.call("eval", kept.arrays[-3], took_s=2e-3, line=91)

    graph, text = graph_of(message, 12)
    assert graph.node("filter").evaluate == parse_mode("window:2")
    assert graph.node("filter").costs.device_s == pytest.approx(2e-3, rel=0.02)
    assert "at most that" in text


def test_values_of_the_message_before_are_read_with_a_lag() -> None:
    """A loop that decodes the last message while the device works on this one."""
    kept = Kept()

    def message(run: Recording, number: int) -> None:
        y = run.op("filter", run.op("read", name="array"))
        run.call("async_eval", y, took_s=1e-5)
        if kept.arrays:
            run.call("numpy", kept.arrays[-1], took_s=2e-3, line=91)
        kept.arrays.append(y)

    graph, _ = graph_of(message, 12)
    assert graph.node("filter").evaluate == ASYNC
    assert edges(graph, "main-values") == {("filter", 1)}


def test_messages_at_a_pace_are_a_live_source() -> None:
    """Long regular pauses in which nothing is recorded set the rate, and are no work of the host."""

    def message(run: Recording, number: int) -> None:
        run.pause(9e-3 - 2e-6)
        y = run.op("filter", run.op("read", name="array"))
        run.call("numpy", y, took_s=1e-3)

    graph, text = graph_of(message, 12)
    assert graph.source.kind == "live"
    assert graph.source.rate == pytest.approx(100, rel=1e-3)
    assert graph.node("main-values").costs.host_s is None
    assert "taken as a live source" in text


def test_constants_are_weights() -> None:
    """An array that every message reads and none makes stays; its bytes are those of where it was made."""
    kept = Kept()

    def message(run: Recording, number: int) -> None:
        kept.arrays = kept.arrays or [run.op("start", shape=(32, 32), name="array")]
        y = run.op("filter", run.op("read", name="array"), kept.arrays[0], name="matmul")
        run.call("eval", y)

    graph, _ = graph_of(message)
    assert graph.node("filter").costs.weights_bytes == 4 * KIB
    assert edges(graph, "filter") == {"source"}


def test_an_array_that_was_not_seen_being_made_is_the_source() -> None:
    """What an operation reads that knows nothing else comes in; unseen constants beside known arrays do not."""
    kept = Kept()

    def message(run: Recording, number: int) -> None:
        y = run.op("filter", 0, 0, name="matmul")
        state = run.op("scale", y, 0, *kept.arrays)
        run.call("eval", state)
        kept.arrays = [state]

    graph, text = graph_of(message)
    assert graph.source.kind == "replay"
    assert (graph.source.samples, graph.source.channels) == (8, 32)
    assert edges(graph, "filter") == {"source"}
    assert edges(graph, "scale") == {"filter"}
    assert graph.node("scale").state == "carried"
    assert "What comes in was not seen being made" in text
    assert "Arrays made outside of what is recorded" in text


def test_a_program_without_functions_is_parted_by_its_points() -> None:
    """At the top of a file nodes are named by the lines between two evaluating calls."""

    def message(run: Recording, number: int) -> None:
        x = run.op("<module>", name="array", line=3)
        a = run.op("<module>", x, line=4)
        a = run.op("<module>", a, line=6)
        run.call("eval", a, line=7, function="<module>")
        run.call("eval", run.op("<module>", a, line=9), line=10, function="<module>")

    graph, _ = graph_of(message)
    assert [node.name for node in graph.nodes] == ["app.4-6", "app.9"]
    assert [node.evaluate for node in graph.nodes] == [SYNC, SYNC]


def test_two_threads_are_told_apart() -> None:
    """What another thread reads of a message is part of it, and every node names its thread."""

    def message(run: Recording, number: int) -> None:
        y = run.op("filter", run.op("read", name="array"))
        run.call("async_eval", y, took_s=1e-5)
        run.call("numpy", y, function="show", thread="viewer", line=95, stream="gpu:1")
        run.pause(5e-3)

    graph, text = graph_of(message)
    assert graph.node("show-values").costs.host_s is None
    assert "its thread may wait between messages" in text
    assert graph.node("filter").stream == ""
    assert graph.node("filter").thread == "MainThread"
    assert graph.node("show-values").thread == "viewer"
    assert edges(graph, "show-values") == {"filter"}


def test_a_later_window_is_preferred_to_the_first() -> None:
    """What the first messages pay for being first is left out."""
    recording = Recording()
    for window, took_s in ((0, 9e-3), (1, 1e-3)):
        recording.window = window
        for _ in range(4):
            y = recording.op("filter", recording.op("read", name="array"))
            recording.call("eval", y, took_s=took_s)
    graph = parse_graph(graph_text([recording.process()], "app"), "app").graph
    assert graph.node("filter").costs.device_s == pytest.approx(1e-3)


def test_nothing_that_repeats_is_one_pass() -> None:
    """A program that evaluates once at its end is drawn whole."""
    graph, text = graph_of(
        lambda run, number: run.call("eval", run.op("scale", run.op("filter", run.op("read", name="array")))), 1
    )
    assert (graph.source.kind, graph.source.messages) == ("once", 1)
    assert [node.name for node in graph.nodes] == ["filter", "scale"]
    assert "No window with a whole message" in text


def test_a_trace_without_operations_is_refused() -> None:
    """There is nothing to draw, and the message says what to do."""
    with pytest.raises(NothingComparable, match="no operation of MLX"):
        graph_text([Recording().process()], "app")


def test_synchronize_after_a_submission_is_a_sync() -> None:
    """Waiting for the stream is waiting for what was handed over."""

    def message(run: Recording, number: int) -> None:
        run.call("async_eval", run.op("filter", run.op("read", name="array")), took_s=1e-5)
        run.call("synchronize", line=91)

    graph, _ = graph_of(message)
    assert graph.node("filter").evaluate == SYNC
    assert graph.node("filter").costs.device_s == pytest.approx(1.01e-3)


def test_names_from_outside_are_data() -> None:
    """Functions, files and names of graphs may hold anything."""

    def message(run: Recording, number: int) -> None:
        y = run.op("a: {b}\n<lambda> \ud800#", run.op("read", name="array"))
        run.call("eval", y, function="x\ny")

    recording = Recording()
    for number in range(4):
        message(recording, number)
    text = graph_text([recording.process()], "na: [me]\n\ud800")
    assert parse_graph(text.encode("utf-8").decode("utf-8"), "app").graph.nodes[0].evaluate == SYNC


KINDS = ("eval", "async_eval", "item", "numpy", "synchronize", "memory")
FUNCTIONS = ("<module>", "filter", "scale", "Model.__call__", "f.<locals>.g", "source")
THREADS = ("MainThread", "worker")


@st.composite
def programs(draw: st.DrawFn) -> RawProcess:
    """Return the trace of a program that does the same things again and again, or nothing twice."""
    run = Recording()
    steps: Sequence[tuple[int, int, int, int]] = draw(
        st.lists(st.tuples(st.integers(0, 7), st.integers(0, 5), st.integers(0, 9), st.integers(0, 1)), max_size=12)
    )
    for number in range(draw(st.integers(1, 6))):
        run.window = number // draw(st.sampled_from((2, 3, 9)))
        for what, function, back, thread in steps:
            older = [serial for serial in (run.serial - back, run.serial - 2 * back) if 0 <= serial <= run.serial]
            where = {"function": FUNCTIONS[function], "thread": THREADS[thread]}
            if what > 5:
                run.call(KINDS[function], *older, **where, line=what)  # type: ignore[arg-type]  # names and a number
            else:
                shape = draw(st.sampled_from(((), (0,), (4,), (2, 3), (2, 3, 4))))
                name = ("array", "zeros", "normal", "add", "reshape", "matmul")[what]
                inputs = () if what < 3 else older
                run.op(where["function"], *inputs, name=name, shape=shape, thread=where["thread"])
            run.pause(draw(st.sampled_from((0.0, 1e-7, 1e-2))))
    return run.process()


@settings(deadline=None, max_examples=300)
@given(process=programs())
def test_any_trace_is_a_graph_or_refused(process: RawProcess) -> None:
    """Whatever a program does, its graph can be read, or the message says why there is none."""
    try:
        text = graph_text([process], "any")
    except NothingComparable:
        assert not process.ops
        return
    graph = parse_graph(text, "any").graph
    assert all(isinstance(edge, Edge) for node in graph.nodes for edge in node.inputs)
    assert all(node.evaluate == OFF or node.backend == "mlx" for node in graph.nodes)
