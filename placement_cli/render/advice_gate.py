"""Whether a graph does what would be advised, on the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.text import Text

from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain
from placement_cli.store.advice_document import AdviceDocument


def print_advice_gate(
    document: AdviceDocument, changed: Mapping[str, tuple[str, str]], console: Console, *, quiet: bool
) -> None:
    """Print the verdict, and unless `quiet` each node of `changed`, with the mode it has and the one advised."""
    if not changed:
        console.print(
            Hanging(plain(f"{document.graph.name}: evaluates where it is advised to."), _mark("PASSED", "green"))
        )
        return
    nodes = "1 node" if len(changed) == 1 else f"{len(changed)} nodes"
    said = f"{document.graph.name}: another placement is advised now, at {nodes}. {document.verdict}"
    console.print(Hanging(plain(said), _mark("CHANGED", "red")))
    if quiet:
        return
    for node, (before, after) in changed.items():
        console.print(Hanging(plain(f"{node}: {before} -> {after}"), Text("  - ")))
    profile = document.profile
    console.print(Hanging(plain(f"Profile {profile.name} ({profile.confidence}): {profile.why}", "dim")))
    console.print(Hanging(plain("`placement advise` explains it; `placement advise --write` sets it.", "dim")))


def _mark(word: str, colour: str) -> Text:
    return Text(f"{word}  ", style=f"bold {colour}")
