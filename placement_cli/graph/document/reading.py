"""Reads graph.yaml, or the same as a Python mapping, into a graph that remembers where everything stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from placement_cli.graph.document.building import build_graph
from placement_cli.graph.document.node_schema import BlocksEntry, CostsEntry, EdgeEntry, EmitsEntry, NodeEntry
from placement_cli.graph.document.schema import GraphDocument, LimitsEntry, ObservedEntry, PlatformEntry, SourceEntry
from placement_cli.graph.graph import Graph
from placement_cli.located.mappings import read_mapping
from placement_cli.located.places import Path, Places, shown_path
from placement_cli.located.validation import Vocabulary, first_error
from placement_cli.located.yaml import YamlLimits, read_yaml, read_yaml_file

if TYPE_CHECKING:
    from pydantic import BaseModel

LIMITS = YamlLimits("a graph", max_bytes=4 * 1024 * 1024, max_depth=8, max_values=60_000)
"""A graph of 2,000 nodes has some 0.2 MiB and 25,000 keys and values."""
PARTS: Mapping[Path, type[BaseModel]] = {
    (): GraphDocument,
    ("source",): SourceEntry,
    ("platform",): PlatformEntry,
    ("limits",): LimitsEntry,
    ("observed",): ObservedEntry,
}
PARTS_OF_A_NODE: Mapping[str, type[BaseModel]] = {
    "costs": CostsEntry,
    "emits": EmitsEntry,
    "blocks": BlocksEntry,
    "inputs": EdgeEntry,
}


@dataclass(frozen=True, slots=True)
class GraphFile:
    """A graph, and the place of each key and value of the document it was read from."""

    graph: Graph
    places: Places

    @property
    def origin(self) -> str:
        """How messages call the document."""
        return self.places.origin


def load_graph(path: FilePath) -> GraphFile:
    """Read the graph in the file `path`.

    Raises UsageError with file, line and column for a file that is missing, too large, not YAML, or no graph.
    """
    return _validated(*read_yaml_file(path, shown_path(path), LIMITS))


def parse_graph(text: str, origin: str) -> GraphFile:
    """Read the graph in `text`, which messages call `origin`; raises UsageError with line and column."""
    return _validated(*read_yaml(text, origin, LIMITS))


def graph_of(data: Mapping[str, Any]) -> Graph:
    """Return the graph that a mapping with the keys of graph.yaml describes.

    Raises UsageError that names the keys of what is wrong, such as `graph['nodes']['filter']['op']`.
    """
    return _validated(*read_mapping(data, "graph", LIMITS)).graph


def _validated(data: Any, places: Places) -> GraphFile:
    if not isinstance(data, dict):
        raise places.error((), "expected a mapping with the keys of a graph")
    try:
        document = GraphDocument.model_validate(data)
    except ValidationError as failure:
        raise first_error(failure, places, WORDS) from None
    return GraphFile(build_graph(document, places), places)


def _model_at(path: Path) -> type[BaseModel]:
    if path in PARTS:
        return PARTS[path]
    return PARTS_OF_A_NODE.get(str(path[2]), NodeEntry) if len(path) > 2 else NodeEntry


WORDS = Vocabulary("the graph", _model_at)
"""How messages speak of graphs."""
