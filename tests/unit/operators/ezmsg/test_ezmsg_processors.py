"""The routes with the real processors of ezmsg-sigproc: values against the references, state, laziness.

Runs on arrays of NumPy and, on MLX's CPU backend, with stand-ins for the two Metal kernels.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from ezmsg.sigproc.util import ewma_mlx_metal, sosfilt_mlx_metal
from scipy.signal import lfilter, sosfilt

from placement_cli.operators.agreement import as_float64, disagreement
from placement_cli.operators.catalog import check_params, find_operator
from placement_cli.operators.ezmsg.routes import ROUTES
from placement_cli.operators.ezmsg.units import Arrays, mlx_arrays, through_ezmsg

Shape = tuple[int, ...]

CASES: list[tuple[str, dict[str, Any], list[Shape]]] = [
    ("sosfilt", {}, [(64, 3)]),
    ("sosfilt", {"sections": 8, "low": 0.01, "high": 0.03}, [(700, 2)]),
    ("sosfilt", {"sections": 1}, [(40, 130)]),
    ("ewm_scaler", {}, [(64, 3)]),
    ("ewm_scaler", {"time_constant": 1.0}, [(40, 2)]),
    ("ewm_scaler", {"time_constant": 1e5}, [(1500, 2)]),
    ("fir", {}, [(64, 3)]),
    ("fir", {"taps": 2}, [(40, 1)]),
    ("fir", {"taps": 301, "cutoff": 0.01}, [(40, 2)]),
    ("abs", {}, [(64, 3)]),
    ("abs", {}, [(2, 16, 3)]),
    ("scale", {}, [(64, 3)]),
    ("scale", {"gain": 1.0, "offset": 0.0}, [(64, 3)]),
    ("scale", {"gain": -3.0}, [(2, 16, 3)]),
    ("car", {}, [(64, 3)]),
    ("car", {}, [(64, 1)]),
    ("car", {}, [(2, 16, 3)]),
    ("affine", {}, [(64, 3)]),
    ("affine", {"outputs": 7}, [(64, 3)]),
    ("affine", {"outputs": 7}, [(2, 16, 3)]),
    ("spectrum", {}, [(2, 16, 3)]),
    ("spectrum", {}, [(2, 3, 1)]),
    ("downsample", {}, [(64, 3)]),
    ("downsample", {"factor": 1}, [(64, 3)]),
    ("downsample", {"factor": 100}, [(64, 3)]),
    ("bin", {"size": 50}, [(64, 3)]),
    ("bin", {"size": 7}, [(64, 3)]),
    ("bin", {"size": 500}, [(64, 3)]),
    ("window", {"length": 16, "hop": 4}, [(64, 3)]),
    ("window", {"length": 32, "hop": 32}, [(64, 3)]),
    ("window", {"length": 100, "hop": 70}, [(64, 3)]),
    ("join", {}, [(64, 3)] * 2),
    ("join", {}, [(2, 16, 3)] * 5),
    ("join", {"kind": "concat"}, [(64, 3), (64, 1), (64, 2)]),
    ("join", {"kind": "concat"}, [(2, 16, 3), (2, 16, 1)]),
]
LENGTHS = (64, 1, 33, 0, 64, 7, 64, 64, 20, 64, 64, 64)
KERNELS = sorted(name for name, route in ROUTES.items() if route.needs_metal)


def _label(case: object) -> str:
    return re.sub(r"[ '{}()\[\]]", "", str(case)) or "-"


def _numpy_arrays() -> Arrays:
    """Return NumPy's arrays, which are never lazy."""
    return Arrays(lambda shape: np.zeros(shape, dtype=np.float32), lambda *_: None)


@dataclass
class Stream:
    """An operator through ezmsg-sigproc and its reference, fed with the same messages."""

    name: str
    params: dict[str, Any]
    shapes: Sequence[Shape]
    on_numpy: bool = False

    def __post_init__(self) -> None:
        operator = find_operator(self.name)
        routed = through_ezmsg(operator, arrays=_numpy_arrays if self.on_numpy else mlx_arrays)
        self.checked = check_params(operator, self.params)
        self.unit = routed.make_mlx(self.shapes, self.checked, "float32", 5)
        self.reference = routed.make_numpy(self.shapes, self.checked, "float32", 5)
        self.random = np.random.default_rng(9)

    def messages(self, length: int) -> list[Any]:
        """Return one message an input: samples, or windows, up to `length`."""
        rows = [min(length, shape[0]) for shape in self.shapes]
        drawn = [self.random.normal(size=(n, *shape[1:])) for n, shape in zip(rows, self.shapes, strict=True)]
        return [values.astype(np.float32) if self.on_numpy else mx.array(values) for values in drawn]

    def errors(self, lengths: Sequence[int] = LENGTHS) -> list[float]:
        """Feed messages of these lengths and return the disagreement of each output."""
        found = []
        for length in lengths:
            messages = self.messages(length)
            want = self.reference.step(*(as_float64(message) for message in messages))
            found.append(disagreement(self.unit.step(*messages), want, "float32"))
        return found


def _pending(*arrays: Any) -> int:
    graph = io.StringIO()
    mx.export_to_dot(graph, *arrays)
    return graph.getvalue().count("shape=rectangle")


