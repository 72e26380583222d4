"""One block: fresh workers for each arm, driven in lock-step, and what becomes of it when something goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from placement_cli.graph.pipeline import Pipeline
from placement_cli.measure.blocks import Bench, CaseBlock, Job, finite, measure_block
from placement_cli.measure.orders import ROUNDS
from placement_cli.measure.spawn import CommandFailedError, WorkerLostError
from placement_cli.measure.specs import Arm, ArmMode, Case
from placement_cli.statistics.control import CONTROL

OFF, ASYNC, SYNC = (
    Arm("off", ArmMode.OFF),
    Arm("async", ArmMode.ASYNC, ("rectify",)),
    Arm("sync", ArmMode.SYNC, ("rectify",)),
)
SEED = 11
MakeJob = Callable[..., Job]


@pytest.fixture
def make_job(make_case: Callable[..., Case], make_pipeline: Callable[..., Pipeline]) -> MakeJob:
    """Makes the job of a case called `name` with these arms, the first of them its base."""

    def made(name: str, *arms: Arm, messages: int | None = None, control: bool = False, fixed: int = 0) -> Job:
        case = make_case(make_pipeline(("rectify", "abs", ["source"])), *arms, messages=fixed)
        return Job(replace(case, id=name), f"{name}.npz", {"work": 7}, messages, control)

    return made


def measure(shop: Any, *jobs: Job, seed: int = SEED, told: list[tuple[str, str]] | None = None) -> list[CaseBlock]:
    """Measure the jobs in block 4 with workers of `shop`."""
    states = iter(range(1000))
    tell = (lambda case, arm: told.append((case, arm))) if told is not None else (lambda case, arm: None)
    bench = Bench(shop.spawn, shop.clock.now, lambda: {"load1": next(states)}, SEED, tell)
    return list(measure_block(4, jobs, bench, Random(seed)))


def broken(do: str, error: Exception, *, arm: str = "async", times: int = 1) -> Callable[..., None]:
    """Return a fault that raises `error` the first `times` times the arm is asked to `do`."""
    left = [error] * times

    def fault(asked: str, command: str, _: Mapping[str, Any]) -> None:
        if command == do and asked == arm and left:
            raise left.pop()

    return fault


def measured(shop: Any, blocks: Sequence[CaseBlock]) -> list[list[str]]:
    """Return the arms of the measured samples of the only block, by round."""
    (block,) = blocks
    taken = [entry for entry in block.samples if entry.phase == "measure"]
    return [[entry.arm for entry in taken if entry.round == number] for number in range(ROUNDS)]


def test_all_arms_are_sampled_once_a_round(workshop: Any, make_job: MakeJob) -> None:
    """Each round holds every arm, and two arms alternate ABBA or BAAB."""
    shop = workshop()
    rounds = measured(shop, measure(shop, make_job("c", OFF, ASYNC)))
    assert all(sorted(names) == ["async", "off"] for names in rounds)
    assert all(rounds[number + 1] == rounds[number][::-1] for number in range(0, ROUNDS, 2))


def test_only_one_worker_works_at_any_moment(workshop: Any, make_job: MakeJob) -> None:
    """Samples follow one another: each begins no sooner than the one before has ended, whichever worker took it."""
    shop = workshop(costs_s={"off": 0.001, "async": 0.003, "sync": 0.002})
    (block,) = measure(shop, make_job("c", OFF, ASYNC, SYNC))
    ends = [entry.at_s + entry.sample.complete_s for entry in block.samples]
    assert all(later.at_s >= end - 1e-9 for later, end in zip(block.samples[1:], ends, strict=False))
    assert [arm for _, arm in shop.commands("sample")] == [entry.arm for entry in block.samples]


def test_every_arm_has_its_own_process(workshop: Any, make_job: MakeJob) -> None:
    """Workers are started once per arm and block, live side by side, and are ended with the block."""
    shop = workshop()
    (block,) = measure(shop, make_job("c", OFF, ASYNC, SYNC))
    assert len(shop.workers) == 3
    assert len(set(block.pids.values())) == 3
    by_arm = {arm: {number for number, name in shop.commands("sample") if name == arm} for arm in block.pids}
    assert all(by_arm[arm] == {block.pids[arm] - 1000} for arm in block.pids)
    assert shop.alive == []


def test_start_order_is_random_and_seeded(workshop: Any, make_job: MakeJob) -> None:
    """The processes start in an order that the seed alone decides, and that is stored."""
    job = make_job("c", OFF, ASYNC, SYNC)
    orders = [measure(workshop(), job, seed=seed)[0].start_order for seed in range(30)]
    assert measure(workshop(), job, seed=0)[0].start_order == orders[0]
    assert len(set(orders)) == 6


def test_equal_seeds_give_equal_blocks(workshop: Any, make_job: MakeJob) -> None:
    """Order of cases, starts and rounds are the same again."""
    jobs = [make_job(name, OFF, ASYNC) for name in ("one", "two", "three")]
    assert measure(workshop(), *jobs) == measure(workshop(), *jobs)


def test_cases_come_in_random_order(workshop: Any, make_job: MakeJob) -> None:
    """So that no case always follows the same one; every case is measured once."""
    jobs = [make_job(name, OFF, ASYNC) for name in ("one", "two", "three")]
    orders = {tuple(block.case_id for block in measure(workshop(), *jobs, seed=seed)) for seed in range(30)}
    assert len(orders) == 6
    assert {tuple(sorted(order)) for order in orders} == {("one", "three", "two")}


def test_cases_of_a_block_share_its_workers(workshop: Any, make_job: MakeJob) -> None:
    """An arm's process goes on with the next case; an arm that only one case has takes part only there."""
    shop = workshop()
    blocks = measure(shop, make_job("one", OFF, ASYNC), make_job("two", OFF, SYNC))
    assert len(shop.workers) == 3
    pids = {block.case_id: block.pids for block in blocks}
    assert pids["one"]["off"] == pids["two"]["off"]
    assert [sorted(pids[name]) for name in ("one", "two")] == [["async", "off"], ["off", "sync"]]


