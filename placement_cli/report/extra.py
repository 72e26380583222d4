"""The libraries of charts, which come with the extra `report` and are loaded only where something is drawn."""

from __future__ import annotations

from importlib import import_module

from placement_cli.errors import UsageError


def require_charts() -> None:
    """Raise UsageError, with what to install, where the libraries that draw charts are missing."""
    for name in ("altair", "vl_convert"):
        try:
            import_module(name)
        except ImportError:
            message = f"A report needs {name}, which is not installed: pip install 'placement-cli[report]'."
            raise UsageError(message) from None


def grammar_version() -> str:
    """Return the version of Vega-Lite, such as `6.4`, in which charts are written and by which they are drawn."""
    import altair as alt

    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
