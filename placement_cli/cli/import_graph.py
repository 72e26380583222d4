"""`placement import`: a graph.yaml from what another tool wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def import_graph(
    form: Annotated[str, typer.Argument(metavar="FORMAT", help="mermaid, dot, node-link or ezmsg-dashboard.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to read; - reads standard input.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write graph.yaml to FILE, not to stdout.")
    ] = None,
    source_shape: Annotated[
        str | None, typer.Option(metavar="SAMPLESxCHANNELS", help="Shape of one message, such as 30x256.")
    ] = None,
    rate: Annotated[float | None, typer.Option(help="Messages per second.")] = None,
    device: Annotated[str | None, typer.Option(help="gpu or cpu.")] = None,
    name: Annotated[str | None, typer.Option(help="What to call the graph.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")] = False,
) -> int:
    """Turn a drawing or an export of another tool into a graph.yaml, and say what it does not tell."""
    from placement_cli.cli.import_graph_steps import ImportOptions, run_import

    return run_import(
        ImportOptions(
            form=form,
            file=file,
            output=output,
            source_shape=source_shape,
            rate=rate,
            device=device,
            name=name,
            force=force,
        )
    )
