"""Finding the planner of ezmsg-sigproc, and saying what is missing where it cannot be used."""

from __future__ import annotations

import importlib.metadata
from importlib import import_module
from importlib.metadata import PackageNotFoundError
from typing import TYPE_CHECKING

from placement_cli.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

PACKAGE = "ezmsg-sigproc"
MODULE = "ezmsg.sigproc.util.blockdiag"
"""Where ezmsg-sigproc keeps its planner and the constants of its cost model."""
PLANNER = "plan_block_matmul"
PLAN = "BlockPlan"
_INSTALL = "run `pip install 'placement-cli[ezmsg]'`"
_KNOWN = "run `pip install 'ezmsg-sigproc>=3.11,<3.12'` for a version that is known"


def installed_version() -> str | None:
    """Return the version of ezmsg-sigproc that is installed, None without it; it is not imported."""
    try:
        return importlib.metadata.version(PACKAGE)
    except PackageNotFoundError:
        return None


def planner_module(*, names: Iterable[str]) -> ModuleType:
    """Return the module of ezmsg-sigproc that plans, with all of `names` in it.

    Raises UsageError when ezmsg-sigproc is not installed, cannot be imported, or is a version without the module
    or one of the names.
    """
    version = installed_version()
    if version is None:
        raise UsageError(f"{PACKAGE} is not installed: {_INSTALL}.")
    try:
        module = import_module(MODULE)
    except ImportError as error:
        raise UsageError(f"{PACKAGE} {version} cannot be used: {error}. To mend it, {_KNOWN}.") from error
    missing = [name for name in names if not hasattr(module, name)]
    if missing:
        raise UsageError(f"{PACKAGE} {version} has no {', '.join(missing)} in {MODULE}; {_KNOWN}.")
    return module
