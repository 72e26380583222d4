"""Starts the real command in an empty folder, on the MLX that is installed, with nothing replaced."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

FAULTS = Path(__file__).parent / "faults"
"""Modules that break one thing in the processes they are loaded into; see `fault`."""

GUARD_S = 120.0
"""Nothing here takes this long; only a test that hangs is ended by it."""
POLL_S = 0.01

STEERING = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TERM", "PYTHONIOENCODING", "PYTHONWARNINGS")
"""Variables that change what a command prints: tests set those they are about."""

SOLO = """\
version: 1
name: solo
question: How long does one small step take?
reading: stream
source: {chunk: $chunk}
axes: {chunk: [8x8, 8x9]}
arms: [async]
nodes:
  rectify: {op: abs}
"""
"""Two cases and nothing to compare: the shortest run there is, one worker a block."""

PAIR = """\
version: 1
name: pair
question: What does waiting for each small message cost?
reading: stream
source: {chunk: $chunk}
axes: {chunk: [8x8]}
arms: [async, sync]
nodes:
  rectify: {op: abs}
"""
"""One case, two arms and the control: three workers a block."""

GLIMPSE = ("--time-budget", "1ms")
"""What makes a run stop after its first case in its first block."""


@dataclass(frozen=True)
class Placement:
    """The command in one folder: call it to run it to its end, `start` it to meet it while it runs."""

    folder: Path

    def __call__(self, *arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run `placement ARGUMENTS` with `variables` in its environment; return its exit code and what it printed."""
        return subprocess.run(timeout=GUARD_S, capture_output=True, **self._how(arguments, variables))

    def start(self, *arguments: str | Path, **variables: str) -> subprocess.Popen[str]:
        """Start `placement ARGUMENTS` and return at once."""
        return subprocess.Popen(stdout=subprocess.PIPE, stderr=subprocess.PIPE, **self._how(arguments, variables))

    def _how(self, arguments: Sequence[str | Path], variables: Mapping[str, str]) -> dict[str, Any]:
        command = [sys.executable, "-m", "placement_cli", *map(str, arguments)]
        return {"args": command, "cwd": self.folder, "env": environment(self.folder, variables), "encoding": "utf-8"}

    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file into the folder and return its path from there."""
        raw = content.encode() if isinstance(content, str) else content
        (self.folder / name).write_bytes(raw)
        return Path(name)

    def journals(self, out: str = "results") -> list[Path]:
        """Return the journals in the folder of results, the oldest first."""
        return sorted((self.folder / out).glob("*.jsonl"))

    def documents(self, out: str = "results") -> list[Path]:
        """Return the documents in the folder of results, the oldest first."""
        return sorted((self.folder / out).glob("*.json"))


def environment(folder: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of this process without what steers printing, scratch files inside `folder`."""
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    kept = {key: value for key, value in os.environ.items() if key not in STEERING}
    return {**kept, "TMPDIR": str(scratch), **variables}


@pytest.fixture
def placement(tmp_path: Path) -> Placement:
    """The command in a folder of its own that holds `solo.yaml` and `pair.yaml`."""
    return _ready(tmp_path)


def _ready(folder: Path) -> Placement:
    command = Placement(folder)
    command.write("solo.yaml", SOLO)
    command.write("pair.yaml", PAIR)
    return command


Fault = Callable[[str], dict[str, str]]


@pytest.fixture
def fault(tmp_path: Path) -> Fault:
    """Return a function that gives the variables under which the fault of that name is in every process.

    Python imports `sitecustomize` whenever it starts; the faults look themselves whether it is a process of theirs.
    """

    def variables(name: str) -> dict[str, str]:
        folder = tmp_path / f"fault-{name}"
        folder.mkdir()
        shutil.copy(FAULTS / f"{name}.py", folder / "sitecustomize.py")
        paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
        return {"PYTHONPATH": os.pathsep.join(paths)}

    return variables


