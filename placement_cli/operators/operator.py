"""What an operator is: the contract every file of this folder fulfils."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Shape = tuple[int, ...]
"""Shape of one message, samples first, channels last."""

Value = int | float | str
Params = Mapping[str, Any]
"""Parameters by name, checked; under `DESIGN` possibly what was worked out from them before."""
DESIGN = "design"

ITEM_BYTES: Mapping[str, int] = {"float32": 4, "float16": 2, "bfloat16": 2}
"""Element types a message can have, by MLX's name, and the size of one element in bytes."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operator, with the values it may take.

    The type of `default` is the type of the parameter. `low` and `high` bound numbers, both included;
    `choices` lists the words a string may be.
    """

    name: str
    default: Value
    summary: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Features:
    """What one message costs in countable things, the inputs of every cost model.

    `ops` counts the primitives that building adds to the lazy graph, `kernels` those among them that run as a
    kernel of their own (views do not), `flops` one per addition or multiplication, `bytes_moved` what kernels
    read and write, `state_bytes` what is carried to the next message, `output` the shape that comes out.

    They hold for the longest message in the middle of a stream. Where messages differ although their
    lengths do not (operators that withhold output), they hold for one that gives output while the most is
    carried.
    """

    ops: int
    kernels: int
    flops: float
    bytes_moved: float
    state_bytes: int
    output: Shape


class Unit(Protocol):
    """One operator in use: it takes messages one by one and carries its state between them.

    Only `values` evaluates lazy arrays, which is its work. What the maker built (weights, first state) needs no
    evaluation any more.
    """

    @property
    def step(self) -> Callable[..., Any]:
        """The function that takes one message (one argument an input) and returns the output."""

    def state(self) -> Sequence[Any]:
        """The arrays carried to the next message, newest values; empty when there are none."""

    def reset(self) -> None:
        """Forget every message seen."""


Maker = Callable[[Sequence[Shape], Params, str, int], Unit]
"""Makes a unit from the shapes of its inputs (longest message), its parameters, the element type of messages
(a key of `ITEM_BYTES`) and a seed for its weights.

Later messages may be shorter than that, down to no samples at all; they have the same channels.
"""


def any_params(params: Params) -> None:
    """Accept every combination of parameters."""


def any_shapes(shapes: Sequence[Shape], params: Params) -> None:
    """Accept every combination of inputs."""


@dataclass(frozen=True, slots=True)
class Operator:
    """One kind of work: its name, its parameters, what it costs, and its two implementations.

    `make_mlx` and `make_numpy` return units that compute the same values; the second, in NumPy and SciPy at
    double precision, is the reference. A `host` operator works on the host thread and hands NumPy or lazy
    arrays on. `features` takes the shapes of the inputs (longest message), the parameters and the element
    type.

    `inputs` bounds how many inputs it takes, `ranks` lists the ranks those may have. `check` raises UsageError for
    parameters that are valid one by one but not together, `check_inputs` for shapes that do not fit them or each
    other. `design`, where there is one, works out from the parameters what takes long and is the same in every process
    (plain JSON values); a maker finds it in its parameters under `DESIGN` and works it out itself where it is missing.
    `carries_state` says that arrays are carried to the next message, `withholds` that some messages give
    an output without samples.
    """

    name: str
    summary: str
    make_mlx: Maker
    make_numpy: Maker
    features: Callable[[Sequence[Shape], Params, str], Features]
    parameters: tuple[Parameter, ...] = ()
    backend: Literal["mlx", "host"] = "mlx"
    carries_state: bool = False
    withholds: bool = False
    inputs: tuple[int, int] = field(default=(1, 1))
    ranks: tuple[int, ...] = (2,)
    check: Callable[[Params], None] = any_params
    check_inputs: Callable[[Sequence[Shape], Params], None] = any_shapes
    design: Callable[[Params], Any] | None = None