def test_workers_are_told_what_to_prepare(workshop: Any, make_job: MakeJob) -> None:
    """Case, arm, seed, calibrated work and the reference go to every worker."""
    shop, job = workshop(), make_job("c", OFF, ASYNC)
    measure(shop, job)
    prepared = [asked for asked in shop.asked if asked["do"] == "prepare"]
    assert [Arm.from_json(asked["arm"]) for asked in prepared] == [job.arm(arm) for _, arm in shop.commands("prepare")]
    for asked in prepared:
        assert Case.from_json(asked["case"]) == job.case
        assert (asked["seed"], asked["amounts"], asked["reference"]) == (SEED, {"work": 7}, "c.npz")


def test_sample_size_is_chosen_on_the_slowest_arm(workshop: Any, make_job: MakeJob) -> None:
    """An arm at 0.5 ms a message needs 20 messages for 10 ms; the queue needs twice its depth."""
    costs = {"off": 0.0001, "async": 0.0005}
    slow = workshop(costs_s=costs, prepared={"pool": 16, "queue_messages": 5})
    deep = workshop(costs_s=costs, prepared={"pool": 16, "queue_messages": 40})
    assert [measure(shop, make_job("c", OFF, ASYNC))[0].messages for shop in (slow, deep)] == [20, 80]


def test_all_arms_share_the_sample_size(workshop: Any, make_job: MakeJob) -> None:
    """Every measured sample has the same number of messages, whatever its arm costs."""
    (block,) = measure(workshop(costs_s={"off": 1e-5, "async": 1e-4}), make_job("c", OFF, ASYNC))
    assert {entry.sample.messages for entry in block.samples if entry.phase == "measure"} == {block.messages}


def test_sample_size_is_kept(workshop: Any, make_job: MakeJob) -> None:
    """A size that an earlier block chose is used without choosing again, also when the arms are faster now."""
    shop = workshop(costs_s={"off": 1e-7, "async": 1e-7})
    (block,) = measure(shop, make_job("c", OFF, ASYNC, messages=33))
    assert block.messages == 33
    assert {entry.sample.messages for entry in block.samples} == {33}
    assert len(block.samples) == 2 * (1 + ROUNDS)


