"""The environment of a run: facts that must be equal for runs to compare, and a reader of what moves."""

from __future__ import annotations

import importlib.metadata
import math
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from placement_cli.device import darwin, linux
from placement_cli.device.host import Host, this_host
from placement_cli.device.interface import DeviceFacts
from placement_cli.device.readings import HostFacts, HostState, Thermal
from placement_cli.device.threads import blas_facts

VARIABLE_PREFIX = "MLX_"
OTHER_VARIABLES = (
    "CUDA_VISIBLE_DEVICES",
    "MTL_CAPTURE_ENABLED",
    "MTL_DEBUG_LAYER",
    "MTL_SHADER_VALIDATION",
)
"""Variables that change how MLX or the drivers below it work, besides MLX's own."""

PATH_VALUE = "<path>"
"""Stands for a variable's value that is a path: that it is set matters, whose folder it is does not."""

RAM_GRAIN_BYTES = 64 * 2**20
"""Memory sizes are rounded to this: what Linux counts as total differs by some MiB from boot to boot."""

ReadBlas = Callable[[Mapping[str, str]], Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class Environment:
    """Where a run was measured.

    `stable` holds plain JSON values with sorted keys, equal for two runs on one set-up even across reboots;
    what is not known is None. Its fingerprint decides whether runs compare. `read_state` reads what moves; it
    takes some milliseconds and never raises.
    """

    stable: Mapping[str, Any]
    read_state: Callable[[], HostState]


def collect_environment(
    device: DeviceFacts,
    host: Host | None = None,
    env: Mapping[str, str] | None = None,
    read_blas: ReadBlas = blas_facts,
) -> Environment:
    """Collect what is known of the device, the libraries, the variables and the computer.

    Pin the BLAS threads first: their number is one of the facts. `host`, `env` (the variables of the process)
    and `read_blas` are replaced in tests.
    """
    asked = this_host() if host is None else host
    variables = os.environ if env is None else env
    facts = _read_facts(asked)
    stable = _host_part(facts) | _software_part(variables, read_blas) | _device_part(device, facts)
    return Environment(_plain(stable), lambda: _read_state(device, asked, facts))


def _read_facts(host: Host) -> HostFacts:
    if host.system == "Darwin":
        return darwin.read_facts(host)
    if host.system == "Linux":
        return linux.read_facts(host)
    cores, threads = host.cpu_count(logical=False), host.cpu_count(logical=True)
    return HostFacts(host.system, cpu_physical=cores, cpu_logical=threads, ram_bytes=host.ram_bytes())


def _read_state(device: DeviceFacts, host: Host, facts: HostFacts) -> HostState:
    if host.system == "Darwin":
        return darwin.read_state(host, facts)
    if host.system != "Linux":
        return HostState(host.load1(), free_memory_bytes=host.free_memory_bytes())
    state = linux.read_state(host)
    if device.backend == "cuda" and state.thermal is Thermal.NOMINAL:
        # The kernel speaks for the CPU alone: a cool CPU says nothing about a graphics card.
        return replace(state, thermal=Thermal.UNKNOWN)
    return state


def _host_part(facts: HostFacts) -> dict[str, Any]:
    return {
        "chip": facts.chip,
        "core_kinds": facts.core_kinds,
        "cpu_logical": facts.cpu_logical,
        "cpu_physical": facts.cpu_physical,
        "governor": facts.governor,
        "gpu_cores": facts.gpu_cores,
        "os": facts.os,
        "os_build": facts.os_build,
        "os_version": facts.os_version,
        "ram_bytes": _rounded(facts.ram_bytes),
        "virtual": facts.virtual,
    }


def _software_part(env: Mapping[str, str], read_blas: ReadBlas) -> dict[str, Any]:
    return {
        "architecture": platform.machine(),
        "blas": read_blas(env),
        "numpy": importlib.metadata.version("numpy"),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "vars": _variables(env),
    }


def _device_part(device: DeviceFacts, facts: HostFacts) -> dict[str, Any]:
    said = device.facts()
    return {
        "backend": device.backend,
        "device": device.name,
        "device_info": said.get("device_info"),
        "limits": {
            "memory_bytes": _rounded(said.get("memory_limit_bytes")),
            "wired_bytes": facts.wired_limit_bytes,
        },
        "mlx": said.get("mlx"),
    }


def _variables(env: Mapping[str, str]) -> dict[str, str]:
    chosen = {name for name in env if name.startswith(VARIABLE_PREFIX) or name in OTHER_VARIABLES}
    return {name: PATH_VALUE if os.sep in env[name] else env[name] for name in chosen}


def _rounded(size_bytes: int | None) -> int | None:
    return None if size_bytes is None else round(size_bytes / RAM_GRAIN_BYTES) * RAM_GRAIN_BYTES


def _plain(value: Any) -> Any:
    """Return the value as JSON has it: keys sorted, no NaN or Infinity, anything unknown as its text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(value[key]) for key in sorted(value, key=str)}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
