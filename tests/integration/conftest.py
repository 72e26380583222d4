"""Starts the real command in an empty folder, on the MLX that is installed, with nothing replaced."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    def __call__(self, *arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run `placement ARGUMENTS` with `variables` in its environment; return its exit code and what it printed."""
        process = self.start(*arguments, **variables)
        out, err = process.communicate(timeout=GUARD_S)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def start(
        self,
        *arguments: str | Path,
        stdout: int = subprocess.PIPE,
        **variables: str,
    ) -> subprocess.Popen[str]:
        """Start `placement ARGUMENTS` and return at once; what still runs at the end of the test is ended."""
        process = subprocess.Popen(
            [sys.executable, "-m", "placement_cli", *map(str, arguments)],
            cwd=self.folder,
            env=environment(self.folder, variables),
            encoding="utf-8",
            stdout=stdout,
            stderr=subprocess.PIPE,
        )
        self.started.append(process)
        return process

    def shell(self, line: str) -> subprocess.CompletedProcess[str]:
        """Run one line of a shell in which `placement` is the command."""
        known = f'placement() {{ {shlex.quote(sys.executable)} -m placement_cli "$@"; }}'
        return subprocess.run(
            ["sh", "-c", f"{known}\n{line}"],
            cwd=self.folder,
            env=environment(self.folder, {}),
            encoding="utf-8",
            capture_output=True,
            timeout=GUARD_S,
        )

    def end(self) -> None:
        """End what was started and still runs."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.communicate()

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
    """Return the environment of this process without what steers printing, scratch files and profiles in `folder`."""
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    kept = {key: value for key, value in os.environ.items() if key not in STEERING}
    return {**kept, "TMPDIR": str(scratch), "PLACEMENT_PROFILES": str(folder / "profiles"), **variables}


@pytest.fixture
def placement(tmp_path: Path) -> Iterator[Placement]:
    """The command in a folder of its own that holds `solo.yaml` and `pair.yaml`."""
    command = _ready(tmp_path)
    yield command
    command.end()


@pytest.fixture(scope="module")
def placement_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Placement]:
    """The command in one folder for all tests of a file."""
    command = _ready(tmp_path_factory.mktemp("module"))
    yield command
    command.end()


@pytest.fixture(autouse=True, scope="session")
def interruptible() -> None:
    """Programs that are started can be interrupted, also where these tests run in the background of a shell."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


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
    """The journal of the whole run without its end, as the only thing in the folder of results: it can be resumed.

    Its times are replaced by steady ones, SYNC twice as slow, so that no verdict depends on how busy this machine is.
    """
    (whole,) = whole_run.placement.journals()
    *kept, last = whole.read_bytes().splitlines(keepends=True)
    assert json.loads(last)["kind"] == "finished"
    results = placement.folder / "results"
    results.mkdir()
    journal = results / whole.name
    journal.write_bytes(b"".join(kept))
    retime(journal, lambda _block: 2.0)
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


def retime(journal: Path, ratio: Callable[[int], float]) -> None:
    """Replace all times and bytes in a journal: in block `i` SYNC takes `ratio(i)` times what every other arm takes."""
    records = read_records(journal)
    for record in records:
        for sample in record.get("samples", ()):
            much = ratio(record["index"]) if sample["arm"] == "sync" else 1.0
            time_s = much * sample["messages"] * 1e-5
            sample |= {"complete_s": time_s, "dispatch_s": time_s / 2, "in_flight_bytes": round(much * 10_000)}
        if record["kind"] == "block":
            record |= {"valid": True, "why": "", "reason": ""}
    write_records(journal, records)


def write_records(journal: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """Write records as the lines of a journal."""
    journal.write_text("".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records))


def check_blocks(blocks: Sequence[Mapping[str, Any]], document: Mapping[str, Any]) -> None:
    """Check that a document holds exactly these blocks of a journal, every value of them bit for bit."""
    kept = {(case["id"], block["index"]): block for case in document["cases"] for block in case["blocks"]}
    assert {(block["case"], block["index"]) for block in blocks} == kept.keys()
    assert len(blocks) == len(kept)
    for block in blocks:
        found = kept[block["case"], block["index"]]
        same = ("messages", "valid", "reason", "start_order", "pids", "errors", "state")
        assert {key: found[key] for key in same} == {key: block[key] for key in same}
        assert found["kind"] == block["why"]
        assert [_taken(sample) for sample in found["samples"]] == [_taken(sample) for sample in block["samples"]]


def _taken(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Return the readings of a sample that were taken."""
    return {key: value for key, value in sample.items() if value is not None}


@dataclass(frozen=True)
class Files:
    """How tests read, change and compare what a run left behind."""

    json: Callable[[Path], dict[str, Any]] = read_json
    records: Callable[[Path], list[dict[str, Any]]] = read_records
    blocks: Callable[[Path], list[dict[str, Any]]] = read_blocks
    retime: Callable[[Path, Callable[[int], float]], None] = retime
    write_records: Callable[[Path, Sequence[Mapping[str, Any]]], None] = write_records
    check_blocks: Callable[[Sequence[Mapping[str, Any]], Mapping[str, Any]], None] = check_blocks


@pytest.fixture(scope="session")
def read() -> Files:
    """Reads documents and journals, and changes what a journal says."""
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


def workers_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """Return the processes that a run started and that still run; none when it is over itself."""
    try:
        return psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


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
        return workers_of(self.process)


@pytest.fixture
def running(placement: Placement, wait_until: Await) -> Callable[..., Running]:
    """Return a function that starts a run and comes back when its first block is in the journal."""

    def start(*arguments: str, **variables: str) -> Running:
        run = Running(placement.start("bench", *arguments, **variables), placement)
        wait_until(lambda: placement.journals() and read_blocks(run.journal))
        return run

    return start


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


@pytest.fixture(scope="session", name="workers_of")
def workers_of_process() -> Callable[[subprocess.Popen[str]], list[psutil.Process]]:
    """Return a function that finds the workers of a run."""
    return workers_of