def test_a_case_may_fix_the_sample_size(workshop: Any, make_job: MakeJob) -> None:
    """Then nothing is tried out."""
    (block,) = measure(workshop(), make_job("c", OFF, ASYNC, fixed=400))
    assert block.messages == 400
    assert len(block.samples) == 2 * (1 + ROUNDS)


def test_warm_up_samples_are_stored_apart(workshop: Any, make_job: MakeJob) -> None:
    """They are in the block with their phase, and `measured` leaves them out, in the order of rounds."""
    (block,) = measure(workshop(), make_job("c", OFF, ASYNC))
    warm = [entry for entry in block.samples if entry.phase == "warmup"]
    assert len(warm) == 2 * 3
    assert len(block.measured("off")) == ROUNDS
    rounds = [entry for entry in block.samples if entry.phase == "measure" and entry.arm == "off"]
    assert block.measured("off") == [entry.sample for entry in rounds]


def test_state_is_read_before_and_after_each_case(workshop: Any, make_job: MakeJob) -> None:
    """Load and heat at both ends go into the block."""
    blocks = measure(workshop(), make_job("one", OFF), make_job("two", OFF))
    assert [[state["load1"] for state in block.state] for block in blocks] == [[0, 1], [2, 3]]


def test_someone_is_told_of_every_sample(workshop: Any, make_job: MakeJob) -> None:
    """Which case and which arm, as it begins."""
    told: list[tuple[str, str]] = []
    (block,) = measure(workshop(), make_job("c", OFF, ASYNC), told=told)
    assert told == [("c", entry.arm) for entry in block.samples]


def test_workers_drop_a_case_when_it_is_done(workshop: Any, make_job: MakeJob) -> None:
    """Every worker lets go of its arm, so that the next case finds its memory free."""
    shop = workshop()
    measure(shop, make_job("c", OFF, ASYNC))
    assert sorted(arm for _, arm in shop.commands("drop")) == ["async", "off"]


def test_a_steady_block_is_valid(workshop: Any, make_job: MakeJob) -> None:
    """It says nothing about itself, and has the errors of its arms."""
    (block,) = measure(workshop(), make_job("c", OFF, ASYNC))
    assert (block.case_id, block.index) == ("c", 4)
    assert (block.valid, block.kind, block.reason) == (True, "", "")
    assert block.errors == {"off": 0.01, "async": 0.01}


def drift_until(last: int) -> Callable[[int], float]:
    """Return a trend that lets samples grow by 3 % each until sample number `last`."""
    return lambda number: 1.03 ** min(number, last)


def test_a_drifting_block_is_repeated_once_with_a_double_warm_up(workshop: Any, make_job: MakeJob) -> None:
    """The first attempt's rounds are dropped, its warm-up stays, and the second attempt counts if it is steady."""
    shop = workshop(trend=drift_until(13))
    (block,) = measure(shop, make_job("c", OFF, ASYNC, messages=20))
    assert (block.valid, block.kind, block.reason) == (True, "", "")
    assert [entry.phase for entry in block.samples] == ["warmup"] * (2 + 4) + ["measure"] * 2 * ROUNDS
    assert shop.samples == 2 + 2 * ROUNDS + 4 + 2 * ROUNDS


def test_a_block_that_drifts_again_is_marked(workshop: Any, make_job: MakeJob) -> None:
    """There is no third attempt; the block says how much it drifts, and counts with that mark."""
    shop = workshop(trend=drift_until(10**6))
    (block,) = measure(shop, make_job("c", OFF, ASYNC, messages=20))
    assert (block.valid, block.kind) == (True, "drift")
    assert "samples change by +" in block.reason
    assert shop.samples == 2 + 2 * ROUNDS + 4 + 2 * ROUNDS


def wrong(name: str, error: float) -> Callable[..., Mapping[str, Any] | None]:
    """Return a fault that lets one arm compute other values than the reference."""
    reply = {"agrees": False, "error": error, "where": "message 1, output 2"}
    return lambda arm, do, _: reply if (arm, do) == (name, "prepare") else None


