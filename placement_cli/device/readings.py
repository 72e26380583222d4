"""What a host tells: the facts that stay and the state of the moment. None means that it does not tell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class Thermal(StrEnum):
    """How far heat holds the machine back, mildest first, in the words of `OSThermalNotification.h`."""

    NOMINAL = "nominal"
    MODERATE = "moderate"
    HEAVY = "heavy"
    TRAPPING = "trapping"
    SLEEPING = "sleeping"
    UNKNOWN = "unknown"
    """No reading. Says nothing about heat, least of all that there is none."""


@dataclass(frozen=True, slots=True)
class HostFacts:
    """Facts that are equal in two runs on one set-up, also after a reboot.

    `core_kinds` counts the physical cores of each kind, by the name the system gives the kind. `virtual`
    tells whether the system runs as a virtual machine. `wired_limit_bytes` is the limit a user set for memory
    that the GPU may wire on macOS; 0 leaves it to the system. `governor` is what sets CPU frequencies on
    Linux.
    """

    os: str
    os_version: str | None = None
    os_build: str | None = None
    chip: str | None = None
    cpu_physical: int | None = None
    cpu_logical: int | None = None
    core_kinds: Mapping[str, int] = field(default_factory=dict)
    gpu_cores: int | None = None
    ram_bytes: int | None = None
    wired_limit_bytes: int | None = None
    governor: str | None = None
    virtual: bool | None = None


@dataclass(frozen=True, slots=True)
class HostState:
    """The state of the moment: read before and after a block, and stored with it.

    `load1` is the load average of the last minute, `on_ac` false on battery, `free_memory_bytes` what
    programs can have without swapping. `temperature_celsius` is the hottest sensor, `frequency_hz` the
    fastest core.
    """

    load1: float | None = None
    thermal: Thermal = Thermal.UNKNOWN
    on_ac: bool | None = None
    low_power: bool | None = None
    free_memory_bytes: int | None = None
    temperature_celsius: float | None = None
    frequency_hz: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the state as plain JSON values."""
        return asdict(self) | {"thermal": str(self.thermal)}


_WHOLE = re.compile(r"-?[0-9]{1,18}")


def whole_number(text: str | None) -> int | None:
    """Return the text as a whole number of at most 18 digits; None when it is anything else."""
    stripped = (text or "").strip()
    return int(stripped) if _WHOLE.fullmatch(stripped) else None
