"""The graph of an advice: its nodes in order, what each reads, and its mode today and as advised."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import RenderableType
from rich.text import Text

from placement_cli.blocks.wording import counted
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain
from placement_cli.render.sheet import Group, Row, Sheet
from placement_cli.store.advice_document import AdviceDocument, EdgeRecord, GraphRecord, NodeRecord
from placement_cli.units import format_ratio

ALL_SHOWN = 40
"""Graphs up to this many nodes are shown whole, and no more lines than this of larger ones."""
INDENT = "  "
OFF = "off"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the graph: a node, or one copy of a node whose copies differ."""

    node: NodeRecord
    name: str
    reads: str
    today: str | None
    mode: str | None

    @property
    def matters(self) -> bool:
        """Whether anything is evaluated here, today or as advised."""
        return self.changes or self.mode not in (None, OFF)

    @property
    def changes(self) -> bool:
        """Whether the advice changes this."""
        return self.mode != self.today


def graph_parts(document: AdviceDocument) -> Iterator[RenderableType]:
    """Yield what the graph is, and its nodes; of a large one those that are evaluated or change, and counts."""
    yield Hanging(plain(_title(document.graph), "bold"))
    lines = [line for node in document.graph.nodes for line in node_lines(node, document)]
    shown = lines if len(lines) <= ALL_SHOWN else [line for line in lines if line.matters][:ALL_SHOWN]
    if shown:
        yield Sheet((), ("node", "reads", "mode"), (Group((), tuple(_rows(shown))),))
    if len(shown) < len(lines):
        yield Hanging(plain(_rest(lines, shown), "dim"), Text(INDENT))


def node_lines(node: NodeRecord, document: AdviceDocument) -> Iterator[Line]:
    """Yield one line for a node, or one for each copy where the copies differ, today or as advised."""
    today, advised = document.current, document.placement
    names = [f"{node.name}.{number}" for number in range(node.repeat)] if node.repeat > 1 else []
    if not any(name in today or name in advised for name in names):
        times = f" x{node.repeat}" if node.repeat > 1 else ""
        mode = advised.get(node.name)
        yield Line(node, f"{node.name}{times}", _reads(node.inputs), _today(document, node.name, mode), mode)
        return
    reads = [_reads(node.inputs), *names]
    for name, read in zip(names, reads, strict=False):
        mode = advised.get(name, advised.get(node.name))
        whole = _today(document, node.name, mode)
        yield Line(node, name, read, today.get(name, whole), mode)


def _today(document: AdviceDocument, name: str, mode: str | None) -> str | None:
    """Return today's mode of an output that the advice has one for."""
    return document.current.get(name, None if mode is None else OFF)


def _title(graph: GraphRecord) -> str:
    source = graph.source
    samples, channels = source.shape
    rate = "" if source.rate_hz is None else f", {format_ratio(source.rate_hz)} messages/s"
    number = "" if source.messages is None else f", {counted(source.messages, 'message')}"
    device = f", {graph.device}" if graph.device else ""
    name = f"{graph.name} ({graph.file})" if graph.name else graph.file
    what = f"{counted(graph.node_count, 'node')}{device}; {samples}x{channels} {source.dtype}, {source.kind}"
    return f"{name}: {what}{rate}{number}"


def _reads(inputs: Sequence[EdgeRecord]) -> str:
    return ", ".join(f"{edge.node}{_manner(edge)}" for edge in inputs)


def _manner(edge: EdgeRecord) -> str:
    manners = [*([f"{counted(edge.lag, 'message')} ago"] if edge.lag else []), *(["leaky"] if edge.leaky else [])]
    return f" ({', '.join(manners)})" if manners else ""


def _rows(lines: Sequence[Line]) -> Iterator[Row]:
    """Yield the lines below the process and the thread they run in, where there are several."""
    processes = len({line.node.process for line in lines}) > 1
    threads = len({(line.node.process, line.node.thread) for line in lines}) > len({n.node.process for n in lines})
    place: tuple[str, str] | None = None
    for line in lines:
        here = line.node.process, line.node.thread
        if processes and (place is None or place[0] != here[0]):
            yield _place("", "process", here[0])
        if threads and place != here:
            yield _place(INDENT if processes else "", "thread", here[1])
        place = here
        yield _row(line, INDENT * (processes + threads))


def _place(indent: str, kind: str, name: str) -> Row:
    return Row((plain(f"{indent}{kind} {name or 'main'}", "dim"), Text(), Text()))


def _row(line: Line, indent: str) -> Row:
    style = "bold" if line.changes else ""
    return Row((plain(f"{indent}{line.name}", style), plain(line.reads), _mode(line)))


def _mode(line: Line) -> Text:
    pinned = " (pinned)" if line.node.pinned else ""
    if line.mode is None:
        return Text(line.node.backend, style="dim")
    if line.changes:
        return plain(f"{line.today} -> {line.mode}{pinned}", "bold green")
    return plain(f"{line.mode}{pinned}", "dim" if line.mode == OFF else "")


def _rest(lines: Sequence[Line], shown: Sequence[Line]) -> str:
    """Return how many lines are not shown, and what they are."""
    seen = {line.name for line in shown}
    rest = Counter(_kind(line) for line in lines if line.name not in seen)
    told = ", ".join(f"{number} {kind}" for kind, number in rest.most_common())
    return f"and {counted(len(lines) - len(shown), 'node')} more: {told} (--json has them all)"


def _kind(line: Line) -> str:
    if line.mode is None:
        return line.node.backend
    return f"{line.today} -> {line.mode}" if line.changes else f"{line.mode} today and as advised"
