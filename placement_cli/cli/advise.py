"""`placement advise`: where a graph should evaluate, what is wrong with it, and how sure that is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DEFAULT_OUT = Path("results")


def advise(
    graph: Annotated[Path, typer.Argument(help="The graph, a YAML file as docs/advise.md describes it.")],
    profile: Annotated[
        str | None, typer.Option(metavar="FILE|NAME", help="Constants to predict with: a file, or a shipped profile.")
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Run the graph under the best placements here, and follow what they take.")
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help="With --verify: fewer blocks.")] = False,
    pareto: Annotated[
        bool, typer.Option("--pareto", help="Also show what no placement beats in host time, latency and memory.")
    ] = False,
    emit: Annotated[
        str | None, typer.Option(metavar="python|ezmsg", help="Print the code that makes the changes, and that alone.")
    ] = None,
    draw: Annotated[
        str | None, typer.Option(metavar="mermaid|dot", help="Print the graph with its modes drawn on, and that alone.")
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Set evaluate: in the file as advised; comments and order stay.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="With --verify: seed of data and order.")] = 0,
    time_budget: Annotated[
        str | None, typer.Option(metavar="TIME", help="With --verify: bound on the measurement, such as 2min.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="With --verify: where the run is kept.")] = DEFAULT_OUT,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE.json", help="Also write the document to FILE.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the document alone.")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print the verdict and what is wrong, a line each.")
    ] = False,
) -> int:
    """Say where a graph should evaluate and how, what is wrong with it today, and what that rests on."""
    from placement_cli.cli.advise_steps import AdviseOptions, run_advise

    return run_advise(
        AdviseOptions(
            graph=graph,
            profile=profile,
            verify=verify,
            quick=quick,
            pareto=pareto,
            emit=emit,
            draw=draw,
            write=write,
            seed=seed,
            time_budget=time_budget,
            out=out,
            output=output,
            as_json=as_json,
            quiet=quiet,
        )
    )
