"""`placement export`: a run in the format of another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def export(
    run: Annotated[Path | None, typer.Argument(metavar="RUN", help="The document of a run, as bench wrote it.")] = None,
    form: Annotated[
        str | None, typer.Option("--format", metavar="NAME", help="The format, where no ending of a FILE says it.")
    ] = None,
    outputs: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to FILE, not to stdout; repeatable."),
    ] = None,
    arm: Annotated[
        str | None, typer.Option(metavar="ARM", help="This arm of every case alone; base or new, of a gate.")
    ] = None,
    list_only: Annotated[bool, typer.Option("--list", help="List the formats and exit.")] = False,
) -> int:
    """Write a run in the format of another tool, by the ending of FILE or by name."""
    from placement_cli.cli.export_steps import ExportOptions, run_export

    return run_export(ExportOptions(run=run, form=form, outputs=outputs or [], arm=arm, list_only=list_only))
