"""What this set-up is, as the key that a profile of it carries."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from placement_cli.device import darwin, linux
from placement_cli.device.host import Host, this_host
from placement_cli.device.threads import numpy_pools
from placement_cli.profile.key import ProfileKey


def profile_key(
    backend: str,
    threads: int,
    dtype: str = "float32",
    host: Host | None = None,
    read_pools: Callable[[], Sequence[Mapping[str, Any]]] | None = None,
) -> ProfileKey:
    """Return the key of profiles that hold for `backend` with `threads` BLAS threads on this machine.

    MLX has no such setting: its key always says one thread. `host` and `read_pools` are replaced in tests.
    """
    versions = _numpy_versions(read_pools) if backend == "numpy" else _mlx_versions(backend)
    return ProfileKey(machine(host or this_host()), backend, threads if backend == "numpy" else 1, dtype, versions)


def machine(host: Host) -> str:
    """Return the chip with its cores, such as `AMD EPYC, 2 cores`; what is not known is said to be unknown."""
    readers = {"Darwin": darwin.read_facts, "Linux": linux.read_facts}
    reader = readers.get(host.system)
    facts = reader(host) if reader else None
    chip = (facts.chip if facts else None) or f"unknown {host.system} chip"
    cores = facts.cpu_logical if facts else host.cpu_count(logical=True)
    return f"{chip}, {cores} cores" if cores else chip


def _numpy_versions(read_pools: Callable[[], Sequence[Mapping[str, Any]]] | None) -> dict[str, str]:
    pools = numpy_pools(read_pools)
    names = {" ".join(str(pool[key]) for key in _NAMED if pool.get(key)) for pool in pools}
    return {"numpy": importlib.metadata.version("numpy"), "blas": ", ".join(sorted(names)) or "unlisted"}


_NAMED = ("internal_api", "version", "architecture")


def _mlx_versions(backend: str) -> dict[str, str]:
    from placement_cli.device.mlx_device import open_device

    device = open_device(backend.removeprefix("mlx-"))
    info = device.facts().get("device_info")
    name = info.get("device_name", "") if isinstance(info, Mapping) else ""
    versions = {"mlx": importlib.metadata.version("mlx"), "device": device.backend}
    return versions | ({"chip": str(name)} if name else {})
