"""What reaches a processor of ezmsg, how it is set, and what it then does with MLX arrays."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Literal

from placement_cli.graph.document.node_schema import MAX_COUNT
from placement_cli.graph.graph import ALWAYS, Backend, Costs, Emission, Forcing, GraphNode, State
from placement_cli.graph.importing.json_text import positive
from placement_cli.graph.mode import OFF, Mode
from placement_cli.graph.pipeline import ParameterValue

Arrays = Literal["mlx", "numpy"]

_MEMBER = re.compile(r"<?\w+\.(?P<name>\w+)(?::.*)?>?", re.DOTALL)
"""A member of an enumeration as Python writes it, `Mode.ASYNC` or `<Mode.ASYNC: 'async'>`."""


@dataclass(frozen=True, slots=True)
class Flow:
    """One message on a wire: the library of its array, samples per second, samples, and the dimensions.

    None is unknown. Dimensions are 2 (samples, channels) or 3 (windows, samples, channels).
    """

    arrays: Arrays
    sample_rate: float | None = None
    samples: float | None = None
    rank: int | None = None

    def count(self, seconds: float | None) -> float | None:
        """Return how many samples last so long."""
        return None if seconds is None or self.sample_rate is None else positive(seconds * self.sample_rate)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a unit, as exports write them."""

    values: Mapping[str, Any]

    def number(self, name: str) -> float | None:
        """Return a setting if it is a finite number above 0."""
        value = self.values.get(name)
        return None if isinstance(value, bool) or not isinstance(value, int | float) else positive(value)

    def whole(self, name: str) -> int | None:
        """Return a setting if it is a whole number from 1 up."""
        number = self.number(name)
        return int(number) if number is not None and number == int(number) else None

    def word(self, name: str, default: str = "") -> str:
        """Return a setting that is text or a member of an enumeration, in small letters."""
        value = self.values.get(name)
        if not isinstance(value, str):
            return default
        member = _MEMBER.fullmatch(value)
        return (member["name"] if member else value).lower()

    def flag(self, name: str, default: bool) -> bool:
        """Return a setting that is true or false."""
        value = self.values.get(name)
        return value if isinstance(value, bool) else default

    def inside(self, name: str) -> Settings:
        """Return settings within the settings."""
        value = self.values.get(name)
        return Settings(value if isinstance(value, dict) else {})


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What a unit does. `emits` is None where it may withhold output and nobody knows how often.

    `says` are remarks for the person. `passes` marks an evaluation point that is no work of its own. `out` is what
    comes out.
    """

    out: Flow
    op: str | None = None
    params: Mapping[str, ParameterValue] = field(default_factory=dict)
    backend: Backend = "mlx"
    state: State = "none"
    emits: Emission | None = ALWAYS
    forces: Forcing = "never"
    evaluate: Mode = OFF
    ops: int | None = None
    passes: bool = False
    says: tuple[str, ...] = ()

    def body(self) -> GraphNode:
        """Return the node without name and inputs, as far as it does not depend on its surroundings."""
        return GraphNode(
            name="",
            inputs=(),
            op=self.op,
            params=self.params,
            backend=self.backend,
            state=self.state,
            emits=self.emits or ALWAYS,
            forces=self.forces,
            evaluate=self.evaluate,
            costs=Costs() if self.ops is None else Costs(ops=self.ops),
        )


def every_stride(stride: float | None, flow: Flow) -> Emission | None:
    """Return when output comes if it takes `stride` samples; None if that is unknown."""
    messages = None if stride is None or flow.samples is None else positive(stride / flow.samples)
    return None if messages is None or messages > MAX_COUNT else Emission(every=ceil(messages))
