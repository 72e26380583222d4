from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from placement_cli.diagnose.probes.probe import Probe
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.diagnose.probes.zero_size import ZERO_SIZE
from tests.unit.diagnose.probes.conftest import ChangeMlx
from tests.unit.diagnose.probes.measured import assert_measured

BY_ID = {probe.id: probe for probe in ZERO_SIZE}


def _not_at_all(*arrays: Any) -> None:
    """Stand in for an evaluation that neither schedules nor waits."""


def _skipping_empty(mx: Any) -> Callable[..., None]:
    return lambda *arrays: mx.eval(*(array for array in arrays if array.size))


OTHERWISE: Mapping[str, Callable[[Any], Mapping[str, Any]]] = {
    "zero-size.connected": lambda mx: {"eval": _skipping_empty(mx), "async_eval": _not_at_all},
    "zero-size.withheld": lambda mx: {"get_active_memory": lambda: 0},
    "zero-size.state-covers": lambda mx: {"eval": lambda output, state: mx.eval(output)},
    "zero-size.output-covers": lambda mx: {"eval": _not_at_all},
}
"""What else MLX might do for a claim to be wrong, by the probe that must notice."""


@pytest.mark.parametrize("probe", ZERO_SIZE, ids=lambda probe: probe.id)
def test_each_claim_holds_on_the_cpu_build(probe: Probe, rig: Rig) -> None:
    """Every claim about messages without elements holds on the CPU, with numbers."""
    observed = probe.run(rig)
    assert_measured(observed)
    assert observed.held, observed.says


@pytest.mark.parametrize("probe_id", OTHERWISE)
def test_each_claim_fails_when_mlx_does_otherwise(probe_id: str, rig: Rig, change_mlx: ChangeMlx) -> None:
    """A probe fails, with numbers, on an MLX that does not do what its claim says."""
    observed = BY_ID[probe_id].run(change_mlx(**OTHERWISE[probe_id](rig.mx)))
    assert_measured(observed)
    assert not observed.held, observed.says


def test_a_new_empty_array_that_evaluates_upstream_is_noticed(rig: Rig, change_mlx: ChangeMlx) -> None:
    """The claim fails on an MLX whose eval evaluates all that was built, not only what it is given."""
    built: list[Any] = []

    def work() -> Any:
        built.append(rig.work())
        return built[-1]

    observed = BY_ID["zero-size.fresh"].run(
        replace(change_mlx(eval=lambda *arrays: rig.mx.eval(*arrays, *built)), work=work)
    )
    assert not observed.held
    assert observed.numbers["left_ops"] == 0


def test_a_late_read_that_takes_no_longer_is_noticed(rig: Rig) -> None:
    """The claim fails where reading late takes as long as reading early."""
    ticks = count()
    observed = BY_ID["zero-size.late-read"].run(replace(rig, now=lambda: next(ticks) * 1e-3))
    assert not observed.held
    assert observed.numbers["each_message_s"] == 0


def test_what_a_withheld_message_keeps_is_what_was_measured_before(rig: Rig) -> None:
    """A message of 256 floats keeps its input and two constants on the CPU, and five operations."""
    observed = BY_ID["zero-size.withheld"].run(rig)
    assert observed.numbers["active_per_message_bytes"] == 1032
    assert observed.numbers["pending_per_message_ops"] == 5
    assert observed.differs is None
