"""`placement trace` follows a program into its threads, loops and processes, and through signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Traced = Callable[[str], dict[str, Any]]


@pytest.fixture
def traced(placement: Any, tmp_path: Path) -> Traced:
    """Traces a program of the given source that ends well, and returns the document."""

    def run(source: str) -> dict[str, Any]:
        placement.write("program.py", source)
        done = placement("trace", "-q", "-o", "trace.json", "program.py")
        assert done.returncode == 0, done.stderr
        return read(tmp_path)

    return run


def read(folder: Path) -> dict[str, Any]:
    """Return the document of the trace in a folder."""
    found: dict[str, Any] = json.loads((folder / "trace.json").read_bytes())
    return found


def of_processes(document: dict[str, Any]) -> list[tuple[int, bool]]:
    """Return how many calls each process recorded, and whether it ended well, the program's own first."""
    return [(each["calls"], each["ended"]) for each in document["processes"]]


FORKS = """\
import os
import mlx.core as mx

mx.eval(mx.zeros(2) + 1)
child = os.fork()
if child == 0:
    with mx.stream(mx.new_stream(mx.cpu)):
        mx.eval(mx.ones(2) + 1)
        mx.eval(mx.ones(2) + 2)
    os._exit(0)
_, status = os.waitpid(child, 0)
raise SystemExit(status)
"""


def test_a_forked_process_has_a_trace_of_its_own(traced: Traced) -> None:
    """What the parent did is in the parent's."""
    assert of_processes(traced(FORKS)) == [(1, True), (2, True)]


def test_a_forked_process_that_leaves_mlx_alone_ends(traced: Traced) -> None:
    """Whatever its parent's threads were doing: MLX is not asked for anything there."""
    source = """\
import os
import mlx.core as mx

for _ in range(40):
    array = mx.ones((200, 200))
    for _ in range(10):
        array = array * 2 + 1
    mx.async_eval(array)
    child = os.fork()
    if child == 0:
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
mx.eval(array)
"""
    document = traced(source)
    assert of_processes(document)[0] == (41, True)
    assert all(calls == 0 for calls, _ in of_processes(document)[1:])


MULTIPROCESSING = """\
import multiprocessing
import sys

import mlx.core as mx


def work(number):
    mx.eval(mx.full(2, number) + 1)
    return number


if __name__ == "__main__":
    context = multiprocessing.get_context("{method}")
    process = context.Process(target=work, args=(1,))
    process.start()
    process.join()
    assert process.exitcode == 0
    with context.Pool(1) as pool:
        assert pool.map(work, [2, 3]) == [2, 3]
        pool.close()
        pool.join()
"""


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_processes_of_multiprocessing_have_traces(traced: Traced, method: str) -> None:
    """One of its own and one of a pool."""
    found = of_processes(traced(MULTIPROCESSING.format(method=method)))
    assert sorted(calls for calls, _ in found if calls) == [1, 2]
    assert all(ended for calls, ended in found if calls)


def test_programs_that_it_starts_have_traces(traced: Traced) -> None:
    """Each with its own command."""
    source = """\
import subprocess, sys
code = "import mlx.core as mx; mx.eval(mx.zeros(2) + 1)"
print(subprocess.run([sys.executable, "-c", code], check=True).returncode)
"""
    document = traced(source)
    assert [each["argv"][1] for each in document["processes"] if each["calls"]] == ["-c"]


def test_threads_are_told_apart_and_not_added_to(traced: Traced) -> None:
    """The program sees its own threads alone, and ends when they do."""
    source = """\
import threading
import mlx.core as mx


def work():
    mx.eval(mx.zeros(2) + 1)


thread = threading.Thread(target=work, name="worker")
thread.start()
thread.join()
work()
assert threading.active_count() == 1, threading.enumerate()
assert threading.enumerate() == [threading.main_thread()]
"""
    document = traced(source)
    assert sorted(point["thread"] for point in document["points"]) == ["MainThread", "worker"]


def test_tasks_of_a_loop_are_recorded(traced: Traced) -> None:
    """A wait in one of them blocks them all, and is known to."""
    source = """\
import asyncio
import mlx.core as mx


async def work(number):
    array = mx.full((500, 500), number / 2)
    for _ in range(20):
        array = mx.sin(array @ array)
        await asyncio.sleep(0)
    return array.sum().item()


async def main():
    return await asyncio.gather(work(1), work(2))


assert len(asyncio.run(main())) == 2
"""
    document = traced(source)
    assert [(each["call"], each["function"], each["count"]) for each in document["points"]] == [
        ("array.item", "work", 2)
    ]


RUNS_ON = """\
import time
import mlx.core as mx

mx.eval(mx.zeros(2) + 1)
time.sleep(0.5)
try:
    print("ready", flush=True)
    while True:
        time.sleep(0.01)
finally:
    print("cleaned up", flush=True)
"""


@pytest.fixture
def started(placement: Any, tmp_path: Path) -> Any:
    """A traced program that runs on, in a process group of its own, as from a shell."""
    placement.write("program.py", RUNS_ON)
    process = subprocess.Popen(
        [sys.executable, "-m", "placement_cli", "trace", "-q", "-o", "trace.json", "program.py"],
        cwd=tmp_path,
        encoding="utf-8",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    placement.started.append(process)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_ctrl_c_ends_the_program_and_leaves_its_trace(started: Any, tmp_path: Path) -> None:
    """The whole group gets it; the program cleans up, and its end is shown as a shell does."""
    os.killpg(started.pid, signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out) == (130, "cleaned up\n")
    assert "KeyboardInterrupt" in err
    assert "placement_cli" not in err
    assert of_processes(read(tmp_path)) == [(1, True)]


def test_a_signal_to_the_one_who_traces_is_passed_on(started: Any, tmp_path: Path) -> None:
    """It ends the program, without clean-up, and what is known by then is told."""
    started.send_signal(signal.SIGTERM)
    started.communicate(timeout=60)
    assert started.returncode == 143
    assert read(tmp_path)["program"]["signal"] == signal.SIGTERM
    assert of_processes(read(tmp_path)) == [(1, False)]