@pytest.mark.parametrize(("error", "stored"), [(12.5, 12.5), (float("inf"), None)])
def test_arms_that_disagree_make_the_block_invalid(
    workshop: Any, make_job: MakeJob, error: float, stored: float | None
) -> None:
    """Nothing is timed; the reason names the arm and the place, and no document will hold an infinity."""
    shop = workshop(fault=wrong("async", error))
    (block,) = measure(shop, make_job("c", OFF, ASYNC))
    assert (block.valid, block.kind, block.samples) == (False, "disagreement", ())
    assert "async computes other values" in block.reason
    assert "message 1, output 2" in block.reason
    assert block.errors == {"off": 0.01, "async": stored}
    assert shop.samples == 0


def test_a_disagreement_leaves_the_other_cases_their_workers(workshop: Any, make_job: MakeJob) -> None:
    """No process was lost, so none is started anew."""
    shop = workshop(fault=wrong("async", 2.0))
    blocks = measure(shop, make_job("one", OFF, ASYNC), make_job("two", OFF, SYNC))
    assert {block.case_id: block.valid for block in blocks} == {"one": False, "two": True}
    assert len(shop.workers) == 3


@pytest.mark.parametrize("do", ["prepare", "sample", "drop"])
@pytest.mark.parametrize("error", [WorkerLostError("it died"), CommandFailedError("it failed", None)])
def test_a_crash_costs_one_case_and_the_rest_get_fresh_workers(
    workshop: Any, make_job: MakeJob, do: str, error: Exception
) -> None:
    """The case is invalid with the reason; the ones left are measured by new processes, the old ones are ended."""
    shop = workshop(fault=broken(do, error))
    blocks = measure(shop, *(make_job(name, OFF, ASYNC) for name in ("one", "two", "three")))
    crashed, *others = blocks
    assert (crashed.valid, crashed.kind, crashed.reason) == (False, "crash", f"async: {error}")
    assert crashed.samples == ()
    assert all(block.valid for block in others)
    assert len(blocks) == 3
    assert len(shop.workers) == 4
    assert not set(crashed.pids.values()) & {pid for block in others for pid in block.pids.values()}
    assert shop.alive == []


def test_workers_lost_at_the_start_cost_one_case(workshop: Any, make_job: MakeJob) -> None:
    """A worker that dies before it said hello makes one case invalid, and the next gets a fresh set."""
    shop = workshop(fault=broken("hello", WorkerLostError("it never started"), arm=""))
    crashed, other = measure(shop, make_job("one", OFF, ASYNC), make_job("two", OFF, ASYNC))
    assert (crashed.valid, crashed.kind) == (False, "crash")
    assert crashed.reason in ("async: it never started", "off: it never started")
    assert crashed.pids == {}
    assert other.valid
    assert shop.alive == []


def test_workers_that_never_start_end_the_block(workshop: Any, make_job: MakeJob) -> None:
    """Every case is invalid once; nothing is tried for ever."""
    shop = workshop(fault=broken("hello", WorkerLostError("no"), arm="", times=100))
    blocks = measure(shop, *(make_job(name, OFF, ASYNC) for name in ("one", "two", "three")))
    assert [block.kind for block in blocks] == ["crash"] * 3
    assert shop.alive == []


def test_workers_are_ended_when_nobody_wants_the_rest(workshop: Any, make_job: MakeJob) -> None:
    """A run that stops between two cases leaves no process behind."""
    shop = workshop()
    bench = Bench(shop.spawn, shop.clock.now, dict, SEED)
    blocks = measure_block(0, [make_job("one", OFF), make_job("two", OFF)], bench, Random(1))
    next(blocks)
    assert shop.alive
    blocks.close()  # type: ignore[attr-defined]  # it is a generator
    assert shop.alive == []


def test_the_control_is_the_base_in_a_process_of_its_own(workshop: Any, make_job: MakeJob) -> None:
    """A case with a control has one more worker, which runs the base arm and is sampled like any other."""
    shop, job = workshop(), make_job("c", ASYNC, SYNC, control=True)
    (block,) = measure(shop, job)
    assert job.labels == ("async", "sync", CONTROL)
    assert job.arm(CONTROL) == ASYNC
    assert sorted(arm for _, arm in shop.commands("prepare")) == ["async", "async", "sync"]
    assert block.pids[CONTROL] != block.pids["async"]
    assert len(block.measured(CONTROL)) == ROUNDS


