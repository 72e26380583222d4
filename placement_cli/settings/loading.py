"""All settings of a command: defaults, the user's file, the project's file, the environment, and its options."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import reduce
from pathlib import Path
from typing import Any

from placement_cli.errors import UsageError
from placement_cli.settings.finding import find_settings, user_folder
from placement_cli.settings.layers import environment_layer, file_layer, options_layer
from placement_cli.settings.merging import overlaid
from placement_cli.settings.settings import Settings


def load_settings(cwd: Path, env: Mapping[str, str], user_folder: Path) -> Settings:
    """Return the settings that hold in the folder `cwd`, an absolute path: each source overrides those before it.

    They are the defaults, config.toml in `user_folder`, the file of the project, and the variables in `env`. Raises
    UsageError for a mistake in any of them, UnreadableInput for a file that is no TOML or has a newer schema.
    """
    sources = find_settings(cwd, user_folder)
    files = [file_layer(file) for file in (sources.user, sources.project) if file is not None]
    return reduce(overlaid, [*files, environment_layer(env, cwd)], Settings())


def with_flags(settings: Settings, flags: Mapping[str, Any], cwd: Path | None = None) -> Settings:
    """Return `settings` with the options of a command over them.

    `flags` has fields of CheckSettings as keys and values as a file has them (limits and durations are text, lists are
    lists or tuples, `graph` may be a path); None is an option that was not given. Raises UsageError that names the
    option. Paths stay relative to the working directory unless `cwd` is given.
    """
    return overlaid(settings, options_layer(flags, cwd or Path()))


def settings_here() -> Settings:
    """Return the settings that hold in the working directory of this process."""
    return load_settings(working_folder(), os.environ, user_folder())


def working_folder() -> Path:
    """Return the working directory; raises UsageError when it is gone."""
    try:
        return Path.cwd()
    except OSError as error:
        raise UsageError(f"the working directory cannot be read ({error.strerror}).") from None
