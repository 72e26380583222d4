"""*What this says*: the sentences of a run, below its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain
from placement_cli.store.run_document import Diagnostic, RunDocument, Saying

_STYLES = {"info": "dim", "warning": "yellow", "error": "bold red"}


def sayings(says: Sequence[Saying]) -> Iterator[RenderableType]:
    """Yield the sentences under their heading; nothing when there are none."""
    if not says:
        return
    yield Text("What this says", style="bold")
    for saying in says:
        yield Hanging(plain(saying.text), Text("  - "))


def scenario_says(document: RunDocument, scenario: str) -> list[Saying]:
    """Return the sentences that rest on cases of `scenario`."""
    ids = {case.id for case in document.cases if case.scenario == scenario}
    return [saying for saying in document.says if ids.intersection(saying.cases)]


def diagnostics(found: Sequence[Diagnostic]) -> Iterator[RenderableType]:
    """Yield what a reader should know about the run as a whole."""
    for item in found:
        yield Hanging(plain(f"{item.level}: {item.text}", _STYLES[item.level]))
