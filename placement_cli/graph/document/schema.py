"""What graph.yaml may hold, version 1: keys, types and bounds that do not depend on other values."""

from __future__ import annotations

from typing import Annotated, Any, get_args

from pydantic import Field

from placement_cli.graph.document.node_schema import POSITIVE_COUNT, TEXT, Entry, NodeEntry
from placement_cli.graph.document.rules import Rule, choice, number
from placement_cli.graph.document.scalars import (
    OWN_NAME,
    POSITIVE_DURATION,
    POSITIVE_SIZE,
    SHAPE,
    SIZE,
    VERSION_OF_MLX,
)
from placement_cli.graph.graph import DTYPE_BYTES, DeviceName, GpuBackend, SourceKind
from placement_cli.located.validation import wrong

VERSION = 1
"""The version of the document that this program reads and writes."""
MAX_RATE = 1e9
"""Most messages per second."""


def _version(value: Any) -> int:
    if type(value) is int and value > VERSION:
        raise wrong(f"version {value} is newer than this program reads; expected {VERSION}")
    if type(value) is not int or value != VERSION:
        raise wrong(f"expected {VERSION}, the version of the document")
    return value


class SourceEntry(Entry):
    """The messages that come in."""

    shape: Annotated[tuple[int, int], SHAPE]
    """Samples and channels of one message."""
    dtype: Annotated[str, choice("an element type", list(DTYPE_BYTES))] = "float32"
    """Element type of a message."""
    rate: Annotated[float | None, number(0, MAX_RATE, above=True)] = None
    """Messages per second; absent: as fast as the host can build them."""
    messages: Annotated[int | None, POSITIVE_COUNT] = None
    """How many messages, for replay, loop and once."""
    kind: Annotated[SourceKind | None, choice("a kind of source", get_args(SourceKind))] = None
    """live: they come when they come; replay: from a file; loop: built from the outputs of the message before; once:
    one pass over a large graph. Default: live with a rate, replay without."""


class PlatformEntry(Entry):
    """Where the graph will run, if not here."""

    gpu: Annotated[GpuBackend | None, choice("a backend of MLX", get_args(GpuBackend))] = None
    """Backend of MLX: metal, cuda or none."""
    mlx: Annotated[str | None, VERSION_OF_MLX] = None
    """Version of MLX."""


class LimitsEntry(Entry):
    """What must not be exceeded."""

    memory: Annotated[int | None, POSITIVE_SIZE] = None
    """Memory on top of the weights and the source, such as 512 MiB."""
    latency: Annotated[float | None, POSITIVE_DURATION] = None
    """From a message to its values at every host node, such as 5 ms; default for live: one period."""
    buffers: Annotated[int | None, POSITIVE_COUNT] = None
    """Buffers that may be allocated at once; default: what the device says."""


class ObservedEntry(Entry):
    """What is seen today."""

    step: Annotated[float | None, POSITIVE_DURATION] = None
    """Time from one message to the next."""
    device_busy: Annotated[float | None, number(0, 1)] = None
    """Share of the time that the device works, 0 to 1."""
    active: Annotated[int | None, SIZE] = None
    """Active memory of MLX."""
    cache: Annotated[int | None, SIZE] = None
    """Cache of MLX."""


class GraphDocument(Entry):
    """A whole graph as written. Nodes keep the order of the file."""

    version: Annotated[int, Rule(_version, {"const": VERSION})]
    """Version of the document."""
    name: Annotated[str, TEXT] = ""
    """What people call the graph."""
    device: Annotated[DeviceName | None, choice("a device", get_args(DeviceName))] = None
    """gpu or cpu; default: the default device of MLX."""
    source: SourceEntry
    """The messages that come in."""
    platform: PlatformEntry = PlatformEntry()
    """Where it will run, if not here."""
    limits: LimitsEntry = LimitsEntry()
    """What must not be exceeded."""
    observed: ObservedEntry = ObservedEntry()
    """What is seen today."""
    nodes: dict[Annotated[str, OWN_NAME], NodeEntry] = Field(
        min_length=1, json_schema_extra={"additionalProperties": False}
    )
    """The nodes by name, in the order in which the host runs them."""
