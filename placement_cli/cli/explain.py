"""`placement explain`: what a finding means, and what to do about it."""

from __future__ import annotations

from typing import Annotated

import typer


def explain(
    code: Annotated[
        str | None, typer.Argument(metavar="[CODE]", help="A code such as PL101, or a name such as growth.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the explanation as JSON.")] = False,
) -> None:
    """Explain a finding: what it means, why it matters, how it is decided and what to do. Without a code, list them."""
    from placement_cli.advice.explaining import EXPLANATIONS, explanation
    from placement_cli.render.console import stdout_console
    from placement_cli.render.explanations import explanations_json, print_codes, print_explanation

    chosen = list(EXPLANATIONS.values()) if code is None else [explanation(code)]
    if as_json:
        typer.echo(explanations_json(chosen))
    elif code is None:
        print_codes(chosen, stdout_console())
    else:
        print_explanation(chosen[0], stdout_console())
