"""PL201, PL202 and PL206: points that are not needed, each told of once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from placement_cli.advice.advice import Finding

Told = Callable[[str, str], Sequence[Finding]]
HEAD = "source: {shape: [30, 256], kind: replay, messages: 400}\nnodes:\n"


def segment(first: str, second: str, last: str, *, op: bool = True) -> str:
    """The three nodes of the published figures with their points; pinned where `!` stands before the mode."""
    names = ("filter", "scale", "rectify")
    ops = ("op: sosfilt", "op: ewm_scaler", "op: abs") if op else ("costs: {device: 40 ms, ops: 1, output: 1 KiB}",) * 3
    rows = []
    for name, known, reads, mode in zip(names, ops, ("source", *names), (first, second, last), strict=False):
        point = f'evaluate: "{mode.strip("!")}"' + (", pinned: true" if mode.startswith("!") else "")
        rows.append(f"  {name}: {{{known}, inputs: {reads}, {point}}}\n")
    return HEAD + "".join(rows)


def test_points_inside_a_segment_cost_more_than_they_hide(told: Told) -> None:
    """The numbers are host time with and without them."""
    (found,) = told("PL201", segment("async", "async", "async"))
    assert found.node == "filter"
    assert found.evidence["points"] == 3
    assert float(found.evidence["host_s"]) / float(found.evidence["host_without_s"]) == pytest.approx(1.37, abs=0.02)


@pytest.mark.parametrize(
    "graph",
    [
        segment("off", "off", "async"),
        segment("!sync", "off", "async"),
        segment("async", "async", "async", op=False),
    ],
    ids=["one point", "pinned", "device-bound"],
)
def test_points_that_cost_nothing_or_must_stay_are_not_too_many(told: Told, graph: str) -> None:
    """One at the tail is needed, a pinned one is wanted, and beside 120 ms on the device a submission is nothing."""
    assert not told("PL201", graph)


READ = "  sink: {backend: host, inputs: rectify, costs: {host: 10 us}}\n"


@pytest.mark.parametrize("mode", ["sync", "async", "window:2"])
def test_a_point_right_before_a_read_is_void(told: Told, mode: str) -> None:
    """Whatever it is, off gives the same; a SYNC there is not called blocking as well."""
    graph = segment("off", "off", mode) + READ
    (found,) = told("PL202", graph)
    assert (found.node, found.severity) == ("rectify", "note")
    assert not told("PL204", graph)


def test_a_point_that_lets_host_work_overlap_is_not_void(told: Told) -> None:
    """The device works while the host does something else before it reads."""
    work = "  other: {backend: host, inputs: source, costs: {host: 2 ms}}\n"
    graph = (
        segment("off", "off", "async", op=False) + work + READ.replace("inputs: rectify", "inputs: [rectify, other]")
    )
    assert not told("PL202", graph.replace("40 ms", "0.4 ms"))


def test_a_point_that_another_thread_needs_is_not_void(told: Told) -> None:
    """Without it a lazy array would be handed over."""
    graph = HEAD + (
        "  work: {op: sosfilt, inputs: source, evaluate: async, thread: main}\n"
        "  sink: {backend: host, inputs: work, thread: other, costs: {host: 10 us}}\n"
    )
    assert not told("PL202", graph)


def test_no_point_is_told_of_twice(told: Told) -> None:
    """What PL201 is about is not redundant as well."""
    graph = segment("async", "async", "async") + READ
    assert told("PL201", graph)
    assert [each.node for each in told("PL202", graph)] == ["rectify"]


def fan(mode: str, last: str) -> str:
    """Three branches with the same point, and a join."""
    rows = [f"  {name}: {{op: abs, inputs: source, evaluate: {mode}}}\n" for name in ("a", "b", "c")]
    join = f"  both: {{inputs: [a, b, c], evaluate: {last}, costs: {{ops: 1, output: 30 KiB}}}}\n"
    return HEAD + "".join(rows) + join


def test_branches_are_evaluated_once_where_they_meet(told: Told) -> None:
    """The join is named; with a point there the branches need none."""
    (found,) = told("PL206", fan("async", "async"))
    assert found.node == "both"
    assert float(found.evidence["host_s"]) > float(found.evidence["host_once_s"])
    assert not told("PL206", fan("off", "async"))
    assert not told("PL201", fan("async", "async"))


def test_branches_without_a_point_at_the_join_are_better_off_with_one(told: Told) -> None:
    """Their three points are replaced by one."""
    (found,) = told("PL206", fan("async", "off"))
    assert found.node == "both"


def test_outputs_that_nothing_joins_go_into_one_call(told: Told) -> None:
    """Each further call costs a submission, each further SYNC a round trip."""
    rows = [f"  {name}: {{op: abs, inputs: source, evaluate: sync}}\n" for name in ("a", "b", "c")]
    (found,) = told("PL206", HEAD + "".join(rows))
    assert found.evidence["outputs"] == 3
    assert found.evidence["saved_s"] == pytest.approx(2 * (28.5e-6 + 122.5e-6), rel=0.01)
    assert not told("PL206", HEAD + rows[0])
