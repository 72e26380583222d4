from collections.abc import Callable, Mapping
from typing import Any

import pytest

from placement_cli.diagnose.probes.ownership import OWNERSHIP
from placement_cli.diagnose.probes.probe import Probe
from placement_cli.diagnose.probes.rig import Rig
from tests.unit.diagnose.probes.conftest import ChangeMlx
from tests.unit.diagnose.probes.measured import assert_measured

BY_ID = {probe.id: probe for probe in OWNERSHIP}
ON_CPU = [probe for probe in OWNERSHIP if "cpu" in probe.backends]
Changes = Callable[[Any], Mapping[str, Any]]


def _evaluated_at_once(mx: Any) -> Callable[..., Any]:
    def negative(array: Any) -> Any:
        result = mx.negative(array)
        mx.eval(result)
        return result

    return negative


def _all_held(mx: Any) -> Callable[..., Any]:
    held: list[Any] = []

    def negative(array: Any) -> Any:
        held.append(mx.negative(array))
        return held[-1]

    return negative


OTHERWISE: Mapping[str, Changes] = {
    "ownership.graph-references": lambda mx: {"async_eval": mx.eval},
    "ownership.donation-inside": lambda mx: {"negative": _all_held(mx)},
    "ownership.donation-kept": lambda mx: {"negative": lambda array: array},
    "ownership.donation-across": lambda mx: {"async_eval": mx.eval},
    "ownership.input-held": lambda mx: {"negative": _evaluated_at_once(mx)},
    "ownership.numpy-view": lambda mx: {"get_active_memory": lambda: 0},
    "ownership.slice-parent": lambda mx: {"contiguous": lambda array: array},
    "ownership.counters": lambda mx: {"async_eval": mx.eval},
    "ownership.reset-peak": lambda mx: {"get_peak_memory": mx.get_active_memory},
    "ownership.clear-cache": lambda mx: {"clear_cache": lambda: None},
    "ownership.clear-cache-waits": lambda mx: {"clear_cache": lambda: None},
    "ownership.cache-limit": lambda mx: {"set_cache_limit": lambda limit: 2**30},
    "ownership.kept-outputs": lambda mx: {"negative": lambda array: array},
}
"""What else MLX might do for a claim to be wrong, by the probe that must notice."""


@pytest.mark.parametrize("probe", ON_CPU, ids=lambda probe: probe.id)
def test_each_claim_holds_on_the_cpu_build(probe: Probe, rig: Rig) -> None:
    """Every claim about ownership that is about the CPU holds there, with numbers."""
    observed = probe.run(rig)
    assert_measured(observed)
    assert observed.held, observed.says


@pytest.mark.parametrize("probe", ON_CPU, ids=lambda probe: probe.id)
def test_each_claim_fails_when_mlx_does_otherwise(probe: Probe, rig: Rig, change_mlx: ChangeMlx) -> None:
    """A probe fails, with numbers, on an MLX that does not do what its claim says."""
    observed = probe.run(change_mlx(**OTHERWISE[probe.id](rig.mx)))
    assert_measured(observed)
    assert not observed.held, observed.says


EXACT = ("donation-inside", "donation-kept", "input-held", "numpy-view", "slice-parent", "kept-outputs", "cache-limit")


@pytest.mark.parametrize("name", EXACT)
def test_bytes_on_the_cpu_are_those_measured_before(name: str, rig: Rig) -> None:
    """Bytes do not depend on how fast the machine is: none differs from what was measured before."""
    assert BY_ID[f"ownership.{name}"].run(rig).differs is None


def test_another_number_than_before_is_told(change_mlx: ChangeMlx) -> None:
    """A default that is not what it was is named with both figures."""
    observed = BY_ID["ownership.cache-limit"].run(change_mlx(set_cache_limit=lambda limit: 2**30))
    assert observed.differs is not None
    assert "32.0 MiB" in observed.differs
    assert "1.00 GiB" in observed.differs


def test_clearing_the_cache_of_a_gpu_must_return_at_once(rig: Rig, change_mlx: ChangeMlx) -> None:
    """The claim about GPUs fails where clearing waits, as on the CPU, and holds where it does nothing."""
    probe = BY_ID["ownership.clear-cache-returns"]
    assert not probe.run(rig).held
    assert probe.run(change_mlx(clear_cache=lambda: None)).held


def test_the_limits_of_cache_and_memory_are_compared_and_put_back(rig: Rig, change_mlx: ChangeMlx) -> None:
    """The claim about GPUs fails with the CPU build's limits, holds with equal ones, and leaves both as they were."""
    probe = BY_ID["ownership.cache-limit-memory"]
    limits = {"cache": 2**30, "memory": 2**30}

    def replacing(name: str) -> Callable[[int], int]:
        def replaced(limit: int) -> int:
            before, limits[name] = limits[name], limit
            return before

        return replaced

    assert not probe.run(rig).held
    assert probe.run(change_mlx(set_cache_limit=replacing("cache"), set_memory_limit=replacing("memory"))).held
    assert limits == {"cache": 2**30, "memory": 2**30}
