"""The colours and type of the report, once for light and once for dark; charts name them, the page defines them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LIGHT: Mapping[str, str] = {
    "paper": "#ffffff",
    "raised": "#f5f6f8",
    "ink": "#1b2127",
    "muted": "#56606b",
    "line": "#d3d8de",
    "grid": "#e7eaee",
    "band": "#e4e9f0",
    "mark": "#2b5fa8",
    "work": "#1f4f91",
    "held": "#5c8fd0",
    "wait": "#dfe8f4",
    "slower": "#b3261e",
    "faster": "#176e3c",
    "same": "#56606b",
    "inconclusive": "#855400",
    "invalid": "#7b2a8c",
    "arm-1": "#2b5fa8",
    "arm-2": "#b4500f",
    "arm-3": "#0f7a6c",
    "arm-4": "#8a3a86",
    "arm-5": "#6b6a12",
    "arm-6": "#56606b",
}
"""Colours on white, and in print."""

DARK: Mapping[str, str] = {
    "paper": "#13171c",
    "raised": "#1b2128",
    "ink": "#e5e9ed",
    "muted": "#a4aeb9",
    "line": "#3a434d",
    "grid": "#262d35",
    "band": "#242d38",
    "mark": "#82b1f7",
    "work": "#8ab8fb",
    "held": "#4a7fc4",
    "wait": "#22334a",
    "slower": "#ff8f85",
    "faster": "#6fd09a",
    "same": "#a4aeb9",
    "inconclusive": "#eebd5c",
    "invalid": "#d7a2e8",
    "arm-1": "#82b1f7",
    "arm-2": "#f0a060",
    "arm-3": "#5cc8b6",
    "arm-4": "#d7a2e8",
    "arm-5": "#cfc866",
    "arm-6": "#a4aeb9",
}
"""The same colours on a dark ground."""

PAGE_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
FILE_FONT = "Helvetica Neue, Arial, Liberation Sans, sans-serif"
"""Type of a chart in a file: what converts it has no `system-ui`."""


def colour(name: str) -> str:
    """Return the colour `name` as a chart in the page writes it: whichever theme the page is in."""
    return f"var(--{name})"


def variables(theme: Mapping[str, str]) -> str:
    """Return the declarations of a theme's colours, for a rule of CSS."""
    return "".join(f"--{name}:{value};" for name, value in theme.items())


def for_file(spec: Any) -> Any:
    """Return a chart with the light theme's own colours instead of their names."""
    if isinstance(spec, dict):
        return {key: for_file(value) for key, value in spec.items()}
    if isinstance(spec, list):
        return [for_file(value) for value in spec]
    return _IN_FILES.get(spec, spec) if isinstance(spec, str) else spec


_IN_FILES = {colour(name): value for name, value in LIGHT.items()} | {PAGE_FONT: FILE_FONT}


def chart_config() -> dict[str, Any]:
    """Return how every chart looks: quiet axes, no frame, the page's type."""
    axis = {
        "labelColor": colour("ink"),
        "titleColor": colour("muted"),
        "gridColor": colour("grid"),
        "domainColor": colour("line"),
        "tickColor": colour("line"),
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelPadding": 6,
    }
    legend = {
        "labelColor": colour("ink"),
        "labelFontSize": 12,
        "titleColor": colour("muted"),
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "symbolSize": 80,
    }
    return {
        "font": PAGE_FONT,
        "background": None,
        "view": {"stroke": None},
        "axis": axis,
        "legend": legend,
        "text": {"color": colour("ink"), "fontSize": 12},
    }
