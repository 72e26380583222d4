"""The key of a set-up."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.device import darwin, linux
from placement_cli.device.host import Host
from placement_cli.measure.products.setup import machine, profile_key


class Counters:
    """The counters of a computer with so many processors."""

    def __init__(self, cpus: int | None) -> None:
        self.cpus = cpus

    def cpu_count(self, logical: bool = True) -> int | None:
        """As many threads as cores."""
        return self.cpus

    def virtual_memory(self) -> Any:
        """Not told."""
        raise OSError

    def getloadavg(self) -> tuple[float, float, float]:
        """Not told."""
        raise OSError


def host(system: str, cpus: int | None = 2, **files: str) -> Host:
    """Return a computer with these files and printed answers."""
    return Host(system, lambda argv: files.get(" ".join(argv)), files.get, lambda _: (), Counters(cpus))


def test_linux_names_its_chip_and_cores() -> None:
    """The name is the one in /proc/cpuinfo."""
    assert machine(host("Linux", 2, **{linux.CPUINFO: "model name\t: Fast 9000\n"})) == "Fast 9000, 2 cores"


def test_macs_name_their_chip() -> None:
    """The name is the one sysctl prints."""
    printed = "machdep.cpu.brand_string: Apple M9\nhw.logicalcpu: 8\n"
    assert machine(host("Darwin", 8, **{" ".join(darwin.SYSCTL): printed})) == "Apple M9, 8 cores"


def test_what_a_machine_does_not_tell_is_unknown() -> None:
    """Another system, or one that says nothing, still has a name."""
    assert machine(host("Haiku", 4)) == "unknown Haiku chip, 4 cores"
    assert machine(host("Haiku", None)) == "unknown Haiku chip"
    assert machine(host("Linux", None)) == "unknown Linux chip"


def test_a_key_of_numpy_has_its_library_and_threads() -> None:
    """Two libraries are both named, in an order of their own; one that cannot be listed is said to be so."""
    pools = [
        {"user_api": "blas", "internal_api": "openblas", "version": version, "architecture": "Zen", "num_threads": 2}
        for version in ("0.3.31", "0.3.30")
    ]
    key = profile_key("numpy", 2, "float64", host("Haiku"), lambda: pools)
    assert (key.backend, key.threads, key.dtype) == ("numpy", 2, "float64")
    assert key.versions["blas"] == "openblas 0.3.30 Zen, openblas 0.3.31 Zen"
    assert key == profile_key("numpy", 2, "float64", host("Haiku"), lambda: pools[::-1])
    assert profile_key("numpy", 1, "float32", host("Haiku"), list).versions["blas"] == "unlisted"


@pytest.mark.parametrize("threads", [1, 2])
def test_a_key_of_mlx_has_one_thread_and_its_device(threads: int) -> None:
    """MLX has no setting for threads, so profiles do not differ by them."""
    key = profile_key("mlx-cpu", threads, host=host("Haiku"))
    assert key.threads == 1
    assert key.versions["device"] == "cpu"
    assert set(key.versions) >= {"mlx", "device"}


@pytest.mark.parametrize("backend", ["numpy", "mlx-cpu"])
def test_this_machine_is_itself(backend: str) -> None:
    """Asked twice, the real readers give one key, and a profile kept under it is not stale."""
    assert profile_key(backend, 1).stale_reasons(profile_key(backend, 1)) == ()
