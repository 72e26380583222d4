"""Asking a cost model for the price of one part, and the cost model of ezmsg-sigproc as such a price."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, isnan

from placement_cli.blocks.formulation import BlockShape, Formulation, Kind, Part, Price

WEIGHT_LOAD_SAMPLES = 108
CALL_COST_MACS = 1.6e6
CALL_COST_MACS_DISPATCHED = 8e6
GATHER_COST_MACS = 1600
"""The constants of ezmsg-sigproc 3.11.1, by its own account from an Apple M-series CPU and float32 data."""

UPSTREAM_KINDS = frozenset({Kind.DENSE, Kind.LOOP})
"""What ezmsg-sigproc can execute."""


def upstream_price(
    weight_load_samples: float = WEIGHT_LOAD_SAMPLES,
    call_cost_macs: float = CALL_COST_MACS,
    gather_cost_macs: float = GATHER_COST_MACS,
) -> Price:
    """Return ezmsg-sigproc's cost model as a price, in multiply-accumulates; infinite for what it cannot do.

    (samples + weight load) x weights + calls x call cost + samples x gathered channels x gather cost.
    """

    def price(formulation: Formulation, samples: int) -> float:
        if formulation.compiled or any(part.kind not in UPSTREAM_KINDS for part in formulation.parts):
            return inf
        gathered = formulation.gathered_in + formulation.gathered_out
        return (
            (samples + weight_load_samples) * formulation.macs
            + formulation.calls * call_cost_macs
            + samples * gathered * gather_cost_macs
        )

    return price


@dataclass(slots=True)
class PartPrice:
    """What parts add to the price of a formulation of `n_in` inputs and `n_out` outputs at `samples` samples.

    Prices are remembered: a merge asks for the same shapes again and again.
    """

    price: Price
    samples: int
    n_in: int
    n_out: int
    _known: dict[tuple[Kind, int, int, int], float] = field(default_factory=dict, init=False)
    _alone: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self._alone = self._price(_ONE)
        if self._alone == inf:
            raise ValueError("a loop over blocks has an infinite price; every backend can compute one")

    def __call__(self, kind: Kind, rows: int, columns: int, count: int = 1) -> float:
        """Return what a part adds; infinity when it cannot be computed."""
        asked = (kind, rows, columns, count)
        known = self._known.get(asked)
        if known is None:
            known = self._price(_ONE, Part(kind, BlockShape(rows, columns), count)) - self._alone
            self._known[asked] = known = max(known, 0.0)
        return known

    def _price(self, *parts: Part) -> float:
        return checked(self.price(Formulation(self.n_in, self.n_out, parts), self.samples))


_ONE = Part(Kind.LOOP, BlockShape(1, 1))


def checked(price: float) -> float:
    """Return `price`; raises ValueError when it is NaN or negative, which no plan can be compared by."""
    if isnan(price) or price < 0:
        raise ValueError(f"a price of {price} for a formulation; prices are 0 or more, or infinite")
    return float(price)
