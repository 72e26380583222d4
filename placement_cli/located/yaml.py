"""Reads a YAML document from a stranger: plain values only, within limits, each with its line and column.

Anchors, aliases, tags, directives and several documents in one file are refused: nothing here needs them, and they
are what makes a small file expand into a huge or surprising one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path as FilePath
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
)
from ruamel.yaml.nodes import ScalarNode
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
        raise _too_large(origin, limits)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        raise UsageError(f"{origin}:{line}:{column}: is not UTF-8 text") from None
    return read_yaml(text, origin, limits)


def read_yaml(text: str, origin: str, limits: YamlLimits) -> tuple[Any, Places]:
    """Return the document as mappings, lists, numbers, booleans, text and None, and where each of them stands.

    Keys are text as written. Raises UsageError with line and column for anything that is not such a document. No more
    of it is read than up to the first mistake.
    """
    if len(text) > limits.max_bytes:
        raise _too_large(origin, limits)
    try:
        reading = _Reading(text, origin, limits)
        data = reading.document()
    except ReaderError as error:
        raise _unprintable(text, error, origin) from None
    except MarkedYAMLError as error:
        raise _syntax_error(error, origin) from None
    except YAMLError as error:
        raise UsageError(f"{origin}: is not YAML: {quoted(error)}") from None
    return data, Places(origin, reading.values, reading.keys)


def _too_large(origin: str, limits: YamlLimits) -> UsageError:
    return UsageError(f"{origin}: is larger than {limits.max_bytes // 1024} KiB, the most {limits.what} may have")


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


class _Reading:
    """Turns the events of one document into plain values, in one pass, and notes where they stand."""

    def __init__(self, text: str, origin: str, limits: YamlLimits) -> None:
        yaml = YAML(typ="safe", pure=True)
        self.origin, self.limits = origin, limits
        self.values: dict[Path, Mark] = {}
        self.keys: dict[Path, Mark] = {}
        self._events: Iterator[Any] = yaml.parse(text)
        self._resolver: Any = yaml.resolver
        self._count = self._depth = 0

    def document(self) -> Any:
        next(self._events)  # the stream begins
        begin = next(self._events)
        if not isinstance(begin, DocumentStartEvent):
            raise UsageError(f"{self.origin}: is empty; expected {self.limits.what}")
        if begin.version or begin.tags:
            raise self._error(begin, "directives (%YAML, %TAG) are not taken")
        data = self._value(next(self._events), ())
        next(self._events)  # the document ends
        more = next(self._events)
        if isinstance(more, DocumentStartEvent):
            raise self._error(more, "a second document begins here; expected one a file")
        return data

    def _value(self, event: Any, path: Path) -> Any:
        """Return the value that begins with `event`, and read on to its end."""
        self._admit(event)
        self.values[path] = _mark(event)
        if isinstance(event, ScalarEvent):
            return self._scalar(event)
        self._depth += 1
        if self._depth > self.limits.max_depth:
            raise self._error(event, f"nested deeper than {self.limits.max_depth} levels")
        value = self._mapping(path) if isinstance(event, MappingStartEvent) else self._list(path)
        self._depth -= 1
        return value

    def _admit(self, event: Any) -> None:
        """Refuse what no document needs, and what is more than any needs."""
        if isinstance(event, AliasEvent) or event.anchor is not None:
            raise self._error(event, "anchors (&) and aliases (*) are not taken; write the value out")
        if event.ctag is not None:
            raise self._error(event, "tags (!) are not taken; write the plain value")
        self._count += 1
        if self._count > self.limits.max_values:
            raise self._error(event, f"more than {self.limits.max_values} keys and values")

    def _list(self, path: Path) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(self._events), SequenceEndEvent):
            items.append(self._value(event, (*path, len(items))))
        return items

    def _mapping(self, path: Path) -> dict[str, Any]:
        plain: dict[str, Any] = {}
        while not isinstance(event := next(self._events), MappingEndEvent):
            key = self._key(event, path)
            if key in plain:
                first = self.keys[(*path, key)]
                raise self._error(event, f"key {quoted(key)} is given twice (first in line {first[0]})")
            self.keys[(*path, key)] = _mark(event)
            plain[key] = self._value(next(self._events), (*path, key))
        return plain

    def _key(self, event: Any, path: Path) -> str:
        if not isinstance(event, ScalarEvent):
            self._value(event, path)
            raise self._error(event, "a key must be a name")
        self._admit(event)
        if not event.value:
            raise self._error(event, "a key must be a name")
        return str(event.value)

    def _scalar(self, event: Any) -> Any:
        text = str(event.value)
        if not event.implicit[0]:
            return text
        kind = str(self._resolver.resolve(ScalarNode, text, event.implicit)).removeprefix(_TAG)
        if kind == "null":
            return None
        if kind == "bool":
            return text.lower() == "true"
        if kind in {"int", "float"}:
            return self._number(event, kind, text)
        return text

    def _number(self, event: Any, kind: str, text: str) -> int | float:
        if len(text) <= MAX_NUMBER_CHARACTERS:
            if kind == "int" and _INTEGER.fullmatch(text):
                return int(text)
            if kind == "float" and _FLOAT.fullmatch(text) and isfinite(number := float(text)):
                return number
        raise self._error(event, f"{quoted(text)} is not a plain decimal number")

    def _error(self, event: Any, message: str) -> UsageError:
        return _refused(self.origin, _mark(event), message)
