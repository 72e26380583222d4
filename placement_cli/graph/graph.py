"""A graph as a person describes it: one message flows through its nodes once.

None means unknown throughout. Defaults that follow from an operator (backend, state, emission) are filled in already.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Literal

from placement_cli.graph.mode import OFF, Mode
from placement_cli.graph.pipeline import SOURCE, ParameterValue

SourceKind = Literal["live", "replay", "loop", "once"]
Backend = Literal["mlx", "host"]
State = Literal["none", "carried", "side"]
Forcing = Literal["never", "always", "on-emit"]
DeviceName = Literal["gpu", "cpu"]
GpuBackend = Literal["metal", "cuda", "none"]

DTYPE_BYTES: Mapping[str, int] = {
    "float32": 4,
    "float16": 2,
    "bfloat16": 2,
    "int32": 4,
    "uint32": 4,
    "int16": 2,
    "uint16": 2,
    "int8": 1,
    "uint8": 1,
    "bool": 1,
    "int64": 8,
    "uint64": 8,
    "complex64": 8,
}
"""Element types of a message, and their size in bytes."""


@dataclass(frozen=True, slots=True)
class GraphSource:
    """The messages: `samples` x `channels` of `dtype`, `rate` a second, `messages` in all."""

    samples: int
    channels: int
    dtype: str = "float32"
    rate: float | None = None
    messages: int | None = None
    kind: SourceKind = "replay"

    @property
    def message_bytes(self) -> int:
        """Bytes of one message."""
        return self.samples * self.channels * DTYPE_BYTES[self.dtype]

    @property
    def period_s(self) -> float | None:
        """Seconds between messages; None when they come as fast as the host takes them."""
        return None if self.rate is None else 1.0 / self.rate


@dataclass(frozen=True, slots=True)
class Platform:
    """Where the graph will run, if not here."""

    gpu: GpuBackend | None = None
    mlx: str | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """What must not be exceeded; None means no limit was stated."""

    memory_bytes: int | None = None
    latency_s: float | None = None
    buffers: int | None = None


@dataclass(frozen=True, slots=True)
class Observed:
    """What the person sees today: seconds of one message, busy share of the device, bytes."""

    step_s: float | None = None
    device_busy: float | None = None
    active_bytes: int | None = None
    cache_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Emission:
    """When a node gives output: on every `every`-th message, and if `probability` is not None, by chance."""

    every: int = 1
    probability: float | None = None

    @property
    def always(self) -> bool:
        """Whether every message gives output."""
        return self.every == 1 and (self.probability is None or self.probability >= 1.0)

    @property
    def longest_silence(self) -> float:
        """Messages from one output to the next in the worst pattern; infinite when it is left to chance."""
        return float(self.every) if self.probability is None or self.probability >= 1.0 else inf

    @property
    def share(self) -> float:
        """Share of messages that give output."""
        return (1.0 if self.probability is None else self.probability) / self.every


ALWAYS = Emission()


@dataclass(frozen=True, slots=True)
class Costs:
    """What is known about a node: seconds, counts and bytes, each of one message.

    `host_s` is all time on the host thread but building and submitting; `device_after_idle_s` the device time after
    the device had nothing to do. `weights_bytes` stay, `intermediates_bytes` and `output_bytes` are made anew, as
    `buffers` are.
    """

    build_s: float | None = None
    submit_s: float | None = None
    device_s: float | None = None
    device_after_idle_s: float | None = None
    host_s: float | None = None
    kernels: int | None = None
    ops: int | None = None
    output_bytes: int | None = None
    weights_bytes: int | None = None
    intermediates_bytes: int | None = None
    buffers: int | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """A node reads the output of `node`, of the message `lag` messages ago; a `leaky` reader may drop messages."""

    node: str
    lag: int = 0
    leaky: bool = False


@dataclass(frozen=True, slots=True)
class BlockShape:
    """The blocks of a weight matrix: `count` of `rows` x `columns`."""

    count: int
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class GraphNode:
    """One node. With `repeat` above 1 it stands for a chain of copies, `NAME.0` to `NAME.N-1`."""

    name: str
    inputs: tuple[Edge, ...]
    op: str | None = None
    params: Mapping[str, ParameterValue] = field(default_factory=dict)
    repeat: int = 1
    backend: Backend = "mlx"
    state: State = "none"
    emits: Emission = ALWAYS
    forces: Forcing = "never"
    evaluate: Mode = OFF
    pinned: bool = False
    costs: Costs = field(default_factory=Costs)
    process: str = ""
    thread: str = ""
    stream: str = ""
    device: str | None = None
    weights: str | None = None
    blocks: BlockShape | None = None


@dataclass(frozen=True, slots=True)
class Graph:
    """A source, the nodes in the order in which the host runs them, and what is known about the setting."""

    source: GraphSource
    nodes: tuple[GraphNode, ...]
    name: str = ""
    device: DeviceName | None = None
    platform: Platform = field(default_factory=Platform)
    limits: Limits = field(default_factory=Limits)
    observed: Observed = field(default_factory=Observed)

    def node(self, name: str) -> GraphNode:
        """Return the node called `name`; raises KeyError when there is none."""
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)


__all__ = ["SOURCE", "Graph", "GraphNode", "GraphSource"]
