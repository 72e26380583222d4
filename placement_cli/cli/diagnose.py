"""`placement diagnose`: what the installed MLX does, executed, and why a program disagrees with expectations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def diagnose(
    program: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SCRIPT ARGS",
            help="A program to trace. Options stand before it; what follows is its own, except a --symptom.",
        ),
    ] = None,
    module: Annotated[
        bool, typer.Option("-m", help="SCRIPT is the name of a module, as for python -m.", show_default=False)
    ] = False,
    symptom: Annotated[
        str | None, typer.Option(metavar="NAME", help="What disagrees: timing, memory, ordering or crash.")
    ] = None,
    probes: Annotated[
        list[str] | None, typer.Option("--probe", metavar="ID", help="Run this probe or group alone; repeatable.")
    ] = None,
    list_only: Annotated[bool, typer.Option("--list", help="List the probes and exit.")] = False,
    device: Annotated[
        str | None, typer.Option(metavar="gpu|cpu", help="Run the probes there; without it where MLX itself would.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE.json", help="Also write the document to FILE.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the document alone; the output of SCRIPT goes to stderr.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print one line a probe; of SCRIPT the symptom and the next check.")
    ] = False,
) -> int:
    """Test what MLX does here, or find out what ails a program.

    Without SCRIPT, execute what is known of MLX on the build that is installed, each claim in a process of its own.
    With SCRIPT, trace it, run the probes that bear on its symptom, and report on both.
    """
    from placement_cli.cli.diagnose_steps import DiagnoseOptions, run_diagnose

    return run_diagnose(
        DiagnoseOptions(
            program=tuple(program or ()),
            is_module=module,
            symptom=symptom,
            probes=tuple(probes or ()),
            list_only=list_only,
            device=device,
            output=output,
            as_json=as_json,
            quiet=quiet,
        )
    )
