"""Makes the scenario of a graph: one case in which rules for points compete with the modes the graph has today."""

from __future__ import annotations

from collections.abc import Sequence

from placement_cli.bench.cases import Scenario
from placement_cli.bench.graph_case import feed, graph_case, graph_name, graph_question
from placement_cli.bench.sites import MAX_ARMS, place_arm, read_contest, tell_apart
from placement_cli.bench.wiring import Layout
from placement_cli.graph.graph import Graph
from placement_cli.graph.mode import OFF
from placement_cli.graph.runnable import Runnable, runnable
from placement_cli.located.places import Given, at, quoted
from placement_cli.measure.specs import Arm

BASE = "async"
"""The arm that all others are compared with, where it is among them; else it is the first."""
RULES = (BASE, "sync", "off", "async@every-node", "window:2")
"""The arms of a graph where none are given, followed by `CURRENT` where the graph has a point."""
PINNED = "Pinned points are there in every arm."
CURRENT = "current"
"""The arm that has the modes written in the graph."""


def graph_scenario(graph: Graph, origin: str, arms: Sequence[str] = (), *, quick: bool = False) -> Scenario:
    """Return the scenario that measures `graph`, which messages call `origin`, with `arms`, else with the usual ones.

    Raises UsageError for a graph that cannot be run, and for arms that cannot be read or placed in it.
    """
    with at(origin):
        run = runnable(graph)
    has_points = any(mode.submits for mode in run.current.values())
    words = arms or (*RULES, *([CURRENT] if has_points else []))
    placed = _place([Given(word.strip(), f"--arm {quoted(word)}") for word in words], run)
    names = [arm.name for arm in placed]
    base = BASE if BASE in names else names[0]
    return assemble(graph, origin, run, placed, base, quick=quick, notes=[PINNED] if run.pinned else [])


def assemble(
    graph: Graph, origin: str, run: Runnable, arms: Sequence[Arm], base: str, *, quick: bool, notes: Sequence[str] = ()
) -> Scenario:
    """Return the scenario in which `arms` compete in `run`; those that do the same are measured once, and it is told.

    `notes` are told too. Raises UsageError for a source that cannot be fed.
    """
    with at(origin):
        feeding = feed(graph, run.pipeline, quick=quick)
    apart = tell_apart(arms, base, run.pipeline)
    case = graph_case(graph, run.pipeline, feeding, apart.arms, base)
    twins = [f"{quoted(name)} does the same as {quoted(twin)}: measured once." for name, twin in apart.same.items()]
    return Scenario(
        name=graph_name(graph),
        question=graph_question(graph),
        reading=case.reading,
        cases=(case,),
        control_case=case.id if case.others else None,
        base=base,
        arms=tuple(arm.name for arm in arms),
        axes={},
        same={case.id: apart.same} if apart.same else {},
        origin=origin,
        notes=(*run.notes, *feeding.notes, *notes, *twins),
    )


def _place(words: Sequence[Given], run: Runnable) -> list[Arm]:
    """Return the arm of each word, pinned points included."""
    if len(words) > MAX_ARMS:
        raise words[MAX_ARMS].error(f"{len(words)} arms; expected at most {MAX_ARMS}")
    rules = [word for word in words if word.value != CURRENT]
    todays = [word for word in words if word.value == CURRENT]
    if len(todays) > 1:
        raise todays[1].error(f"arm {CURRENT!r} is given twice; expected each arm once")
    layout = Layout(run.pipeline, run.copies)
    specs = read_contest(rules, None).arms if rules else {}
    ruled = iter(_with_pinned(place_arm(spec, given, layout), run) for spec, given in specs.items())
    return [Arm.placed(CURRENT, run.current) if word.value == CURRENT else next(ruled) for word in words]


def _with_pinned(arm: Arm, run: Runnable) -> Arm:
    """Return `arm` with the pinned points of the graph, which are there for correctness and so in every arm."""
    if not run.pinned:
        return arm
    modes = dict.fromkeys(run.current, OFF) | arm.points | dict(run.pinned)
    return Arm.placed(arm.name, modes, state=arm.state, values=arm.values)
