"""What a worker does between the first command and the last."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from placement_cli.device.mlx_device import MlxDevice
from placement_cli.graph.pipeline import Pipeline, Source
from placement_cli.measure import worker as worker_module
from placement_cli.measure.hold import Hold
from placement_cli.measure.reference import reference_outputs, save_reference
from placement_cli.measure.sample import Sample
from placement_cli.measure.specs import Arm, ArmMode, Case, Reading
from placement_cli.measure.worker import Session

SEED = 5
ASYNC = Arm("async", ArmMode.ASYNC, ("rectify",))
Prepare = Callable[..., dict[str, Any]]


@pytest.fixture
def session(cpu: MlxDevice, fake_clock: Any, monkeypatch: pytest.MonkeyPatch) -> Session:
    """A session on the CPU, in fake time that goes on by a microsecond a look; its hold is no work at all."""
    monkeypatch.setattr(worker_module, "make_hold", lambda *_: Hold(lambda: mx.zeros((1,)) + 1, 0.1))
    return Session(cpu, fake_clock(tick_s=1e-6), lambda: lambda: mx.ones((1,)))


@pytest.fixture
def prepare(
    session: Session, make_case: Callable[..., Case], make_pipeline: Callable[..., Pipeline], tmp_path: Path
) -> Prepare:
    """Prepares an arm of a case with one filter and one rectifier."""

    def prepared(arm: Arm = ASYNC, reading: Reading = Reading.STREAM, dtype: str = "float32") -> dict[str, Any]:
        source = Source(8, 8, 3, dtype)
        pipeline = make_pipeline(("filter", "fir", ["source"]), ("rectify", "abs", ["filter"]), source=source)
        case = make_case(pipeline, arm, reading=reading, rate=1000.0)
        save_reference(tmp_path / "reference.npz", reference_outputs(case, SEED))
        return session.answer(prepare_command(case, arm, tmp_path / "reference.npz"))

    return prepared


def prepare_command(case: Case, arm: Arm, reference: Path) -> dict[str, Any]:
    """Return the command as it comes over the pipe."""
    command = {
        "do": "prepare",
        "case": case.to_json(),
        "arm": arm.to_json(),
        "seed": SEED,
        "amounts": {},
        "reference": str(reference),
    }
    decoded: dict[str, Any] = json.loads(json.dumps(command))
    return decoded


def test_hello_says_who_and_how_fine(session: Session) -> None:
    """A worker names its process and device, the step of its timer and the cost of an empty sample."""
    hello = session.answer({"do": "hello"})
    assert (hello["device"], hello["backend"]) == ("cpu", "cpu")
    assert hello["pid"] > 0
    assert hello["timer_s"] == pytest.approx(1e-6)
    assert hello["empty_s"] == pytest.approx(1e-6)


def test_probe_reports_the_fence(session: Session, cpu: MlxDevice) -> None:
    """Work that is done at once shows no waiting fence, and the reply says so in words."""
    probed = session.answer({"do": "probe"})
    assert probed["facts"] == cpu.facts()
    assert not probed["fence"]["ok"]
    assert probed["fence"]["problem"]


def test_calibrate_returns_an_amount(session: Session) -> None:
    """Sleeping is counted in microseconds and needs no trial."""
    assert session.answer({"do": "calibrate", "kind": "sleep", "length_s": 0.002}) == {"amount": 2000}


def test_prepare_says_what_sizes_a_sample(prepare: Prepare) -> None:
    """The reply has ops, the queue in messages, the pool, and how well the arm agrees."""
    reply = prepare()
    assert reply["ops"] > 1
    assert reply["queue_messages"] >= 1
    assert reply["pool"] == 16
    assert reply["agrees"] is True
    assert 0 <= reply["error"] < 1


@pytest.mark.parametrize("reading", Reading)
@pytest.mark.parametrize(
    "arm",
    [Arm("off", ArmMode.OFF), ASYNC, Arm("window:2", ArmMode.WINDOW, ("rectify",), 2, state=True)],
    ids=lambda arm: arm.name,
)
def test_every_reading_takes_a_sample_of_every_kind_of_arm(
    session: Session, prepare: Prepare, reading: Reading, arm: Arm
) -> None:
    """A sample has the messages asked for and time in it, and what belongs to its reading."""
    prepare(arm, reading)
    sample = Sample.from_json(session.answer({"do": "sample", "messages": 20}))
    assert sample.messages == 20
    assert 0 < sample.dispatch_s <= sample.complete_s
    own = {Reading.PACED: sample.latency_s, Reading.PENDING: sample.pending_ops, Reading.QUEUE: sample.call_s}
    assert len(own.get(reading, range(20))) == 20


@pytest.mark.parametrize("values", [False, True])
def test_bfloat16_messages_are_read(session: Session, prepare: Prepare, values: bool) -> None:
    """NumPy has no bfloat16, and still the values of a paced arm are read, with and without `+values`."""
    reply = prepare(Arm("async", ArmMode.ASYNC, ("rectify",), values=values), Reading.PACED, "bfloat16")
    assert reply["agrees"]
    assert session.answer({"do": "sample", "messages": 3})["missed"] == 0


def test_an_injected_share_makes_samples_longer(session: Session, prepare: Prepare) -> None:
    """An arm with `inject` takes longer than the same arm without, on a clock that only counts looks at it."""
    prepare(ASYNC)
    plain = session.answer({"do": "sample", "messages": 20})["complete_s"]
    prepare(Arm("async", ArmMode.ASYNC, ("rectify",), inject=5.0))
    assert session.answer({"do": "sample", "messages": 20})["complete_s"] > plain


def test_the_collector_rests_during_a_sample(
    session: Session, prepare: Prepare, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Garbage collection is off while the clock runs, and on again afterwards, also when the sample fails."""
    prepare()
    seen: list[bool] = []

    def take(*_: Any) -> Sample:
        seen.append(gc.isenabled())
        raise ZeroDivisionError

    monkeypatch.setattr(worker_module, "take_stream", take)
    with pytest.raises(ZeroDivisionError):
        session.answer({"do": "sample", "messages": 1})
    assert seen == [False]
    assert gc.isenabled()


