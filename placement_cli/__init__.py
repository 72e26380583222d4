"""Measure, on your own machine, where an MLX pipeline should evaluate; and evaluate there.

    import placement_cli as placement

gives a pipeline what it needs at run time. The rest of the package is the `placement` command. Importing this
package imports no array library and nothing else that is slow to start.

`placement_cli.materialize` is the function here. The package of that name is meant for `from ... import ...`
(`from placement_cli.materialize import NothingMaterialized`).
"""

from typing import TYPE_CHECKING

# Not lazy: it needs the standard library alone, and only a function bound after the import of the package of
# the same name is sure to be what the name `materialize` means here.
from placement_cli.materialize import (
    EvaluateEvery,
    MaterializeMode,
    RunAheadWindow,
    materialize,
    materialize_array,
)

__version__: str

__all__ = [
    "EvaluateEvery",
    "MaterializeMode",
    "RunAheadWindow",
    "__version__",
    "materialize",
    "materialize_array",
]


if not TYPE_CHECKING:  # a type checker that saw this would take every misspelt name for an attribute

    def __getattr__(name: str) -> str:
        """Return what is looked up only when asked for: the version of the installed distribution."""
        if name == "__version__":
            return _installed_version()
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _installed_version() -> str:
    """Return the version; `0+unknown` for a source tree that was never installed, which has no metadata."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("placement-cli")
    except PackageNotFoundError:
        return "0+unknown"
