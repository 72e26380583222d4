"""Whose operators a run measures: the program's own, or the same chains through the processors of ezmsg-sigproc."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from placement_cli.bench.run import ScenarioPlan
from placement_cli.bench.session import Surroundings
from placement_cli.errors import UsageError, did_you_mean
from placement_cli.measure.shapes import pipeline_shapes
from placement_cli.measure.specs import Case, Workload
from placement_cli.operators.catalog import find_operator
from placement_cli.operators.ezmsg.availability import PACKAGE, ezmsg_problem, installed_versions, refusal
from placement_cli.operators.ezmsg.routes import ROUTES
from placement_cli.store.run_document import Diagnostic


def find_workload(name: str) -> Workload:
    """Return the workload called `name`; raises UsageError that names the nearest one."""
    try:
        return Workload(name)
    except ValueError:
        hint = did_you_mean(name, [str(workload) for workload in Workload])
        raise UsageError(f"--workload {name}: there is no such workload. {hint}") from None


def on_workload(plans: Sequence[ScenarioPlan], workload: Workload) -> tuple[ScenarioPlan, ...]:
    """Return `plans` with `workload` in every case; raises UsageError for a node that cannot run on it anywhere."""
    moved = tuple(replace(plan, cases=tuple(replace(case, workload=workload) for case in plan.cases)) for plan in plans)
    for case in _through_ezmsg(moved):
        _check(case)
    return moved


def admit(
    plans: Sequence[ScenarioPlan], around: Surroundings, find: Callable[[], Mapping[str, str]] = installed_versions
) -> Surroundings:
    """Return the surroundings of a run of `plans`: `around`, and where ezmsg-sigproc takes part, its versions.

    They belong to the stable facts, so that runs on two workloads, or on two versions, never compare. Raises
    UsageError where ezmsg-sigproc cannot run here. `find` returns the versions installed.
    """
    if not _through_ezmsg(plans):
        return around
    versions, metal = find(), around.stable.get("backend") == "metal"
    problem = ezmsg_problem(versions.get(PACKAGE), metal, _ops(plans))
    if problem:
        able = [plan.name for plan in plans if not ezmsg_problem(versions.get(PACKAGE), metal, _ops([plan]))]
        raise UsageError(f"{problem} These can run here: {', '.join(able)}." if able else problem)
    facts = {"name": str(Workload.EZMSG), **versions}
    return replace(
        around,
        stable={**around.stable, "workload": facts},
        diagnostics=[*around.diagnostics, Diagnostic(level="info", code="workload", text=_told(plans, versions))],
    )


def _through_ezmsg(plans: Sequence[ScenarioPlan]) -> list[Case]:
    return [case for plan in plans for case in plan.cases if case.workload is Workload.EZMSG]


def _ops(plans: Sequence[ScenarioPlan]) -> set[str]:
    return {node.op for case in _through_ezmsg(plans) for node in case.pipeline.nodes}


def _check(case: Case) -> None:
    shapes = pipeline_shapes(case.pipeline)
    for node in case.pipeline.nodes:
        reason = refusal(find_operator(node.op), shapes[node.name].inputs, case.pipeline.source.dtype)
        if reason:
            raise UsageError(f"--workload ezmsg: node {node.name!r} of {case.id} cannot run on it. {reason}")


def _told(plans: Sequence[ScenarioPlan], versions: Mapping[str, str]) -> str:
    """Return which processors did the work, in a sentence."""
    routed = [f"{op} by {ROUTES[op].processors}" for op in sorted(_ops(plans)) if op in ROUTES]
    return f"measured through {PACKAGE} {versions[PACKAGE]}: {', '.join(routed)}; all else is placement's own."
