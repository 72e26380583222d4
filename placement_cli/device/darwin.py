"""What macOS tells of itself, with its own commands and without root.

`pmset -g therm` and `ProcessInfo.thermalState` are not used: the first reports nothing on Apple silicon, the
second lags behind and sticks. The thermal pressure level is a private notification that needs no root.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from placement_cli.device.host import Host
from placement_cli.device.readings import HostFacts, HostState, Thermal, whole_number

PERFORMANCE_LEVELS = range(4)
"""Kinds of cores that are asked for; the most seen on one chip is three."""

UNNAMED_KINDS = {0: "Performance", 1: "Efficiency"}
"""What the levels were before macOS named them in `hw.perflevel*.name`; chips since have had other kinds."""

SYSCTL_NAMES = (
    "machdep.cpu.brand_string",
    "hw.ncpu",
    "hw.physicalcpu",
    "hw.logicalcpu",
    "hw.memsize",
    "iogpu.wired_limit_mb",
    "kern.hv_vmm_present",
    *(f"hw.perflevel{level}.{leaf}" for level in PERFORMANCE_LEVELS for leaf in ("name", "physicalcpu")),
)

# With -i, names that this version of macOS does not know are left out; otherwise the command fails.
SYSCTL = ("/usr/sbin/sysctl", "-i", *SYSCTL_NAMES)
SW_VERS = ("/usr/bin/sw_vers",)
DISPLAYS = ("/usr/sbin/system_profiler", "SPDisplaysDataType", "-json")
ACCELERATOR = ("/usr/sbin/ioreg", "-r", "-d", "1", "-w", "0", "-c", "IOAccelerator")
POWER_SETTINGS = ("/usr/bin/pmset", "-g")
POWER_SOURCE = ("/usr/bin/pmset", "-g", "batt")
THERMAL_KEY = "com.apple.system.thermalpressurelevel"
THERMAL_LEVEL = ("/usr/bin/notifyutil", "-g", THERMAL_KEY)

LEVELS = (Thermal.NOMINAL, Thermal.MODERATE, Thermal.HEAVY, Thermal.TRAPPING, Thermal.SLEEPING)
"""The levels 0 to 4 of `OSThermalNotification.h` on macOS; other systems of Apple count differently."""

MIB = 2**20


def read_facts(host: Host) -> HostFacts:
    """Read what stays the same; starts four commands at most."""
    values = _pairs(host.run(SYSCTL))
    version = _pairs(host.run(SW_VERS))
    wired_mib = whole_number(values.get("iogpu.wired_limit_mb"))
    return HostFacts(
        os=version.get("ProductName") or "macOS",
        os_version=version.get("ProductVersion"),
        os_build=version.get("BuildVersion"),
        chip=values.get("machdep.cpu.brand_string"),
        cpu_physical=whole_number(values.get("hw.physicalcpu")),
        cpu_logical=whole_number(values.get("hw.logicalcpu") or values.get("hw.ncpu")),
        core_kinds=_core_kinds(values),
        gpu_cores=_gpu_cores(host),
        ram_bytes=whole_number(values.get("hw.memsize")),
        wired_limit_bytes=None if wired_mib is None else wired_mib * MIB,
        virtual={"0": False, "1": True}.get(values.get("kern.hv_vmm_present", "")),
    )


def read_state(host: Host, facts: HostFacts) -> HostState:
    """Read the state of the moment; starts three short commands. Temperature and clocks would need root."""
    return HostState(
        load1=host.load1(),
        thermal=_thermal(host.run(THERMAL_LEVEL), facts),
        on_ac=_on_ac(host.run(POWER_SOURCE)),
        low_power=_low_power(host.run(POWER_SETTINGS)),
        free_memory_bytes=host.free_memory_bytes(),
    )


def _pairs(text: str | None) -> dict[str, str]:
    """Read lines of `name: value`; lines of another form and empty values are left out."""
    split = (line.split(":", 1) for line in (text or "").splitlines() if ":" in line)
    return {name.strip(): value.strip() for name, value in split if value.strip()}


def _core_kinds(values: Mapping[str, str]) -> dict[str, int]:
    kinds: dict[str, int] = {}
    for level in PERFORMANCE_LEVELS:
        cores = whole_number(values.get(f"hw.perflevel{level}.physicalcpu"))
        if cores is not None:
            name = values.get(f"hw.perflevel{level}.name") or UNNAMED_KINDS.get(level, f"Level {level}")
            kinds[name] = cores
    return kinds


def _gpu_cores(host: Host) -> int | None:
    """Ask the system profiler, and the I/O registry when that is too slow or does not say."""
    cores = _profiled_cores(host.run(DISPLAYS))
    if cores is not None:
        return cores
    found = re.search(r'"gpu-core-count" = ([0-9]+)', host.run(ACCELERATOR) or "")
    return whole_number(found[1]) if found else None


def _profiled_cores(text: str | None) -> int | None:
    try:
        report: Any = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    cards = report.get("SPDisplaysDataType") if isinstance(report, dict) else None
    for card in cards if isinstance(cards, list) else ():
        cores = whole_number(str(card.get("sppci_cores", ""))) if isinstance(card, dict) else None
        if cores is not None:
            return cores
    return None


def _thermal(text: str | None, facts: HostFacts) -> Thermal:
    """Read `NAME LEVEL`.

    A name that nobody ever posted reads 0 too. So 0 counts as nominal only on Apple's own chips, where the
    level was seen to follow the load, and not in a virtual machine, whose guest is not told about the heat
    outside.
    """
    found = re.fullmatch(rf"{re.escape(THERMAL_KEY)} ([0-4])", (text or "").strip())
    if not found:
        return Thermal.UNKNOWN
    level = LEVELS[int(found[1])]
    posted = facts.virtual is False and (facts.chip or "").startswith("Apple ")
    return level if posted or level is not Thermal.NOMINAL else Thermal.UNKNOWN


def _on_ac(text: str | None) -> bool | None:
    found = re.match(r"Now drawing from '([^']+)'", text or "")
    sources = {"AC Power": True, "Battery Power": False, "UPS Power": False}
    return sources.get(found[1]) if found else None


def _low_power(text: str | None) -> bool | None:
    """Read `lowpowermode` (0 or 1), or `powermode`, which some machines have instead: 2 is high power."""
    found = dict(re.findall(r"^ (powermode|lowpowermode) +([012])$", text or "", re.MULTILINE))
    mode = found.get("powermode") or found.get("lowpowermode")
    return None if mode is None else mode == "1"
