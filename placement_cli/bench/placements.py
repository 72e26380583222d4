"""Measures placements of a graph against each other.

    scenario = placements_scenario(graph, {"current": ..., "tail": ...}, "tail")
    request = placements_request(scenario, free_bytes, argv=argv)
    kept = measure_placements(request, around, out)
    measured = measured_from(kept.document, scenario.same)

All but `measure_placements` is pure; `measured_from` is in `measured`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from placement_cli.bench.cases import Scenario
from placement_cli.bench.graph_scenario import assemble
from placement_cli.bench.plans import QUICK_STAGES, plan_scenarios
from placement_cli.bench.run import Method
from placement_cli.bench.session import Request, Surroundings, start_run
from placement_cli.bench.sites import MAX_ARMS
from placement_cli.errors import UsageError, did_you_mean
from placement_cli.graph.graph import Graph
from placement_cli.graph.mode import OFF, Mode
from placement_cli.graph.runnable import Runnable, runnable
from placement_cli.located.places import at, quoted
from placement_cli.measure.specs import Arm
from placement_cli.statistics.control import CONTROL
from placement_cli.store.files import write_whole
from placement_cli.store.run_document import RunDocument
from placement_cli.store.runs import document_path, journal_path, new_run_id

Placements = Mapping[str, Mapping[str, Mode]]
"""By name, the mode at the output of every MLX node; copies by their own names or all together, others are off."""


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run, and where its document is."""

    document: RunDocument
    path: Path


def placements_scenario(
    graph: Graph, placements: Placements, base: str, *, origin: str = "the graph", quick: bool = False
) -> Scenario:
    """Return the scenario in which `placements` of `graph` compete; `base` names the one all others are compared with.

    Placements that do the same are measured once; `same` and `notes` of the scenario say which. Raises UsageError for
    a graph that cannot be run (called `origin`), for more than 12 placements and for nodes that it does not have.
    """
    with at(origin):
        run = runnable(graph)
    if len(placements) > MAX_ARMS:
        raise UsageError(f"{len(placements)} placements; at most {MAX_ARMS} can be measured together.")
    if base not in placements:
        raise UsageError(f"base {quoted(base)} is none of the placements. {did_you_mean(base, list(placements))}")
    for name in placements:
        if name == CONTROL:
            raise UsageError(f"a placement cannot be called {name!r}: that is the second process of the base.")
    arms = [Arm.placed(name, _written_out(name, modes, run)) for name, modes in placements.items()]
    return assemble(graph, origin, run, arms, base, quick=quick)


def _written_out(name: str, modes: Mapping[str, Mode], run: Runnable) -> dict[str, Mode]:
    """Return the mode of every MLX node, copies by their own names, in the order of the pipeline."""
    known = dict.fromkeys(run.current, OFF)
    for node, mode in modes.items():
        copies = [copy for copy in (node, *run.copies.get(node, ())) if copy in known]
        if not copies:
            hint = did_you_mean(node, list(run.copies))
            raise UsageError(f"placement {quoted(name)}: {quoted(node)} is no MLX node of the graph. {hint}")
        known |= dict.fromkeys(copies, mode)
    return known


def placements_request(
    scenario: Scenario,
    free_bytes: int,
    *,
    argv: Sequence[str] = (),
    seed: int = 0,
    device: str | None = None,
    quick: bool = False,
    time_budget_s: float | None = None,
) -> Request:
    """Return the request of a run of `scenario` alone.

    A quick run takes as many blocks as a verdict needs. Raises UsageError where it needs more than the memory allows.
    """
    method = Method(stages=QUICK_STAGES) if quick else Method()
    plans = plan_scenarios([scenario], free_bytes)
    return Request(new_run_id([scenario.name]), argv, plans, method, seed, device, time_budget_s)


def measure_placements(request: Request, around: Surroundings, out: Path) -> KeptRun:
    """Measure, and keep journal and document in the folder `out`, where `bench --resume` finds them."""
    path = document_path(out, request.run_id)
    document = start_run(
        request, journal_path(out, request.run_id), around, lambda kept: write_whole(path, kept.to_json())
    )
    return KeptRun(document, path)
