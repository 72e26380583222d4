"""Worker processes: spoken to in turn, and ended for certain."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from placement_cli.graph.pipeline import Pipeline
from placement_cli.measure import spawn
from placement_cli.measure.reference import reference_outputs, save_reference
from placement_cli.measure.sample import Sample
from placement_cli.measure.spawn import CommandFailedError, WorkerLostError, elsewhere, spawn_elsewhere, spawn_process
from placement_cli.measure.specs import Arm, ArmMode, Case

NEVER_S = 60.0


def stand_in(code: str, answer_s: float = NEVER_S) -> spawn._Process:
    """Start a tiny program in place of a worker."""
    program = f"import json, os, sys, time\n{code}"
    return spawn._Process([sys.executable, "-S", "-c", program], os.environ, answer_s)


def test_a_real_worker_measures(
    make_case: Callable[..., Case], make_pipeline: Callable[..., Pipeline], tmp_path: Path
) -> None:
    """From hello to the end of stdin: its fence waits, its arm agrees, its sample has time in it, and it ends."""
    arm = Arm("async", ArmMode.ASYNC, ("rectify",))
    case = make_case(make_pipeline(("rectify", "abs", ["source"])), arm)
    save_reference(tmp_path / "reference.npz", reference_outputs(case, 1))
    worker = spawn_process("cpu")
    assert isinstance(worker, spawn._Process)
    with closing(worker):
        assert worker.ask("hello")["pid"] == worker._process.pid
        assert worker.ask("probe")["fence"]["ok"]
        reference = str(tmp_path / "reference.npz")
        facts: dict[str, Any] = {"case": case.to_json(), "arm": arm.to_json(), "reference": reference}
        assert worker.ask("prepare", seed=1, amounts={}, **facts)["agrees"]
        sample = Sample.from_json(worker.ask("sample", messages=50))
        assert sample.messages == 50
        assert 0 < sample.dispatch_s <= sample.complete_s
        with pytest.raises(CommandFailedError, match="dance"):
            worker.ask("dance")
        worker.ask("drop")
    assert worker._process.returncode == 0


def test_a_real_worker_without_a_device_says_why() -> None:
    """A device that does not exist is told with the exit code of a usage error, and the worker ends by itself."""
    worker = spawn_process("abacus")
    assert isinstance(worker, spawn._Process)
    with closing(worker), pytest.raises(CommandFailedError, match="abacus") as caught:
        worker.ask("hello")
    assert caught.value.code == 2
    assert worker._process.returncode == 0


def test_a_worker_gets_the_device_and_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command is this interpreter and the worker's module; BLAS is limited from outside."""
    started: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(spawn, "_Process", lambda command, environment: started.append((command, environment)))
    spawn_process()
    spawn_process("gpu")
    assert [command[1:] for command, _ in started] == [
        ["-P", "-m", "placement_cli.measure.worker"],
        ["-P", "-m", "placement_cli.measure.worker", "gpu"],
    ]
    assert {environment["OMP_NUM_THREADS"] for _, environment in started} == {"1"}


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], dict[str, str]]]:
    """The commands and environments of the processes that are asked for; none is started."""
    asked: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(spawn, "_Process", lambda command, environment: asked.append((command, environment)))
    return asked


