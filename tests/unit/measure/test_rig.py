"""Arms on real MLX: what they hold, what they compute, and that they start again as new."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from placement_cli.device.mlx_device import MlxDevice
from placement_cli.graph.mode import ASYNC, OFF, SYNC, every, window
from placement_cli.graph.pipeline import Pipeline, Source
from placement_cli.measure.agreement import compare_with_reference
from placement_cli.measure.messages import message_pool
from placement_cli.measure.reference import reference_outputs, save_reference
from placement_cli.measure.rig import Rig, build_rig, to_numpy
from placement_cli.measure.specs import Arm, ArmMode, Case, Reading
from placement_cli.operators.host import WORK

SEED = 3
MakeCase = Callable[..., Case]
MakePipeline = Callable[..., Pipeline]

ARMS = (
    Arm("off", ArmMode.OFF),
    Arm("off+values", ArmMode.OFF, values=True),
    Arm("async", ArmMode.ASYNC, ("sum",)),
    Arm("async@filter", ArmMode.ASYNC, ("filter",)),
    Arm("async+state", ArmMode.ASYNC, ("sum",), state=True),
    Arm("sync", ArmMode.SYNC, ("filter", "scale", "sum")),
    Arm("window:2", ArmMode.WINDOW, ("sum",), 2),
    Arm("window:2+state+values", ArmMode.WINDOW, ("sum",), 2, state=True, values=True),
    Arm("every:2", ArmMode.EVERY, ("sum",), 2),
    Arm.placed("mixed", {"filter": SYNC, "scale": every(3), "rectify": OFF, "sum": window(2)}),
)


@pytest.fixture
def branches(make_pipeline: MakePipeline) -> Pipeline:
    """A filter whose output goes two ways and is added up, so that it has states, a branch and one end."""
    return make_pipeline(
        ("filter", "sosfilt", ["source"]),
        ("scale", "ewm_scaler", ["filter"]),
        ("rectify", "abs", ["filter"]),
        ("sum", "join", ["scale", "rectify"]),
        source=Source(5, 9, 3),
    )


def built(case: Case, arm: Arm, device: MlxDevice) -> tuple[Rig, Sequence[Any]]:
    """Return a rig and the messages for it."""
    return build_rig(case, arm, device, SEED, {}), message_pool(case.pipeline.source, SEED)


def outputs(rig: Rig, messages: Sequence[Any]) -> list[Any]:
    """Feed messages one by one and return the values of the first sink for each."""
    seen = []
    for message in messages:
        rig.feed((message,))
        seen.append(np.array(rig.last[0]))
    return seen


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)
@pytest.mark.parametrize("reading", [Reading.STREAM, Reading.PACED])
def test_every_arm_computes_the_reference(
    cpu: MlxDevice, make_case: MakeCase, branches: Pipeline, arm: Arm, reading: Reading, tmp_path: Any
) -> None:
    """Where an arm evaluates changes no value."""
    case = make_case(branches, arm, reading=reading)
    rig, pool = built(case, arm, cpu)
    save_reference(tmp_path / "reference.npz", reference_outputs(case, SEED))
    assert compare_with_reference(rig, pool, str(tmp_path / "reference.npz"), "float32").agrees


def test_off_keeps_outputs_until_they_are_evaluated(cpu: MlxDevice, make_case: MakeCase, branches: Pipeline) -> None:
    """All outputs of a stream without a point are held, lazy until `finish`, which computes every one."""
    rig, pool = built(make_case(branches), ARMS[0], cpu)
    rig.feed(pool[:4])
    assert len(rig.kept) == 4
    assert all(cpu.is_pending(output) for output in rig.kept)
    rig.finish()
    assert cpu.pending_ops(*rig.kept, *rig.states()) == 0


@pytest.mark.parametrize("arm", [arm for arm in ARMS[1:] if arm.name != "every:2"], ids=lambda arm: arm.name)
def test_arms_that_compute_their_outputs_keep_none(
    cpu: MlxDevice, make_case: MakeCase, branches: Pipeline, arm: Arm
) -> None:
    """Holding outputs would turn the run into one about memory, so only an output nobody computes is held."""
    rig, pool = built(make_case(branches, arm), arm, cpu)
    rig.feed(pool[:4])
    assert len(rig.kept) == (4 if arm.name == "async@filter" else 0)


@pytest.mark.parametrize("reading", [reading for reading in Reading if reading is not Reading.STREAM])
def test_only_streams_keep_outputs(cpu: MlxDevice, make_case: MakeCase, branches: Pipeline, reading: Reading) -> None:
    """The other readings ask for the values themselves, or are about what happens when nobody does."""
    rig, pool = built(make_case(branches, reading=reading), ARMS[0], cpu)
    rig.feed(pool[:2])
    assert rig.kept == []


def test_every_computes_the_outputs_in_between(
    cpu: MlxDevice, make_case: MakeCase, make_pipeline: MakePipeline
) -> None:
    """With every:3 no output is left out: those of three messages are held, and computed with the third."""
    pipeline = make_pipeline(("rectify", "abs", ["source"]))
    arm = Arm("every:3", ArmMode.EVERY, ("rectify",), 3)
    rig, pool = built(make_case(pipeline, arm), arm, cpu)
    rig.feed(pool[:2])
    held = list(rig.kept)
    assert [cpu.is_pending(output) for output in held] == [True, True]
    rig.feed(pool[2:3])
    assert cpu.pending_ops(*held) == 0
    assert rig.kept == []


def test_host_work_at_the_end_does_not_hide_the_outputs(
    cpu: MlxDevice, make_case: MakeCase, make_pipeline: MakePipeline
) -> None:
    """Host work reads no values, so the arm without a point must still compute what it is given."""
    params = {"kind": "sleep", "amount": 1}
    pipeline = make_pipeline(("rectify", "abs", ["source"]), ("work", "host", ["rectify"], params))
    rig, pool = built(make_case(pipeline), ARMS[0], cpu)
    rig.feed(pool[:3])
    assert len(rig.kept) == 3


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)
def test_let_go_drains(cpu: MlxDevice, make_case: MakeCase, branches: Pipeline, arm: Arm) -> None:
    """After it no output is held and nothing is in flight or waits for its turn."""
    rig, pool = built(make_case(branches, arm), arm, cpu)
    rig.feed(pool[:3])
    rig.finish()
    rig.let_go()
    assert rig.kept == []
    assert rig.last == ()
    assert [getattr(window, "in_flight", 0) + getattr(window, "pending", 0) for window in rig.windows] == [
        0 for _ in rig.windows
    ]


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)
def test_reset_makes_the_stream_repeat(cpu: MlxDevice, make_case: MakeCase, branches: Pipeline, arm: Arm) -> None:
    """The same messages give the same outputs again, and other ones without a reset, for there is state."""
    rig, pool = built(make_case(branches, arm), arm, cpu)
    first, other = outputs(rig, pool[:3]), outputs(rig, pool[:3])
    rig.reset()
    again = outputs(rig, pool[:3])
    for one, two in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, two)
    assert not np.array_equal(first[0], other[0])


def test_sync_leaves_nothing_pending_behind_a_message(cpu: MlxDevice, make_case: MakeCase, branches: Pipeline) -> None:
    """With a point at the end, the output of every message is there when the next begins."""
    rig, pool = built(make_case(branches, ARMS[5]), ARMS[5], cpu)
    rig.feed(pool[:3])
    assert cpu.pending_ops(*rig.last) == 0


@pytest.mark.parametrize("op", ["sosfilt", "ewm_scaler", "fir", "bin", "window"])
@pytest.mark.parametrize("mode", [ArmMode.ASYNC, ArmMode.SYNC, ArmMode.WINDOW, ArmMode.EVERY])
def test_points_with_state_evaluate_every_carried_state(
    cpu: MlxDevice, make_case: MakeCase, make_pipeline: MakePipeline, op: str, mode: ArmMode
) -> None:
    """No state is left lazy, also not one that only appears with the first message or hangs on withheld output."""
    pipeline = make_pipeline(("carrier", op, ["source"]), source=Source(30, 30, 2))
    arm = Arm("arm", mode, ("carrier",), 1 if mode in {ArmMode.WINDOW, ArmMode.EVERY} else 0, state=True)
    rig, pool = built(make_case(pipeline, arm, reading=Reading.PENDING), arm, cpu)
    for message in pool[:3]:
        rig.feed((message,))
        assert rig.states() or op == "bin"
        assert cpu.pending_ops(*rig.states()) == 0


def test_points_without_state_leave_it_pending_behind_withheld_output(
    cpu: MlxDevice, make_case: MakeCase, make_pipeline: MakePipeline
) -> None:
    """An output without samples computes nothing, so what the stage carries stays lazy: the case `+state` is for."""
    pipeline = make_pipeline(("rectify", "abs", ["source"]), ("gather", "bin", ["rectify"], {"size": 100}))
    arm = Arm("sync", ArmMode.SYNC, ("gather",))
    rig, pool = built(make_case(pipeline, arm, reading=Reading.PENDING), arm, cpu)
    rig.feed(pool[:3])
    assert cpu.pending_ops(*rig.states()) > 3


def test_bfloat16_is_ingested_and_converted(cpu: MlxDevice, make_case: MakeCase, make_pipeline: MakePipeline) -> None:
    """A bfloat16 pipeline computes in bfloat16, and an arm with values ends in float32 NumPy arrays."""
    arm = Arm("sync+values", ArmMode.SYNC, ("rectify",), values=True)
    pipeline = make_pipeline(("rectify", "abs", ["source"]), source=Source(4, 4, 2, "bfloat16"))
    rig, pool = built(make_case(pipeline, arm), arm, cpu)
    rig.feed(pool[:2])
    assert rig.last[0].dtype == mx.bfloat16
    assert to_numpy("bfloat16")(rig.last[0]).dtype == np.float32
    np.testing.assert_allclose(to_numpy("bfloat16")(rig.last[0]), np.abs(pool[1]), rtol=2**-7)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_values_that_are_numpy_already_pass_through(dtype: str) -> None:
    """A sink that a `values` node made is taken as it is."""
    there = np.ones((2, 2), dtype=np.float32)
    assert to_numpy(dtype)(there) is there


def test_host_work_gets_the_calibrated_amount(
    cpu: MlxDevice, make_case: MakeCase, make_pipeline: MakePipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The amounts of the case replace the calibration that each worker would make for itself."""
    amounts: list[int] = []
    monkeypatch.setitem(WORK, "sleep", lambda: amounts.append)
    pipeline = make_pipeline(("work", "host", ["source"], {"kind": "sleep", "length_ms": 1000.0}))
    rig = build_rig(make_case(pipeline), ARMS[0], cpu, SEED, {"work": 17})
    rig.feed(message_pool(pipeline.source, SEED)[:2])
    assert amounts == [17, 17]


