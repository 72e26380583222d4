"""Fakes of everything that tells the time, computes, or is another process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from placement_cli.device.interface import MemoryReading, queue_depth_messages
from placement_cli.device.mlx_device import MlxDevice, open_device
from placement_cli.graph.pipeline import Node, ParameterValue, Pipeline, Source
from placement_cli.measure.readings.instruments import Instruments
from placement_cli.measure.rig import Rig
from placement_cli.measure.spawn import Worker
from placement_cli.measure.specs import Arm, ArmMode, Case, Reading
from placement_cli.operators.unit import FunctionUnit


@dataclass
class FakeClock:
    """A clock that stands still unless told: `tick_s` is what reading it takes, `slack_s` what a sleep is late."""

    tick_s: float = 0.0
    slack_s: float = 0.0
    time_s: float = 100.0
    log: list[str] = field(default_factory=list)

    def now(self) -> float:
        """Return the time, and write down that it was read."""
        self.log.append("now")
        self.time_s += self.tick_s
        return self.time_s

    def sleep(self, seconds: float) -> None:
        """Let the time pass, and a little more."""
        self.log.append("sleep")
        self.time_s += seconds + self.slack_s

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.time_s += seconds


@dataclass
class FakeDevice:
    """A device that computes nothing: each call is written down and takes the time that `costs_s` gives it.

    `memory_script` are the readings of the counters, one a call, the last of them again and again;
    `pending_script` the same for counts of pending ops.
    """

    clock: FakeClock = field(default_factory=FakeClock)
    costs_s: dict[str, float] = field(default_factory=dict)
    memory_script: list[MemoryReading] = field(default_factory=lambda: [MemoryReading(0, 0, 0)])
    pending_script: list[int] = field(default_factory=lambda: [0])
    name: str = "cpu"
    backend: str = "cpu"
    calls: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)

    def queue_depth_messages(self, ops_per_message: int) -> int:
        """The documented depth of the backend."""
        return queue_depth_messages(self.backend, ops_per_message)

    def synchronize(self) -> None:
        """Wait."""
        self._called("synchronize")

    def evaluate(self, *arrays: Any) -> None:
        """Compute."""
        self._called("evaluate", *arrays)

    def submit(self, *arrays: Any) -> None:
        """Begin to compute."""
        self._called("submit", *arrays)

    def reset_peak(self) -> None:
        """Begin a new peak."""
        self._called("reset_peak")

    def memory(self) -> MemoryReading:
        """Return the next reading of the script."""
        self._called("memory")
        return self.memory_script.pop(0) if len(self.memory_script) > 1 else self.memory_script[0]

    def clear_cache(self) -> None:
        """Give nothing back."""
        self._called("clear_cache")

    def pending_ops(self, *arrays: Any) -> int:
        """Return the next count of the script."""
        self._called("pending_ops", *arrays)
        return self.pending_script.pop(0) if len(self.pending_script) > 1 else self.pending_script[0]

    def is_pending(self, array: Any) -> bool:
        """Nothing is lazy here."""
        return False

    def facts(self) -> dict[str, Any]:
        """Return a version."""
        return {"mlx": "0.0"}

    def named(self, name: str) -> list[tuple[Any, ...]]:
        """Return the arguments of every call of `name`."""
        return [arguments for called, arguments in self.calls if called == name]

    def _called(self, name: str, *arguments: Any) -> None:
        self.calls.append((name, arguments))
        self.clock.log.append(name)
        self.clock.advance(self.costs_s.get(name, 0.0))


@dataclass
class Stand:
    """A fake rig and the instruments to read it: every message takes `message_s` on the host.

    The output of message n is `out n`, and the only state is called `state`. What happened, in order, is in `log`.
    """

    clock: FakeClock = field(default_factory=FakeClock)
    message_s: float = 0.001
    faults: int = 0
    host_cpu_s: float = 0.0
    state: tuple[Any, ...] = ("state",)

    def __post_init__(self) -> None:
        self.device = FakeDevice(self.clock)
        self.instruments = Instruments(self.device, self.clock, lambda: self.faults, lambda: self.host_cpu_s)
        unit = FunctionUnit(lambda x: x, lambda: self.state)
        self.rig = Rig(self._run, {"node": unit}, self.device, [], [[]])

    @property
    def log(self) -> list[str]:
        """What happened, in order."""
        return self.clock.log

    def _run(self, messages: Sequence[Any]) -> tuple[Any, ...]:
        self.log.append(f"feed {len(messages)}")
        for _ in messages:
            self.clock.advance(self.message_s)
            self.faults += 1
            self.host_cpu_s += self.message_s / 2
        return (f"out {messages[-1]}",)


class AskedTwiceError(Exception):
    """A worker was asked while another one was at work."""


Fault = Callable[[str, str, Mapping[str, Any]], Mapping[str, Any] | None]
"""Given the arm, the command and its arguments: raises, returns changes to the reply, or None."""


@dataclass
class Workshop:
    """Starts fake workers that share one clock: an arm takes the seconds a message that `costs_s` gives it.

    `log` lists (number of the worker, arm, command). `trend` makes the n-th sample of all longer by a factor;
    `fault` may break or change any reply. `hello` and `prepared` are what workers say of themselves.
    """

    costs_s: Mapping[str, float] = field(default_factory=dict)
    trend: Callable[[int], float] = lambda number: 1.0
    fault: Fault = lambda arm, do, arguments: None
    hello: dict[str, Any] = field(default_factory=lambda: {"timer_s": 1e-7, "empty_s": 1e-5})
    prepared: dict[str, Any] = field(default_factory=lambda: {"pool": 16, "queue_messages": 20})
    clock: FakeClock = field(default_factory=FakeClock)
    log: list[tuple[int, str, str]] = field(default_factory=list)
    asked: list[Mapping[str, Any]] = field(default_factory=list)
    workers: list[FakeWorker] = field(default_factory=list)
    samples: int = 0
    busy: bool = False

    def spawn(self) -> Worker:
        """Start one."""
        worker = FakeWorker(self, len(self.workers))
        self.workers.append(worker)
        return worker

    def commands(self, do: str) -> list[tuple[int, str]]:
        """Return (number of the worker, arm) of every command `do`."""
        return [(number, arm) for number, arm, done in self.log if done == do]

    @property
    def alive(self) -> list[int]:
        """The numbers of the workers that were not ended."""
        return [worker.number for worker in self.workers if not worker.closed]


@dataclass
class FakeWorker:
    """A worker that answers at once, in the time of the shared clock."""

    shop: Workshop
    number: int
    arm: str = ""
    closed: bool = False

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Answer as the real one does."""
        if self.shop.busy:
            raise AskedTwiceError(do)
        self.shop.busy = True
        try:
            return self._answer(do, arguments)
        finally:
            self.shop.busy = False

    def close(self) -> None:
        """End it."""
        self.closed = True

    def _answer(self, do: str, arguments: dict[str, Any]) -> dict[str, Any]:
        assert not self.closed, "an ended worker was asked"
        if do == "prepare":
            self.arm = arguments["arm"]["name"]
        self.shop.log.append((self.number, self.arm, do))
        self.shop.asked.append({"do": do, **arguments})
        changed = self.shop.fault(self.arm, do, arguments)
        replies: dict[str, Callable[..., dict[str, Any]]] = {
            "hello": self._hello,
            "prepare": self._prepare,
            "sample": self._sample,
            "calibrate": self._calibrate,
            "drop": dict,
        }
        return {"ok": True, **replies[do](**arguments), **(changed or {})}

    def _hello(self) -> dict[str, Any]:
        return {"pid": 1000 + self.number, "device": "cpu", "backend": "cpu", **self.shop.hello}

    def _prepare(self, **_: Any) -> dict[str, Any]:
        return {"ops": 3, "error": 0.01, "agrees": True, "where": "", **self.shop.prepared}

    def _sample(self, messages: int) -> dict[str, Any]:
        seconds = messages * self.shop.costs_s.get(self.arm, 0.001) * self.shop.trend(self.shop.samples)
        self.shop.samples += 1
        self.shop.clock.advance(seconds)
        return {"messages": messages, "dispatch_s": seconds / 2, "complete_s": seconds}

    def _calibrate(self, kind: str, length_s: float) -> dict[str, Any]:
        return {"amount": round(length_s * 1e6)}