@pytest.mark.parametrize(("device", "words"), [(None, []), ("gpu", ["gpu"])])
def test_a_worker_of_another_installation_is_its_own(
    device: str | None,
    words: list[str],
    started: list[tuple[list[str], dict[str, str]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the working directory and the user's folders on its path, which belong to this one; one BLAS thread."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["/mine", "/also"]))
    spawn_elsewhere(sys.executable, ["/overlay"])
    assert started.pop()[1]["PYTHONPATH"].split(os.pathsep) == ["/overlay", "/mine", "/also"]
    spawn_elsewhere("/env/bin/python", ["/overlay", "/package"], device)
    ((command, environment),) = started
    assert command == ["/env/bin/python", "-P", "-m", "placement_cli.measure.worker", *words]
    assert environment["PYTHONPATH"].split(os.pathsep) == ["/overlay", "/package"]
    assert environment["OMP_NUM_THREADS"] == "1"


def test_no_empty_folder_gets_onto_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """One would be the working directory."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    assert elsewhere(["/overlay"])["PYTHONPATH"] == "/overlay"
    monkeypatch.setenv("PYTHONPATH", "")
    assert elsewhere(["/overlay"])["PYTHONPATH"] == "/overlay"


def test_environments_are_equally_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """In bytes, as they lie above the stack: short and long paths, and letters that take two bytes."""
    monkeypatch.setenv("PYTHONPATH", "/mine")
    paths = [[], ["/a"], ["/overlay/of/a/long/name" * 20, "/package"], ["/home/J\xfcrgen/projekt"]]
    sizes = {sum(len(os.fsencode(value)) for value in elsewhere(path).values()) for path in paths}
    assert len(sizes) == 1


def test_a_copy_is_what_an_elsewhere_worker_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also from a folder that holds another one: the working directory is not looked at."""
    for name in ("copy", "trap"):
        room = tmp_path / name / "placement_cli" / "measure"
        room.mkdir(parents=True)
        for package in (room.parent, room):
            (package / "__init__.py").write_text("")
        (room / "worker.py").write_text(f'print(\'{{"ok": true, "who": "{name}"}}\', flush=True); input()')
    monkeypatch.chdir(tmp_path / "trap")
    with closing(spawn_elsewhere(sys.executable, [str(tmp_path / "copy")])) as worker:
        assert worker.ask("hello")["who"] == "copy"


def test_commands_and_replies_are_lines_of_json() -> None:
    """Arguments arrive as they were sent, and the reply comes back whole."""
    code = """
for line in sys.stdin:
    print(json.dumps({"ok": True, "heard": json.loads(line)}), flush=True)
"""
    with closing(stand_in(code)) as worker:
        heard = worker.ask("greet", name="line\nbreak", numbers=[1, 2.5])["heard"]
    assert heard == {"do": "greet", "name": "line\nbreak", "numbers": [1, 2.5]}


def test_a_failed_command_carries_its_code() -> None:
    """The worker lives on; the error has the words and the exit code it asks for."""
    code = """
for line in sys.stdin:
    print(json.dumps({"ok": False, "error": "too large", "code": 5}), flush=True)
"""
    with closing(stand_in(code)) as worker:
        for _ in range(2):
            with pytest.raises(CommandFailedError, match="too large") as caught:
                worker.ask("prepare")
            assert caught.value.code == 5


def test_a_killed_worker_is_lost_with_its_last_words() -> None:
    """The error says what it was doing, how it ended, and the end of what it wrote to stderr."""
    code = """
sys.stdin.readline()
sys.stderr.write("first line\\nout of memory at last\\n")
sys.stderr.flush()
os.kill(os.getpid(), 9)
"""
    with closing(stand_in(code)) as worker, pytest.raises(WorkerLostError) as caught:
        worker.ask("sample", messages=3)
    told = str(caught.value)
    assert told == "a worker process ended while it carried out 'sample' (exit status -9): out of memory at last"


def test_only_the_end_of_stderr_is_read() -> None:
    """A worker that wrote very much is told by its last line."""
    code = """
sys.stdin.readline()
sys.stderr.write("noise\\n" * 100_000 + "the reason\\n")
sys.exit(3)
"""
    with closing(stand_in(code)) as worker, pytest.raises(WorkerLostError, match=r"status 3\): the reason$"):
        worker.ask("hello")


def test_a_worker_that_is_gone_before_it_is_asked_is_lost() -> None:
    """Writing to it fails, and its exit status is told."""
    with closing(stand_in("sys.exit(4)")) as worker:
        worker._process.wait()
        with pytest.raises(WorkerLostError, match=r"ended before it was asked \(exit status 4\)"):
            worker.ask("hello")


def test_half_a_reply_is_none() -> None:
    """A worker that dies in the middle of its reply is lost, not misread."""
    code = """
sys.stdin.readline()
sys.stdout.write('{"ok": true, "pi')
sys.stdout.flush()
"""
    with closing(stand_in(code)) as worker, pytest.raises(WorkerLostError, match="ended while it carried out 'hello'"):
        worker.ask("hello")


@pytest.mark.parametrize("line", ["Traceback", "[1]", "null", '{"ok": false}', "{}"])
def test_what_is_no_reply_loses_the_worker(line: str) -> None:
    """Something else on its stdout, as a library might print, is told as such, and the process is ended."""
    code = f"""
for _ in sys.stdin:
    print({line!r}, flush=True)
"""
    with closing(stand_in(code)) as worker, pytest.raises(WorkerLostError, match="something that is no reply"):
        worker.ask("hello")
    assert worker._process.returncode == -signal.SIGKILL


def test_a_worker_that_does_not_answer_is_killed() -> None:
    """After the time for an answer it is lost, and gone when the error is raised."""
    with closing(stand_in("time.sleep(1000)", answer_s=0.01)) as worker:
        with pytest.raises(WorkerLostError, match=r"did not answer 'hello' within 0\.01 s \(exit status -9\)"):
            worker.ask("hello")
        assert worker._process.returncode == -signal.SIGKILL


def test_a_command_may_have_a_limit_of_its_own() -> None:
    """It takes the place of the worker's, for that command alone, and does not travel with it."""
    code = """
print(json.dumps({"ok": True, "heard": json.loads(sys.stdin.readline())}), flush=True)
time.sleep(1000)
"""
    with closing(stand_in(code)) as worker:
        assert worker.ask("greet", limit_s=NEVER_S)["heard"] == {"do": "greet"}
        with pytest.raises(WorkerLostError, match=r"did not answer 'greet' within 0\.01 s"):
            worker.ask("greet", limit_s=0.01)


def test_closing_ends_a_worker_that_reads() -> None:
    """A worker ends when its stdin is closed, so none outlives its parent."""
    worker = stand_in("for line in sys.stdin: pass")
    worker.close()
    assert worker._process.returncode == 0


def test_closing_kills_a_worker_that_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that does not end by itself is killed."""
    monkeypatch.setattr(spawn, "END_S", 0.01)
    worker = stand_in("time.sleep(1000)")
    worker.close()
    assert worker._process.returncode == -signal.SIGKILL


def test_a_lost_worker_can_be_closed() -> None:
    """Also when there is a command in the pipe that it never read."""
    worker = stand_in("sys.exit(0)")
    worker._process.wait()
    with pytest.raises(WorkerLostError):
        worker.ask("hello")
    worker.close()


def test_an_interrupt_of_the_terminal_does_not_reach_a_worker() -> None:
    """It has a session of its own, so that Ctrl-C goes to the parent, which ends it in order."""
    with closing(stand_in("for line in sys.stdin: pass")) as worker:
        assert os.getsid(worker._process.pid) == worker._process.pid