def test_an_arm_without_a_point_evaluates_no_state(cpu: MlxDevice, make_case: MakeCase, branches: Pipeline) -> None:
    """Without a site there is no point, so nothing evaluates the states either."""
    arm = replace(ARMS[0], state=True)
    rig, pool = built(make_case(branches, arm, reading=Reading.PENDING), arm, cpu)
    rig.feed(pool[:2])
    assert cpu.pending_ops(*rig.states()) > 0


def test_every_site_of_a_placement_has_its_own_mode(
    make_case: MakeCase, make_pipeline: MakePipeline, fake_device: Any
) -> None:
    """SYNC waits, ASYNC submits, and each window and interval is an object of its own."""
    names = ["a", "b", "c", "d", "e"]
    pipeline = make_pipeline(*((name, "abs", ["source"]) for name in names))
    arm = Arm.placed("mine", dict(zip(names, (SYNC, ASYNC, window(2), window(2), every(3)), strict=True)))
    device = fake_device()
    rig = build_rig(make_case(pipeline, arm), arm, device, SEED, {})
    rig.feed(message_pool(pipeline.source, SEED)[:4])
    assert [len(device.named(name)) for name in ("evaluate", "submit")] == [4 + 1, 4]
    assert [type(each).__name__ for each in rig.windows] == ["RunAheadWindow", "RunAheadWindow", "EvaluateEvery"]
    assert [each.in_flight for each in rig.windows[:2]] == [2, 2]
    assert len(rig.kept) == 1


def test_outputs_of_two_intervals_are_computed_each_in_its_own(
    cpu: MlxDevice, make_case: MakeCase, make_pipeline: MakePipeline
) -> None:
    """While every:2 at one end computes its outputs, and those of an end without a point, every:3 at another waits."""
    pipeline = make_pipeline(*((name, "abs", ["source"]) for name in ("two", "three", "never")))
    arm = Arm.placed("mine", {"two": every(2), "three": every(3), "never": OFF})
    rig, pool = built(make_case(pipeline, arm), arm, cpu)
    held = []
    for message in pool[:4]:
        rig.feed((message,))
        held.append([len(outputs) for outputs in rig.held])
    assert held == [[2, 1], [0, 2], [2, 0], [0, 1]]
