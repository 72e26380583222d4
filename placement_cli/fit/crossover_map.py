"""Where blocks begin to pay: channels against chunk length, by the prices of a profile."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from placement_cli.blocks.finding import find_structure
from placement_cli.blocks.planner import choose

if TYPE_CHECKING:
    from placement_cli.blocks.formulation import Price
    from placement_cli.blocks.planner import Backend, Choice

CHANNELS = (64, 128, 256, 512, 1024, 2048)
SAMPLES = (1, 4, 16, 64, 256, 1024, 4096)
BLOCKS = 8
"""Equal blocks of every product in the map: eight banks, as an electrode array has."""


@dataclass(frozen=True, slots=True)
class MapCell:
    """The cheapest way for one product, and how many times cheaper than the dense product it is predicted to be."""

    channels: int
    samples: int
    kind: str
    gain: float


def crossover_map(price: Price, backend: Backend) -> list[list[MapCell]]:
    """Return the cells by channels, then by samples, for `BLOCKS` equal blocks along the diagonal."""
    return [_row(channels, price, backend) for channels in CHANNELS]


def _row(channels: int, price: Price, backend: Backend) -> list[MapCell]:
    side = channels // BLOCKS
    block = np.random.default_rng(0).standard_normal((side, side), dtype=np.float32)
    structure = find_structure(np.kron(np.eye(BLOCKS, dtype=np.float32), block))
    return [_cell(channels, samples, choose(structure, samples, price, backend=backend)) for samples in SAMPLES]


def _cell(channels: int, samples: int, choices: list[Choice]) -> MapCell:
    dense_s = next(choice.predicted_s for choice in choices if choice.is_dense)
    best_s = choices[0].predicted_s
    return MapCell(channels, samples, str(choices[0].formulation.kind), dense_s / best_s if best_s > 0 else inf)
