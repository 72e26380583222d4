"""`placement selftest`: how often the tool is wrong, and what its own harness costs, measured here."""

from __future__ import annotations

from typing import Annotated

import typer


def selftest(
    harness: Annotated[
        bool, typer.Option("--harness", help="Compare the tool's timing with a loop written by hand.")
    ] = False,
    aa: Annotated[
        int | None, typer.Option("--aa", min=1, metavar="N", help="Give N verdicts on an arm against itself.")
    ] = None,
    inject: Annotated[
        str | None,
        typer.Option("--inject", metavar="5%", help="Slow one side by this much: how often is it caught?"),
    ] = None,
    planner: Annotated[
        int | None,
        typer.Option("--planner", min=1, max=1000, metavar="N", help="Plan N drawn products, and time all ways."),
    ] = None,
    backend: Annotated[str, typer.Option(help="With --planner: numpy, mlx-cpu or mlx-gpu.")] = "numpy",
    threads: Annotated[int, typer.Option(min=1, max=1024, help="With --planner: BLAS threads.")] = 1,
    device: Annotated[str | None, typer.Option(help="gpu or cpu; MLX's default without it.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of data and order.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> int:
    """Show how far this tool can be trusted on this machine: false alarms, power, its harness, its plans."""
    if planner is not None:
        from placement_cli.cli.planner_steps import run_planner_trial

        return run_planner_trial(number=planner, backend=backend, threads=threads, seed=seed, as_json=as_json)
    from placement_cli.cli.selftest_steps import run_selftest

    return run_selftest(harness=harness, aa=aa, inject=inject, device=device, seed=seed, as_json=as_json)
