"""`placement history`: stored runs over time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def history(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of runs, of placement or other tools.")],
    cases: Annotated[
        list[str] | None, typer.Option("-k", metavar="GLOB", help="Only cases whose id matches; repeatable.")
    ] = None,
    metrics: Annotated[
        list[str] | None, typer.Option("--metric", metavar="GLOB", help="Only metrics that match; repeatable.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE.json", help="Also write the document to FILE.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the document alone.")] = False,
) -> int:
    """Show how the medians of stored runs moved over time, for each set-up, and where they stepped. Advisory."""
    from placement_cli.cli.history_steps import HistoryOptions, run_history

    return run_history(
        HistoryOptions(
            folder=folder,
            cases=tuple(cases or ()),
            metrics=tuple(metrics or ()),
            output=output,
            as_json=as_json,
        )
    )
