"""What Linux tells of itself in /proc, /sys and /etc, without root."""

from __future__ import annotations

import re
from collections.abc import Iterable

from placement_cli.device.host import Host
from placement_cli.device.readings import HostFacts, HostState, Thermal, whole_number

CPUINFO = "/proc/cpuinfo"
OS_RELEASE = "/etc/os-release"
KERNEL_RELEASE = "/proc/sys/kernel/osrelease"
CPUFREQ = "/sys/devices/system/cpu/cpu[0-9]*/cpufreq"
GOVERNOR = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
PLATFORM_PROFILE = "/sys/firmware/acpi/platform_profile"
THERMAL_ZONES = "/sys/class/thermal/thermal_zone*"
COOLING_DEVICES = "/sys/class/thermal/cooling_device*"
POWER_SUPPLIES = "/sys/class/power_supply/*"

FREQUENCIES_AT_MOST = 16
"""Cores whose clock is read: each reading may wake the core, and a server has hundreds."""

CPU_THROTTLES = ("Processor", "cpufreq-", "thermal-cpufreq-")
"""How the types of those cooling devices begin that slow the CPU down; fans and displays are none."""

CPU_MHZ = re.compile(r"^cpu MHz\s*: ([0-9]{1,6}\.[0-9]{1,6})$", re.MULTILINE)
"""A core's clock in /proc/cpuinfo."""

SANE_MILLIDEGREES = range(1, 150_001)
"""Sensors and trip points that are not wired up read 0, -273000 or -274000."""


def read_facts(host: Host) -> HostFacts:
    """Read what stays the same."""
    cpu = _pairs(host.read_file(CPUINFO), ":")
    release = _pairs(host.read_file(OS_RELEASE), "=")
    return HostFacts(
        os=release.get("NAME") or "Linux",
        os_version=release.get("VERSION_ID"),
        os_build=_word(host, KERNEL_RELEASE),
        chip=_chip(cpu),
        cpu_physical=host.cpu_count(logical=False),
        cpu_logical=host.cpu_count(logical=True),
        ram_bytes=host.ram_bytes(),
        governor=_word(host, GOVERNOR),
        virtual="hypervisor" in cpu["flags"].split() if "flags" in cpu else None,
    )


def read_state(host: Host) -> HostState:
    """Read the state of the moment."""
    zones = {path: _number(host, f"{path}/temp") for path in host.list_files(THERMAL_ZONES)}
    sane = {path: temp for path, temp in zones.items() if temp is not None and temp in SANE_MILLIDEGREES}
    return HostState(
        load1=host.load1(),
        thermal=_thermal(host, sane),
        on_ac=_on_ac(host),
        low_power=_low_power(host),
        free_memory_bytes=host.free_memory_bytes(),
        temperature_celsius=max(sane.values()) / 1000 if sane else None,
        frequency_hz=_frequency_hz(host),
    )


def _pairs(text: str | None, separator: str) -> dict[str, str]:
    """Read lines of `name SEPARATOR value` without quotes around it; of equal names the first counts."""
    pairs: dict[str, str] = {}
    for line in (text or "").splitlines():
        name, found, value = line.partition(separator)
        if found and value.strip(" \t\"'"):
            pairs.setdefault(name.strip(), value.strip(" \t\"'"))
    return pairs


def _chip(cpu: dict[str, str]) -> str | None:
    """Name the processor: x86 has a model name, some ARM boards name themselves, others have numbers."""
    for name in ("model name", "Model", "Hardware"):
        if name in cpu:
            return cpu[name]
    if "CPU implementer" in cpu and "CPU part" in cpu:
        return f"ARM implementer {cpu['CPU implementer']} part {cpu['CPU part']}"
    return None


def _thermal(host: Host, zones: dict[str, int]) -> Thermal:
    """Combine what the kernel does against heat with the trip points that are passed.

    Nominal needs a cooling device that could slow the CPU down and does not: a low temperature alone does not
    show that nothing throttles.
    """
    tripped = {kind for path, temp in zones.items() for kind in _tripped(host, path, temp)}
    if "critical" in tripped:
        return Thermal.TRAPPING
    states = list(_throttle_states(host))
    if "hot" in tripped or any(current >= highest for current, highest in states):
        return Thermal.HEAVY
    if not states:
        return Thermal.UNKNOWN
    return Thermal.MODERATE if any(current > 0 for current, _ in states) else Thermal.NOMINAL


def _tripped(host: Host, zone: str, temp: int) -> Iterable[str]:
    for path in host.list_files(f"{zone}/trip_point_*_temp"):
        limit = _number(host, path)
        if limit is not None and limit in SANE_MILLIDEGREES and temp >= limit:
            yield _word(host, path.removesuffix("_temp") + "_type") or ""


def _throttle_states(host: Host) -> Iterable[tuple[int, int]]:
    """Yield the current and the highest state of each device that can slow the CPU down."""
    for path in host.list_files(COOLING_DEVICES):
        current, highest = _number(host, f"{path}/cur_state"), _number(host, f"{path}/max_state")
        kind = _word(host, f"{path}/type") or ""
        if kind.startswith(CPU_THROTTLES) and current is not None and highest is not None and highest > 0:
            yield current, highest


def _on_ac(host: Host) -> bool | None:
    """Look at the mains first, then at the system's batteries.

    A USB supply counts only while it feeds: a graphics card's USB socket is one that never does. Batteries of
    mice and pens have the scope Device.
    """
    supplies = host.list_files(POWER_SUPPLIES)
    online = [(_word(host, f"{path}/type"), _word(host, f"{path}/online")) for path in supplies]
    if ("Mains", "1") in online or ("USB", "1") in online:
        return True
    if ("Mains", "0") in online:
        return False
    own = [path for path in supplies if _word(host, f"{path}/type") == "Battery"]
    own = [path for path in own if _word(host, f"{path}/scope") != "Device"]
    statuses = {_word(host, f"{path}/status") for path in own}
    if "Discharging" in statuses:
        return False
    return True if statuses & {"Charging", "Full", "Not charging"} else None


def _low_power(host: Host) -> bool | None:
    profile = _word(host, PLATFORM_PROFILE)
    return None if profile is None else profile == "low-power"


def _frequency_hz(host: Host) -> float | None:
    """Return the clock of the fastest core; idle ones may read 0."""
    folders = host.list_files(CPUFREQ)[:FREQUENCIES_AT_MOST]
    if folders:
        clocks = [(_number(host, f"{folder}/scaling_cur_freq") or 0) * 1e3 for folder in folders]
    else:
        clocks = [float(mhz) * 1e6 for mhz in CPU_MHZ.findall(host.read_file(CPUINFO) or "")]
    return max((clock for clock in clocks if clock > 0), default=None)


def _word(host: Host, path: str) -> str | None:
    """Return what the file holds, without the line's end; None when it is missing or empty."""
    return (host.read_file(path) or "").strip() or None


def _number(host: Host, path: str) -> int | None:
    return whole_number(host.read_file(path))
