"""Running one scenario on fake workers: stages, replacements, halts, sample sizes, calibrated work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from placement_cli.bench import run, stages
from placement_cli.bench.run import Method, ScenarioPlan, make_judge, run_scenario
from placement_cli.bench.stages import Halt, Progress
from placement_cli.bench.watch import Nobody
from placement_cli.errors import ScenarioFailed
from placement_cli.measure.blocks import CaseBlock
from placement_cli.measure.reference import reference_outputs, save_reference
from placement_cli.measure.specs import Case, Reading
from placement_cli.statistics.control import CONTROL

MakeCase = Callable[..., Case]
MakePlan = Callable[..., ScenarioPlan]


class Notes(Nobody):
    """Recorder and watcher: writes down everything it is told."""

    def __init__(self) -> None:
        self.blocks: list[CaseBlock] = []
        self.calibrated: list[tuple[str, dict[str, int]]] = []
        self.told: list[tuple[Any, ...]] = []

    def block(self, block: CaseBlock) -> None:
        """Note it."""
        self.blocks.append(block)

    def amounts(self, case_id: str, amounts: Mapping[str, int]) -> None:
        """Note them."""
        self.calibrated.append((case_id, dict(amounts)))

    def scenario_started(self, name: str, cases: int, blocks: int) -> None:
        """Note it."""
        self.told.append(("started", name, cases, blocks))

    def block_done(self, case_id: str, index: int, estimate: str) -> None:
        """Note it."""
        self.told.append(("block", index, estimate))

    def stage_done(self, name: str, undecided: int, blocks: int) -> None:
        """Note it."""
        self.told.append(("stage", undecided, blocks))

    def scenario_done(self, name: str) -> None:
        """Note it."""
        self.told.append(("done", name))


class Run:
    """One scenario being run on an engine."""

    def __init__(self, engine: Any, plan: ScenarioPlan, stages: tuple[int, ...] = (6, 12, 20)) -> None:
        self.engine, self.plan, self.method = engine, plan, Method(0.03, stages)
        self.progress, self.notes = Progress(), Notes()

    def go(self, halt: Callable[[], str] = lambda: "") -> str:
        """Measure until it ends; return why it stopped early."""
        bench, notes = self.engine.bench(), self.notes
        return run_scenario(self.plan, self.progress, self.method, bench, notes, notes, Halt(halt), self.engine.folder)

    def indices(self, case: Case) -> list[int]:
        """The numbers of the blocks of a case."""
        return sorted(block.index for block in self.progress.of(case))


def test_equal_arms_end_after_six_blocks(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """A case that is the same takes six blocks, and the scenario is done."""
    case = make_case()
    running = Run(engine, make_plan(case))
    assert running.go() == ""
    assert running.indices(case) == [0, 1, 2, 3, 4, 5]
    assert running.notes.told[0] == ("started", "chain", 1, 6)
    assert running.notes.told[-1] == ("done", "chain")


def test_a_large_difference_ends_after_twelve_blocks(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """A difference far beyond the floor takes a second stage, never a third."""
    case = make_case()
    engine.cost["sync"] = 1.5
    running = Run(engine, make_plan(case))
    assert running.go() == ""
    assert len(running.indices(case)) == 12
    assert ("stage", 1, 12) in running.notes.told


def test_a_small_difference_takes_all_stages(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """A difference just beyond the floor is looked at until the last stage."""
    case = make_case()
    engine.cost["sync"] = 1.035
    running = Run(engine, make_plan(case))
    assert running.go() == ""
    assert len(running.indices(case)) == 20


def test_only_undecided_cases_go_on(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """Of two cases the one that is decided rests while the other is measured."""
    same, slower = make_case(chunk=1), make_case(chunk=2)
    engine.cost[slower.id, "sync"] = 2.0
    running = Run(engine, make_plan(same, slower))
    running.go()
    assert (len(running.indices(same)), len(running.indices(slower))) == (6, 12)


def test_a_quick_run_ends_after_its_only_stage(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """With one stage of six blocks nothing is measured beyond it."""
    case = make_case()
    engine.cost["sync"] = 1.03
    running = Run(engine, make_plan(case), stages=(6,))
    assert running.go() == ""
    assert running.indices(case) == list(range(6))


def test_a_case_reopened_by_the_last_stage_is_finished(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the last blocks of the control raise the floor, an early case is measured to the end all the same."""
    control, other = make_case(chunk=1), make_case(chunk=2)
    engine.cost.update({(control.id, "sync"): 1.035, (other.id, "sync"): 1.07})
    running = Run(engine, make_plan(control, other))
    real = run.noise_floors

    def rising(case: Case, blocks: list[CaseBlock], planned: int) -> dict[str, float]:
        return real(case, blocks, planned) | ({"complete_s": 0.04} if len(blocks) == 20 else {})

    monkeypatch.setattr(run, "noise_floors", rising)
    assert running.go() == ""
    assert (len(running.indices(control)), len(running.indices(other))) == (20, 20)


