"""How fast a backend multiplies, from one product of middling size: what bounds how long drawn products take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from placement_cli.blocks.candidates import dense_plan
from placement_cli.blocks.finding import find_structure
from placement_cli.errors import InvalidMeasurement
from placement_cli.measure.products.case import ProductCase

if TYPE_CHECKING:
    from placement_cli.measure.products.taking import ProductTimer

SIDE, SAMPLES = 512, 64
"""Beyond the small kernels, over in milliseconds."""


def macs_a_second(timer: ProductTimer) -> float:
    """Return multiply-accumulates a second; raises InvalidMeasurement when the product cannot be timed."""
    weights = np.random.default_rng(0).standard_normal((SIDE, SIDE), dtype=np.float32)
    (seconds,) = timer.load(ProductCase(weights, (dense_plan(find_structure(weights)),), SAMPLES))
    if not seconds:
        raise InvalidMeasurement("The dense product could not be timed on this backend.")
    return float(SAMPLES * SIDE**2 / seconds)
