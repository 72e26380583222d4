"""The page: one file with everything in it, which asks no network for anything."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

from placement_cli.report.escaping import Html, element, escaped, joined, script_json
from placement_cli.report.extra import grammar_version
from placement_cli.report.picture import Panel, Picture, Section
from placement_cli.report.tables import folded
from placement_cli.report.theme import DARK, LIGHT, chart_config, variables

NO_SCRIPT = "The charts need JavaScript. What each shows stands in the table below it."

EMBED = "window.vegaEmbed = vegaEmbed;"
"""All that the page asks of the bundle."""


def page(sections: Sequence[Section], title: str) -> str:
    """Return the HTML of a page of `sections`, called `title`.

    Scripts, styles and data are in it. What it may load is nothing, by its own policy, and no script runs in it but
    those that are here. Raises UsageError where the libraries that draw charts are missing.
    """
    assembly = _Assembly()
    body = element("main", element("h1", title), _contents(sections), *map(assembly.section, sections))
    data = script_json({"config": chart_config(), "specs": assembly.specs})
    scripts = [_bundle(), _resource("page.js")]
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            element("head", *_head(title, scripts)),
            "<body>",
            element("noscript", element("p", NO_SCRIPT)),
            body,
            Html(f'<script type="application/json" id="charts">{data}</script>'),
            *(Html(f"<script>{script}</script>") for script in scripts),
            "</body>",
            "</html>\n",
        ]
    )


class _Assembly:
    """Turns sections into HTML and keeps what is to be drawn, by the place where it belongs."""

    def __init__(self) -> None:
        self.specs: dict[str, Any] = {}

    def section(self, section: Section) -> Html:
        """Return one section."""
        heading = f"{section.anchor}-heading"
        parts = [self.picture(part) if isinstance(part, Picture) else part for part in section.parts]
        title = element("h2", section.title, id=heading)
        return element("section", title, *parts, id=section.anchor, aria_labelledby=heading)

    def picture(self, picture: Picture) -> Html:
        """Return one picture: its title, how to read it, its charts, and their data as a table."""
        return element(
            "figure",
            element("figcaption", element("h4", picture.title), element("p", picture.reading)),
            element("div", *(self._panel(panel) for panel in picture.panels), class_="panels"),
            folded(picture.table, picture.about),
        )

    def _panel(self, panel: Panel) -> Html:
        place = f"chart-{len(self.specs) + 1}"
        self.specs[place] = panel.spec
        title = element("p", panel.title, class_="panel-title") if panel.title else ""
        return element("div", title, element("div", id=place, class_="chart"), class_="panel")


def _contents(sections: Sequence[Section]) -> Html:
    """Return the ways to the sections, where there are several."""
    if len(sections) < 2:
        return Html("")
    links = (element("li", element("a", section.title, href=f"#{section.anchor}")) for section in sections)
    return element("nav", element("ol", *links), class_="contents", aria_label="Runs")


def _head(title: str, scripts: Sequence[str]) -> Iterator[Html]:
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    policy = f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    yield Html('<meta charset="utf-8">')
    yield Html(f'<meta http-equiv="Content-Security-Policy" content="{policy}">')
    yield Html('<meta name="viewport" content="width=device-width, initial-scale=1">')
    yield Html('<meta name="color-scheme" content="light dark">')
    yield element("title", escaped(title))
    yield Html(f"<style>{_style()}</style>")


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _style() -> str:
    dark = f"@media screen and (prefers-color-scheme: dark){{:root{{{variables(DARK)}}}}}"
    return joined([Html(f":root{{{variables(LIGHT)}}}\n{dark}\n"), Html(_resource("page.css"))])


def _resource(name: str) -> str:
    return (files("placement_cli.report") / name).read_text(encoding="utf-8")


def _bundle() -> str:
    """Return Vega-Embed, Vega-Lite and Vega as one script that is complete in itself."""
    import vl_convert

    bundle: str = vl_convert.javascript_bundle(EMBED, vl_version=grammar_version())
    # A script element ends at the first of these, wherever it stands; in a string of JavaScript the two are the same.
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")