def test_a_lost_block_is_measured_again(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """A worker that dies costs its case one block, which is made up for; the others lose none."""
    case, other = make_case(chunk=1), make_case(chunk=2)
    engine.lost["sync"] = 1
    running = Run(engine, make_plan(case, other))
    assert running.go() == ""
    every = [running.progress.of(each) for each in (case, other)]
    assert sorted(len([block for block in blocks if block.valid]) for blocks in every) == [6, 6]
    assert sorted(len(blocks) for blocks in every) == [6, 7]
    assert engine.open_workers == 0


def test_a_case_that_crashes_twice_is_given_up(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """A case that cannot run is tried twice, not in every block."""
    broken, sound = make_case(("async", "off"), chunk=1), make_case(chunk=2)
    engine.failing["off"] = "ValueError: no"
    running = Run(engine, make_plan(broken, sound))
    assert running.go() == ""
    assert [block.kind for block in running.progress.of(broken)] == ["crash", "crash"]
    assert len(running.indices(sound)) == 6


def test_a_wrong_arm_is_found_in_the_first_block(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """An arm that computes other values is not measured at all."""
    case = make_case()
    engine.disagreeing.add("sync")
    running = Run(engine, make_plan(case))
    assert running.go() == ""
    (block,) = running.progress.of(case)
    assert (block.kind, block.valid, block.samples) == ("disagreement", False, ())
    assert engine.samples == 0


def test_drifting_blocks_are_marked_and_kept(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """A machine that slows down all the time gives blocks that say so."""
    case = make_case()
    engine.drift = 0.02
    running = Run(engine, make_plan(case), stages=(6,))
    running.go()
    assert {block.kind for block in running.progress.of(case)} == {"drift"}
    assert all(block.valid for block in running.progress.of(case))


def test_sample_sizes_are_kept_over_blocks(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """The first block chooses how many messages a sample holds, on the slowest arm; the others keep it."""
    case = make_case()
    engine.cost.update(sync=4.0)
    engine.noise = 0.3
    running = Run(engine, make_plan(case))
    running.go()
    sizes = {block.messages for block in running.progress.of(case)}
    measured = {t.sample.messages for b in running.progress.of(case) for t in b.samples if t.phase == "measure"}
    assert len(sizes) == 1
    assert measured == sizes


def test_blocks_go_to_the_recorder_as_they_end(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """What is recorded is what counts, in the order in which it was measured."""
    case = make_case()
    running = Run(engine, make_plan(case))
    running.go()
    assert running.notes.blocks == running.progress.of(case)


def test_an_estimate_names_every_arm(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """Whoever watches is told the ratio of each arm so far."""
    engine.cost.update(sync=2.0, off=0.5)
    running = Run(engine, make_plan(make_case(("async", "sync", "off"))), stages=(6,))
    running.go()
    assert ("block", 0, "sync 2.00x, off 0.50x") in running.notes.told


def test_a_halt_ends_after_the_case_in_hand(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """Asked to stop, a run finishes the block of the case it is in and no other."""
    cases = [make_case(chunk=n) for n in range(3)]
    running = Run(engine, make_plan(*cases))
    assert running.go(lambda: "asked to" if running.notes.blocks else "") == "asked to"
    assert len(running.notes.blocks) == 1
    assert running.notes.blocks[0].valid
    assert engine.open_workers == 0
    assert ("done", "chain") not in running.notes.told


def test_a_halt_from_the_start_measures_nothing(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """Where the time is up already, no worker is started."""
    running = Run(engine, make_plan(make_case()))
    assert running.go(lambda: "no time") == "no time"
    assert engine.workers == 0


def test_a_halt_after_the_last_block_is_no_early_stop(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """When the time is up just as the last case is decided, the scenario is complete."""
    running = Run(engine, make_plan(make_case()))
    assert running.go(lambda: "no time" if len(running.notes.blocks) == 6 else "") == ""


def test_a_halt_between_stages_leaves_open_cases(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """When the time is up between two stages, open cases make it an early stop."""
    engine.cost["sync"] = 1.5
    running = Run(engine, make_plan(make_case()))
    assert running.go(lambda: "no time" if len(running.notes.blocks) == 6 else "") == "no time"


def test_going_on_measures_only_what_is_missing(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """A second run on the same progress adds the missing blocks and repeats none."""
    case = make_case()
    running = Run(engine, make_plan(case))
    running.go(lambda: "enough" if len(running.notes.blocks) == 4 else "")
    first = list(running.progress.of(case))
    assert running.go() == ""
    assert running.progress.of(case)[:4] == first
    assert running.indices(case) == list(range(6))


def test_every_block_has_its_own_order_and_processes(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """Blocks start fresh processes, in orders that follow from the seed and differ between blocks."""
    case = make_case(("async", "sync", "off"))
    running = Run(engine, make_plan(case))
    running.go()
    blocks = running.progress.of(case)
    pids = [pid for block in blocks for pid in block.pids.values()]
    assert len(set(pids)) == len(pids)
    assert len({block.start_order for block in blocks}) > 1
    again = Run(engine, running.plan)
    again.go()
    assert [block.start_order for block in again.progress.of(case)] == [block.start_order for block in blocks]


def test_the_control_runs_in_its_case_alone(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """Only the case that carries the control has a second process of the base arm."""
    first, second = make_case(chunk=1), make_case(chunk=2)
    running = Run(engine, make_plan(first, second), stages=(6,))
    running.go()
    assert all(CONTROL in block.pids for block in running.progress.of(first))
    assert not any(CONTROL in block.pids for block in running.progress.of(second))


def test_the_noise_of_the_control_raises_the_floor(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """Processes of identical code that differ by 10 % make a noise floor, and differences below it say nothing."""
    case = make_case()
    engine.noise, engine.cost = 0.1, {"sync": 1.06}
    running = Run(engine, make_plan(case))
    running.go()
    judge = make_judge(running.plan, running.progress, running.method)
    (compared, *_) = judge.compare(case, running.progress.of(case))
    assert compared.floor.noise > 0.03
    assert compared.floor.value == pytest.approx(1.5 * compared.floor.noise)
    assert str(compared.verdict.kind) == "inconclusive"


def test_without_a_control_only_the_smallest_effect_counts(
    engine: Any, make_case: MakeCase, make_plan: MakePlan
) -> None:
    """No control, no noise floor."""
    running = Run(engine, make_plan(make_case(), control=False), stages=(6,))
    running.go()
    assert make_judge(running.plan, running.progress, running.method).noise == {}


def test_host_work_is_calibrated_once(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """Cases with the same host work share one calibration, other work has its own; all are recorded."""
    work = [
        {"kind": "sleep", "length_ms": 1.0},
        {"kind": "sleep", "length_ms": 1.0},
        {"kind": "blas", "length_ms": 2.0},
    ]
    cases = [make_case(host=host, n=number) for number, host in enumerate(work)]
    running = Run(engine, make_plan(*cases), stages=(6,))
    running.go()
    assert engine.calibrations == [("sleep", 0.001), ("blas", 0.002)]
    assert [amounts["work"] for _, amounts in running.notes.calibrated] == [1001, 1001, 2002]
    given = {said["case"]["id"]: said["amounts"] for do, said in engine.asked if do == "prepare"}
    assert given == {case.id: amounts for case, (_, amounts) in zip(cases, running.notes.calibrated, strict=True)}


def test_known_host_work_is_not_calibrated_again(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """What an earlier stretch of the run calibrated holds for every case with the same work."""
    cases = [make_case(host={"kind": "sleep", "length_ms": 1.0}, n=number) for number in range(2)]
    running = Run(engine, make_plan(*cases), stages=(6,))
    running.progress.amounts[cases[0].id] = {"work": 77}
    running.go()
    assert engine.calibrations == []
    assert running.notes.calibrated == [(cases[1].id, {"work": 77})]


@pytest.mark.parametrize("trouble", ["lost", "failing"])
def test_host_work_that_cannot_be_calibrated_fails_the_scenario(
    trouble: str, engine: Any, make_case: MakeCase, make_plan: MakePlan
) -> None:
    """A worker that cannot calibrate ends the run with a sentence and code 6, not with a traceback."""
    if trouble == "lost":
        engine.lost["calibrate"] = 1
    else:
        engine.failing["calibrate"] = "OSError: no"
    running = Run(engine, make_plan(make_case(host={"kind": "python", "length_ms": 0.5})))
    with pytest.raises(ScenarioFailed, match="python work of 500 µs cannot be calibrated"):
        running.go()
    assert engine.open_workers == 0


def test_reference_values_are_saved_once_a_case(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every worker of a case reads the values that NumPy gave, from one file of its own."""
    saved: list[Path] = []

    def save(path: Path, outputs: Any) -> None:
        saved.append(path)
        save_reference(path, outputs)

    monkeypatch.setattr(stages, "reference_outputs", reference_outputs)
    monkeypatch.setattr(stages, "save_reference", save)
    cases = [make_case(chunk=1), make_case(chunk=2)]
    running = Run(engine, make_plan(*cases), stages=(6,))
    running.go()
    assert len(saved) == len(set(saved)) == 2
    told = {said["case"]["id"]: said["reference"] for do, said in engine.asked if do == "prepare"}
    assert sorted(told.values()) == sorted(map(str, saved))
    with np.load(saved[0]) as values:
        assert (values["0.0"] >= 0).all()


def test_a_queue_is_measured_without_comparisons(engine: Any, make_case: MakeCase, make_plan: MakePlan) -> None:
    """A case of one arm takes six blocks and no control."""
    case = make_case(("async",), reading=Reading.QUEUE)
    running = Run(engine, make_plan(case))
    assert running.go() == ""
    assert running.indices(case) == list(range(6))
    assert all(set(block.pids) == {"async"} for block in running.progress.of(case))
