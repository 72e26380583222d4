"""The program's entry: runs a command and turns whatever it raises into the documented exit code."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence
from typing import Any

from placement_cli.errors import Interrupted, PlacementError, UsageError

REPORT = "This is a fault of placement, not yours. Please report it with the command and the lines above."
FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
"""What the system says when nothing more can be written, wherever that was."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with the documented code."""
    _prepare_stdout()
    sys.exit(run(list(sys.argv[1:] if arguments is None else arguments)))


def run(arguments: list[str]) -> int:
    """Run the command line on `arguments` and return the exit code."""
    try:
        code = _command(arguments)
        sys.stdout.flush()
    except PlacementError as error:
        return _tell(error)
    except KeyboardInterrupt:
        return _tell(Interrupted("interrupted."))
    except (BrokenPipeError, SystemExit):
        # The reader of stdout went away, as in `placement operators | head`: nobody is left to tell anything to.
        # Typer and Rich turn that into an exit with 1, which would read as a regression.
        return _abandon_stdout(0)
    except OSError as error:
        if error.errno not in FULL:
            return _crash()
        return _abandon_stdout(_tell(UsageError(f"cannot write any more ({error.strerror}).")))
    except Exception:  # noqa: BLE001 - a crash must exit with 70: Python's own 1 would read as a regression
        return _crash()
    return code


def _command(arguments: list[str]) -> int:
    import typer

    from placement_cli.cli.app import app

    # Named through Typer: newer ones carry Click inside, and then `click` need not be installed.
    wrong_usage: Any = typer.BadParameter.__base__
    command = typer.main.get_command(app)
    try:
        result = command.main(arguments, prog_name="placement", standalone_mode=False)
    except wrong_usage as error:
        error.show()
        return UsageError.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None
    return result if isinstance(result, int) else 0


def _prepare_stdout() -> None:
    """Let a closed stdout swallow everything, and one that cannot encode a character show `?` for it."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - open as long as the process is
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _abandon_stdout(code: int) -> int:
    """Send what is still buffered nowhere, so that the interpreter does not fail on it at the end; return `code`."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _crash() -> int:
    import traceback

    traceback.print_exc()
    print(REPORT, file=sys.stderr)  # noqa: T201 - the last words of a program whose renderers may be at fault
    return PlacementError.exit_code


def _tell(error: PlacementError) -> int:
    from placement_cli.render.console import stderr_console
    from placement_cli.render.plain import plain

    stderr_console().print(plain(f"placement: {error}"), soft_wrap=True)
    return error.exit_code


if __name__ == "__main__":
    main()