@pytest.fixture
def clock() -> FakeClock:
    """A clock that stands still unless told."""
    return FakeClock()


@pytest.fixture(scope="session")
def fake_clock() -> type[FakeClock]:
    """The class of fake clocks."""
    return FakeClock


@pytest.fixture(scope="session")
def fake_device() -> type[FakeDevice]:
    """The class of fake devices."""
    return FakeDevice


@pytest.fixture(scope="session")
def make_stand() -> type[Stand]:
    """The class that puts a fake rig and fake instruments together."""
    return Stand


@pytest.fixture
def stand() -> Stand:
    """A fake rig and the instruments to read it."""
    return Stand()


@pytest.fixture(scope="session")
def workshop() -> type[Workshop]:
    """The class that starts fake workers."""
    return Workshop


@pytest.fixture
def cpu() -> Iterator[MlxDevice]:
    """MLX on the CPU, with nothing in flight before and after."""
    device = open_device("cpu")
    device.synchronize()
    yield device
    device.synchronize()


NodeSpec = tuple[str, str, Sequence[str]] | tuple[str, str, Sequence[str], Mapping[str, ParameterValue]]


def _pipeline(*nodes: NodeSpec, source: Source | None = None) -> Pipeline:
    made = (Node(name, op, tuple(inputs), *params) for name, op, inputs, *params in nodes)
    return Pipeline(source or Source(8, 8, 3), tuple(made))


def _case(pipeline: Pipeline, *arms: Arm, reading: Reading = Reading.STREAM, **facts: Any) -> Case:
    competing = arms or (Arm("off", ArmMode.OFF),)
    return Case("case", "scenario", reading, pipeline, competing, competing[0].name, **facts)


@pytest.fixture(scope="session")
def make_pipeline() -> Callable[..., Pipeline]:
    """The function that makes a pipeline of (name, op, inputs[, parameters]) on a source of 8 x 3 samples."""
    return _pipeline


@pytest.fixture(scope="session")
def make_case() -> Callable[..., Case]:
    """The function that makes a case of a pipeline and arms, the first of them its base."""
    return _case
