"""What a node of graph.yaml may hold, version 1."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from placement_cli.graph.document.rules import choice, line, number, whole
from placement_cli.graph.document.scalars import DURATION, FLAG, MATRIX_FILE, MODE, NAME, PARAMETER, SHAPE, SIZE
from placement_cli.graph.graph import Backend, Forcing, State
from placement_cli.graph.mode import OFF, Mode
from placement_cli.graph.pipeline import ParameterValue
from placement_cli.located.validation import kind_of, wrong

MAX_COUNT = 10**12
"""Most of anything that is counted: messages, kernels, buffers."""
MAX_REPEAT = 4096
"""Most copies that one node stands for."""
LONGEST_TEXT = 200
"""Most characters of a name that is not a node's."""

TEXT = line(LONGEST_TEXT)
COUNT = whole(0, MAX_COUNT)
POSITIVE_COUNT = whole(1, MAX_COUNT)


def _edges(value: Any) -> list[Any]:
    items = value if isinstance(value, list) else [value]
    if not items:
        raise wrong("is empty; expected the name of a node, 'source', or a list of them")
    return [item if isinstance(item, dict) else {"node": item} for item in items]


def _blocks(value: Any) -> Any:
    if not isinstance(value, dict):
        raise wrong(f"expected a mapping such as {{count: 8, shape: [32, 128]}}, not {kind_of(value)}")
    return value


def _emits(value: Any) -> Any:
    if value == "always":
        return {"every": 1}
    if not isinstance(value, dict) or not value:
        raise wrong(f"expected always, {{every: 4}} or {{probability: 0.2}}, not {kind_of(value)}")
    return value


class Entry(BaseModel):
    """A mapping of the document: frozen, and with no key that is not named here."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class EdgeEntry(Entry):
    """An input with more to say than its name."""

    node: Annotated[str, NAME]
    """Name of a node, or source."""
    lag: Annotated[int, COUNT] = 0
    """Reads the value of that many messages ago."""
    leaky: Annotated[bool, FLAG] = False
    """The reader may drop messages; the sender still pays."""


class EmitsEntry(Entry):
    """When a node gives output."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})
    every: Annotated[int, POSITIVE_COUNT] = 1
    """On every how many-th message."""
    probability: Annotated[float | None, number(0, 1, above=True)] = None
    """By chance, with this probability."""


class CostsEntry(Entry):
    """What is known about a node, per message; overrides what the profile predicts."""

    build: Annotated[float | None, DURATION] = None
    """Time the host takes to build it."""
    submit: Annotated[float | None, DURATION] = None
    """Time the host takes to hand it to the device."""
    device: Annotated[float | None, DURATION] = None
    """Time of the device, back to back."""
    device_after_idle: Annotated[float | None, DURATION] = None
    """Time of the device after it had nothing to do."""
    host: Annotated[float | None, DURATION] = None
    """All other time on the host thread."""
    kernels: Annotated[int | None, COUNT] = None
    """Kernels that run."""
    ops: Annotated[int | None, COUNT] = None
    """Operations added to the lazy graph."""
    output: Annotated[int | None, SIZE] = None
    """Bytes of the output."""
    weights: Annotated[int | None, SIZE] = None
    """Bytes of the weights, which stay."""
    intermediates: Annotated[int | None, SIZE] = None
    """Bytes made and freed on the way."""
    buffers: Annotated[int | None, COUNT] = None
    """New buffers."""


class BlocksEntry(Entry):
    """The block structure of the matrix of a node."""

    count: Annotated[int, whole(1, 10**6)]
    """How many blocks."""
    shape: Annotated[tuple[int, int], SHAPE]
    """Rows and columns of one block."""


Name = Annotated[str, NAME]
Inputs = Annotated[
    tuple[EdgeEntry, ...],
    BeforeValidator(
        _edges, json_schema_input_type=Name | EdgeEntry | Annotated[list[Name | EdgeEntry], Field(min_length=1)]
    ),
]
Emits = Annotated[EmitsEntry | None, BeforeValidator(_emits, json_schema_input_type=Literal["always"] | EmitsEntry)]


class NodeEntry(Entry):
    """One node."""

    op: Annotated[str | None, TEXT] = None
    """An operator, by the name that `placement operators` lists; without it `costs` says what is known."""
    params: dict[str, Annotated[ParameterValue, PARAMETER]] = Field(default_factory=dict)
    """Parameters of the operator."""
    inputs: Inputs
    """What it reads: names of nodes, source, or {node: NAME, lag: 1, leaky: true}."""
    repeat: Annotated[int, whole(1, MAX_REPEAT)] = 1
    """It stands for a chain of so many copies, NAME.0 to NAME.N-1."""
    backend: Annotated[Backend | None, choice("a backend", get_args(Backend))] = None
    """mlx, or host: works on values. Default by operator, else mlx."""
    state: Annotated[State | None, choice("a kind of state", get_args(State))] = None
    """carried: the next message depends on it and so does this output; side: carried, but no output depends on its
    newest value. Default by operator, else none."""
    emits: Emits = None
    """When it gives output. Default by operator, else always."""
    forces: Annotated[Forcing, choice("a way to force values", get_args(Forcing))] = "never"
    """When it reads values on the host by itself."""
    evaluate: Annotated[Mode, MODE] = OFF
    """The evaluation point at its output: off, async, sync, window:K or every:K."""
    pinned: Annotated[bool, FLAG] = False
    """The evaluation point is there for correctness: never moved, weakened or removed."""
    costs: CostsEntry = CostsEntry()
    """What is known about its costs, per message."""
    process: Annotated[str, TEXT] = ""
    """Process it runs in; default: the same for all."""
    thread: Annotated[str, TEXT] = ""
    """Thread it runs in; default: the same for all."""
    stream: Annotated[str, TEXT] = ""
    """Stream it runs in; default: the same for all."""
    device: Annotated[str | None, TEXT] = None
    """Device it runs on; default: the device of the graph."""
    weights: Annotated[str | None, MATRIX_FILE] = None
    """Path of a .npy or .npz file with its matrix."""
    blocks: Annotated[BlocksEntry | None, BeforeValidator(_blocks, json_schema_input_type=BlocksEntry)] = None
    """The block structure of its matrix, where the matrix itself is not at hand."""
