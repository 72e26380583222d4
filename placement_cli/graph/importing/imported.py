"""What an importer is asked for, what it returns, and how much it takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from placement_cli.errors import UsageError
from placement_cli.graph.graph import DeviceName, Graph, SourceKind

MAX_CHARACTERS = 4 * 1024 * 1024
"""Longest text that is read."""
MAX_NODES = 20_000
MAX_EDGES = 100_000
MAX_DEPTH = 64
"""Levels of nesting: groups in a drawing, lists and mappings in JSON."""
MAX_LABEL = 500
"""No more of a label is kept."""
LONGEST_SHOWN = 80
"""No more of a name or address is shown in a note."""
MAX_REMARKS = 40
"""No more different remarks about nodes are told."""
NAMED = 4
"""So many nodes are named in one note; of more, only the count is told."""


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """What is known about the messages; None is unknown. `rate` is messages per second."""

    samples: int | None = None
    channels: int | None = None
    rate: float | None = None
    dtype: str | None = None
    kind: SourceKind | None = None
    messages: int | None = None

    def or_else(self, other: SourceFacts) -> SourceFacts:
        """Return these facts, and those of `other` where these are unknown; a shape stays in one piece."""
        shaped = self if self.samples is not None else other
        return SourceFacts(
            samples=shaped.samples,
            channels=shaped.channels,
            rate=self.rate if self.rate is not None else other.rate,
            dtype=self.dtype or other.dtype,
            kind=self.kind or other.kind,
            messages=self.messages if self.messages is not None else other.messages,
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """What the person says about the graph; it goes before what the file says."""

    source: SourceFacts = field(default_factory=SourceFacts)
    device: DeviceName | None = None
    name: str | None = None


NOTHING_ASKED = Asked()


@dataclass(frozen=True, slots=True)
class Imported:
    """A graph, and sentences on what the file did not say or what was read into it."""

    graph: Graph
    notes: tuple[str, ...] = ()


def check_size(text: str, origin: str) -> None:
    """Raise UsageError when `text`, which messages call `origin`, is longer than what is read."""
    if len(text) > MAX_CHARACTERS:
        raise UsageError(
            f"{origin}: is larger than {MAX_CHARACTERS // 1024**2} MiB, the most a graph to import may have"
        )


def check_count(count: int, most: int, what: str, origin: str) -> None:
    """Raise UsageError when there are more than `most` of `what`."""
    if count > most:
        raise UsageError(f"{origin}: has more than {most} {what}, the most a graph to import may have")


def shortened(name: str) -> str:
    """Return a name that is not longer than what people read."""
    return name if len(name) <= LONGEST_SHOWN else f"{name[: LONGEST_SHOWN - 1]}…"


def listed(names: Iterable[str]) -> str:
    """Return a few names, and the count of the others."""
    kept = list(names)
    shown = ", ".join(shortened(name) for name in kept[:NAMED])
    return f"{shown} and {len(kept) - NAMED} more" if len(kept) > NAMED else shown


def grouped(remarks: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return one note for each different remark, with the names of all it was made about, in the order given."""
    about: dict[str, list[str]] = {}
    for name, remark in remarks:
        about.setdefault(remark, []).append(name)
    notes = tuple(f"{listed(names)}: {remark}." for remark, names in about.items())
    more = len(notes) - MAX_REMARKS
    return notes if more <= 0 else (*notes[:MAX_REMARKS], f"{more} more remarks like these are not shown.")
