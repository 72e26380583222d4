"""Of placements that were played the feasible ones come first, then the least host time, then what is simplest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from placement_cli.advice.feasible import Bounds
from placement_cli.advice.flow import Flow
from placement_cli.advice.judging import Judge, Tried, distinct, stacked, together
from placement_cli.advice.loads import loads_of
from placement_cli.advice.machine import Machine
from placement_cli.advice.playing import Outcome, Stage
from placement_cli.graph.mode import ASYNC, OFF, SYNC, Mode, window

FlowFrom = Callable[..., Flow]
FREE = Bounds(None, None, None, 1)
LARGE = float(1 << 30)


@pytest.fixture
def judge(flow_from: FlowFrom, simple: Machine) -> Callable[..., Judge]:
    """A judge of three nodes in a row, of which nothing is demanded."""

    def make(kind: str = "replay", bounds: Bounds = FREE, error: float = 0.1, **today: str) -> Judge:
        rate = ", rate: 1" if kind == "live" else ""
        flow = flow_from("a: {inputs: source, repeat: 3}", f"{{shape: [1, 1], kind: {kind}{rate}}}")
        stage = Stage(flow, loads_of(flow, simple), simple)
        return Judge(stage, bounds, (), stage.batch([row(OFF, OFF, OFF)]), np.zeros(3, dtype=bool), error)

    return make


def row(*modes: Mode) -> dict[str, Mode]:
    """A placement of the three nodes."""
    return {f"a.{number}": mode for number, mode in enumerate(modes)}


def tried(judge: Judge, *rows: tuple[Sequence[Mode], dict[str, float]]) -> Tried:
    """Placements with what they do; host time 1 and nothing else unless said."""
    batch = judge.stage.batch([row(*modes) for modes, _ in rows])
    known = {
        name: np.array([does.get(name, float(name == "host_s")) for _, does in rows])
        for name in Outcome.__dataclass_fields__
    }
    yes = np.array([bool(does.get("fine", True)) for _, does in rows])
    safe = np.array([bool(does.get("safe", True)) for _, does in rows])
    return Tried(batch, Outcome(**known), known["in_flight_bytes"], safe, yes & safe)


TAIL, INNER, BOTH, SYNCED, WINDOWED, NOTHING = (
    (OFF, OFF, ASYNC), (ASYNC, OFF, OFF), (ASYNC, OFF, ASYNC), (OFF, OFF, SYNC), (OFF, OFF, window(2)), (OFF, OFF, OFF),
)  # fmt: skip
CHOICES = [
    ("feasible before fast", "replay", (TAIL, {"host_s": 2.0}), (SYNCED, {"host_s": 1.0, "fine": 0})),
    ("less host time", "replay", (BOTH, {"host_s": 0.8}), (TAIL, {})),
    ("fewer points among equals", "replay", (TAIL, {"host_s": 1.02}), (BOTH, {})),
    ("sooner among equals of a live source", "live", (BOTH, {"latency_s": 1.0}), (TAIL, {"latency_s": 1.1})),
    ("later does not matter elsewhere", "replay", (TAIL, {"latency_s": 1.1}), (BOTH, {"latency_s": 1.0})),
    ("less memory among equals", "replay", (BOTH, {"in_flight_bytes": LARGE}), (TAIL, {"in_flight_bytes": 2 * LARGE})),
    ("little memory does not matter", "replay", (TAIL, {"in_flight_bytes": 2e6}), (BOTH, {"in_flight_bytes": 1e6})),
    ("nothing to change among equals", "replay", (NOTHING, {}), (TAIL, {})),
    ("async before a window", "replay", (TAIL, {}), (WINDOWED, {})),
    ("a window before async in a loop", "loop", (WINDOWED, {}), (TAIL, {})),
    ("a window before sync", "replay", (WINDOWED, {}), (SYNCED, {})),
    ("the later of two places", "replay", (TAIL, {}), (INNER, {})),
    ("a pass is as long as it takes", "once", (BOTH, {"period_s": 1.0}), (TAIL, {"period_s": 2.0, "host_s": 0.5})),
]  # fmt: skip


@pytest.mark.parametrize(("why", "kind", "better", "other"), CHOICES, ids=[each[0] for each in CHOICES])
def test_the_order_of_choice(judge: Callable[..., Judge], why: str, kind: str, better: object, other: object) -> None:
    """Whichever of both comes first."""
    judging = judge(kind, error=-1.0)

    assert judging.choose(tried(judging, better, other)) == 0
    assert judging.choose(tried(judging, other, better)) == 1


def test_what_only_the_model_justifies_must_win_more_than_its_error(judge: Callable[..., Judge]) -> None:
    """A point inside the segment against one at its tail."""
    judging = judge(error=0.1)

    assert judging.choose(tried(judging, (TAIL, {}), (INNER, {"host_s": 0.92}))) == 0
    assert judging.choose(tried(judging, (TAIL, {}), (INNER, {"host_s": 0.88}))) == 1


def test_where_nothing_is_feasible_the_least_wrong_is_chosen(judge: Callable[..., Judge]) -> None:
    """What grows last of all, then by the limit that is broken most."""
    judging = judge(bounds=Bounds(1.0, 1.0, None, 1))
    found = tried(
        judging,
        (INNER, {"fine": 0, "period_s": 1.5, "latency_p90_s": 4.0}),
        (TAIL, {"fine": 0, "period_s": 2.0, "latency_p90_s": 2.0}),
        (NOTHING, {"safe": 0}),
    )

    assert judging.choose(found) == 1
    assert judging.excess(found).tolist() == [3.0, 1.0, 0.0]


def test_the_best_are_safe_and_near_the_limits_before_they_are_fast(judge: Callable[..., Judge]) -> None:
    """As many as are asked for."""
    judging = judge(bounds=Bounds(None, 1.0, None, 1))
    found = tried(
        judging,
        (NOTHING, {"safe": 0, "host_s": 0.1}),
        (TAIL, {"host_s": 0.5, "latency_p90_s": 3.0}),
        (BOTH, {"host_s": 2.0}),
        (INNER, {"host_s": 1.0}),
    )

    assert judging.best(found, 9).tolist() == [3, 2, 1]
    assert judging.best(found, 2).tolist() == [3, 2]


def test_where_nothing_is_safe_all_are_gone_on_with(judge: Callable[..., Judge]) -> None:
    """Somebody must be advised something."""
    judging = judge()

    assert len(judging.best(tried(judging, (TAIL, {"safe": 0}), (BOTH, {"safe": 0})), 9)) == 2


def test_interior_waits_hold_the_largest_piece_alone(flow_from: FlowFrom, simple: Machine) -> None:
    """Instead of the whole message."""
    flow = flow_from(
        "a: {inputs: source, costs: {output: 0 B, intermediates: 1 MiB}, repeat: 4}", "{shape: [1, 1], dtype: int8}"
    )
    stage = Stage(flow, loads_of(flow, simple), simple)
    modes = [(OFF, OFF, OFF, SYNC), (OFF, SYNC, OFF, SYNC), (SYNC,) * 4]
    batch = stage.batch([{f"a.{number}": mode for number, mode in enumerate(each)} for each in modes])
    judging = Judge(stage, FREE, (), stage.batch([flow.current]), np.zeros(4, dtype=bool), 0.1)

    assert judging.try_all(batch).memory == pytest.approx([4 * 2**20, 2 * 2**20, 2**20], rel=1e-3)


def test_placements_are_kept_once(judge: Callable[..., Judge]) -> None:
    """In the order in which they came first, with what belongs to them."""
    judging = judge()
    first = tried(judging, (TAIL, {"host_s": 1.0}), (BOTH, {"host_s": 2.0}))
    second = tried(judging, (BOTH, {"host_s": 2.0}), (INNER, {"host_s": 3.0}), (TAIL, {"host_s": 1.0}))
    found = together([first, second])

    assert distinct(stacked([first.batch, second.batch])).tolist() == [0, 1, 3]
    assert found.outcome.host_s.tolist() == [1.0, 2.0, 3.0]
    assert found.points.tolist() == [1, 2, 1]
    assert judging.ranked(replace(found, fine=np.array([False, True, True]))) == [1, 2]


def test_what_is_there_needs_no_model(judge: Callable[..., Judge]) -> None:
    """Nothing slower is advised instead, and nothing that is as good with as many points."""
    judging = judge(error=0.1)
    judging.current = judging.stage.batch([row(*INNER)])

    assert judging.choose(tried(judging, (TAIL, {}), (INNER, {"host_s": 0.95}))) == 1
    assert judging.choose(tried(judging, (TAIL, {}), (INNER, {"host_s": 0.99}))) == 1
    assert judging.choose(tried(judging, (TAIL, {"host_s": 0.95}), (INNER, {}))) == 0
