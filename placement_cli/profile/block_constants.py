"""The prices of every term of a block matmul on one machine, and the formulation's time by them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from placement_cli.profile.terms import UNITS, Thresholds, block_terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from placement_cli.profile.constant import Constant
    from placement_cli.profile.shapes import FormulationLike
    from placement_cli.profile.upstream import UpstreamConstants

THRESHOLD_UNITS: Mapping[str, str] = {"lanes": "columns", "small_macs": "MAC", "near_bytes": "B", "far_bytes": "B"}
"""Unit of each threshold, as documents carry it."""


@dataclass(frozen=True, slots=True)
class BlockConstants:
    """What a block matmul costs on one machine and backend.

    `prices` holds one constant for every term of `terms.UNITS`, `upstream` the same data explained by the
    four constants of ezmsg-sigproc's planner, which is coarser. `item_bytes` is the size of an element.
    Raises ValueError when a term has no price, a negative one, or one that no term knows, and when products are free.
    """

    prices: Mapping[str, Constant]
    thresholds: Thresholds = field(default_factory=Thresholds)
    upstream: UpstreamConstants | None = None
    item_bytes: int = 4

    def __post_init__(self) -> None:
        if self.prices.keys() != UNITS.keys():
            odd = ", ".join(sorted(self.prices.keys() ^ UNITS.keys()))
            raise ValueError(f"every term has one price and nothing else has; look at {odd}")
        negative = [name for name, price in self.prices.items() if price.value < 0]
        if negative:
            raise ValueError(f"a price is not negative: {', '.join(negative)}")
        if not any(self.prices[name].value for name in ("once", "call", "small_mac")):
            raise ValueError("a product costs something: the prices of once, call and small_mac are all zero")

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Terms whose price the data did not determine."""
        return tuple(name for name, price in self.prices.items() if not price.identified)


@dataclass(frozen=True, slots=True)
class BlockPrice:
    """Predicts seconds: called with a formulation and a number of samples.

    It is finite, not negative and deterministic. Prices add up over parts as long as the weights stay on one side of
    each cache, and rise when a block grows, but for the step that `terms` names.
    """

    values: Mapping[str, float]
    thresholds: Thresholds
    item_bytes: int = 4

    @classmethod
    def of(cls, constants: BlockConstants) -> BlockPrice:
        """Return the price by the values of `constants`."""
        values = {name: price.value for name, price in constants.prices.items()}
        return cls(values, constants.thresholds, constants.item_bytes)

    def __call__(self, formulation: FormulationLike, samples: int) -> float:
        """Return the seconds that `formulation` is predicted to take for `samples` samples."""
        amounts = block_terms(formulation, samples, self.thresholds, self.item_bytes)
        return sum(self.values[name] * amount for name, amount in amounts.items())