def test_drop_forgets_the_arm(session: Session, prepare: Prepare) -> None:
    """After it there is nothing to sample."""
    prepare()
    assert session.answer({"do": "drop"}) == {}
    with pytest.raises(AssertionError, match="prepare comes before sample"):
        session.answer({"do": "sample", "messages": 1})


@pytest.mark.parametrize("reading", [Reading.STREAM, Reading.BURST])
def test_harness_pairs_the_tool_with_a_loop_by_hand(
    session: Session,
    make_case: Callable[..., Case],
    make_pipeline: Callable[..., Pipeline],
    tmp_path: Path,
    reading: Reading,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both run the prepared arm; the reply has the seconds of a message for each, pair by pair."""
    monkeypatch.setattr(worker_module, "HARNESS_MESSAGES", 16)
    pipeline = make_pipeline(("a", "abs", ["source"]), ("b", "abs", ["a"]), ("rectify", "abs", ["b"]))
    case = make_case(pipeline, ASYNC, reading=reading)
    save_reference(tmp_path / "r.npz", reference_outputs(case, SEED))
    session.answer(prepare_command(case, ASYNC, tmp_path / "r.npz"))
    pairs = session.answer({"do": "harness", "tool_first": True})["pairs"]
    assert all(tool > 0 and bare > 0 for tool, bare in pairs)


def test_an_unknown_command_is_a_fault_that_names_it(session: Session) -> None:
    """Whoever serves the session tells it, and the worker goes on."""
    with pytest.raises(KeyError, match="dance"):
        session.answer({"do": "dance"})
    assert session.answer({"do": "drop"}) == {}
