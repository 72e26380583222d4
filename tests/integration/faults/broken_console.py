"""A fault of the program itself: a result that cannot be printed."""

from __future__ import annotations

import sys

if "placement_cli" in sys.orig_argv:
    from placement_cli.render import console

    def stdout_console() -> None:
        """Fail as only a fault of the program fails."""
        raise ZeroDivisionError("the console has no columns")

    console.stdout_console = stdout_console
