"""`placement history`: stored runs over time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from placement_cli.cli.compare import Cases, Metrics, Output


def history(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of runs, of placement or other tools.")],
    cases: Cases = None,
    metrics: Metrics = None,
    output: Output = None,
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
