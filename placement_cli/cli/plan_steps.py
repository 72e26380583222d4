"""What `placement plan` does with its options: read, find, plan, perhaps measure; then print, draw and write."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil

import placement_cli
from placement_cli.blocks.finding import find_structure
from placement_cli.blocks.lengths import table
from placement_cli.blocks.occupancy import occupancy
from placement_cli.blocks.planner import Backend
from placement_cli.blocks.wording import counted
from placement_cli.errors import UsageError, did_you_mean
from placement_cli.ezmsg import installed_version, upstream_plan
from placement_cli.measure.products.backends import BACKENDS, check_dtype
from placement_cli.measure.products.taking import ProductBench, opened, product_worker
from placement_cli.planning.comparison import LengthPlan, measured, predicted, with_upstream
from placement_cli.planning.document import Planned, plan_document
from placement_cli.planning.prices import PlanPrice, named_price, saved_price
from placement_cli.render.console import stderr_console, stdout_console
from placement_cli.render.matrix_picture import MatrixPicture
from placement_cli.render.plan_report import print_choices, print_plan
from placement_cli.render.sayings import diagnostics
from placement_cli.render.steps import steps_on
from placement_cli.store.files import write_whole
from placement_cli.store.matrix_file import load_matrix
from placement_cli.units import format_size

if TYPE_CHECKING:
    from rich.console import RenderableType

    from placement_cli.blocks.plan import BlockPlan
    from placement_cli.blocks.structure import Structure
    from placement_cli.store.plan_document import PlanDocument

MOST_LENGTHS = 32
MOST_SAMPLES = 10**9
PICTURE_COLUMNS, PICTURE_LINES = 96, 48
"""Cells of the picture before it is fitted to the terminal."""
PLOT_CELLS = 256
COMPARABLE = ("ezmsg",)
COPIES = 4
"""Copies of the weights that timing holds: here, on their way, and bound by the dense plan and others."""


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """The options of `placement plan` as they were given."""

    weights: Path
    samples: str
    backend: str
    threads: int
    dtype: str
    measure: bool
    against: str | None
    profile: Path | None
    tolerance: float
    array: str | None
    transpose: bool
    plot: Path | None
    output: Path | None
    as_json: bool
    quiet: bool

    @property
    def library(self) -> Backend:
        """What the planner calls the backend."""
        return "numpy" if self.backend == "numpy" else "mlx"


def run_plan(options: PlanOptions) -> int:
    """Carry out `placement plan` and return the exit code."""
    lengths = parse_lengths(options.samples)
    _check(options)
    matrix = load_matrix(options.weights, options.array)
    weights = matrix.T if options.transpose else matrix
    structure = find_structure(weights, options.tolerance)
    price = _price(options)
    measures = options.measure or (not price.trusted and _problem(weights) is None)
    plans = [_planned(options, structure, weights, samples, price) for samples in lengths]
    if measures:
        plans = list(_measured(options, weights, plans))
    planned = Planned(
        options.weights.name,
        structure,
        options.backend,
        options.threads if options.backend == "numpy" else 1,
        options.dtype,
        price,
        tuple(plans),
        tuple(table(structure, lengths, price.price, backend=options.library)),
        installed_version() if options.against else None,
    )
    _tell(options, plan_document(planned, placement_cli.__version__), weights, plans[0])
    return 0


def parse_lengths(text: str) -> list[int]:
    """Return the lengths in `text`, whole numbers of samples between commas; raises UsageError naming a wrong one."""
    found: list[int] = []
    for part in text.split(","):
        number = part.strip()
        if not (number.isascii() and number.isdigit()) or not 1 <= int(number[:12]) <= MOST_SAMPLES:
            raise UsageError(f"--samples {text}: {number!r} is no number of samples from 1 to {MOST_SAMPLES}.")
        found.append(int(number))
    if len(found) > MOST_LENGTHS:
        raise UsageError(f"--samples: {len(found)} lengths are too many; give at most {MOST_LENGTHS}.")
    return list(dict.fromkeys(found))


def _check(options: PlanOptions) -> None:
    if options.backend not in BACKENDS:
        raise UsageError(f"--backend {options.backend}: is no backend. {did_you_mean(options.backend, BACKENDS)}")
    check_dtype(options.backend, options.dtype)
    if options.against is not None and options.against not in COMPARABLE:
        raise UsageError(f"--against {options.against}: is not known. {did_you_mean(options.against, COMPARABLE)}")
    if options.plot is not None:
        from placement_cli.export.matrix_plot import check_plot

        check_plot(options.plot)


def _price(options: PlanOptions) -> PlanPrice:
    if options.profile is not None:
        return named_price(options.profile, options.backend, options.threads, options.dtype)
    return saved_price(options.backend, options.threads, options.dtype)


def _planned(options: PlanOptions, structure: Structure, weights: Any, samples: int, price: PlanPrice) -> LengthPlan:
    found = predicted(structure, samples, price.price, options.library)
    if options.against is None:
        return found
    theirs = upstream_plan(weights, samples, dispatched=options.library == "mlx")
    return with_upstream(found, theirs, price.price)


def _measured(options: PlanOptions, weights: Any, plans: list[LengthPlan]) -> Iterator[LengthPlan]:
    """Time the alternatives of every length in a worker of their own."""
    problem = _problem(weights)
    if problem is not None:
        raise UsageError(f"--measure: {problem}")
    with (
        steps_on(stderr_console(), len(plans), quiet=options.quiet or options.as_json) as steps,
        _bench(options) as bench,
    ):
        for number, plan in enumerate(plans):
            steps.piece(
                number, f"timing {counted(len(plan.alternatives), 'way')} for {counted(plan.samples, 'sample')}"
            )
            yield measured(plan, _typed(weights, options.dtype), bench)


def _problem(weights: Any) -> str | None:
    """Return why weights can be planned but not timed, the dense product being among the ways; None when they can."""
    if weights.dtype.kind == "c":
        return "complex weights are planned but not timed; time their real and imaginary parts."
    needed, free = 4 * COPIES * weights.shape[0] * weights.shape[1], psutil.virtual_memory().available
    if needed <= free:
        return None
    return (
        f"the dense product of these weights needs about {format_size(needed)}, and {format_size(free)} are free. "
        "Plan without --measure."
    )


@contextmanager
def _bench(options: PlanOptions) -> Iterator[ProductBench]:
    spawn = product_worker(options.backend, options.threads if options.backend == "numpy" else 1, options.dtype)
    with tempfile.TemporaryDirectory(prefix="placement-") as scratch, opened(spawn) as worker:
        yield ProductBench(worker, Path(scratch), np.random.default_rng(0))


def _typed(weights: Any, dtype: str) -> Any:
    """Return the weights in the type they are timed in, as far as NumPy (and SciPy, for sparse ones) has it."""
    short = ("bfloat16", "float16") if hasattr(weights, "tocsr") else ("bfloat16",)
    return weights.astype("float32" if dtype in short else dtype)


def _tell(options: PlanOptions, document: PlanDocument, weights: Any, first: LengthPlan) -> None:
    if options.as_json:
        sys.stdout.write(document.to_json())
    elif options.quiet:
        print_choices(document, stdout_console())
    else:
        print_plan(document, _pictures(weights, first), stdout_console())
    if options.plot is not None:
        _draw(options.plot, document, weights, first)
    if options.output is not None:
        write_whole(options.output, document.to_json())
    for line in diagnostics(document.diagnostics) if options.as_json or options.quiet else ():
        stderr_console().print(line)


def _pictures(weights: Any, first: LengthPlan) -> list[RenderableType]:
    """Return the matrix as it is, and as the plan takes its channels where it reorders them."""
    plan = first.best.plan
    n_in, n_out = weights.shape
    as_it_is = occupancy(weights, PICTURE_COLUMNS, PICTURE_LINES)
    pictures: list[RenderableType] = [MatrixPicture(as_it_is, n_in, n_out, _blocks_in_place(plan))]
    if plan.in_perm is not None and plan.out_perm is not None:
        reordered = occupancy(weights, PICTURE_COLUMNS, PICTURE_LINES, plan.in_perm, plan.out_perm)
        pictures.append(MatrixPicture(reordered, len(plan.in_perm), len(plan.out_perm), plan.blocks))
    return pictures


def _blocks_in_place(plan: BlockPlan) -> Sequence[tuple[slice, slice]]:
    """Return the blocks in the channels of the matrix, none where the plan reorders them."""
    return () if plan.formulation.permuted else plan.blocks


def _draw(path: Path, document: PlanDocument, weights: Any, first: LengthPlan) -> None:
    from placement_cli.export.matrix_plot import write_matrix_plot

    n_in, n_out = weights.shape
    cells = occupancy(weights, PLOT_CELLS, PLOT_CELLS)
    title = f"{document.weights}: {first.best.name} for {first.samples} samples"
    write_matrix_plot(path, cells, n_in, n_out, _blocks_in_place(first.best.plan), title)
