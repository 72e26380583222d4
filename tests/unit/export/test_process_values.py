"""One value a process."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from placement_cli.errors import NothingComparable, UsageError
from placement_cli.export.process_values import arm_names, arm_values, values_in
from placement_cli.store.run_document import RunDocument

MakeGate = Callable[..., RunDocument]


def test_a_value_is_the_median_of_the_rounds_of_one_message(load_run_of: Callable[[str], RunDocument]) -> None:
    """Warm-ups are kept apart from it."""
    document = load_run_of("burst")
    case = document.cases[0]
    samples = [s for s in case.blocks[0].samples if s.arm == "async"]
    rounds = sorted(s.dispatch_s / s.messages for s in samples if s.phase == "measure")
    (values,) = [v for v in arm_values(document, "async") if v.case is case and v.metric.key == "dispatch_s"]
    (process,) = values.processes
    assert process.value == pytest.approx((rounds[0] + rounds[-1]) / 2)
    assert process.warmups == tuple(s.dispatch_s / s.messages for s in samples if s.phase == "warmup")


def test_all_arms_hold_the_same_blocks(make_gate: MakeGate) -> None:
    """A block in which one arm has no value above zero counts for none."""
    document = make_gate("passed", {"new_s": (1e-3, 0.0, 1e-3, 1e-3, 1e-3, 1e-3)})
    blocks = {v.arm: [p.block.index for p in v.processes] for v in arm_values(document) if v.metric.key == "complete_s"}
    assert blocks == {"base": [0, 2, 3, 4, 5], "new": [0, 2, 3, 4, 5]}


def test_what_is_not_trusted_is_left_out(load_run_of: Callable[[str], RunDocument]) -> None:
    """An invalid case has numbers in its document, and none for other tools; a crashed one has none at all."""
    invalid = "chunk-size[chunk=1024x2048,dtype=float32]"
    assert invalid not in {values.case.id for values in arm_values(load_run_of("stream"))}
    assert {values.case.params["ops"] for values in arm_values(load_run_of("queue"))} == {1, 10}


def test_blocks_that_confirm_are_left_out(make_gate: MakeGate) -> None:
    """They have values of the same processes only where something was flagged, and were chosen for it."""
    document = make_gate("passed", {})
    case = document.cases[0]
    again = [block.model_copy(update={"confirms": True}) for block in case.blocks]
    more = case.model_copy(update={"blocks": [*case.blocks, *again]})
    assert [len(values.processes) for values in arm_values(document.model_copy(update={"cases": [more]}))] == [6] * 4


def test_a_format_without_a_unit_for_anything_is_refused(make_gate: MakeGate) -> None:
    """And not an empty file."""
    with pytest.raises(NothingComparable, match="No case holds a valid measurement in a unit of x: x would be empty"):
        values_in(("share",), make_gate("passed", {}), None, "x")


def test_one_arm_alone_is_called_by_its_case(make_gate: MakeGate) -> None:
    """So that the files of two arms match by name."""
    document = make_gate("passed", {})
    base, new = ([values.name for values in arm_values(document, arm)] for arm in ("base", "new"))
    assert base == new == ["chain[size=1] complete_s", "chain[size=1] in_flight_bytes"]
    assert arm_values(document)[0].name == "chain[size=1] base complete_s"


def test_an_arm_that_is_not_there_is_told(make_gate: MakeGate) -> None:
    """With the nearest."""
    assert arm_names(make_gate("passed", {})) == ["base", "new"]
    with pytest.raises(UsageError, match="Did you mean 'base'"):
        arm_values(make_gate("passed", {}), "bas")
