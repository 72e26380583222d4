"""How much memory a case needs, before it is measured."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.bench.footprint import (
    QUEUE_MESSAGES,
    UNKNOWN_MESSAGES,
    case_bytes,
    check_memory,
    kept_messages,
    message_bytes,
)
from placement_cli.errors import UsageError
from placement_cli.graph.mode import SYNC as SYNC_MODE
from placement_cli.graph.mode import every, window
from placement_cli.graph.pipeline import Node, Pipeline, Source
from placement_cli.measure.specs import Arm, ArmMode, Case, Reading

NODES = (
    Node("a", "scale", ("source",)),
    Node("b", "abs", ("a",)),
    Node("work", "host", ("source",)),
)
PIPELINE = Pipeline(Source(100, 512, 1024), NODES)
READ = Pipeline(PIPELINE.source, (*NODES, Node("out", "values", ("b",))))
"""The same, but the values of every message are read in the message."""
MIB = 2**20
ASYNC, OFF, SYNC = Arm("async", ArmMode.ASYNC, ("b",)), Arm("off", ArmMode.OFF), Arm("sync", ArmMode.SYNC, ("b",))


def case_of(*arms: Arm, messages: int = 0, reading: Reading = Reading.STREAM, pipeline: Pipeline = PIPELINE) -> Case:
    """Return a case with these arms."""
    return Case("mine[a=1]", "mine", reading, pipeline, arms, arms[0].name, messages=messages, rate=10, duration_s=2)


def test_a_message_counts_with_what_mlx_makes_of_it() -> None:
    """The longest message and the outputs of two MLX nodes, 2 MiB each; host nodes make no arrays of MLX."""
    assert message_bytes(case_of(SYNC, pipeline=READ)) == 6 * MIB


@pytest.mark.parametrize(
    ("arm", "messages", "kept"),
    [
        (SYNC, 400, 1),
        (ASYNC, 400, QUEUE_MESSAGES),
        (ASYNC, 10, 10),
        (OFF, 400, 400),
        (OFF, 0, UNKNOWN_MESSAGES),
        (Arm("off+values", ArmMode.OFF, values=True), 400, 1),
        (Arm("window:4", ArmMode.WINDOW, ("b",), 4), 400, 5),
        (Arm("every:9", ArmMode.EVERY, ("b",), 9), 400, 9),
        (Arm("every:9", ArmMode.EVERY, ("b",), 9), 4, 4),
        (Arm("sync@a", ArmMode.SYNC, ("a",)), 400, 400),
        (Arm.placed("mixed", {"a": SYNC_MODE, "b": window(7)}), 400, 8),
        (Arm.placed("mixed", {"a": every(3), "b": SYNC_MODE}), 400, 1),
    ],
)
def test_an_arm_keeps_what_its_mode_lets_pile_up(arm: Arm, messages: int, kept: int) -> None:
    """No point keeps all messages, ASYNC what the queue takes, a window K + 1, SYNC one."""
    assert kept_messages(case_of(arm, messages=messages), arm) == kept


@pytest.mark.parametrize("arm", [ASYNC, OFF, SYNC, Arm("window:4", ArmMode.WINDOW, ("b",), 4)], ids=str)
def test_values_read_in_the_message_leave_no_second_one_in_flight(arm: Arm) -> None:
    """Whatever the points are, the conversion waits."""
    assert kept_messages(case_of(arm, messages=400, pipeline=READ), arm) == 1


def test_pending_readings_may_keep_every_message() -> None:
    """Behind a stage that withholds, no point helps; a paced reading counts rate times duration."""
    assert kept_messages(case_of(ASYNC, messages=40, reading=Reading.PENDING), ASYNC) == 40
    assert kept_messages(case_of(OFF, reading=Reading.PACED), OFF) == 20


def test_a_case_needs_what_its_hungriest_arm_needs() -> None:
    """400 messages of 6 MiB for the arm without points, and for each of three workers its own messages."""
    needed = case_bytes(case_of(SYNC, OFF, messages=400))

    assert 400 * 6 * MIB < needed < 400 * 6 * MIB + 3 * 100 * MIB


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 500), st.integers(1, 500))
def test_more_messages_never_need_less(first: int, second: int) -> None:
    """The estimate grows with the number of messages."""
    few, many = sorted((first, second))

    assert case_bytes(case_of(ASYNC, OFF, messages=few)) <= case_bytes(case_of(ASYNC, OFF, messages=many))


def test_a_case_that_cannot_fit_is_refused_by_name() -> None:
    """The sentence says what is needed, what there is, and what to change."""
    case = case_of(OFF, messages=400)

    check_memory([case], 64 * 2**30)
    with pytest.raises(UsageError) as raised:
        check_memory([case_of(SYNC), case], 2**30)

    text = str(raised.value)
    assert text.startswith("mine[a=1] needs about 2.")
    assert "GiB of memory, but only 1.00 GiB can be used; expected smaller chunks or fewer messages" in text
