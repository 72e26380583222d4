"""`placement fit-costs`: what products and evaluations cost on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def fit_costs(
    backends: Annotated[
        list[str] | None,
        typer.Option("--backend", metavar="NAME", help="numpy, mlx-cpu or mlx-gpu; repeatable; all without it."),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, max=1024, help="BLAS threads of NumPy; 1 and one a core without it.")
    ] = None,
    dtype: Annotated[str, typer.Option(help="Element type that products are timed in.")] = "float32",
    quick: Annotated[bool, typer.Option("--quick", help="A first look: fewer products, wider intervals.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the products and of the order.")] = 0,
    profiles: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where profiles are kept; your own data folder without it.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the newest run that did not finish.")] = False,
    saved: Annotated[bool, typer.Option("--saved", help="Show the profiles that are saved; measure nothing.")] = False,
    export: Annotated[
        str | None, typer.Option(metavar="ezmsg", help="Print what to set in ezmsg-sigproc, and nothing else.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Also write the documents to FILE, one a line."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the documents alone, one a line.")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print where the profiles are saved, no progress.")
    ] = False,
) -> int:
    """Measure what matrix products and evaluation points cost here, fit it, and keep it for `plan` and `advise`."""
    from placement_cli.cli.fit_costs_steps import FitOptions, run_fit_costs

    return run_fit_costs(
        FitOptions(
            backends=backends or [],
            threads=threads,
            dtype=dtype,
            quick=quick,
            seed=seed,
            profiles=profiles,
            resume=resume,
            saved=saved,
            export=export,
            output=output,
            as_json=as_json,
            quiet=quiet,
        )
    )
