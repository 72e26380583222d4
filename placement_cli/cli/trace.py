"""`placement trace`: run a program unchanged, and see where it builds, schedules, waits for and reads MLX arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

CONTEXT = {"allow_interspersed_args": False}
"""Settings of the command: from the script on, every word is the program's."""

Script = Annotated[str, typer.Argument(metavar="SCRIPT", help="The program: a script, or with -m a module.")]
Arguments = Annotated[
    list[str] | None, typer.Argument(metavar="ARGS", help="All that follows is handed to the program.")
]
Timeline = Annotated[
    Path | None, typer.Option(metavar="FILE.json", help="Also write the timeline, which ui.perfetto.dev opens.")
]
Graph = Annotated[
    Path | None, typer.Option(metavar="FILE.yaml", help="Also write the message graph, for `placement advise`.")
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE.json", help="Also write the document to FILE.")
]


def trace(
    script: Script,
    arguments: Arguments = None,
    module: Annotated[bool, typer.Option("-m", help="SCRIPT is a module, as with `python -m`.")] = False,
    python: Annotated[
        str | None, typer.Option(metavar="INTERPRETER", help="Run the program with this Python; without it this one.")
    ] = None,
    timeout: Annotated[
        str | None, typer.Option(metavar="TIME", help="Interrupt the program after TIME; the exit code is then 124.")
    ] = None,
    top: Annotated[int, typer.Option(min=1, metavar="N", help="How many evaluation points are shown.")] = 10,
    timeline: Timeline = None,
    graph: Graph = None,
    output: Output = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the document alone; the program's output goes to stderr.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print the verdict and what is wrong, a line each.")
    ] = False,
) -> int:
    """Run a program and show where it waits for MLX, and what is wrong with that.

    The program runs unchanged, and its output and exit code stay its own; the report follows on stderr. Options of
    this command stand before SCRIPT.
    """
    from placement_cli.cli.trace_steps import TraceOptions, run_trace

    return run_trace(
        TraceOptions(
            argv=(script, *(arguments or ())),
            module=module,
            python=python,
            timeout=timeout,
            top=top,
            timeline=timeline,
            graph=graph,
            output=output,
            as_json=as_json,
            quiet=quiet,
        )
    )
