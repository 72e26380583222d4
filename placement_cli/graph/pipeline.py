"""A concrete pipeline: one source and the nodes one message flows through, in order.

Every name is fixed and every parameter has its value; axes, repeats and branches are already written out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ParameterValue = int | float | str
SOURCE = "source"
"""The name under which nodes read the message that comes in."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where messages come from: arrays of samples x channels, with a length that may jitter.

    `samples_low` and `samples_high` bound the number of samples of one message, both included.
    """

    samples_low: int
    samples_high: int
    channels: int
    dtype: str = "float32"

    @property
    def label(self) -> str:
        """The shape as people write it, such as `30-64x256`."""
        length = f"{self.samples_low}"
        if self.samples_high != self.samples_low:
            length += f"-{self.samples_high}"
        return f"{length}x{self.channels}"

    @property
    def message_bytes(self) -> int:
        """Bytes of the longest message."""
        return self.samples_high * self.channels * ITEM_BYTES[self.dtype]


ITEM_BYTES: dict[str, int] = {"float32": 4, "float16": 2, "bfloat16": 2}
"""Element types a source can have, and their size in bytes."""


@dataclass(frozen=True, slots=True)
class Node:
    """One node: an operator applied to the outputs of earlier nodes (or of the source)."""

    name: str
    op: str
    inputs: tuple[str, ...]
    params: Mapping[str, ParameterValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A source and its nodes in an order in which every node comes after its inputs."""

    source: Source
    nodes: tuple[Node, ...]

    def node(self, name: str) -> Node:
        """Return the node called `name`; raises KeyError when there is none."""
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)

    def to_json(self) -> dict[str, Any]:
        """Return the pipeline as plain JSON values, for the pipe to a worker and for documents."""
        source = {
            "samples": [self.source.samples_low, self.source.samples_high],
            "channels": self.source.channels,
            "dtype": self.source.dtype,
        }
        nodes = [
            {"name": node.name, "op": node.op, "inputs": list(node.inputs), "params": dict(node.params)}
            for node in self.nodes
        ]
        return {"source": source, "nodes": nodes}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Pipeline:
        """Read what `to_json` wrote."""
        low, high = data["source"]["samples"]
        source = Source(low, high, data["source"]["channels"], data["source"]["dtype"])
        nodes = (
            Node(entry["name"], entry["op"], tuple(entry["inputs"]), dict(entry["params"])) for entry in data["nodes"]
        )
        return cls(source, tuple(nodes))
