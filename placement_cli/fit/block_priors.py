"""What is believed of the prices of a block matmul before any timing: ratios between prices, loosely held.

Two prices stand on their own, that of a multiply-accumulate and that of a call; both may be off by factors of
twenty. Everything else is tied to one of them, closely where physics ties it (the same kernel, the same
memory), loosely where libraries differ. Terms that no timing contains keep the ratio given here. The ratios
of the kinds that were not timed are put on the dear side, so that a planner does not choose unknown ground.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from placement_cli.fit.robust import Prior

if TYPE_CHECKING:
    from collections.abc import Mapping

BLOCK_PRIORS: Mapping[str, Prior] = {
    "large_mac": Prior(None, 2e-11, 3.0),
    "call": Prior(None, 2e-6, 2.0),
    "small_mac": Prior("large_mac", 1.0, 0.5),
    "vector_weight": Prior("small_mac", 2.5, 0.7),
    "vector_weight_far": Prior("vector_weight", 1.5, 1.0),
    "packed_weight": Prior("large_mac", 5.0, 1.5),
    "streamed_weight": Prior("packed_weight", 0.5, 1.0),
    "output": Prior("small_mac", 1.0, 1.0),
    "packed_output": Prior("large_mac", 1.0, 1.0),
    "traffic": Prior("large_mac", 2.0, 1.0),
    "row": Prior("output", 8.0, 1.5),
    "strided_row": Prior("row", 1.0, 1.5),
    "strided_large": Prior("traffic", 5.0, 1.5),
    "strided_small": Prior("strided_large", 1.0, 0.5),
    "slice_call": Prior("call", 1.0, 1.0),
    "once": Prior("call", 0.2, 1.0),
    "batch_call": Prior("call", 2.0, 1.0),
    "batch_block": Prior("call", 0.03, 1.0),
    "gather_call": Prior("call", 1.0, 1.0),
    "gather": Prior("large_mac", 40.0, 1.0),
    "gather_far": Prior("gather", 0.5, 1.0),
    "scatter": Prior("gather", 1.5, 0.7),
    "scatter_far": Prior("gather_far", 1.0, 1.0),
    "elementwise": Prior("gather", 0.25, 1.0),
    "added": Prior("scatter", 1.5, 1.0),
    "zero_call": Prior("call", 0.5, 1.0),
    "zero": Prior("elementwise", 0.5, 1.0),
    "gather_mm_call": Prior("batch_call", 2.0, 1.0),
    "gather_mm_block": Prior("batch_block", 2.0, 1.0),
    "masked_mm_call": Prior("call", 3.0, 1.0),
    "masked_mm_mac": Prior("large_mac", 3.0, 1.0),
    "masked_mm_whole": Prior("large_mac", 0.05, 3.0),
    "compiled_once": Prior("once", 1.5, 1.0),
    "compiled_call": Prior("call", 1.0, 1.0),
    "compiled_elementwise": Prior("elementwise", 1.2, 0.7),
}
"""Every term of `profile.terms.UNITS`, parents before children."""

TERM_ORDER: tuple[str, ...] = tuple(BLOCK_PRIORS)
"""The order of terms in amounts and prices."""