def test_only_the_case_with_a_control_uses_it(workshop: Any, make_job: MakeJob) -> None:
    """The process lives in the block but takes no part in other cases."""
    blocks = measure(workshop(), make_job("one", OFF, ASYNC, control=True), make_job("two", OFF, ASYNC))
    assert {block.case_id: CONTROL in block.pids for block in blocks} == {"one": True, "two": False}


def turned(shop: Any, jobs: Sequence[Job], *, reverse: bool, seed: int = SEED) -> dict[str, list[list[str]]]:
    """Return, for each case, the order of starts, of preparing, and of each of its rounds."""
    bench = Bench(shop.spawn, shop.clock.now, dict, SEED, reverse=reverse)
    return {
        block.case_id: [
            list(block.start_order),
            list(block.pids),
            *(
                [taken.arm for taken in block.samples if (taken.phase, taken.round) == ("measure", n)]
                for n in range(ROUNDS)
            ),
        ]
        for block in measure_block(4, jobs, bench, Random(seed))
    }


@pytest.mark.parametrize("seed", range(5))
def test_a_block_can_be_turned_round(workshop: Any, make_job: MakeJob, seed: int) -> None:
    """Whoever started, was built or was sampled first comes last; turned twice it is the same block."""
    jobs = [make_job(name, OFF, SYNC, control=True) for name in ("one", "two")]
    forth, back = (turned(workshop(), jobs, reverse=reverse, seed=seed) for reverse in (False, True))
    assert back == {case: [order[::-1] for order in orders] for case, orders in forth.items()}


@pytest.mark.parametrize("left", [["one"], ["three", "two"]])
def test_a_case_has_its_orders_whichever_others_are_measured(
    workshop: Any, make_job: MakeJob, left: Sequence[str]
) -> None:
    """So that the second measurement of a few cases is the first of all of them, turned round."""
    jobs = {name: make_job(name, OFF, SYNC, control=True) for name in ("one", "two", "three")}
    forth = turned(workshop(), list(jobs.values()), reverse=False)
    back = turned(workshop(), [jobs[name] for name in left], reverse=True)
    assert back == {name: [order[::-1] for order in forth[name]] for name in left}


def test_workers_of_some_labels_come_from_elsewhere(workshop: Any, make_job: MakeJob) -> None:
    """Each label has its own source; one that is not named comes from the usual one."""
    here, there = workshop(), workshop()
    there.clock = here.clock
    bench = Bench(here.spawn, here.clock.now, dict, SEED, spawns={"sync": there.spawn, CONTROL: there.spawn})
    (block,) = measure_block(0, [make_job("c", OFF, SYNC, control=True)], bench, Random(1))
    assert block.valid
    assert {arm for _, arm in here.commands("sample")} == {"off"}
    assert {arm for _, arm in there.commands("sample")} == {"sync", "off"}
    assert (len(here.workers), len(there.workers)) == (1, 2)
    assert here.alive == there.alive == []


@pytest.mark.parametrize("do", ["hello", "prepare", "sample"])
@pytest.mark.parametrize("error", [WorkerLostError("it died"), CommandFailedError("it failed", 5)])
def test_whose_worker_failed_is_named(workshop: Any, make_job: MakeJob, do: str, error: Exception) -> None:
    """By its label, which also tells the control from the arm that it runs."""
    lost = workshop(fault=broken(do, error, arm="" if do == "hello" else "sync"))
    fine = workshop()
    fine.clock = lost.clock
    bench = Bench(fine.spawn, fine.clock.now, dict, SEED, spawns={CONTROL: lost.spawn})
    (block,) = measure_block(0, [make_job("c", SYNC, OFF, control=True)], bench, Random(1))
    assert (block.valid, block.kind, block.reason) == (False, "crash", f"{CONTROL}: {error}")


@pytest.mark.parametrize(
    ("value", "kept"), [(0.5, 0.5), (float("inf"), None), (float("-inf"), None), (float("nan"), None)]
)
def test_only_finite_errors_are_kept(value: float, kept: float | None) -> None:
    """What JSON has no number for becomes null."""
    assert finite(value) == kept
