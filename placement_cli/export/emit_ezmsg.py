"""Advice as ezmsg: the `Materialize` units to add to a Collection, and the edges of its `network()`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from placement_cli.advice.copies import copy_names
from placement_cli.export.evaluation_sites import Site, changed_sites
from placement_cli.export.python_source import comment, unique_words
from placement_cli.graph.graph import Graph, GraphNode
from placement_cli.graph.mode import OFF, Mode, ModeKind

_HEAD = (
    "# Evaluation points as `placement advise` recommends them, for a Collection of ezmsg (needs ezmsg-sigproc 3.11).",
    "# Derive your Collection from EvaluationPoints and add its evaluation_edges() to what network() returns.",
)
"""Two lines without data: Python takes an encoding from a comment in these and nowhere else."""
_NOTES = (
    "Units are taken to be called as their nodes, in capitals, with the streams INPUT_SIGNAL and OUTPUT_SIGNAL.",
    "A unit belongs into the process of the node before it: between processes values are forced anyway.",
    "Each unit is a hop: 30-52 us of host time in one process (2-core x86 Linux machine), which may be more than the",
    "evaluation itself. Calling materialize_array(message.data, mode) in a unit that is there already, or",
    "MaterializeTransformer within a CompositeProcessor, costs a few microseconds instead.",
)
_PLAIN = "from ezmsg.sigproc.materialize import Materialize, MaterializeMode, MaterializeSettings"
_DEEP_IMPORTS = (
    "from ezmsg.baseproc import BaseStatefulTransformer, BaseTransformerUnit, processor_state",
    "from ezmsg.util.messages.axisarray import AxisArray",
)
_DEEP = {ModeKind.WINDOW: ("RunAhead", "RunAheadWindow"), ModeKind.EVERY: ("EveryKth", "EvaluateEvery")}
"""Kinds that Materialize does not have: the name of the unit that is made for them, and what it stands on."""
_UNIT = """

class {name}Settings(ez.Settings):
    messages: int = 1


@processor_state
class {name}State:
    point: {point} | None = None


class {name}Transformer(BaseStatefulTransformer[{name}Settings, AxisArray, AxisArray, {name}State]):
    def _hash_message(self, message):
        return 0  # one count for all messages, whatever their shape

    def _reset_state(self, message):
        self.state.point = {point}(self.settings.messages)

    def _process(self, message):
        self.state.point(message.data)
        return message


class {name}(BaseTransformerUnit[{name}Settings, AxisArray, AxisArray, {name}Transformer]):
    SETTINGS = {name}Settings
"""


def emit_ezmsg(graph: Graph, placement: Mapping[str, Mode], current: Mapping[str, Mode]) -> str:
    """Return Python source with a unit for every evaluation that `placement` adds to or changes in `current`.

    The class `EvaluationPoints` holds the units; `evaluation_edges()` gives the pairs of streams that lead from a
    node through its unit to the readers. `Materialize` has no mode for `window:K` and `every:K`: for them a unit
    is defined on `RunAheadWindow` or `EvaluateEvery`. Names of nodes stand in comments, and as identifiers.
    """
    sites = changed_sites(graph, placement, current)
    kept = [site for site in sites if site.mode != OFF]
    parts = [*_HEAD, "#", *map(comment, _NOTES), "#", *_changes(graph, sites)]
    if kept:
        parts += ["", *_imports(kept)]
        parts += [_UNIT.format(name=name, point=point).rstrip("\n") for name, point in _units(kept)]
        parts += ["", "", *_collection(graph, kept)]
    return "\n".join(parts) + "\n"


def _changes(graph: Graph, sites: Sequence[Site]) -> Iterator[str]:
    if not sites:
        yield comment("Nothing to change: every output is evaluated as it should be.")
    for site in sites:
        what = ""
        if site.mode == OFF:
            what = " (take its Materialize unit out, or set its mode to OFF)"
        elif site.today != OFF:
            what = " (a unit that evaluates there already has to go, or to take this mode)"
        yield comment(f"{site.title}{what}")
    for node in graph.nodes:
        if node.state == "side":
            yield comment(
                f"{node.name!r} carries a state that its output does not depend on. No unit behind it sees the"
            )
            yield comment(
                "state: evaluate it inside the node, with placement_cli.materialize(output, state, mode=...)."
            )


def _imports(kept: Sequence[Site]) -> Iterator[str]:
    deep = dict(_units(kept))
    yield "import ezmsg.core as ez"
    if deep:
        yield _DEEP_IMPORTS[0]
    if any(site.mode.kind not in _DEEP for site in kept):
        yield _PLAIN
    if deep:
        yield _DEEP_IMPORTS[1]
        yield ""
        yield f"from placement_cli import {', '.join(sorted(deep.values()))}"


def _units(kept: Sequence[Site]) -> list[tuple[str, str]]:
    """Return the units to define, each once."""
    return [made for kind, made in _DEEP.items() if any(site.mode.kind is kind for site in kept)]


def _collection(graph: Graph, kept: Sequence[Site]) -> Iterator[str]:
    """Yield the class with a unit for each output, and the edges through it."""
    everyone = [name for node in graph.nodes for name in copy_names(node)]
    outputs = [(name, site.mode) for site in kept for name in _outputs(site)]
    words = [word.upper() for word in unique_words([*everyone, *(f"MAT {name}" for name, _ in outputs)])]
    units = dict(zip(everyone, words, strict=False))
    points = dict(zip((name for name, _ in outputs), words[len(everyone) :], strict=True))
    readers = _readers(graph)
    yield "class EvaluationPoints(ez.Collection):"
    for name, mode in outputs:
        yield f"    {points[name]} = {_made(mode)}  {comment(repr(name))}"
    yield ""
    yield "    def evaluation_edges(self):"
    yield "        return ("
    for name, _ in outputs:
        yield from _edges(units[name], points[name], [units[reader] for reader in readers.get(name, ())])
    yield "        )"


def _outputs(site: Site) -> tuple[str, ...]:
    return copy_names(site.node) if site.name == site.node.name else (site.name,)


def _made(mode: Mode) -> str:
    if mode.kind in _DEEP:
        name, _ = _DEEP[mode.kind]
        return f"{name}({name}Settings(messages={mode.depth}))"
    return f"Materialize(MaterializeSettings(mode=MaterializeMode.{mode.kind.name}))"


def _edges(unit: str, point: str, readers: Sequence[str]) -> Iterator[str]:
    yield f"            (self.{unit}.OUTPUT_SIGNAL, self.{point}.INPUT_SIGNAL),"
    for reader in readers:
        yield f"            # instead of (self.{unit}.OUTPUT_SIGNAL, self.{reader}.INPUT_SIGNAL):"
        yield f"            (self.{point}.OUTPUT_SIGNAL, self.{reader}.INPUT_SIGNAL),"


def _readers(graph: Graph) -> dict[str, list[str]]:
    """Return who reads each output, copies of repeated nodes one by one: the first reads the inputs of its node."""
    last = {node.name: copy_names(node)[-1] for node in graph.nodes}
    readers: dict[str, list[str]] = {}
    for node in graph.nodes:
        for read, reader in _links(node, last):
            readers.setdefault(read, []).append(reader)
    return readers


def _links(node: GraphNode, last: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    first, *others = copy_names(node)
    for name in dict.fromkeys(edge.node for edge in node.inputs):
        if name in last:
            yield last[name], first
    yield from zip((first, *others), others, strict=False)
