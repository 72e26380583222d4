"""`placement check --advice GRAPH`: is what the graph does still what would be advised?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import placement_cli
from placement_cli.advice.document import advice_document
from placement_cli.cli.advise_steps import advice_on
from placement_cli.cli.check_steps import even_unread
from placement_cli.errors import EXIT_NAMES, RegressionFound, UsageError
from placement_cli.graph.document.reading import load_graph
from placement_cli.planning.graph_profile import profile_for
from placement_cli.render.advice_gate import print_advice_gate
from placement_cli.render.console import stdout_console
from placement_cli.store.files import write_whole
from placement_cli.store.run_document import ExitRecord

if TYPE_CHECKING:
    from placement_cli.advice.advice import Advice
    from placement_cli.cli.check_steps import Options
    from placement_cli.store.advice_document import AdviceDocument


def run_advice_gate(options: Options) -> int:
    """Advise on the graph and return 1 when that is another placement than the one written in it, 0 otherwise."""
    assert options.advice is not None, "asked only with a graph"
    for path in options.outputs:
        if path.suffix.lower() != ".json":
            raise UsageError(f"-o {path}: advice is written as .json alone.")
    graph = load_graph(options.advice).graph
    advice = advice_on(options.advice, graph, profile_for(graph, options.profile))
    document = _document(advice, options)
    try:
        with even_unread():
            _print(document, advice, options)
    finally:
        for path in options.outputs:
            write_whole(path, document.to_json())
    return document.exit.code


def _print(document: AdviceDocument, advice: Advice, options: Options) -> None:
    if options.as_json:
        sys.stdout.write(document.to_json())
    else:
        print_advice_gate(document, changed(advice), stdout_console(), quiet=options.quiet)


def changed(advice: Advice) -> dict[str, tuple[str, str]]:
    """Return the nodes whose mode would be another one: what they have, and what is advised."""
    current = advice.current
    return {
        node: (str(current[node]), str(mode))
        for node, mode in advice.placement.items()
        if node in current and current[node] != mode
    }


def _document(advice: Advice, options: Options) -> AdviceDocument:
    assert options.advice is not None, "asked only with a graph"
    document = advice_document(advice, placement_cli.__version__, options.advice.name)
    code = RegressionFound.exit_code if changed(advice) else 0
    return document.model_copy(update={"exit": ExitRecord(code=code, name=EXIT_NAMES[code])})
