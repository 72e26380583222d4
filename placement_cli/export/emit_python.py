"""Advice as Python: the calls to add to a pipeline, a function for each node whose evaluation changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from placement_cli.export.evaluation_sites import Site, changed_sites
from placement_cli.export.python_source import comment, unique_words
from placement_cli.graph.graph import Graph
from placement_cli.graph.mode import OFF, Mode, ModeKind

_HEAD = (
    "# Evaluation points as `placement advise` recommends them: today's mode -> advised mode of each output.",
    "# Call each function below with the output of its node, where the node has just computed it, in the same thread.",
)
"""Two lines without data: Python takes an encoding from a comment in these and nowhere else."""
_DEEP = {ModeKind.WINDOW: ("RunAheadWindow", "drain"), ModeKind.EVERY: ("EvaluateEvery", "flush")}
"""What keeps count of messages, and what ends it after the last one."""
_PLAIN = {ModeKind.ASYNC: "mx.async_eval(output)", ModeKind.SYNC: "mx.eval(output)"}


def emit_python(graph: Graph, placement: Mapping[str, Mode], current: Mapping[str, Mode]) -> str:
    """Return Python source with a function for every evaluation that `placement` adds to or changes in `current`.

    `after_NODE(output)` evaluates and returns the same output. Where the node carries a state beside its output,
    it takes the state too; where it stands for several copies, the number of the copy. `finish()` is there when
    something is in flight after the last message. Names of nodes stand in comments, and as parts of identifiers.
    """
    sites = changed_sites(graph, placement, current)
    names = [site.name for site in sites]
    words = dict(zip(names, unique_words(names), strict=True))
    kept = [site for site in sites if site.mode != OFF]
    parts = [*_HEAD, "#", *_changes(graph, sites, words)]
    if kept:
        parts += ["", f"from placement_cli import {', '.join(_imports(kept))}"]
    counters = [line for site in kept for line in _counter(site, words[site.name])]
    parts += ["", *counters] if counters else []
    for site in kept:
        parts += ["", "", *_function(site, words[site.name])]
    if counters:
        parts += ["", "", *_finish([site for site in kept if site.mode.kind in _DEEP], words)]
    return "\n".join(parts) + "\n"


def _changes(graph: Graph, sites: Sequence[Site], words: Mapping[str, str]) -> Iterator[str]:
    """Yield a comment for each change, for what stays, and for states that need a hand."""
    if not sites:
        yield comment("Nothing to change: every output is evaluated as it should be.")
    for site in sites:
        what = "take the evaluation away" if site.mode == OFF else f"after_{words[site.name]}"
        yield comment(f"{site.title}: {what}")
    for node in graph.nodes:
        if node.state == "side":
            yield comment(f"{node.name!r} carries a state that its output does not depend on: pass the state too,")
            yield comment("to its own function or to that of any node that is evaluated on every message.")


def _imports(kept: Sequence[Site]) -> list[str]:
    names = {_DEEP[site.mode.kind][0] for site in kept if site.mode.kind in _DEEP}
    plain = [site for site in kept if site.mode.kind in _PLAIN]
    names |= {"materialize" if site.node.state == "side" else "materialize_array" for site in plain}
    return sorted(names)


def _counter(site: Site, word: str) -> Iterator[str]:
    if site.mode.kind not in _DEEP:
        return
    made = f"{_DEEP[site.mode.kind][0]}({site.mode.depth})"
    # each copy is called once a message, so each counts messages by itself
    yield f"{site.mode.kind}_{word} = " + (f"[{made} for _ in range({site.copies})]" if site.copies > 1 else made)


def _function(site: Site, word: str) -> Iterator[str]:
    state = ", *state" if site.node.state == "side" else ""
    copy = ", copy" if site.copies > 1 and site.mode.kind in _DEEP else ""
    yield f"def after_{word}(output{copy}{state}):"
    if site.mode.kind in _DEEP:
        yield f"    {site.mode.kind}_{word}{'[copy]' if copy else ''}(output{state})"
        yield "    return output"
        return
    yield f"    # without placement_cli: {_PLAIN[site.mode.kind].replace('output', f'output{state}')}"
    if state:
        yield f'    materialize(output, *state, mode="{site.mode}")'
        yield "    return output"
    else:
        yield f'    return materialize_array(output, "{site.mode}")'


def _finish(deep: Sequence[Site], words: Mapping[str, str]) -> Iterator[str]:
    yield "def finish():"
    yield "    # after the last message: wait for what is in flight or not evaluated yet"
    for site in deep:
        name, end = f"{site.mode.kind}_{words[site.name]}", _DEEP[site.mode.kind][1]
        if site.copies > 1:
            yield f"    for each in {name}:"
            yield f"        each.{end}()"
        else:
            yield f"    {name}.{end}()"
