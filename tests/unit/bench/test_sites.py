"""Arms placed in a pipeline."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from placement_cli.bench.grid import grid_of
from placement_cli.bench.scenario_file import parse_scenario
from placement_cli.bench.sites import MAX_ARMS, Placed, mlx_nodes, place_arms, read_contest, tails, tell_apart
from placement_cli.bench.wiring import Layout, wire
from placement_cli.errors import UsageError
from placement_cli.graph.mode import ASYNC, OFF, SYNC
from placement_cli.located.places import Given
from placement_cli.measure.specs import Arm, ArmMode

HEAD = """\
version: 1
name: mine
question: What is it?
reading: stream
source: {chunk: 8x4}
arms: [async]
nodes:
"""
CHAIN = (
    "  a: {op: abs, repeat: 2}\n  b: {op: scale}\n  work: {op: host, inputs: source}\n  out: {op: values, inputs: b}\n"
)


def layout_of(nodes: str) -> Layout:
    """Return the pipeline of a scenario of one case."""
    return wire(next(grid_of(parse_scenario(HEAD + nodes, "f")).points()))


def givens(arms: Sequence[str]) -> list[Given]:
    """Return arms as given at numbered places."""
    return [Given(arm, f"f:{number}") for number, arm in enumerate(arms)]


def place(nodes: str, *arms: str, base: str | None = None) -> Placed:
    """Place `arms` in the pipeline made of `nodes`."""
    chosen = None if base is None else Given(base, "base")
    return place_arms(read_contest(givens(arms), chosen), layout_of(nodes))


@pytest.mark.parametrize(
    ("arm", "sites"),
    [
        ("off", ()),
        ("async", ("b",)),
        ("sync@every-node", ("a.0", "a.1", "b")),
        ("async@a", ("a.0", "a.1")),
        ("async@a.0", ("a.0",)),
        ("async@b+a.1", ("a.1", "b")),
        ("window:3@tail+a.0", ("a.0", "b")),
    ],
)
def test_sites_are_nodes_in_the_order_of_the_pipeline(arm: str, sites: tuple[str, ...]) -> None:
    """Words become names of nodes, whatever order they were written in."""
    (placed,) = place(CHAIN, arm).arms

    assert placed.name == arm
    assert placed.sites == sites


def test_an_arm_keeps_its_depth_and_its_additions() -> None:
    """K, +state and +values arrive in the arm."""
    (arm,) = place(CHAIN, "window:3+state+values").arms

    assert (arm.depth, arm.state, arm.values) == (3, True, True)
    assert arm.label == "window:3"


@pytest.mark.parametrize(
    ("nodes", "ends"),
    [
        (CHAIN, ("b",)),
        ("  a: {op: abs}\n  b: {op: abs, inputs: source}\n", ("a", "b")),
        ("  a: {op: abs, branches: 2}\n  b: {op: join}\n", ("b",)),
        ("  a: {op: abs}\n  b: {op: host}\n  c: {op: abs}\n", ("c",)),
        ("  a: {op: abs}\n  b: {op: host}\n", ("a",)),
        ("  a: {op: abs}\n  b: {op: values}\n  c: {op: abs, inputs: a}\n", ("c",)),
    ],
)
def test_the_tail_is_every_end_of_the_mlx_work(nodes: str, ends: tuple[str, ...]) -> None:
    """What reaches no MLX node is an end, also where host work stands in between."""
    assert tails(layout_of(nodes).pipeline) == ends


def test_mlx_nodes_are_those_that_do_not_run_on_the_host() -> None:
    """Host work and conversions are no sites."""
    assert mlx_nodes(layout_of(CHAIN).pipeline) == ("a.0", "a.1", "b")


@pytest.mark.parametrize(
    ("arm", "message"),
    [
        ("async@bb", "f:0: site 'bb' is no node here. Did you mean 'b'?"),
        ("async@a.7", "f:0: site 'a.7' is no node here."),
        ("async@out", "f:0: site 'out' is a host node, whose values are there already"),
        ("async@work", "f:0: site 'work' is a host node"),
    ],
)
def test_sites_that_do_not_exist_are_refused(arm: str, message: str) -> None:
    """The place is that of the arm."""
    with pytest.raises(UsageError) as raised:
        place(CHAIN, arm)

    assert str(raised.value).startswith(message)


def test_arms_that_do_the_same_in_a_case_are_measured_once() -> None:
    """With one node every node is the tail: the later arm is left out, and it is said which one it equals."""
    placed = place("  a: {op: abs}\n", "sync", "async", "async@every-node", "async@a+values")

    assert [arm.name for arm in placed.arms] == ["sync", "async", "async@a+values"]
    assert placed.same == {"async@every-node": "async"}


def test_the_base_is_never_left_out() -> None:
    """Where the base is the later of two equal arms, the earlier one goes."""
    placed = place("  a: {op: abs}\n", "async", "sync", "async@every-node", base="async@every-node")

    assert [arm.name for arm in placed.arms] == ["sync", "async@every-node"]
    assert placed.same == {"async": "async@every-node"}


def test_evaluating_states_means_nothing_where_none_are_carried() -> None:
    """`+state` makes another arm only in a pipeline that carries state."""
    assert place("  a: {op: abs}\n", "async", "async+state").same == {"async+state": "async"}
    assert place("  a: {op: sosfilt}\n", "async", "async+state").same == {}


def test_the_base_is_chosen_or_usual_or_first() -> None:
    """A chosen base must exist; the usual one only counts where it is among the arms."""
    arms = givens(["sync", "async"])

    assert str(read_contest(arms, None).base) == "sync"
    assert str(read_contest(arms, None, usual_base="async@tail").base) == "async"
    assert str(read_contest(arms, None, usual_base="off").base) == "sync"
    assert str(read_contest(arms, Given("async@tail", "x"), usual_base="sync").base) == "async"
    with pytest.raises(UsageError, match=r"^x: base 'window:1' is none of the arms. Known: sync, async"):
        read_contest(arms, Given("window:1", "x"))
    with pytest.raises(UsageError, match=r"^x: arm 'asinc'"):
        read_contest(arms, Given("asinc", "x"))


@pytest.mark.parametrize("twin", ["async", "async@tail"])
def test_an_arm_is_given_once(twin: str) -> None:
    """Two arms that mean the same in every pipeline are a mistake."""
    with pytest.raises(UsageError, match=f"^f:1: arm '{twin}' is the same as 'async'; expected each arm once"):
        read_contest(givens(["async", twin]), None)


def test_arms_are_bounded() -> None:
    """Each arm is a process of its own."""
    arms = givens([f"window:{depth}" for depth in range(1, MAX_ARMS + 2)])

    with pytest.raises(UsageError, match=f"^f:{MAX_ARMS}: {MAX_ARMS + 1} arms; expected at most {MAX_ARMS}"):
        read_contest(arms, None)


def test_a_placement_that_does_what_an_arm_does_is_left_out() -> None:
    """However it is written; one other mode makes it another arm."""
    pipeline = layout_of(CHAIN).pipeline
    arms = [
        Arm("sync", ArmMode.SYNC, ("a.0", "b")),
        Arm.placed("same", {"a.0": SYNC, "a.1": OFF, "b": SYNC}),
        Arm.placed("other", {"a.0": ASYNC, "b": SYNC}),
    ]
    apart = tell_apart(arms, "sync", pipeline)
    assert [arm.name for arm in apart.arms] == ["sync", "other"]
    assert apart.same == {"same": "sync"}
