"""`placement plan`: how to compute with a weight matrix that may have structure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def plan(
    weights: Annotated[Path, typer.Argument(help="The matrix, inputs x outputs: .npy, .npz, .csv or .mtx.")],
    samples: Annotated[str, typer.Option(metavar="N,M,...", help="Lengths of a chunk, in samples.")] = "30,300,3000",
    backend: Annotated[str, typer.Option(help="numpy, mlx-cpu or mlx-gpu.")] = "numpy",
    threads: Annotated[int, typer.Option(min=1, max=1024, help="BLAS threads; NumPy alone.")] = 1,
    dtype: Annotated[str, typer.Option(help="Element type of the product.")] = "float32",
    measure: Annotated[
        bool, typer.Option("--measure", help="Time every way of computing here, and choose by that.")
    ] = False,
    against: Annotated[
        str | None, typer.Option(metavar="ezmsg", help="Compare with what ezmsg-sigproc's planner would choose.")
    ] = None,
    profile: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Plan by this profile instead of the one saved here.")
    ] = None,
    tolerance: Annotated[
        float, typer.Option(min=0.0, max=0.999, help="Weights up to this share of the largest count as zero.")
    ] = 0.0,
    array: Annotated[str | None, typer.Option(metavar="NAME", help="Which array of an .npz.")] = None,
    transpose: Annotated[bool, typer.Option("--transpose", help="The file has outputs x inputs.")] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also draw the matrix to FILE.{png,svg,html}.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE.json", help="Also write the document to FILE.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the document alone.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print one line a length, no progress.")] = False,
) -> int:
    """Find the structure of a weight matrix, and the fastest way to compute x @ W here, for each length of chunk."""
    from placement_cli.cli.plan_steps import PlanOptions, run_plan

    return run_plan(
        PlanOptions(
            weights=weights,
            samples=samples,
            backend=backend,
            threads=threads,
            dtype=dtype,
            measure=measure,
            against=against,
            profile=profile,
            tolerance=tolerance,
            array=array,
            transpose=transpose,
            plot=plot,
            output=output,
            as_json=as_json,
            quiet=quiet,
        )
    )
