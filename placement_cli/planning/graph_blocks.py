"""What the block structure of the matrices in a graph is worth, by the costs of products."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from placement_cli.blocks.finding import find_structure
from placement_cli.planning.comparison import predicted
from placement_cli.planning.prices import PlanPrice, saved_price, shipped_price
from placement_cli.store.matrix_file import load_matrix

if TYPE_CHECKING:
    from placement_cli.graph.graph import BlockShape, Graph

MOST_CHANNELS = 65_536
"""Wider matrices are not looked at for a remark,"""
MOST_WEIGHTS = 1 << 24
"""nor such with more weights: they take 16 bytes each while they are looked at."""


@dataclass(frozen=True, slots=True)
class BlockWorth:
    """How many times as fast as dense the best way is, its name, and where the costs come from."""

    gain: float
    formulation: str
    basis: str


def blocks_worth(graph: Graph, folder: Path, kind: str, *, here: bool) -> dict[str, BlockWorth]:
    """Return the worth of block structure by node, of nodes that name a matrix file or describe their blocks.

    Files are looked for in `folder`, where the graph lies. Raises what reading a matrix raises.
    """
    found: dict[str, BlockWorth] = {}
    price: PlanPrice | None = None
    for node in graph.nodes:
        weights = _weights(node.weights, node.blocks, folder)
        if weights is None:
            continue
        price = price or _price(kind, here=here)
        plan = predicted(find_structure(weights), graph.source.samples, price.price, "mlx")
        if plan.best.predicted > 0:
            gain = plan.dense.predicted / plan.best.predicted
            found[node.name] = BlockWorth(gain, plan.best.name, price.provenance)
    return found


def _price(kind: str, *, here: bool) -> PlanPrice:
    backend = "mlx-cpu" if kind == "cpu" else "mlx-gpu"
    return saved_price(backend, 1) if here else shipped_price(backend, 1, "Measure where it will run.")


def _weights(path: str | None, blocks: BlockShape | None, folder: Path) -> Any:
    if path is not None:
        return load_matrix(folder / path)
    if blocks is None or blocks.count * max(blocks.rows, blocks.columns) > MOST_CHANNELS:
        return None
    if blocks.count * blocks.rows * blocks.columns > MOST_WEIGHTS:
        return None
    import numpy as np
    from scipy.sparse import block_diag

    values = np.random.default_rng(0)  # blocks of ones would be worth more than their zeros: they are all alike
    shape = (blocks.rows, blocks.columns)
    return block_diag([values.standard_normal(shape) for _ in range(blocks.count)], format="csr")
