"""What `placement config` does with its options: find, read, print."""

from __future__ import annotations

import sys

from placement_cli.render.console import stdout_console
from placement_cli.render.settings_table import looked_json, looked_table, settings_json, settings_table
from placement_cli.settings.finding import find_settings, user_folder
from placement_cli.settings.loading import settings_here, working_folder


def run_show(*, origin: bool, as_json: bool) -> int:
    """Carry out `placement config show` and return the exit code."""
    settings = settings_here()
    if as_json:
        sys.stdout.write(settings_json(settings) + "\n")
    else:
        stdout_console().print(settings_table(settings, origin=origin))
    return 0


def run_path(*, as_json: bool) -> int:
    """Carry out `placement config path` and return the exit code."""
    looked = find_settings(working_folder(), user_folder()).looked
    if as_json:
        sys.stdout.write(looked_json(looked) + "\n")
    else:
        stdout_console().print(looked_table(looked))
    return 0
