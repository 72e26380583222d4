"""`placement operators`: the work that scenarios and graphs are made of."""

from __future__ import annotations

from typing import Annotated

import typer


def operators(
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List the operators that scenarios and graphs are made of, with their parameters and costs."""
    from placement_cli.operators.catalog import OPERATORS
    from placement_cli.render.console import stdout_console
    from placement_cli.render.operator_list import operator_list, operators_json

    if as_json:
        typer.echo(operators_json(OPERATORS.values()))
        return
    console = stdout_console()
    console.print(operator_list(OPERATORS.values()))
