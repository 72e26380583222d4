"""Processes are kept on cores, every thread of them, where the system can do that."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from placement_cli.device import affinity
from placement_cli.device.affinity import confine, evaluates_on_cpu, own_cores


@pytest.mark.parametrize(
    ("device", "builds", "system", "expected"),
    [
        (None, ["mlx", "mlx-cpu"], "linux", True),
        (None, ["mlx", "mlx-cuda-13"], "linux", False),
        ("cpu", ["mlx", "mlx-cuda-13"], "linux", True),
        ("cpu", ["mlx", "mlx-metal"], "darwin", False),
    ],
)
def test_where_mlx_evaluates_on_a_cpu_that_can_be_chosen(
    device: str | None, builds: list[str], system: str, expected: bool
) -> None:
    """macOS does not let a process be confined."""
    assert evaluates_on_cpu(device, builds, system) is expected


def test_threads_that_ended_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is gone stops nothing, and all others are kept on the cores."""
    asked: list[tuple[int, set[int]]] = []

    def setting(thread: int, cores: set[int]) -> None:
        asked.append((thread, cores))
        if thread == 2:
            raise ProcessLookupError

    monkeypatch.setattr(affinity.sys, "platform", "linux")
    monkeypatch.setattr(affinity.os, "sched_setaffinity", setting, raising=False)
    confine([10], [3], lambda pid: [1, 2, pid])
    assert asked == [(1, {3}), (2, {3}), (10, {3})]


@pytest.mark.parametrize(("system", "cores"), [("darwin", [0]), ("linux", [])])
def test_nothing_happens_where_it_cannot(monkeypatch: pytest.MonkeyPatch, system: str, cores: list[int]) -> None:
    """Neither on macOS nor without cores to choose from."""
    monkeypatch.setattr(affinity.sys, "platform", system)
    confine([10], cores, lambda pid: pytest.fail("no thread is asked for"))


def test_a_real_process_is_confined_and_let_go() -> None:
    """As the system itself says; on systems that cannot do it there are no cores to choose from."""
    cores = own_cores()
    if not cores:
        assert sys.platform != "linux"
        return
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        confine([process.pid], cores[:1])
        alone = os.sched_getaffinity(process.pid)
        confine([process.pid], cores)
        assert (alone, os.sched_getaffinity(process.pid)) == ({cores[0]}, set(cores))
        process.communicate(b"\n")
