"""`placement report`: stored runs as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DEFAULT_PAGE = Path("report.html")


def report(
    runs: Annotated[
        list[Path] | None, typer.Argument(metavar="RUN...", help="Runs that bench or check wrote, as JSON.")
    ] = None,
    history: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also show how the runs in DIR moved over time.")
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.html", help="Where the page is written.")
    ] = DEFAULT_PAGE,
    plots: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write every chart to DIR, as PNG and as SVG.")
    ] = None,
) -> int:
    """Write stored runs as one page: verdicts, charts with their data, and how it was measured."""
    from placement_cli.cli.report_steps import run_report

    return run_report(runs or [], history, output, plots)
