"""The program's entry: runs a command and turns whatever it raises into the documented exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from placement_cli.errors import Interrupted, PlacementError

REPORT = "This is a fault of placement, not yours. Please report it with the command and the lines above."


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with the documented code."""
    sys.exit(run(list(sys.argv[1:] if arguments is None else arguments)))


def run(arguments: list[str]) -> int:
    """Run the command line on `arguments` and return the exit code."""
    import click
    import typer

    from placement_cli.cli.app import app

    command = typer.main.get_command(app)
    try:
        result = command.main(arguments, prog_name="placement", standalone_mode=False)
    except PlacementError as error:
        return _tell(error)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (KeyboardInterrupt, click.Abort):
        return _tell(Interrupted("interrupted."))
    except BrokenPipeError:
        # The reader of stdout went away, as in `placement operators | head`: nobody is left to tell anything to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception:  # noqa: BLE001 - a crash must exit with 70: Python's own 1 would read as a regression
        import traceback

        traceback.print_exc()
        print(REPORT, file=sys.stderr)  # noqa: T201 - the last words of a program whose renderers may be at fault
        return 70
    return result if isinstance(result, int) else 0


def _tell(error: PlacementError) -> int:
    from placement_cli.render.console import stderr_console
    from placement_cli.render.plain import plain

    stderr_console().print(plain(f"placement: {error}"), soft_wrap=True)
    return error.exit_code


if __name__ == "__main__":
    main()
