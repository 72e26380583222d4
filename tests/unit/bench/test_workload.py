"""Whose operators a run measures, and where that is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from placement_cli.bench.run import ScenarioPlan
from placement_cli.bench.session import Surroundings
from placement_cli.bench.workload import admit, find_workload, on_workload
from placement_cli.errors import UsageError
from placement_cli.graph.pipeline import Node, Pipeline, Source
from placement_cli.measure.specs import Arm, ArmMode, Case, Reading, Workload
from placement_cli.store.fingerprint import fingerprint
from placement_cli.store.run_document import Diagnostic, ToolRecord

VERSIONS = {"ezmsg": "3.10.0", "ezmsg-sigproc": "3.11.1"}


def _plan(name: str, *ops: str, dtype: str = "float32") -> ScenarioPlan:
    inputs = ["source", *ops]
    nodes = tuple(Node(op, op, (read,)) for read, op in zip(inputs, ops, strict=False))
    pipeline = Pipeline(Source(8, 8, 4, dtype), nodes)
    case = Case(f"{name}[a=1]", name, Reading.STREAM, pipeline, (Arm("async", ArmMode.ASYNC, ops[-1:]),), "async")
    return ScenarioPlan(name, "", (case, case), None)


def _around(backend: str) -> Surroundings:
    return Surroundings(
        bench=cast("Any", None),
        now=lambda: 0.0,
        stable={"backend": backend, "device": "gpu"},
        harness={},
        tool=ToolRecord(name="placement", version="0"),
        watcher=cast("Any", None),
        interrupted=lambda: False,
        diagnostics=[Diagnostic(level="warning", code="other", text="told before")],
    )


def _ezmsg(*plans: ScenarioPlan) -> tuple[ScenarioPlan, ...]:
    return on_workload(plans, Workload.EZMSG)


def _nothing_installed() -> dict[str, str]:
    return {}


def _refused(plans: Sequence[ScenarioPlan], backend: str, versions: dict[str, str]) -> str:
    with pytest.raises(UsageError) as caught:
        admit(plans, _around(backend), lambda: versions)
    return str(caught.value)


@pytest.mark.parametrize("name", ["builtin", "ezmsg"])
def test_a_workload_is_found_by_its_name(name: str) -> None:
    """There are two."""
    assert str(find_workload(name)) == name


def test_an_unknown_workload_is_told_with_the_nearest_one() -> None:
    """A slip costs no look into the manual."""
    with pytest.raises(UsageError, match=r"--workload ezmg: there is no such workload. Did you mean 'ezmsg'\?"):
        find_workload("ezmg")


def test_every_case_of_every_plan_gets_the_workload() -> None:
    """All else in the plans stays."""
    plans = (_plan("one", "abs"), _plan("two", "fir", "abs"))
    moved = on_workload(plans, Workload.EZMSG)
    assert {case.workload for plan in moved for case in plan.cases} == {Workload.EZMSG}
    assert on_workload(moved, Workload.BUILTIN) == plans


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        (_plan("one", "abs", dtype="bfloat16"), "Messages are bfloat16"),
        (_plan("one", "spectrum"), "put a `window` node"),
    ],
    ids=["dtype", "spectrum"],
)
def test_what_runs_nowhere_is_refused_with_its_node_and_case(plan: ScenarioPlan, told: str) -> None:
    """Before anything is measured, and in a dry run too."""
    with pytest.raises(UsageError) as caught:
        on_workload([plan], Workload.EZMSG)
    assert str(caught.value).startswith("--workload ezmsg: node ")
    assert "one[a=1]" in str(caught.value)
    assert told in str(caught.value)


def test_a_builtin_run_asks_for_nothing() -> None:
    """Its surroundings are those of the machine, whatever is installed."""
    around = _around("cpu")
    assert admit((_plan("one", "sosfilt"),), around, _nothing_installed) is around


def test_without_the_package_the_run_is_refused() -> None:
    """It says what is missing; that holds for every scenario, so none is recommended."""
    told = _refused(_ezmsg(_plan("one", "abs"), _plan("two", "fir")), "metal", {})
    assert "ezmsg-sigproc is not installed" in told
    assert "can run here" not in told


def test_without_metal_the_scenarios_that_need_none_are_named() -> None:
    """A run of them alone is the way out."""
    told = _refused(_ezmsg(_plan("one", "abs"), _plan("two", "sosfilt", "abs"), _plan("three", "fir")), "cpu", VERSIONS)
    assert "Metal kernels" in told
    assert told.endswith("These can run here: one, three.")


@pytest.mark.parametrize(("backend", "op"), [("metal", "sosfilt"), ("metal", "abs"), ("cpu", "abs")])
def test_where_it_can_run_its_versions_belong_to_the_set_up(backend: str, op: str) -> None:
    """Runs on two workloads, or on two versions, have two fingerprints; the document says whose processors ran."""
    around = admit(_ezmsg(_plan("one", op)), _around(backend), lambda: VERSIONS)
    assert around.stable["workload"] == {"name": "ezmsg", **VERSIONS}
    assert fingerprint(around.stable) != fingerprint(_around(backend).stable)
    other, info = around.diagnostics
    assert other.code == "other"
    assert (info.level, info.code) == ("info", "workload")
    assert info.text.startswith("measured through ezmsg-sigproc 3.11.1: ")
