"""What `placement advise` does with its options: read, choose a profile, advise, perhaps verify; then tell."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import placement_cli
from placement_cli.advice.advice import ProfileUse
from placement_cli.advice.advising import advise
from placement_cli.advice.document import advice_document
from placement_cli.advice.findings.facts import BlockGain
from placement_cli.advice.machine import machine_of
from placement_cli.errors import UsageError, did_you_mean
from placement_cli.graph.document.reading import load_graph
from placement_cli.planning.graph_profile import GraphProfile, profile_for
from placement_cli.render.advice_report import print_advice, print_verdict
from placement_cli.render.console import stderr_console, stdout_console
from placement_cli.render.plain import plain
from placement_cli.render.sayings import diagnostics
from placement_cli.store.files import write_whole

if TYPE_CHECKING:
    from placement_cli.advice.advice import Advice
    from placement_cli.graph.graph import Graph
    from placement_cli.store.advice_document import AdviceDocument

EMITS = ("python", "ezmsg")
DRAWINGS = ("mermaid", "dot")


@dataclass(frozen=True, slots=True)
class AdviseOptions:
    """The options of `placement advise` as they were given."""

    graph: Path
    profile: str | None
    verify: bool
    quick: bool
    pareto: bool
    emit: str | None
    draw: str | None
    write: bool
    seed: int
    time_budget: str | None
    out: Path
    output: Path | None
    as_json: bool
    quiet: bool


def run_advise(options: AdviseOptions) -> int:
    """Carry out `placement advise` and return the exit code."""
    _check(options)
    graph = load_graph(options.graph).graph
    chosen = profile_for(graph, options.profile)
    advice = advice_on(options.graph, graph, chosen, pareto=options.pareto, runners_up=options.verify)
    if options.verify:
        from placement_cli.cli.verify_steps import verify

        if not chosen.is_here:
            raise UsageError(
                f"{options.graph}: --verify measures on this machine, and the graph is for another ({chosen.why}). "
                "Set device: cpu, or run it there."
            )
        advice = verify(advice, options)
    _tell(options, advice)
    if options.write:
        _write(options, advice)
    return 0


def _check(options: AdviseOptions) -> None:
    for name, given, known in (("--emit", options.emit, EMITS), ("--draw", options.draw, DRAWINGS)):
        if given is not None and given not in known:
            raise UsageError(f"{name} {given}: is not known. {did_you_mean(given, known)}")
    if sum((options.as_json, options.emit is not None, options.draw is not None)) > 1:
        raise UsageError("--json, --emit and --draw each print one thing alone; give one of them.")


def advice_on(
    file: Path, graph: Graph, chosen: GraphProfile, *, pareto: bool = False, runners_up: bool = False
) -> Advice:
    """Return the advice on `graph`, which was read from `file`, by the profile chosen for it."""
    profile = chosen.profile
    use = ProfileUse(profile.name, chosen.confidence, chosen.why, profile.provenance)
    machine = machine_of(profile, chosen.kind, use)
    return advise(graph, machine, blocks=_blocks(file, graph, chosen), pareto=pareto, runners_up=runners_up)


def _blocks(file: Path, graph: Graph, chosen: GraphProfile) -> dict[str, BlockGain]:
    """Return what block structure is worth; matrices are read only where a node names one."""
    if not any(node.weights or node.blocks for node in graph.nodes):
        return {}
    from placement_cli.planning.graph_blocks import blocks_worth

    here = chosen.confidence == "calibrated"
    worth = blocks_worth(graph, file.parent, chosen.kind, here=here)
    return {name: BlockGain(each.gain, each.formulation, each.basis) for name, each in worth.items()}


def _tell(options: AdviseOptions, advice: Advice) -> None:
    if options.emit is not None or options.draw is not None:
        sys.stdout.write(_text(options, advice))
    document = advice_document(advice, placement_cli.__version__, options.graph.name)
    if options.as_json:
        sys.stdout.write(document.to_json())
    elif options.emit is None and options.draw is None:
        _print(document, options)
    if options.output is not None:
        write_whole(options.output, document.to_json())
    if options.as_json or options.quiet:
        for line in diagnostics([each for each in document.diagnostics if each.level != "info"]):
            stderr_console().print(line)


def _print(document: AdviceDocument, options: AdviseOptions) -> None:
    if options.quiet:
        print_verdict(document, stdout_console())
    else:
        print_advice(document, stdout_console(), pareto=options.pareto)


def _text(options: AdviseOptions, advice: Advice) -> str:
    """Return the code or the drawing that was asked for."""
    if options.emit == "python":
        from placement_cli.export.emit_python import emit_python

        return emit_python(advice.graph, advice.placement, advice.current)
    if options.emit == "ezmsg":
        from placement_cli.export.emit_ezmsg import emit_ezmsg

        return emit_ezmsg(advice.graph, advice.placement, advice.current)
    if options.draw == "dot":
        from placement_cli.graph.drawing.dot import dot_text

        return dot_text(advice.graph, advice.placement)
    from placement_cli.graph.drawing.mermaid import mermaid_text

    return mermaid_text(advice.graph, advice.placement)


def _write(options: AdviseOptions, advice: Advice) -> None:
    """Set the advised modes in the graph's own file."""
    from placement_cli.graph.document.editing import with_modes

    with options.graph.open(encoding="utf-8-sig", newline="") as file:
        text = file.read()
    changed = with_modes(text, advice.placement, str(options.graph))
    if changed == text:
        stderr_console().print(plain(f"{options.graph}: is as advised already"), soft_wrap=True)
        return
    write_whole(options.graph, changed)
    stderr_console().print(plain(f"{options.graph}: evaluate: set as advised"), soft_wrap=True)
