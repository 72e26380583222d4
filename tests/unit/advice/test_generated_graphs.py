"""Whatever the graph: advice that holds, is the same again, and can be written and printed."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from itertools import product
from math import inf
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no types of its own
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from placement_cli.advice.advice import Advice, Alternative, Estimate, Predicted
from placement_cli.advice.advising import advise
from placement_cli.advice.cover import cover, least_gaps
from placement_cli.advice.document import advice_document
from placement_cli.advice.feasible import bounds_of
from placement_cli.advice.flow import flow_of
from placement_cli.advice.judging import Tried
from placement_cli.advice.loads import loads_of
from placement_cli.advice.machine import Machine
from placement_cli.advice.playing import Stage
from placement_cli.advice.search import Search
from placement_cli.graph.document.reading import graph_of
from placement_cli.graph.graph import Graph, GraphNode
from placement_cli.graph.mode import ASYNC, OFF, SYNC, Mode, window
from placement_cli.render.advice_report import print_advice
from placement_cli.store.schema_files import FOLDER

GRAPHS = int(os.environ.get("PLACEMENT_ADVICE_GRAPHS", "25"))
"""How many graphs each promise is tried on; before a release 10000."""
MODES = (OFF, ASYNC, SYNC, window(1), window(2))
ALMOST = 1 - 1e-6
"""Sums of times are as exact as numbers are."""
Document = dict[str, Any]
Documents = Callable[[int], st.SearchStrategy[Document]]
SCHEMA = jsonschema.Draft202012Validator(json.loads((FOLDER / "advice-1.schema.json").read_text(encoding="utf-8")))

some = settings(deadline=None, max_examples=GRAPHS)
few = settings(deadline=None, max_examples=max(3, GRAPHS // 25))


def search(graph: Graph, machine: Machine) -> Search:
    """The search of a graph."""
    flow = flow_of(graph)
    stage = Stage(flow, loads_of(flow, machine), machine)
    pinned = np.array([node.node.pinned for node in flow.mlx_nodes], dtype=bool)
    return Search(stage, bounds_of(graph, machine.buffer_limit), stage.batch([flow.current]), pinned, machine.error)


def played(graph: Graph, machine: Machine, *placements: Mapping[str, Mode]) -> Tried:
    """Placements of a graph, judged."""
    searching = search(graph, machine)
    return searching.try_all(searching.judge.stage.batch(placements))


def estimates(advice: Advice) -> Iterator[Estimate]:
    """Every number that is predicted."""
    every: list[Alternative] = [*advice.alternatives, *advice.pareto]
    for predicted in (advice.predicted, *(each.predicted for each in every)):
        yield from (getattr(predicted, field.name) for field in fields(Predicted))
    yield from (each.ratio for each in every)


def check(advice: Advice) -> None:
    """Nothing grows that need not, pinned points stay, limits hold where they can, and numbers are numbers."""
    flow = flow_of(advice.graph)
    gaps, least = cover(flow, advice.placement).gaps, least_gaps(flow)
    assert all(gap < inf for number, gap in gaps.items() if least[number] < inf)
    every = [*advice.alternatives, *advice.pareto]
    pinned = [node for node in flow.mlx_nodes if node.node.pinned]
    assert all(each.placement[node.name] == node.node.evaluate for each in every for node in pinned)
    advised = next(each for each in every if each.placement == advice.placement)
    assert not advised.violates or all(each.violates for each in every)
    for estimate in estimates(advice):
        assert 0 <= estimate.low <= estimate.value <= estimate.high < inf


@some
@given(st.data())
def test_advice_holds_and_is_the_same_again(documents: Documents, machine: Machine, data: st.DataObject) -> None:
    """Whatever is in the graph."""
    graph = graph_of(data.draw(documents(8)))
    advice = advise(graph, machine, pareto=True, runners_up=True)

    check(advice)
    assert advise(graph, machine, pareto=True, runners_up=True) == advice


@few
@given(st.data())
def test_advice_for_larger_graphs_holds_too(documents: Documents, metal: Machine, data: st.DataObject) -> None:
    """Where not all combinations can be played."""
    check(advise(graph_of(data.draw(documents(60))), metal, pareto=True))


@some
@given(st.data())
def test_what_keeps_the_limits_is_found(documents: Documents, machine: Machine, data: st.DataObject) -> None:
    """Where any placement of a small graph does."""
    graph = graph_of(data.draw(documents(4)))
    flow = flow_of(graph)
    free = [node.name for node in flow.mlx_nodes if not node.node.pinned]
    if not 0 < len(free) <= 4:
        return
    advice = advise(graph, machine)
    rows = [{**flow.current, **dict(zip(free, modes, strict=True))} for modes in product(MODES, repeat=len(free))]
    found = played(graph, machine, advice.placement, *rows)

    assert found.fine[0] or not found.fine.any()


def renamed(graph: Graph, names: Mapping[str, str]) -> Graph:
    """The same graph with other names."""

    def node(each: GraphNode) -> GraphNode:
        inputs = tuple(replace(edge, node=names.get(edge.node, edge.node)) for edge in each.inputs)
        return replace(each, name=names[each.name], inputs=inputs)

    return replace(graph, nodes=tuple(map(node, graph.nodes)))


@some
@given(st.data())
def test_names_are_nothing_but_names(documents: Documents, metal: Machine, data: st.DataObject) -> None:
    """Placement, numbers and findings stay when all nodes are called differently."""
    graph = graph_of(data.draw(documents(6)))
    names = {node.name: f"z{len(graph.nodes) - number}z" for number, node in enumerate(graph.nodes)}
    advice, other = (advise(each, metal, pareto=True, runners_up=True) for each in (graph, renamed(graph, names)))
    copies = dict(zip(advice.placement, other.placement, strict=True))

    assert list(advice.placement.values()) == list(other.placement.values())
    assert list(estimates(advice)) == list(estimates(other))
    told = [(each.code, (copies | names).get(each.node or "")) for each in advice.findings]
    assert told == [(each.code, each.node) for each in other.findings]


@some
@given(st.data(), st.sampled_from([3e-6, 40e-6, 2e-3, 0.1]))
def test_more_host_work_is_never_faster(
    documents: Documents, metal: Machine, data: st.DataObject, more_s: float
) -> None:
    """With any placement; and what could not keep up cannot now."""
    graph = graph_of(data.draw(documents(6)))
    number = data.draw(st.integers(0, len(graph.nodes) - 1))
    node = graph.nodes[number]
    if node.op == "host":
        return
    costs = replace(node.costs, host_s=(node.costs.host_s or 0.0) + more_s)
    nodes = (*graph.nodes[:number], replace(node, costs=costs), *graph.nodes[number + 1 :])
    rows = [each.placement for each in advise(graph, metal).alternatives]
    less, more = (played(each, metal, *rows).outcome for each in (graph, replace(graph, nodes=nodes)))
    slow, slower = (np.maximum(each.period_s, each.busiest_s) for each in (less, more))
    due = graph.source.period_s

    assert (more.period_s >= less.period_s * ALMOST).all()
    assert due is None or not ((slow > due / ALMOST) & (slower <= due)).any()


def refuse(constant: str) -> None:
    """Take no NaN and no infinity."""
    raise AssertionError(f"{constant} in a document")


@some
@given(st.data())
def test_advice_is_written_and_printed(documents: Documents, metal: Machine, data: st.DataObject) -> None:
    """As the schema says, without NaN; on terminals of any width, with names as they are."""
    document = data.draw(documents(6))
    told = advice_document(advise(graph_of(document), metal, pareto=True), "1.2.3", "graph.yaml")

    SCHEMA.validate(json.loads(told.to_json(), parse_constant=refuse))
    for width in (40, 80, 200):
        out = io.StringIO()
        print_advice(told, Console(file=out, width=width, highlight=False, emoji=False, markup=False), pareto=True)
        assert all(cell_len(line) <= width for line in out.getvalue().splitlines())
        assert "".join(document["name"].split()) in "".join(out.getvalue().split())