@dataclass(frozen=True)
class Outcome:
    """A run that is over: the command in its folder, its exit code and what it printed."""

    placement: Placement
    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The document in the folder of results."""
        (path,) = self.placement.documents()
        return read_json(path)

    @property
    def records(self) -> list[dict[str, Any]]:
        """The records of the journal."""
        (path,) = self.placement.journals()
        return read_records(path)


def _outcome(folder: Path, *arguments: str, **variables: str) -> Outcome:
    command = _ready(folder)
    done = command(*arguments, **variables)
    return Outcome(command, done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """One run of `pair.yaml` to its end, printed as JSON and written in all formats."""
    files = ["-o", "run.json", "-o", "run.csv", "-o", "deep/er/run.md"]
    return _outcome(tmp_path_factory.mktemp("whole"), "bench", "pair.yaml", "--quick", "--json", *files)


@pytest.fixture(scope="session")
def glimpse(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """One run of `pair.yaml` that its time budget ends after the first block, printed for people 60 columns wide."""
    return _outcome(tmp_path_factory.mktemp("glimpse"), "bench", "pair.yaml", *GLIMPSE, COLUMNS="60")


@pytest.fixture
def unfinished(placement: Placement, whole_run: Outcome) -> Path:
    """The journal of the whole run without its end, as the only thing in the folder of results: it can be resumed."""
    (whole,) = whole_run.placement.journals()
    *kept, last = whole.read_bytes().splitlines(keepends=True)
    assert json.loads(last)["kind"] == "finished"
    results = placement.folder / "results"
    results.mkdir()
    journal = results / whole.name
    journal.write_bytes(b"".join(kept))
    return journal


def read_json(path: Path) -> dict[str, Any]:
    """Return the JSON document in `path`; NaN and infinity are none."""
    data: dict[str, Any] = json.loads(path.read_bytes(), parse_constant=pytest.fail)
    return data


def read_records(journal: Path) -> list[dict[str, Any]]:
    """Return the whole lines of a journal."""
    *lines, _torn = journal.read_bytes().split(b"\n")
    return [json.loads(line) for line in lines]


def read_blocks(journal: Path) -> list[dict[str, Any]]:
    """Return the blocks in a journal."""
    return [record for record in read_records(journal) if record["kind"] == "block"]


@dataclass(frozen=True)
class Files:
    """How tests read what a run left behind."""

    json: Callable[[Path], dict[str, Any]] = read_json
    records: Callable[[Path], list[dict[str, Any]]] = read_records
    blocks: Callable[[Path], list[dict[str, Any]]] = read_blocks


@pytest.fixture(scope="session")
def read() -> Files:
    """Reads documents and journals."""
    return Files()


Await = Callable[[Callable[[], object]], None]


@pytest.fixture(scope="session")
def wait_until() -> Await:
    """Waits until a condition holds; fails after much longer than it can take."""

    def wait(condition: Callable[[], object]) -> None:
        deadline = time.monotonic() + GUARD_S
        while not condition():
            assert time.monotonic() < deadline, "it did not happen"
            time.sleep(POLL_S)

    return wait


@dataclass(frozen=True)
class Running:
    """A run met while it measures."""

    process: subprocess.Popen[str]
    placement: Placement

    @property
    def journal(self) -> Path:
        """Its journal, the newest there is."""
        return self.placement.journals()[-1]

    def workers(self) -> list[psutil.Process]:
        """Return the processes it started."""
        return psutil.Process(self.process.pid).children(recursive=True)


@pytest.fixture
def running(placement: Placement, wait_until: Await) -> Iterator[Callable[..., Running]]:
    """Return a function that starts a run and comes back when its first block is in the journal."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **variables: str) -> Running:
        known = len(placement.journals())
        process = placement.start("bench", *arguments, **variables)
        started.append(process)
        run = Running(process, placement)
        wait_until(lambda: len(placement.journals()) > known and read_blocks(run.journal))
        return run

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def alive(process: psutil.Process) -> bool:
    """Tell whether a process still runs; one that ended and that nobody asked about does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.fixture(scope="session")
def gone(wait_until: Await) -> Callable[[Sequence[psutil.Process]], None]:
    """Waits until none of the processes is left."""
    return lambda processes: wait_until(lambda: not any(map(alive, processes)))
