"""The terms of the cost of a product, in words for people."""

from __future__ import annotations

from collections.abc import Mapping

TERM_WORDS: Mapping[str, str] = {
    "once": "every product, once",
    "call": "a call of a kernel",
    "slice_call": "more for a call that reads and writes slices",
    "batch_call": "a batched call",
    "batch_block": "a block of a batched call",
    "gather_call": "an indexing call",
    "gather": "an element moved by index",
    "gather_far": "more for an element moved by index, chunks beyond the cache",
    "scatter": "an output put in its place by index",
    "scatter_far": "more for an output put in its place, chunks beyond the cache",
    "small_mac": "a multiply-accumulate in small products",
    "large_mac": "a multiply-accumulate in large ones",
    "packed_weight": "a weight repacked in large products",
    "output": "an output element",
    "packed_output": "more for an output element of large products",
    "vector_weight": "a weight, for chunks of one sample",
    "vector_weight_far": "a weight beyond the cache, chunks of one sample",
    "streamed_weight": "a weight read from memory",
    "traffic": "an element read or written",
    "row": "a sample of a block",
    "strided_row": "more for a sample of a block, chunks beyond the cache",
    "strided_small": "more for an element of a block, chunks beyond the cache",
    "strided_large": "more for an element of a large block, chunks beyond the cache",
    "elementwise": "an element scaled",
    "added": "an element added to an output",
    "zero_call": "setting outputs to zero",
    "zero": "an element set to zero",
    "gather_mm_call": "a call of gather_mm",
    "gather_mm_block": "a block of gather_mm",
    "masked_mm_call": "a call of block_masked_mm",
    "masked_mm_mac": "a multiply-accumulate of block_masked_mm",
    "masked_mm_whole": "a multiply-accumulate of block_masked_mm, zeros included",
    "compiled_once": "every compiled product, once",
    "compiled_call": "a call inside a compiled product",
    "compiled_elementwise": "an element scaled in a compiled product",
}
"""Every term of `profile.terms.UNITS`; each stands alone, as terms that were not determined are not shown."""
