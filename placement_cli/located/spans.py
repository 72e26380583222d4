"""Where the parts of a YAML document begin and end in its text, for edits that leave everything else as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.events import (
    CollectionStartEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
)


@dataclass(frozen=True, slots=True)
class Span:
    """A value in the text from `start` to `end`.

    `style` is its quotes or, of block scalars, `|` or `>`; `flow` says that it is in brackets. Of a mapping `entries`
    holds its keys and values in their order, and `text` is empty; of a scalar `text` is its value.
    """

    start: int
    end: int
    style: str = ""
    flow: bool = False
    text: str = ""
    entries: tuple[tuple[Span, Span], ...] = ()

    def entry(self, key: str) -> int:
        """Return the position of `key` among the entries; raises KeyError when it is not there."""
        for position, (name, _) in enumerate(self.entries):
            if name.text == key:
                return position
        raise KeyError(key)

    def value(self, key: str) -> Span:
        """Return the value of `key`; raises KeyError when it is not there."""
        return self.entries[self.entry(key)][1]


def spans_of(text: str) -> Span:
    """Return where the parts of `text` are, a document that `placement_cli.located.yaml.read_yaml` has read."""
    events = _events(text)
    while not isinstance(next(events), DocumentStartEvent):
        pass
    return _span(next(events), events)


def _events(text: str) -> Iterator[Any]:
    events: Iterator[Any] = YAML(typ="safe", pure=True).parse(text)
    return events


def _span(event: Any, events: Iterator[Any]) -> Span:
    start = event.start_mark.index
    if isinstance(event, ScalarEvent):
        return Span(start, event.end_mark.index, style=event.style or "", text=event.value)
    assert isinstance(event, CollectionStartEvent)
    entries: list[tuple[Span, Span]] = []
    if isinstance(event, MappingStartEvent):
        while not isinstance(following := next(events), MappingEndEvent):
            key = _span(following, events)
            entries.append((key, _span(next(events), events)))
    else:
        while not isinstance(following := next(events), SequenceEndEvent):
            _span(following, events)
    return Span(start, following.end_mark.index, flow=bool(event.flow_style), entries=tuple(entries))
