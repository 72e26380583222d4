"""One block: a fresh worker process for each arm, alive together, driven so that only one works at any moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from placement_cli.measure.orders import block_order
from placement_cli.measure.sample import Sample
from placement_cli.measure.sizing import Floors, fixed_messages, timed_messages, warm_messages
from placement_cli.measure.spawn import CommandFailedError, Spawn, Worker, WorkerLostError
from placement_cli.measure.specs import Arm, Case
from placement_cli.measure.units import designs_of
from placement_cli.statistics.control import CONTROL
from placement_cli.statistics.drift import drifts

SIZE_TRIALS = 4
"""Batches of each arm after which the size found so far is taken."""


@dataclass(frozen=True, slots=True)
class Job:
    """A case to be measured in a block: with its reference values on disk and the calibrated host work.

    `messages` of a sample are chosen in the first block (None until then) and kept. With `control` a second
    process of the base arm competes too. With `one_core` all of a worker's threads share one core.
    """

    case: Case
    reference: str
    amounts: Mapping[str, int] = field(default_factory=dict)
    messages: int | None = None
    control: bool = False
    one_core: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        """The arms of the case, and the control."""
        names = tuple(arm.name for arm in self.case.arms)
        return (*names, CONTROL) if self.control else names

    def arm(self, label: str) -> Arm:
        """Return the arm that the worker called `label` runs."""
        return self.case.arm(self.case.base if label == CONTROL else label)


@dataclass(frozen=True, slots=True)
class TakenSample:
    """A sample with its place in the block: which arm, warm-up or measured, when it began."""

    arm: str
    phase: str
    round: int
    at_s: float
    sample: Sample


@dataclass(frozen=True, slots=True)
class CaseBlock:
    """What one block says about one case. An invalid one says why and takes no part in any verdict."""

    case_id: str
    index: int
    messages: int
    samples: tuple[TakenSample, ...]
    pids: Mapping[str, int]
    start_order: tuple[str, ...]
    errors: Mapping[str, float | None] = field(default_factory=dict)
    state: Sequence[Mapping[str, Any]] = ()
    valid: bool = True
    reason: str = ""
    kind: str = ""

    def measured(self, arm: str) -> list[Sample]:
        """Return the measured samples of `arm` in the order of the rounds."""
        taken = [entry for entry in self.samples if entry.arm == arm and entry.phase == "measure"]
        return [entry.sample for entry in sorted(taken, key=lambda entry: entry.round)]


@dataclass(frozen=True, slots=True)
class Bench:
    """What driving a block needs from outside: processes, a clock, the host's state, and someone to tell.

    `spawns` starts the workers of some labels elsewhere. With `reverse` every order is that of the same block turned
    round: who came first comes last. `cores` are those that workers may use, and `confine` keeps processes on some.
    """

    spawn: Spawn
    now: Callable[[], float]
    read_state: Callable[[], Mapping[str, Any]]
    seed: int
    tell: Callable[[str, str], None] = lambda _case, _arm: None
    spawns: Mapping[str, Spawn] = field(default_factory=dict, hash=False)
    reverse: bool = False
    cores: Sequence[int] = ()
    confine: Callable[[Sequence[int], Sequence[int]], None] = lambda _pids, _cores: None

    def start(self, label: str) -> Worker:
        """Start a worker of the arm called `label`."""
        return self.spawns.get(label, self.spawn)()

    def turned(self, order: Sequence[str]) -> list[str]:
        """Return `order`, the other way round where that is asked for."""
        return list(reversed(order)) if self.reverse else list(order)


def measure_block(index: int, jobs: Sequence[Job], bench: Bench, rng: Random) -> Iterator[CaseBlock]:
    """Measure every job once with one set of fresh workers; yields each case's result as it is there.

    The cases come in random order. A worker that is lost makes its case invalid, and the cases that are left get
    a fresh set. So does one that is lost before the first case, which then is the invalid one.
    """
    key = rng.random()
    left = _drawn(key, "cases").sample(list(jobs), len(jobs))
    starts = _drawn(key, "starts")
    while left:
        with ExitStack() as stack:
            try:
                crew = _Crew.start([label for job in left for label in job.labels], bench, starts, stack)
            except (WorkerLostError, CommandFailedError) as error:
                yield _crashed(index, left.pop(0), str(error))
                continue
            while left:
                job = left.pop(0)
                result = _measure_case(index, job, crew, bench, _drawn(key, job.case.id))
                yield result
                if result.kind == "crash":
                    break


def _drawn(key: float, what: str) -> Random:
    """Return a source of chance of its own: the orders of a case do not hang on which other cases are measured."""
    return Random(f"{key}/{what}")  # noqa: S311 - the order need not be secret


class _Crew:
    """The workers of one block, by label."""

    def __init__(self, workers: Mapping[str, Worker], start_order: Sequence[str]) -> None:
        self.workers = workers
        self.start_order = tuple(start_order)
        self.hellos = {label: self.ask(label, "hello") for label in workers}

    @classmethod
    def start(cls, labels: Sequence[str], bench: Bench, rng: Random, stack: ExitStack) -> _Crew:
        """Start one process a label, in random order; they are ended with `stack`."""
        order = sorted(set(labels))
        rng.shuffle(order)
        order = bench.turned(order)
        workers = {label: stack.enter_context(closing(bench.start(label))) for label in order}
        return cls(workers, order)

    def confine(self, job: Job, bench: Bench, rng: Random) -> None:
        """Keep all workers on one core, the same for all of them, where `job` asks for it; else on any."""
        cores = [rng.choice(list(bench.cores))] if job.one_core and bench.cores else bench.cores
        bench.confine([hello["pid"] for hello in self.hellos.values()], cores)

    def ask(self, label: str, do: str, **arguments: Any) -> dict[str, Any]:
        """Ask the worker called `label`; what it raises says whose worker failed."""
        try:
            return self.workers[label].ask(do, **arguments)
        except WorkerLostError as lost:
            raise WorkerLostError(f"{label}: {lost}") from None
        except CommandFailedError as failed:
            raise CommandFailedError(f"{label}: {failed}", failed.code) from None


def _measure_case(index: int, job: Job, crew: _Crew, bench: Bench, rng: Random) -> CaseBlock:
    state = [bench.read_state()]
    crew.confine(job, bench, rng)
    try:
        result = _Measurement(index, job, crew, bench, rng).run()
    except (WorkerLostError, CommandFailedError) as error:
        return _crashed(index, job, str(error), crew)
    state.append(bench.read_state())
    return replace(result, state=tuple(state))


def _crashed(index: int, job: Job, reason: str, crew: _Crew | None = None) -> CaseBlock:
    """Return the invalid block of a case that did not get through; without `crew` no worker was ready."""
    pids = {label: crew.hellos[label]["pid"] for label in job.labels} if crew else {}
    order = crew.start_order if crew else ()
    messages = job.messages or 0
    return CaseBlock(job.case.id, index, messages, (), pids, order, valid=False, reason=reason, kind="crash")


class _Measurement:
    """Takes the samples of one case in one block."""

    def __init__(self, index: int, job: Job, crew: _Crew, bench: Bench, rng: Random) -> None:
        self._index, self._job, self._crew, self._bench, self._rng = index, job, crew, bench, rng
        # In random order, anew in every block: whoever is built and warmed up first gets other memory, and would win
        # or lose in every block alike.
        order = bench.turned(rng.sample(job.labels, len(job.labels)))
        self._workers = {label: crew.workers[label] for label in order}
        self._samples: list[TakenSample] = []

    def run(self) -> CaseBlock:
        """Prepare, check, warm up and sample all arms; a drifting block is repeated once with a double warm-up."""
        designs = designs_of(self._job.case.pipeline)
        prepared = {label: self._prepare(label, designs) for label in self._workers}
        errors = {label: reply["error"] for label, reply in prepared.items()}
        wrong = next((label for label, reply in prepared.items() if not reply["agrees"]), None)
        if wrong is not None:
            where = prepared[wrong]["where"]
            reason = f"{wrong} computes other values than the NumPy reference ({where}, error {errors[wrong]})"
            return self._result(0, errors, "disagreement", reason)
        floors = Floors.of([self._crew.hellos[label] for label in self._workers], list(prepared.values()))
        messages = self._job.messages or self._size(floors)
        reason = self._rounds(messages, floors, warm_ups=1)
        if reason:
            reason = self._rounds(messages, floors, warm_ups=2)
        for label in self._workers:
            self._crew.ask(label, "drop")
        return self._result(messages, errors, "drift" if reason else "", reason)

    def _prepare(self, label: str, designs: Mapping[str, Any]) -> dict[str, Any]:
        job = self._job
        return self._crew.ask(
            label,
            "prepare",
            case=job.case.to_json(),
            arm=job.arm(label).to_json(),
            seed=self._bench.seed,
            amounts=dict(job.amounts),
            designs=dict(designs),
            reference=job.reference,
        )

    def _size(self, floors: Floors) -> int:
        """Choose the messages of a sample: batches grow until one is long enough on the slowest arm.

        The first batch of each arm pays for first uses, and short ones run slower than long ones: the size is what
        a batch of that size showed.
        """
        case = self._job.case
        fixed = fixed_messages(case)
        if fixed is not None:
            return fixed
        messages = timed_messages(case, floors, floors.sample_s)
        first = warm_messages(case, floors, messages)
        for label in self._workers:
            self._sample(label, first, "warmup", 0)
        for _ in range(SIZE_TRIALS):
            taken = [self._sample(label, messages, "warmup", 0) for label in self._workers]
            needed = timed_messages(case, floors, max(sample.complete_s / sample.messages for sample in taken))
            if needed <= messages:
                break
            messages = needed
        return messages

    def _rounds(self, messages: int, floors: Floors, warm_ups: int) -> str:
        """Warm up, take the measured rounds, and return why they drift (or an empty string)."""
        self._samples = [entry for entry in self._samples if entry.phase == "warmup"]
        warm = warm_messages(self._job.case, floors, messages)
        for _ in range(warm_ups):
            for label in self._workers:
                self._sample(label, warm, "warmup", 0)
        for number, order in enumerate(block_order(sorted(self._workers), self._rng)):
            for label in self._bench.turned(order):
                self._sample(label, messages, "measure", number)
        taken = [entry for entry in self._samples if entry.phase == "measure"]
        by_arm = {label: [e.sample.complete_s for e in taken if e.arm == label] for label in self._workers}
        drift = drifts(by_arm, [entry.arm for entry in taken])
        return (
            f"samples change by {100 * drift.change:+.0f} % over the block (rho {drift.rho:.2f})" if drift.found else ""
        )

    def _sample(self, label: str, messages: int, phase: str, number: int) -> Sample:
        self._bench.tell(self._job.case.id, label)
        began = self._bench.now()
        reply = self._crew.ask(label, "sample", messages=messages)
        sample = Sample.from_json(reply)
        self._samples.append(TakenSample(label, phase, number, began, sample))
        return sample

    def _result(self, messages: int, errors: Mapping[str, float], kind: str, reason: str) -> CaseBlock:
        pids = {label: self._crew.hellos[label]["pid"] for label in self._workers}
        return CaseBlock(
            self._job.case.id,
            self._index,
            messages,
            tuple(self._samples),
            pids,
            self._crew.start_order,
            errors={label: finite(error) for label, error in errors.items()},
            valid=kind != "disagreement",
            reason=reason,
            kind=kind,
        )


def finite(value: float) -> float | None:
    """Return `value`, or None where it is no number that JSON can hold."""
    return value if abs(value) < float("inf") else None
