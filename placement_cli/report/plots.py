"""The pictures of a report as files: each chart once as PNG and once as SVG, in the light theme."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from placement_cli.errors import UsageError
from placement_cli.render.plain import harmless
from placement_cli.report.extra import grammar_version
from placement_cli.report.naming import file_stem
from placement_cli.report.picture import Panel, Picture, Section, Spec
from placement_cli.report.theme import LIGHT, chart_config, for_file
from placement_cli.store.files import write_whole, write_whole_bytes

WIDTH = 640
"""Pixels of a chart across, without its labels."""
PNG_SCALE = 2.0
"""Twice the resolution of a screen."""


def write_plots(sections: Sequence[Section], folder: Path) -> list[Path]:
    """Write every chart into `folder`, which is made where it is missing, and return the files.

    Their names begin with a number and say what is drawn in plain characters. Raises UsageError where the folder or a
    file cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--plots {folder}: is no folder.")
    written: list[Path] = []
    for number, (picture, panel) in enumerate(_charts(sections), 1):
        path = folder / file_stem(number, picture.slug, panel.title)
        written += _write(path, file_spec(picture, panel))
    return written


def _charts(sections: Sequence[Section]) -> Iterator[tuple[Picture, Panel]]:
    return ((picture, panel) for section in sections for picture in section.pictures for panel in picture.panels)


def file_spec(picture: Picture, panel: Panel) -> Spec:
    """Return a chart that stands alone: with a title, a width, and colours instead of their names."""
    title = {
        "text": harmless(picture.title),
        "subtitle": harmless(", ".join(filter(None, (picture.scenario, panel.title)))),
        "anchor": "start",
        "color": LIGHT["ink"],
        "subtitleColor": LIGHT["muted"],
        "offset": 12,
    }
    config = {**chart_config(), "background": LIGHT["paper"]}
    spec: Spec = for_file({**panel.spec, "width": WIDTH, "padding": 16, "title": title, "config": config})
    return spec


def _write(path: Path, spec: dict[str, Any]) -> tuple[Path, Path]:
    import vl_convert

    svg, png = path.with_name(f"{path.name}.svg"), path.with_name(f"{path.name}.png")
    drawn: str = vl_convert.vegalite_to_svg(spec, vl_version=grammar_version())
    write_whole(svg, drawn)
    write_whole_bytes(png, vl_convert.svg_to_png(drawn, scale=PNG_SCALE))
    return svg, png
