"""Stand-ins for the modules of ezmsg-sigproc, and why the tests of the real ones were left out where they were."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest

from placement_cli.operators.ezmsg.availability import HOW_TO_INSTALL, PACKAGE, installed_versions

REAL = "test_ezmsg_processors.py"

collect_ignore = [] if PACKAGE in installed_versions() else [REAL]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say why the tests of the real processors were left out, where they were."""
    if collect_ignore:
        terminalreporter.write_line(f"{REAL} left out: {PACKAGE} is not installed ({HOW_TO_INSTALL})")


@dataclass
class FakeMessage:
    """An array with named dimensions, like ezmsg's AxisArray."""

    data: Any
    dims: list[str]
    axes: dict[str, Any]
    attrs: dict[str, Any]
    stream_dim: str

    LinearAxis = SimpleNamespace
    CoordinateAxis = SimpleNamespace


class FakeProcessor:
    """A processor that remembers its settings and messages, and does with the data what it is told to."""

    def __init__(self, compute: Callable[[Any], Any], *settings: Any, **named: Any) -> None:
        self.settings = named or settings
        self.compute = compute
        self.seen: list[FakeMessage] = []
        self.state = SimpleNamespace(filter=SimpleNamespace(state=SimpleNamespace(zi=None)))

    def __call__(self, message: FakeMessage) -> FakeMessage:
        """Return the message with other data; the newest input becomes the state of the filter inside."""
        self.seen.append(message)
        self.state.filter.state.zi = message.data
        return replace(message, data=self.compute(message.data))


class FakeJoint:
    """A processor of two inputs that adds what waits in its queues."""

    def __init__(self, *settings: Any) -> None:
        self.settings = settings
        self.a: list[FakeMessage] = []
        self.b: list[FakeMessage] = []

    def push_a(self, message: FakeMessage) -> None:
        """Put a message into the first queue."""
        self.a.append(message)

    def push_b(self, message: FakeMessage) -> None:
        """Put a message into the second queue."""
        self.b.append(message)

    async def __acall__(self) -> FakeMessage:
        """Add the oldest messages."""
        first, second = self.a.pop(0), self.b.pop(0)
        return replace(first, data=first.data + second.data)


class _Module:
    def __init__(self, name: str, sigproc: FakeSigproc) -> None:
        self._name, self._sigproc = name, sigproc

    def __getattr__(self, kind: str) -> Any:
        if kind == "AxisArray":
            return FakeMessage
        if kind in ("SpectralTransform", "WindowFunction", "ConcatSettings"):
            return self._sigproc.word(kind)
        return lambda *settings, **named: self._sigproc.make(f"{self._name}.{kind}", *settings, **named)


class _Word:
    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __getattr__(self, member: str) -> str:
        return f"{self._kind}.{member}"

    def __call__(self, **settings: Any) -> Any:
        return {self._kind: settings}


@dataclass
class FakeSigproc:
    """Loads stand-ins for any module; `made` holds every processor by the order of its making, with its full name.

    `compute` is what processors do with the data of a message.
    """

    compute: Callable[[Any], Any] = lambda data: 2 * data
    made: list[tuple[str, Any]] = field(default_factory=list)

    def load(self, name: str) -> Any:
        """Return the stand-in for the module `name`."""
        return _Module(name, self)

    def word(self, kind: str) -> _Word:
        """Return the stand-in for a class of choices or settings."""
        return _Word(kind)

    def make(self, name: str, *settings: Any, **named: Any) -> Any:
        """Make a processor."""
        joins = name.endswith(("AddProcessor", "ConcatProcessor"))
        processor = FakeJoint(*settings) if joins else FakeProcessor(self.compute, *settings, **named)
        self.made.append((name, processor))
        return processor

    @property
    def newest(self) -> Any:
        """The processor made last."""
        return self.made[-1][1]


@pytest.fixture
def sigproc() -> FakeSigproc:
    """Stand-ins whose processors double the data."""
    return FakeSigproc()
