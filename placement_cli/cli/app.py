"""The command line: one file a command, registered here in the order the help shows them."""

from __future__ import annotations

import typer

from placement_cli.cli.advise import advise
from placement_cli.cli.bench import bench
from placement_cli.cli.check import check
from placement_cli.cli.compare import compare
from placement_cli.cli.config import config
from placement_cli.cli.diagnose import diagnose
from placement_cli.cli.explain import explain
from placement_cli.cli.export import export
from placement_cli.cli.fit_costs import fit_costs
from placement_cli.cli.history import history
from placement_cli.cli.import_graph import import_graph
from placement_cli.cli.operators import operators
from placement_cli.cli.plan import plan
from placement_cli.cli.report import report
from placement_cli.cli.selftest import selftest
from placement_cli.cli.trace import CONTEXT, trace

app = typer.Typer(
    name="placement",
    help="Measure, on your own machine, where an MLX pipeline should evaluate.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 ok, 1 regression, 2 usage, 3 inconclusive, 4 nothing comparable, 5 invalid measurement, "
    "6 scenario failed, 7 unreadable input, 70 internal error, 124 time limit, 130 interrupted.",
)
app.command()(bench)
app.command()(advise)
app.command()(plan)
app.command(name="fit-costs")(fit_costs)
app.command()(check)
app.command(context_settings={"allow_interspersed_args": False})(diagnose)
app.command(context_settings=CONTEXT)(trace)
app.command()(compare)
app.command()(report)
app.command()(history)
app.command()(export)
app.command()(explain)
app.command(name="import")(import_graph)
app.command()(operators)
app.command()(selftest)
app.add_typer(config)


@app.callback(invoke_without_command=True)
def placement(
    version: bool = typer.Option(False, "--version", help="Print the version and exit.", is_eager=True),
) -> None:
    """Measure, on your own machine, where an MLX pipeline should evaluate."""
    if version:
        import placement_cli

        typer.echo(f"placement {placement_cli.__version__}")
        raise typer.Exit
