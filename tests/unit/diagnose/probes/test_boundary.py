from collections.abc import Callable
from dataclasses import is_dataclass, replace
from typing import Any

import pytest

from placement_cli.diagnose.probes.boundary import BOUNDARY
from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig

BY_ID = {probe.id: probe for probe in BOUNDARY}
Check = Callable[[Observed], None]
ChangeMlx = Callable[..., Rig]


def run(name: str, rig: Rig) -> Observed:
    """Execute the probe of that name."""
    return BY_ID[f"boundary.{name}"].run(rig)


@pytest.mark.parametrize("probe", BOUNDARY, ids=BY_ID)
def test_the_claim_holds_on_the_cpu_build(probe: Probe, rig: Rig, check_held: Check) -> None:
    """On MLX's CPU backend the claim holds, and the numbers say so."""
    check_held(probe.run(rig))


def test_the_probes_can_be_told_apart_and_shown() -> None:
    """Each has an id of its own in the group and says in one sentence what it claims and what was measured before."""
    assert len(BY_ID) == len(BOUNDARY)
    assert {probe.group for probe in BOUNDARY} == {"boundary"}
    for probe in BOUNDARY:
        assert probe.claim.endswith(".")
        assert ". " not in probe.claim
        assert probe.reference
        assert probe.symptoms


def test_async_eval_that_waits_fails(rig: Rig, change_mlx: ChangeMlx) -> None:
    """When async_eval waits as eval does, the claim fails, with the difference from what was measured before."""
    observed = run("async-eval", change_mlx(async_eval=rig.mx.eval))
    assert not observed.held
    assert observed.differs is not None
    assert "348 ms" in observed.differs


def test_async_eval_that_schedules_nothing_fails(change_mlx: ChangeMlx) -> None:
    """When async_eval leaves the graph as it was, the claim fails, and the operations left are in the numbers."""
    observed = run("async-eval", change_mlx(async_eval=lambda *_: None))
    assert not observed.held
    assert observed.numbers["after_nodes"] == observed.numbers["before_nodes"]


def test_what_does_not_wait_is_named(change_mlx: ChangeMlx) -> None:
    """Among the ways to save, the one that leaves the array lazy is named."""
    observed = run("save", change_mlx(savez=lambda *_: None))
    assert not observed.held
    assert observed.says.endswith("Not waited for or not detached by: savez.")


def test_a_lazy_call_that_evaluates_is_named(rig: Rig, change_mlx: ChangeMlx) -> None:
    """Among the calls that should stay lazy, the one that evaluates is named."""

    def compare(one: Any, other: Any) -> Any:
        rig.mx.eval(one, other)
        return one

    observed = run("lazy-calls", change_mlx(array_equal=compare))
    assert not observed.held
    assert observed.says.endswith("Not lazy: array_equal.")


def test_an_eval_that_looks_into_dataclasses_fails(rig: Rig, change_mlx: ChangeMlx) -> None:
    """When eval also walks dataclasses, the claim about trees fails, and so it does when it refuses them."""

    def walk(tree: Any) -> None:
        rig.mx.eval(tree.data if is_dataclass(tree) else tree)

    def refuse(tree: Any) -> None:
        if is_dataclass(tree):
            raise TypeError
        rig.mx.eval(tree)

    assert run("trees", change_mlx(eval=walk)).numbers["dataclass_after_nodes"] == 0
    assert not run("trees", change_mlx(eval=walk)).held
    refused = run("trees", change_mlx(eval=refuse))
    assert not refused.held
    assert "dataclass raised TypeError" in refused.says


def test_results_that_are_shared_fail(rig: Rig, change_mlx: ChangeMlx) -> None:
    """When the same expression written twice gives one result, the claim that it is computed twice fails."""
    known: list[Any] = []

    def negative(array: Any) -> Any:
        if not known:
            known.append(rig.mx.negative(array))
        return known[0]

    observed = run("intermediates", change_mlx(negative=negative))
    assert not observed.held
    assert observed.numbers["both_bytes"] == observed.numbers["one_bytes"]


def test_synchronize_that_waits_for_the_other_stream_fails(rig: Rig, change_mlx: ChangeMlx) -> None:
    """When the other stream is waited for as well, the claim that synchronize() does not fails."""
    usual = rig.mx.default_stream(rig.mx.default_device())
    assert not run("synchronize-other", change_mlx(new_stream=lambda _: usual)).held


def test_a_cache_that_is_cleared_without_waiting_fails_on_a_cpu_build(rig: Rig, change_mlx: ChangeMlx) -> None:
    """Not waiting contradicts the claim about the CPU build, and is what it says of others."""
    quick = {"clear_cache": lambda: None, "set_cache_limit": lambda _: 1 << 25}
    assert not run("clear-cache", change_mlx(**quick)).held
    assert run("clear-cache", change_mlx(**quick, is_available=lambda _: True)).held


def test_a_save_that_lets_others_run_fails(rig: Rig, change_mlx: ChangeMlx) -> None:
    """When saving waits without holding up other threads, the claim that it holds them up fails."""
    assert not run("lock", change_mlx(save=lambda _, array: rig.mx.eval(array))).held


def test_another_backend_has_nothing_to_differ_from(rig: Rig, change_mlx: ChangeMlx) -> None:
    """What was measured on the CPU is no measure for another backend, even when the claim fails there."""
    observed = run("async-eval", replace(change_mlx(async_eval=rig.mx.eval), backend="metal"))
    assert not observed.held
    assert observed.differs is None
