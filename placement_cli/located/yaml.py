"""Reads a YAML document from a stranger: plain values only, within limits, each with its line and column.

Anchors, aliases, tags, directives and several documents in one file are refused: nothing here needs them, and they
are what makes a small file expand into a huge or surprising one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path as FilePath
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    NodeEvent,
    ScalarEvent,
)
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from placement_cli.errors import UsageError
from placement_cli.located.places import Mark, Path, Places, quoted

MAX_NUMBER_CHARACTERS = 64


@dataclass(frozen=True, slots=True)
class YamlLimits:
    """What a kind of document may have at most: bytes, levels of nesting, keys and values; `what` is its name."""

    what: str
    max_bytes: int
    max_depth: int
    max_values: int


_TAG = "tag:yaml.org,2002:"
_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def read_yaml_file(path: FilePath, origin: str, limits: YamlLimits) -> tuple[Any, Places]:
    """Read the document in the file `path`, which messages call `origin`; raises UsageError."""
    try:
        with path.open("rb") as file:
            raw = file.read(limits.max_bytes + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "that is no name of a file"
        raise UsageError(f"{origin}: cannot be read: {reason}") from None
    if len(raw) > limits.max_bytes:
        raise UsageError(f"{origin}: is larger than {limits.max_bytes // 1024} KiB, the most {limits.what} may have")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        raise UsageError(f"{origin}:{line}:{column}: is not UTF-8 text") from None
    return read_yaml(text, origin, limits)


def read_yaml(text: str, origin: str, limits: YamlLimits) -> tuple[Any, Places]:
    """Return the document as mappings, lists, numbers, booleans, text and None, and where each of them stands.

    Keys are text as written. Raises UsageError with line and column for anything that is not such a document.
    """
    try:
        _check_events(text, origin, limits)
        root = YAML(typ="safe", pure=True).compose(text)
    except ReaderError as error:
        raise _unprintable(text, error, origin) from None
    except MarkedYAMLError as error:
        raise _syntax_error(error, origin) from None
    except YAMLError as error:
        raise UsageError(f"{origin}: is not YAML: {quoted(error)}") from None
    if root is None:
        raise UsageError(f"{origin}: is empty; expected {limits.what}")
    tree = _Tree(origin)
    data = tree.plain(root, ())
    return data, Places(origin, tree.values, tree.keys)


def _check_events(text: str, origin: str, limits: YamlLimits) -> None:
    """Refuse what no document needs, before anything is built from it."""
    depth = values = documents = 0
    for event in _events(text):
        mark = _mark(event)
        if isinstance(event, DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise _refused(origin, mark, "a second document begins here; expected one a file")
            if event.version or event.tags:
                raise _refused(origin, mark, "directives (%YAML, %TAG) are not taken")
        if isinstance(event, NodeEvent):
            values += 1
            _check_node(event, origin, mark)
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth > limits.max_depth:
            raise _refused(origin, mark, f"nested deeper than {limits.max_depth} levels")
        if values > limits.max_values:
            raise _refused(origin, mark, f"more than {limits.max_values} keys and values")


def _events(text: str) -> Iterator[Any]:
    events: Iterator[Any] = YAML(typ="safe", pure=True).parse(text)
    return events


def _check_node(event: NodeEvent, origin: str, mark: Mark) -> None:
    if isinstance(event, AliasEvent) or event.anchor is not None:
        raise _refused(origin, mark, "anchors (&) and aliases (*) are not taken; write the value out")
    if isinstance(event, ScalarEvent | CollectionStartEvent) and event.ctag is not None:
        raise _refused(origin, mark, "tags (!) are not taken; write the plain value")


def _refused(origin: str, mark: Mark, message: str) -> UsageError:
    return UsageError(f"{origin}:{mark[0]}:{mark[1]}: {message}")


def _mark(item: Any) -> Mark:
    return item.start_mark.line + 1, item.start_mark.column + 1


def _syntax_error(error: MarkedYAMLError, origin: str) -> UsageError:
    mark = error.problem_mark or error.context_mark
    place = f"{origin}:{mark.line + 1}:{mark.column + 1}" if mark else origin
    problem = " ".join(str(error.problem or error.context or "not YAML").split())
    return UsageError(f"{place}: is not YAML: {problem}")


def _unprintable(text: str, error: ReaderError, origin: str) -> UsageError:
    line = text.count("\n", 0, error.position) + 1
    column = error.position - text.rfind("\n", 0, error.position)
    return UsageError(f"{origin}:{line}:{column}: holds a character that YAML does not allow")


@dataclass(slots=True)
class _Tree:
    """Turns composed nodes into plain values and notes where they stand."""

    origin: str
    values: dict[Path, Mark] = field(default_factory=dict)
    keys: dict[Path, Mark] = field(default_factory=dict)

    def plain(self, node: Node, path: Path) -> Any:
        self.values[path] = _mark(node)
        if isinstance(node, MappingNode):
            return self._mapping(node, path)
        if isinstance(node, SequenceNode):
            return [self.plain(item, (*path, index)) for index, item in enumerate(node.value)]
        return self._scalar(node)

    def _mapping(self, node: MappingNode, path: Path) -> dict[str, Any]:
        plain: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node)
            if key in plain:
                first = self.keys[(*path, key)]
                raise self._error(key_node, f"key {quoted(key)} is given twice (first in line {first[0]})")
            self.keys[(*path, key)] = _mark(key_node)
            plain[key] = self.plain(value_node, (*path, key))
        return plain

    def _key(self, node: Node) -> str:
        if not isinstance(node, ScalarNode) or not node.value:
            raise self._error(node, "a key must be a name")
        return str(node.value)

    def _scalar(self, node: Node) -> Any:
        kind, text = str(node.tag).removeprefix(_TAG), str(node.value)
        if kind == "null":
            return None
        if kind == "bool":
            return text.lower() == "true"
        if kind in {"int", "float"}:
            return self._number(node, kind, text)
        return text

    def _number(self, node: Node, kind: str, text: str) -> int | float:
        if len(text) <= MAX_NUMBER_CHARACTERS:
            if kind == "int" and _INTEGER.fullmatch(text):
                return int(text)
            if kind == "float" and _FLOAT.fullmatch(text) and isfinite(number := float(text)):
                return number
        raise self._error(node, f"{quoted(text)} is not a plain decimal number")

    def _error(self, node: Node, message: str) -> UsageError:
        return _refused(self.origin, _mark(node), message)
