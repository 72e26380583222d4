"""One product to be timed: the weights and the plans that compete, as they travel to a worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from placement_cli.blocks.plan import BlockPlan


@dataclass(frozen=True, slots=True, eq=False)
class ProductCase:
    """`weights` (inputs x outputs, dense NumPy or SciPy sparse), chunks of `samples`, and the plans to time.

    `seed` draws the data of the chunk.
    """

    weights: Any
    plans: tuple[BlockPlan, ...]
    samples: int
    seed: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each plan, numbered where two would be called the same."""
        return numbered([plan.formulation.name for plan in self.plans])


def numbered(names: list[str]) -> tuple[str, ...]:
    """Return names that are all different: the second `loop` becomes `loop 2`."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return tuple(found)
