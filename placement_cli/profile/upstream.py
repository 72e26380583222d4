"""The cost model of ezmsg-sigproc's planner: four constants, in multiply-accumulates, and the shipped values.

Cost = (n + WEIGHT_LOAD_SAMPLES) * weights + calls * CALL_COST_MACS + gathered elements * GATHER_COST_MACS,
from the documentation of `ezmsg.sigproc.util.blockdiag` (3.11.1), where they are said to come from an Apple
M-series CPU and float32 data. Only ratios matter: the cost is in multiply-accumulates, not in seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from placement_cli.profile.constant import Constant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from placement_cli.profile.shapes import FormulationLike

UPSTREAM_UNITS: Mapping[str, str] = {
    "weight_load_samples": "samples",
    "call_cost_macs": "MAC",
    "gather_cost_macs": "MAC/element",
}
"""Names of the constants as documents carry them, with their units."""


@dataclass(frozen=True, slots=True)
class UpstreamConstants:
    """Upstream's constants for one backend; `call_cost_macs` is its CALL_COST_MACS_DISPATCHED where `dispatched`."""

    weight_load_samples: Constant
    call_cost_macs: Constant
    gather_cost_macs: Constant
    dispatched: bool = False

    def assignments(self) -> dict[str, float]:
        """Return upstream's own names of module attributes with the values to set them to."""
        call = "CALL_COST_MACS_DISPATCHED" if self.dispatched else "CALL_COST_MACS"
        return {
            "WEIGHT_LOAD_SAMPLES": self.weight_load_samples.value,
            call: self.call_cost_macs.value,
            "GATHER_COST_MACS": self.gather_cost_macs.value,
        }

    def __call__(self, formulation: FormulationLike, samples: int) -> float:
        """Return the cost in multiply-accumulates; a batch counts as one call and indexing calls cost nothing."""
        gathered = samples * (formulation.gathered_in + formulation.gathered_out)
        return (
            (samples + self.weight_load_samples.value) * formulation.macs
            + formulation.calls * self.call_cost_macs.value
            + gathered * self.gather_cost_macs.value
        )


_APPLE = "ezmsg-sigproc 3.11.1: an Apple M-series CPU, float32"


def _shipped(value: float, unit: str) -> Constant:
    return Constant(value, None, None, unit, identified=True, source=_APPLE)


APPLE = UpstreamConstants(
    _shipped(108, "samples"), _shipped(1.6e6, "MAC"), _shipped(1600, "MAC/element"), dispatched=False
)
"""What ezmsg-sigproc ships for NumPy."""

APPLE_DISPATCHED = UpstreamConstants(
    _shipped(108, "samples"), _shipped(8e6, "MAC"), _shipped(1600, "MAC/element"), dispatched=True
)
"""What ezmsg-sigproc ships for backends that dispatch kernels, MLX among them."""
