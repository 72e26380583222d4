"""Small made-up runs for whatever prints or exports one, and fake workers that answer from a script.

With those whole runs and gates take milliseconds and need no MLX. No test reads the profiles of who runs it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp
from pathlib import Path
from random import Random
from typing import Any

import pytest

from placement_cli.bench import stages
from placement_cli.bench.session import Request, Surroundings, resume_run, start_run
from placement_cli.bench.watch import Nobody
from placement_cli.graph.pipeline import Node, Pipeline, Source
from placement_cli.measure.blocks import Bench, CaseBlock, TakenSample
from placement_cli.measure.sample import Sample
from placement_cli.measure.spawn import CommandFailedError, WorkerLostError
from placement_cli.measure.specs import Arm, ArmMode, Case, Reading
from placement_cli.profile.places import FOLDER_VARIABLE
from placement_cli.statistics.control import CONTROL
from placement_cli.store.journal import Journal
from placement_cli.store.run_document import RunDocument, ToolRecord

RUNS = Path(__file__).parents[1] / "data" / "runs"
NAMES = ("stream", "submitting", "burst", "queue", "pending", "paced")


@pytest.fixture(autouse=True, scope="session")
def nothing_of_this_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The folder of profiles is one that does not exist, and no width is asked for, here and in processes started."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, str(tmp_path_factory.getbasetemp() / "profiles"))
        # Tests that run side by side are given one.
        patch.delenv("COLUMNS", raising=False)
        yield


@pytest.fixture(params=NAMES)
def document(request: pytest.FixtureRequest) -> RunDocument:
    """Each of the small runs."""
    return load(request.param)


@pytest.fixture
def load_run_of() -> Callable[[str], RunDocument]:
    """Loads the small run of this name."""
    return load


def load(name: str) -> RunDocument:
    """Read one of the small runs."""
    return RunDocument.model_validate_json((RUNS / f"{name}.json").read_bytes())


SECONDS = 1e-3
"""What a message of the base takes."""
KIB = 1024


@dataclass
class Engine:
    """A machine made of fakes: what its arms cost, what goes wrong, and a clock that only samples move.

    `cost` gives the seconds of one message relative to the base, by arm or by (case, arm); that of `control` is what
    the control takes relative to its arm. `noise` is the standard deviation of the log of a process's speed. `drift`
    makes each sample of a worker longer by this share.
    """

    folder: Path
    cost: dict[Any, float] = field(default_factory=dict)
    noise: float = 0.0
    drift: float = 0.0
    seed: int = 0
    stall_calls: Sequence[int] = (37,)
    bytes_by_arm: dict[str, int] = field(default_factory=dict)
    lost: Counter[str] = field(default_factory=Counter)
    failing: dict[str, str] = field(default_factory=dict)
    disagreeing: set[str] = field(default_factory=set)
    state: dict[str, Any] = field(default_factory=lambda: {"load1": 0.5, "thermal": "unknown"})
    stable: dict[str, Any] = field(default_factory=lambda: {"chip": "fake", "mlx": "1.0", "backend": "fake"})
    now_s: float = 100.0
    workers: int = 0
    open_workers: int = 0
    samples: int = 0
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    calibrations: list[tuple[str, float]] = field(default_factory=list)
    interrupt_at: float = float("inf")
    label: str = ""

    def spawn(self) -> FakeWorker:
        """Start a worker."""
        self.workers += 1
        self.open_workers += 1
        return FakeWorker(self, self.workers)

    def bench(self) -> Bench:
        """What driving blocks needs."""
        return Bench(self.spawn, lambda: self.now_s, lambda: dict(self.state), self.seed, self._told)

    def _told(self, _case: str, label: str) -> None:
        self.label = label

    def around(self, **changes: Any) -> Surroundings:
        """The surroundings of a session; the user interrupts once `interrupt_at` samples are taken."""
        around = Surroundings(
            bench=self.bench(),
            now=lambda: self.now_s,
            stable=dict(self.stable),
            harness={"empty_sample_s": 1e-6},
            tool=ToolRecord(name="placement", version="0"),
            watcher=Nobody(),
            interrupted=lambda: self.samples >= self.interrupt_at,
        )
        return replace(around, **changes)

    def start(self, request: Request, **changes: Any) -> RunDocument:
        """Run `request` from the beginning."""
        return start_run(request, self.folder / f"{request.run_id}.jsonl", self.around(**changes))

    def resume(self, path: Path, **changes: Any) -> RunDocument:
        """Go on with the run whose journal is at `path`."""
        journal, records = Journal.reopen(path)
        with journal:
            return resume_run(journal, records, self.around(**changes))


class FakeWorker:
    """A worker that answers as a real one does, with times from the engine's script."""

    def __init__(self, engine: Engine, number: int) -> None:
        self.engine, self.number, self.taken, self.open = engine, number, 0, True
        self.rng = Random(f"{engine.seed}/{number}")
        self.speed = exp(self.rng.gauss(0.0, engine.noise))
        self.case: Case | None = None

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Answer one command."""
        assert self.open, "a closed worker is not asked"
        self.engine.asked.append((do, arguments))
        answer: dict[str, Any] = getattr(self, f"_{do}")(**arguments)
        return answer

    def close(self) -> None:
        """End."""
        self.open = False
        self.engine.open_workers -= 1

    def _hello(self) -> dict[str, Any]:
        return {"pid": self.number, "device": "fake", "backend": "fake", "timer_s": 1e-8, "empty_s": 1e-6}

    def _calibrate(self, kind: str, length_s: float) -> dict[str, Any]:
        self._misbehave("calibrate")
        self.engine.calibrations.append((kind, length_s))
        return {"amount": round(length_s * 1e6) + len(self.engine.calibrations)}

    def _prepare(self, case: dict[str, Any], arm: dict[str, Any], **_: Any) -> dict[str, Any]:
        self.case, self.arm = Case.from_json(case), Arm.from_json(arm)
        agrees = self.arm.name not in self.engine.disagreeing
        error = 0.1 if agrees else 7.0
        where = "" if agrees else "message 1, output 1"
        return {"ops": 1, "queue_messages": 2, "pool": 2, "error": error, "agrees": agrees, "where": where}

    def _sample(self, messages: int) -> dict[str, Any]:
        assert self.case is not None
        self._misbehave(self.arm.name)
        engine, name = self.engine, self.arm.name
        self.taken += 1
        engine.samples += 1
        relative = engine.cost.get((self.case.id, name), engine.cost.get(name, 1.0))
        if engine.label == CONTROL:
            relative *= engine.cost.get(CONTROL, 1.0)
        each_s = SECONDS * relative * self.speed * (1 + engine.drift) ** self.taken
        complete_s = each_s * messages
        engine.now_s += complete_s
        held = engine.bytes_by_arm.get(name, 64 * KIB)
        sample = Sample(messages, 0.5 * complete_s, complete_s, held, 2 * held, KIB, KIB, 3, 0.2 * complete_s)
        return replace(sample, **self._extra(messages, each_s)).to_json()

    def _drop(self) -> dict[str, Any]:
        return {}

    def _harness(self, tool_first: bool) -> dict[str, Any]:
        bare = SECONDS * self.speed
        tool = bare * self.engine.cost.get("harness", 1.0)
        return {"pairs": [[tool, bare]] * 4}

    def _probe(self) -> dict[str, Any]:
        return {"facts": {"mlx": "1.0"}, "fence": {"ok": True, "ratio": 50.0, "problem": ""}}

    def _extra(self, messages: int, each_s: float) -> dict[str, Any]:
        assert self.case is not None
        ramp = range(1, messages + 1)
        match self.case.reading:
            case Reading.QUEUE:
                calls = self.engine.stall_calls
                return {"stall_call": calls[self.number % len(calls)], "call_s": [each_s] * messages}
            case Reading.PENDING:
                pending = [4 * n for n in ramp] if self.arm.mode is ArmMode.OFF else [4] * messages
                held = [KIB * ops for ops in pending]
                latency = {"latency_s": [each_s] * messages, "finish_s": 2 * each_s}
                return {"pending_ops": pending, "pending_bytes": held, **latency}
            case Reading.PACED:
                return {"latency_s": [each_s * (1 + n / 100) for n in ramp], "free_share": 0.75, "missed": 1}
        return {}

    def _misbehave(self, what: str) -> None:
        if self.engine.lost[what] > 0:
            self.engine.lost[what] -= 1
            raise WorkerLostError(f"a worker process ended while it carried out {what!r} (exit status -9)")
        if what in self.engine.failing:
            raise CommandFailedError(self.engine.failing[what], None)


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """A machine made of fakes; reference values are not worked out."""
    monkeypatch.setattr(stages, "reference_outputs", lambda case, seed: [])
    monkeypatch.setattr(stages, "save_reference", lambda path, outputs: None)
    return Engine(tmp_path)


def _arm(name: str) -> Arm:
    word, _, depth = name.partition("+")[0].partition("@")[0].partition(":")
    mode = ArmMode(word)
    sites = () if mode is ArmMode.OFF else ("last",)
    return Arm(name, mode, sites, int(depth or 0), "+state" in name, "+values" in name)


@pytest.fixture
def make_case() -> Callable[..., Case]:
    """Makes a case of a chain of `ops` small nodes; the first arm is the base."""

    def make(
        arms: Sequence[str] = ("async", "sync"),
        *,
        scenario: str = "chain",
        reading: Reading = Reading.STREAM,
        ops: int = 1,
        host: Mapping[str, Any] | None = None,
        **params: Any,
    ) -> Case:
        names = [*(f"n{number}" for number in range(ops - 1)), "last"]
        nodes = [Node(name, "abs", ("source" if not i else names[i - 1],)) for i, name in enumerate(names)]
        nodes += [Node("work", "host", ("last",), dict(host))] if host else []
        shown = ",".join(f"{key}={value}" for key, value in params.items())
        messages = {Reading.STREAM: 0, Reading.QUEUE: 64, Reading.PENDING: 8}.get(reading, 0)
        paced = (200.0, 0.05) if reading is Reading.PACED else (0.0, 0.0)
        pipeline = Pipeline(Source(4, 4, 2), tuple(nodes))
        chosen = tuple(_arm(name) for name in arms)
        return Case(f"{scenario}[{shown}]", scenario, reading, pipeline, chosen, arms[0], params, messages, *paced)

    return make


@pytest.fixture
def make_blocks() -> Callable[..., list[CaseBlock]]:
    """Makes one block for each number given of an arm: the log ratio of that arm to the base in it."""

    def make(case: Case, log_ratios: Mapping[str, Sequence[float]], first: int = 0, **changes: Any) -> list[CaseBlock]:
        count = len(next(iter(log_ratios.values())))
        rows = [{arm: row[number] for arm, row in log_ratios.items()} for number in range(count)]
        return [_block(case, row, first + number, changes) for number, row in enumerate(rows)]

    return make


def _block(case: Case, ratios: Mapping[str, float], index: int, changes: Mapping[str, Any]) -> CaseBlock:
    labels = [case.base, *ratios]
    taken = tuple(
        TakenSample(label, "measure", number, float(number), _sample(exp(ratios.get(label, 0.0))))
        for number in range(6)
        for label in labels
    )
    pids = {label: 10 + number for number, label in enumerate(labels)}
    block = CaseBlock(case.id, index, 10, taken, pids, tuple(labels), errors=dict.fromkeys(labels, 0.1))
    return replace(block, **changes)


def _sample(relative: float) -> Sample:
    latency = tuple(SECONDS * relative for _ in range(10))
    seconds = 10 * SECONDS * relative
    held = round(64 * KIB * relative)
    return Sample(10, 0.5 * seconds, seconds, held, 2 * held, KIB, KIB, 3, 0.2 * seconds, latency_s=latency)


@pytest.fixture
def make_lost() -> Callable[..., CaseBlock]:
    """Makes the block of a case that was lost: `crash` or `disagreement`."""

    def make(case: Case, kind: str = "crash", index: int = 0, reason: str = "it went wrong") -> CaseBlock:
        return CaseBlock(case.id, index, 0, (), {}, (), valid=False, reason=reason, kind=kind)

    return make
