"""Fakes of the operating systems, from what real ones were recorded to say."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from placement_cli.device import darwin, linux
from placement_cli.device.host import Host

DATA = Path(__file__).parents[2] / "data"

MAC_FILES = {
    darwin.SYSCTL: "sysctl.txt",
    darwin.SW_VERS: "sw_vers.txt",
    darwin.DISPLAYS: "system_profiler.json",
    darwin.ACCELERATOR: "ioreg.txt",
    darwin.POWER_SETTINGS: "pmset-g.txt",
    darwin.POWER_SOURCE: "pmset-g-batt.txt",
    darwin.THERMAL_LEVEL: "notifyutil.txt",
}
"""Every command the macOS reader starts, and the file its recorded output is in."""


class FakeCounters:
    """The counters of a computer with 4 cores, 8 threads and 16 GiB."""

    def cpu_count(self, logical: bool = True) -> int | None:
        """8 threads on 4 cores."""
        return 8 if logical else 4

    def virtual_memory(self) -> Any:
        """16 GiB, half of them free."""
        return SimpleNamespace(total=16 * 2**30, available=8 * 2**30)

    def getloadavg(self) -> tuple[float, float, float]:
        """A load that sinks."""
        return (0.5, 0.6, 0.7)


MakeHost = Callable[..., Host]


@pytest.fixture(scope="session")
def mac_host() -> MakeHost:
    """Makes a Mac from recorded output, with `printed` in place of what some commands printed."""

    def make(machine: str = "", printed: Mapping[Sequence[str], str | None] | None = None) -> Host:
        answers: dict[Sequence[str], str | None] = {}
        for argv, name in MAC_FILES.items():
            path = DATA / "macos" / machine / name
            answers[argv] = path.read_text(encoding="utf-8") if machine and path.exists() else None
        answers |= printed or {}
        return Host("Darwin", lambda argv: answers[tuple(argv)], _no_file, _no_files, FakeCounters())

    return make


@pytest.fixture(scope="session")
def linux_host() -> MakeHost:
    """Makes a Linux machine from recorded files, with `changed` in place of some."""

    def make(machine: str = "", changed: Mapping[str, str] | None = None) -> Host:
        files = dict(_recorded_files(machine)) if machine else {}
        files |= changed or {}

        def list_files(pattern: str) -> Sequence[str]:
            depth = pattern.count("/") + 1
            paths = {"/".join(path.split("/")[:depth]) for path in files}
            return sorted(fnmatch.filter(paths, pattern))

        return Host("Linux", _no_output, files.get, list_files, FakeCounters())

    return make


def _recorded_files(machine: str) -> Iterator[tuple[str, str]]:
    folder = DATA / "linux" / machine
    for path, name in ((linux.CPUINFO, "cpuinfo.txt"), (linux.OS_RELEASE, "os-release.txt")):
        if (folder / name).exists():
            yield path, (folder / name).read_text(encoding="utf-8")
    sysfs = folder / "sysfs.txt"
    for line in sysfs.read_text(encoding="utf-8").splitlines() if sysfs.exists() else ():
        # Paths hold colons, values here do not.
        path, value = line.rsplit(":", 1)
        yield path, value + "\n"


def _no_output(argv: Sequence[str]) -> str | None:
    return None


def _no_file(path: str) -> str | None:
    return None


def _no_files(pattern: str) -> Sequence[str]:
    return ()
