"""`placement config`: which settings hold here, and where they come from."""

from __future__ import annotations

from typing import Annotated

import typer

config = typer.Typer(
    name="config",
    help="Show the settings that hold here, and the files they come from.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print the document alone.")]


@config.command("show")
def show(
    origin: Annotated[bool, typer.Option("--origin", help="Also show where each value was set.")] = False,
    as_json: AsJson = False,
) -> int:
    """Show every setting of `placement check` as it holds in this folder, before the options of a command."""
    from placement_cli.cli.config_steps import run_show

    return run_show(origin=origin, as_json=as_json)


@config.command("path")
def path(as_json: AsJson = False) -> int:
    """Show which files are looked for, in this order, and which of them are used."""
    from placement_cli.cli.config_steps import run_path

    return run_path(as_json=as_json)
