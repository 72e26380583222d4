"""Places the arms of a scenario in one case's pipeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from placement_cli.bench.arms import EVERY_NODE, TAIL, ArmSpec, parse_arm
from placement_cli.bench.wiring import Layout
from placement_cli.errors import did_you_mean
from placement_cli.graph.pipeline import Pipeline
from placement_cli.located.places import Given, at, quoted
from placement_cli.measure.specs import Arm, ArmMode
from placement_cli.operators.catalog import find_operator

MAX_ARMS = 12
"""Most arms of a scenario: each is a process that lives through every block."""


@dataclass(frozen=True, slots=True)
class Contest:
    """The arms of a scenario, read but not yet placed; `base` is the one all others are compared with."""

    arms: Mapping[ArmSpec, Given]
    base: ArmSpec


@dataclass(frozen=True, slots=True)
class Placed:
    """The arms of one case; `same` maps the name of an arm that is left out to the arm it equals here."""

    arms: tuple[Arm, ...]
    same: Mapping[str, str]


def read_contest(arms: Sequence[Given], base: Given | None, usual_base: str | None = None) -> Contest:
    """Read the arms of a scenario.

    Without `base` it is `usual_base` where that is among the arms, else the first arm. Raises UsageError for
    arms that cannot be read, that come twice, or that are too many, and for a base that is no arm.
    """
    if len(arms) > MAX_ARMS:
        raise arms[MAX_ARMS].error(f"{len(arms)} arms; expected at most {MAX_ARMS}")
    specs: dict[ArmSpec, Given] = {}
    for given in arms:
        with at(given.place):
            spec = parse_arm(str(given.value))
        for other in specs:
            if other.meaning == spec.meaning:
                raise given.error(f"arm {str(given.value)!r} is the same as {str(other)!r}; expected each arm once")
        specs[spec] = given
    return Contest(specs, _base(specs, base, usual_base))


def _base(specs: Mapping[ArmSpec, Given], base: Given | None, usual: str | None) -> ArmSpec:
    by_meaning = {spec.meaning: spec for spec in specs}
    if base is not None:
        with at(base.place):
            wanted = parse_arm(str(base.value))
        if wanted.meaning not in by_meaning:
            names = [str(spec) for spec in specs]
            raise base.error(f"base {str(wanted)!r} is none of the arms. {did_you_mean(str(wanted), names)}")
        return by_meaning[wanted.meaning]
    first = next(iter(specs))
    return by_meaning.get(parse_arm(usual).meaning, first) if usual else first


def place_arms(contest: Contest, layout: Layout) -> Placed:
    """Return the arms of a case, in their order, with sites that exist in its pipeline; see `tell_apart`."""
    arms = [place_arm(spec, given, layout) for spec, given in contest.arms.items()]
    return tell_apart(arms, str(contest.base), layout.pipeline)


def tell_apart(arms: Sequence[Arm], base: str, pipeline: Pipeline) -> Placed:
    """Return `arms`, in their order, without those that do the same in this pipeline as another of them.

    With one node, for instance, every node is the tail. The later of two is left out, never the one called `base`.
    """
    first = next(arm for arm in arms if arm.name == base)
    kept: dict[object, Arm] = {_effect(first, pipeline): first}
    same: dict[str, str] = {}
    for arm in arms:
        twin = kept.setdefault(_effect(arm, pipeline), arm)
        if twin is not arm:
            same[arm.name] = twin.name
    return Placed(tuple(arm for arm in arms if arm.name not in same), same)


def place_arm(spec: ArmSpec, given: Given, layout: Layout) -> Arm:
    """Return `spec` with sites that exist in the pipeline of `layout`; raises UsageError at the place of `given`."""
    sites: set[str] = set()
    if spec.mode is not ArmMode.OFF:
        for word in spec.sites:
            sites.update(_nodes_at(word, given, layout))
    in_order = tuple(node.name for node in layout.pipeline.nodes if node.name in sites)
    return Arm(str(spec), spec.mode, in_order, spec.depth, spec.state, spec.values)


def _nodes_at(word: str, given: Given, layout: Layout) -> tuple[str, ...]:
    """Return the nodes that a site word means."""
    if word == EVERY_NODE:
        return mlx_nodes(layout.pipeline)
    if word == TAIL:
        return tails(layout.pipeline)
    names = layout.copies.get(word) or tuple(n.name for n in layout.pipeline.nodes if n.name == word)
    if not names and word not in layout.copies:
        known = [TAIL, EVERY_NODE, *layout.copies]
        raise given.error(f"site {quoted(word)} is no node here. {did_you_mean(word, known)}")
    if not set(names) & set(mlx_nodes(layout.pipeline)):
        raise given.error(f"site {quoted(word)} is a host node, whose values are there already; expected an MLX node")
    return names


def mlx_nodes(pipeline: Pipeline) -> tuple[str, ...]:
    """Return the names of the nodes that do MLX work."""
    return tuple(node.name for node in pipeline.nodes if find_operator(node.op).backend == "mlx")


def tails(pipeline: Pipeline) -> tuple[str, ...]:
    """Return the ends of the MLX work: MLX nodes whose output reaches no other MLX node.

    A host node between two MLX nodes hands the message on, so what stands before it is no end.
    """
    mlx = frozenset(mlx_nodes(pipeline))
    read: set[str] = set()
    for node in reversed(pipeline.nodes):
        if node.name in mlx or node.name in read:
            read.update(node.inputs)
    return tuple(node.name for node in pipeline.nodes if node.name in mlx and node.name not in read)


def _effect(arm: Arm, pipeline: Pipeline) -> object:
    """Return something equal for arms that do the same in this pipeline."""
    carries = any(find_operator(node.op).carries_state for node in pipeline.nodes)
    points = arm.points
    return frozenset(points.items()), arm.state and carries and bool(points), arm.values
