"""What a block matmul consists of, in countable amounts: the terms whose prices a profile holds.

The time of `y = x @ W`, computed in one way for n samples, is modelled as a sum over terms, amount times
seconds an amount. Every amount is known from shapes alone. Where each term comes from:

- A product whose n * rows * columns stays under `small_macs` runs in a kernel that neither copies its
  operands nor wakes threads. Beyond, the weights are repacked once a call (which is what "streaming the
  weights" costs), results are collected tile by tile, and the rest of the multiply-accumulates run at another
  rate, that of all threads. OpenBLAS documents such a limit in its source, 1e6 on x86 with AVX-512; here it
  is fitted.
- Kernels compute a number of neighbouring outputs at once, so a block a few columns wide costs as much as a wider one.
- One sample is a matrix-vector product, bound by reading the weights: at one price within the nearer cache, at
  another beyond, where memory is slower but all threads may help.
- Weights that do not fit the farther cache are read from memory by every call.
- A block reads and writes a few columns of each row, which costs something a row however narrow it is. Once the
  chunk exceeds the farther cache each row costs lines from memory, block after block: the limitation that
  ezmsg-sigproc documents for its own model, here a term for rows and two for elements, since products that are
  repacked (and threaded) overlap more of it.
- A batched product is the same kernels called from compiled code: cheaper calls, equal products.
- Putting an output in its place by index writes across rows and costs more than fetching an input by index.
- `block_masked_mm` skips the tiles that are zero where the backend can; where it cannot it takes the whole product.

Amounts add up over parts but for the comparisons of all weights with the caches, and grow with the blocks but for one
step: a strided product that becomes large leaves one term for the other. So do real products, when growing a little
lets all threads fetch what one had to.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from placement_cli.profile.shapes import FormulationLike, PartLike

UNITS: Mapping[str, str] = {
    "once": "s",
    "call": "s",
    "slice_call": "s",
    "batch_call": "s",
    "batch_block": "s",
    "gather_call": "s",
    "gather": "s/element",
    "gather_far": "s/element",
    "scatter": "s/element",
    "scatter_far": "s/element",
    "small_mac": "s/MAC",
    "large_mac": "s/MAC",
    "packed_weight": "s/weight",
    "output": "s/element",
    "packed_output": "s/element",
    "vector_weight": "s/weight",
    "vector_weight_far": "s/weight",
    "streamed_weight": "s/weight",
    "traffic": "s/element",
    "row": "s/row",
    "strided_row": "s/row",
    "strided_small": "s/element",
    "strided_large": "s/element",
    "elementwise": "s/element",
    "added": "s/element",
    "zero_call": "s",
    "zero": "s/element",
    "gather_mm_call": "s",
    "gather_mm_block": "s",
    "masked_mm_call": "s",
    "masked_mm_mac": "s/MAC",
    "masked_mm_whole": "s/MAC",
    "compiled_once": "s",
    "compiled_call": "s",
    "compiled_elementwise": "s/element",
}
"""Name of every term and the unit of its price.