def _sos_launch(
    x: Any, sos: Any, state: Any, channels: int, sections: int, size: int, valid: Any
) -> tuple[mx.array, mx.array]:
    """Do what the kernel does with one chunk: filter the valid samples, and give the state after them."""
    count, rows = int(valid[0]), np.asarray(sos).reshape(sections, 6)
    delays = np.asarray(state).reshape(sections, channels, 2)
    y, after = sosfilt(rows, np.asarray(x)[:, :count], axis=-1, zi=delays)
    return mx.array(np.pad(y, [(0, 0), (0, size - count)])), mx.array(after.ravel())


def _ewma_launch(x: Any, coefficients: Any, state: Any, _channels: int, size: int, valid: Any) -> tuple[Any, Any]:
    """Do what the kernel does with one chunk: average the valid samples, and give the state after them."""
    count, (alpha, beta) = int(valid[0]), np.asarray(coefficients)
    one = np.float32(1.0)
    y, after = lfilter([alpha], [one, -beta], np.asarray(x)[:, :count], axis=-1, zi=np.asarray(state)[:, None])
    return mx.array(np.pad(y, [(0, 0), (0, size - count)])), mx.array(after.ravel())


@pytest.fixture(autouse=True)
def kernels(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put the stand-ins in the place of the Metal kernels; everything around the launch is the real thing."""
    monkeypatch.setattr(sosfilt_mlx_metal, "_launch_serial_kernel", _sos_launch)
    monkeypatch.setattr(sosfilt_mlx_metal, "_launch_fused_kernel", _sos_launch)
    monkeypatch.setattr(ewma_mlx_metal, "_launch_kernel", _ewma_launch)
    with mx.stream(mx.cpu):
        yield


@pytest.mark.parametrize("on_numpy", [True, False], ids=["numpy", "mlx"])
@pytest.mark.parametrize("case", CASES, ids=_label)
def test_values_agree_with_the_reference_over_a_stream(
    case: tuple[str, dict[str, Any], list[Shape]], on_numpy: bool
) -> None:
    """Every message of a stream of changing lengths, empty ones included, agrees with the reference of the route."""
    assert max(Stream(*case, on_numpy=on_numpy).errors()) <= 1.0


@pytest.mark.parametrize("case", CASES, ids=_label)
def test_reset_forgets_every_message(case: tuple[str, dict[str, Any], list[Shape]]) -> None:
    """After a reset the unit agrees with a fresh reference."""
    used, fresh = Stream(*case), Stream(*case)
    used.errors()
    used.unit.reset()
    used.reference, used.random = fresh.reference, fresh.random
    assert max(used.errors()) <= 1.0


@pytest.mark.parametrize("case", [case for case in CASES if case[0] not in KERNELS], ids=_label)
def test_a_step_evaluates_nothing(case: tuple[str, dict[str, Any], list[Shape]]) -> None:
    """An array that is lazy when it goes in is still lazy afterwards, once the processor has seen its first message."""
    stream = Stream(*case)
    stream.errors()
    for length in LENGTHS:
        lazy = [mx.negative(message) for message in stream.messages(length)]
        stream.unit.step(*lazy)
        assert _pending(*lazy) == len(lazy)


@pytest.mark.parametrize("case", CASES, ids=_label)
def test_evaluating_output_and_state_keeps_the_graph_from_growing(
    case: tuple[str, dict[str, Any], list[Shape]],
) -> None:
    """Whatever a message leaves for the next one is behind its output or the state: later messages have no more ops."""
    stream = Stream(*case)
    counts = []
    for _ in range(40):
        output = stream.unit.step(*stream.messages(64))
        counts.append(_pending(output, *stream.unit.state()))
        mx.eval(output, *stream.unit.state())
    assert max(counts[20:]) <= max(counts[:20])


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_are_the_only_ones_that_need_metal(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is marked as needing Metal fails without its kernel; all else runs here on the CPU."""
    monkeypatch.undo()
    with pytest.raises(RuntimeError, match="Metal"):
        Stream(name, {}, [(8, 2)])


@pytest.mark.parametrize("case", [case for case in CASES if case[0] not in KERNELS], ids=_label)
def test_everything_else_runs_without_metal(
    case: tuple[str, dict[str, Any], list[Shape]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Processors that are not marked run on MLX's CPU backend as they are."""
    monkeypatch.undo()
    assert max(Stream(*case).errors((8, 8))) <= 1.0


@pytest.mark.parametrize("name", ["sosfilt", "fir", "ewm_scaler"])
def test_the_first_state_is_there_and_evaluated(name: str) -> None:
    """A unit that carries arrays has them before the first message, with nothing left to compute."""
    state = Stream(name, {}, [(8, 2)]).unit.state()
    assert state
    assert _pending(*state) == 0


def test_the_scaler_builds_the_same_graph_from_the_first_message_on() -> None:
    """The scaler begins in its steady state: no message costs more ops than another."""
    stream = Stream("ewm_scaler", {}, [(8, 2)])
    ops = []
    for _ in range(5):
        output = stream.unit.step(*stream.messages(8))
        ops.append(_pending(output))
        mx.eval(output, *stream.unit.state())
    assert len(set(ops)) == 1


def test_a_withheld_output_hangs_on_nothing() -> None:
    """While a bin fills, what comes out is one array without samples that evaluates nothing."""
    stream = Stream("bin", {"size": 500}, [(64, 3)])
    first, second = (stream.unit.step(*stream.messages(64)) for _ in range(2))
    assert first is second
    assert first.shape == (0, 3)
    assert _pending(first) == 0
