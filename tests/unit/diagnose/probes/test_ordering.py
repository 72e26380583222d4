from collections.abc import Callable
from typing import Any

import pytest

from placement_cli.diagnose.probes.ordering import ORDERING
from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig

BY_ID = {probe.id: probe for probe in ORDERING}
ONE_DEVICE = [probe for probe in ORDERING if probe.id != "ordering.cpu-gpu"]
Check = Callable[[Observed], None]
ChangeMlx = Callable[..., Rig]


def run(name: str, rig: Rig) -> Observed:
    """Execute the probe of that name."""
    return BY_ID[f"ordering.{name}"].run(rig)


@pytest.mark.parametrize("probe", ONE_DEVICE, ids=[probe.id for probe in ONE_DEVICE])
def test_the_claim_holds_on_the_cpu_build(probe: Probe, rig: Rig, check_held: Check) -> None:
    """On MLX's CPU backend the claim holds, and the numbers say so."""
    check_held(probe.run(rig))


def test_the_probes_can_be_told_apart_and_shown() -> None:
    """Each has an id of its own in the group and claims something in one sentence."""
    assert len(BY_ID) == len(ORDERING)
    assert {probe.group for probe in ORDERING} == {"ordering"}
    assert all(probe.claim.endswith(".") and ". " not in probe.claim and probe.symptoms for probe in ORDERING)


@pytest.mark.parametrize("name", ["two-streams-one-call", "two-streams-two-calls", "fifo", "late-error"])
def test_async_eval_that_waits_fails(name: str, rig: Rig, change_mlx: ChangeMlx) -> None:
    """When async_eval waits as eval does, the claims about what goes on meanwhile fail, and this is a difference."""
    observed = run(name, change_mlx(async_eval=rig.mx.eval))
    assert not observed.held
    assert observed.differs is not None


def test_a_wrong_value_fails(change_mlx: ChangeMlx) -> None:
    """When a stream uses what is not there yet, the sum is wrong and the claim fails."""
    observed = run("two-streams-one-call", change_mlx(add=lambda array, _, stream: array))
    assert not observed.held
    assert observed.numbers["right_times"] == 0


def test_outputs_with_events_of_their_own_fail(rig: Rig, change_mlx: ChangeMlx) -> None:
    """When a fast output is there before the whole call is done, the claim that it is not fails."""

    def each(*arrays: Any) -> None:
        for array in arrays:
            rig.mx.async_eval(array)

    assert not run("fast-of-slow", change_mlx(async_eval=each)).held


def test_without_a_second_device_it_is_not_run(change_mlx: ChangeMlx) -> None:
    """Where there is no GPU the crossing is not run, with the reason, and nothing is put in its place."""
    observed = run("cpu-gpu", change_mlx(is_available=lambda device: False))
    assert observed.not_run is not None
    assert observed.numbers == {}


def test_with_two_devices_the_values_decide(rig: Rig, change_mlx: ChangeMlx, check_held: Check) -> None:
    """With two devices the claim holds when every value that crossed is right, and fails when one is not."""
    both = {"is_available": lambda device: True, "gpu": rig.mx.cpu}
    check_held(run("cpu-gpu", change_mlx(**both)))
    assert not run("cpu-gpu", change_mlx(**both, add=lambda array, _, stream: array)).held