`gather_far` and `scatter_far` are paid on top of the terms without `_far`, `vector_weight_far` instead of it.
"""

SHARED_SUM_PASSES = 3
"""Passes over a chunk that a diagonal plus a shared sum takes: scale, sum a block, add."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where kernels and caches change: multiply-accumulates of one product, bytes of the two caches that matter.

    `lanes` are the outputs that a kernel computes at once: columns are rounded up to a multiple of it.
    """

    lanes: float = 8.0
    small_macs: float = 1e6
    near_bytes: float = 1 << 20
    far_bytes: float = 8 << 20


Amounts = dict[str, float]


@dataclass(frozen=True, slots=True)
class _Scene:
    """What holds for all parts of one formulation at one chunk length."""

    samples: int
    lanes: int
    small_macs: float
    chunk_far: float
    beyond_near: bool
    beyond_far: bool
    compiled: bool

    @property
    def call(self) -> str:
        """The term of a call."""
        return "compiled_call" if self.compiled else "call"

    @property
    def elementwise(self) -> str:
        """The term of an element that is scaled or added in place: compiled, such steps are fused into one kernel."""
        return "compiled_elementwise" if self.compiled else "elementwise"


def block_terms(formulation: FormulationLike, samples: int, thresholds: Thresholds, item_bytes: int = 4) -> Amounts:
    """Return the amount of every term that computing a product for `samples` samples takes; absent means none.

    `item_bytes` is the size of one element. Fewer than one sample count as one. Raises ValueError for a part
    of a kind that has no terms.
    """
    scene = _scene_of(formulation, max(samples, 1), thresholds, item_bytes)
    amounts: Amounts = defaultdict(float)
    amounts["compiled_once" if formulation.compiled else "once"] += 1
    _add_moves(amounts, formulation, scene)
    for part in formulation.parts:
        add = _ADD_PART.get(part.kind)
        if add is None:
            raise ValueError(f"no terms are known for parts of kind {str(part.kind)!r}")
        add(amounts, part, scene)
    return dict(amounts)


def _scene_of(formulation: FormulationLike, samples: int, thresholds: Thresholds, item_bytes: int) -> _Scene:
    weight_bytes = item_bytes * formulation.macs
    chunk_bytes = item_bytes * samples * (formulation.n_in + formulation.n_out)
    return _Scene(
        samples,
        max(1, round(thresholds.lanes)),
        thresholds.small_macs,
        _beyond(chunk_bytes, thresholds.far_bytes),
        weight_bytes > thresholds.near_bytes,
        weight_bytes > thresholds.far_bytes,
        formulation.compiled,
    )


def _beyond(size_bytes: float, cache_bytes: float) -> float:
    """Return which share of the accesses miss a cache: none up to its size, all from one and a half times that on."""
    return min(1.0, max(0.0, 2.0 * (size_bytes / cache_bytes - 1.0)))


def _add_moves(amounts: Amounts, formulation: FormulationLike, scene: _Scene) -> None:
    if formulation.gathers:
        amounts["gather_call"] += formulation.gathers
    _add_moved(amounts, "gather", scene.samples * formulation.gathered_in, scene)
    _add_moved(amounts, "scatter", scene.samples * formulation.gathered_out, scene)
    if formulation.zero_filled_out:
        amounts["zero_call"] += 1
        amounts["zero"] += scene.samples * formulation.zero_filled_out


def _add_moved(amounts: Amounts, term: str, elements: int, scene: _Scene) -> None:
    if elements:
        amounts[term] += elements
        if scene.chunk_far > 0:
            amounts[f"{term}_far"] += elements * scene.chunk_far


def _add_loop(amounts: Amounts, part: PartLike, scene: _Scene) -> None:
    amounts[scene.call] += part.count
    if part.kind != "dense":
        amounts["slice_call"] += part.count
    if part.accumulates:
        amounts[scene.call] += part.count
        amounts["added"] += scene.samples * part.shape.columns * part.count
    _add_products(amounts, part, scene)


def _add_batch(amounts: Amounts, part: PartLike, scene: _Scene) -> None:
    amounts["batch_call"] += 1
    amounts["batch_block"] += part.count
    _add_products(amounts, part, scene)


def _add_gather_mm(amounts: Amounts, part: PartLike, scene: _Scene) -> None:
    amounts["gather_mm_call"] += 1
    amounts["gather_mm_block"] += part.count
    _add_products(amounts, part, scene)


def _add_masked_mm(amounts: Amounts, part: PartLike, scene: _Scene) -> None:
    amounts["masked_mm_call"] += 1
    amounts["masked_mm_mac"] += scene.samples * part.macs
    amounts["masked_mm_whole"] += scene.samples * part.shape.rows * part.shape.columns


def _add_elementwise(amounts: Amounts, part: PartLike, scene: _Scene) -> None:
    amounts[scene.call] += 1
    amounts[scene.elementwise] += scene.samples * part.shape.rows * part.count


def _add_shared_sum(amounts: Amounts, part: PartLike, scene: _Scene) -> None:
    amounts[scene.call] += SHARED_SUM_PASSES
    amounts[scene.elementwise] += SHARED_SUM_PASSES * scene.samples * part.shape.rows * part.count


def _add_products(amounts: Amounts, part: PartLike, scene: _Scene) -> None:
    weights = part.shape.rows * part.shape.columns * part.count
    if scene.samples == 1:
        _add_vector_product(amounts, weights, scene)
    else:
        _add_matrix_products(amounts, part, scene)
    if scene.beyond_far:
        amounts["streamed_weight"] += weights
    amounts["row"] += part.count * scene.samples
    amounts["traffic"] += part.count * scene.samples * (part.shape.rows + part.shape.columns)
    if scene.chunk_far > 0 and part.kind != "dense":
        _add_strided(amounts, part, scene)


def _add_vector_product(amounts: Amounts, weights: int, scene: _Scene) -> None:
    amounts["vector_weight_far" if scene.beyond_near else "vector_weight"] += weights


def _add_matrix_products(amounts: Amounts, part: PartLike, scene: _Scene) -> None:
    columns = -(-part.shape.columns // scene.lanes) * scene.lanes
    macs = scene.samples * part.shape.rows * columns
    outputs = part.count * scene.samples * part.shape.columns
    amounts["small_mac"] += part.count * min(macs, scene.small_macs)
    amounts["output"] += outputs
    if macs > scene.small_macs:
        amounts["large_mac"] += part.count * (macs - scene.small_macs)
        amounts["packed_weight"] += part.count * part.shape.rows * part.shape.columns
        amounts["packed_output"] += outputs


def _add_strided(amounts: Amounts, part: PartLike, scene: _Scene) -> None:
    amounts["strided_row"] += part.count * scene.samples * scene.chunk_far
    macs = scene.samples * part.shape.rows * part.shape.columns
    small = scene.samples > 1 and macs <= scene.small_macs
    amounts["strided_small" if small else "strided_large"] += (
        part.count * scene.samples * (part.shape.rows + part.shape.columns) * scene.chunk_far
    )


_ADD_PART: Mapping[str, Callable[[Amounts, PartLike, _Scene], None]] = {
    "dense": _add_loop,
    "loop": _add_loop,
    "thin": _add_loop,
    "batch": _add_batch,
    "elementwise": _add_elementwise,
    "shared-sum": _add_shared_sum,
    "gather_mm": _add_gather_mm,
    "block_masked_mm": _add_masked_mm,
}

KINDS: tuple[str, ...] = tuple(_ADD_PART)
"""Kinds of parts that have terms."""
