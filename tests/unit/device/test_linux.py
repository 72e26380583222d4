from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.device import linux
from placement_cli.device.host import Host
from placement_cli.device.readings import HostFacts, HostState, Thermal

MakeHost = Callable[..., Host]
GIB = 2**30
COOLING = "/sys/class/thermal/cooling_device0"
ZONE = "/sys/class/thermal/thermal_zone1"
SUPPLY = "/sys/class/power_supply"


def test_facts_of_a_virtual_machine(linux_host: MakeHost) -> None:
    """A rented machine tells its processor, its system and that it is virtual."""
    assert linux.read_facts(linux_host("epyc-vm")) == HostFacts(
        os="Debian GNU/Linux",
        os_version="12",
        os_build="6.1.0-26-cloud-amd64",
        chip="AMD EPYC",
        cpu_physical=4,
        cpu_logical=8,
        ram_bytes=16 * GIB,
        virtual=True,
    )


@pytest.mark.parametrize(
    ("machine", "chip"),
    [
        ("raspberry-pi-5", "Raspberry Pi 5 Model B Rev 1.0"),
        ("grace", "ARM implementer 0x41 part 0xd4f"),
        ("thinkpad", "Intel(R) Core(TM) i5-2520M CPU @ 2.50GHz"),
    ],
)
def test_every_kind_of_processor_gets_a_name(linux_host: MakeHost, machine: str, chip: str) -> None:
    """x86 names its model, boards name themselves, other ARM cores have numbers."""
    assert linux.read_facts(linux_host(machine)).chip == chip


def test_a_machine_that_says_nothing_of_a_hypervisor_is_not_called_real(linux_host: MakeHost) -> None:
    """Only x86 tells in its flags whether it is virtual."""
    assert linux.read_facts(linux_host("grace")).virtual is None
    bare = linux_host("", {linux.CPUINFO: "flags\t\t: fpu vme de\n"})
    assert linux.read_facts(bare).virtual is False


def test_the_governor_is_a_fact_and_the_clock_is_state(linux_host: MakeHost) -> None:
    """The governor is a setting; the clock moves."""
    host = linux_host("amd-desktop")
    assert linux.read_facts(host).governor == "powersave"
    assert linux.read_state(host).frequency_hz == 550e6


def test_the_clock_is_that_of_the_fastest_core(linux_host: MakeHost) -> None:
    """Idle cores may read 0."""
    assert linux.read_state(linux_host("intel-desktop")).frequency_hz == pytest.approx(2_300_418e3)


def test_without_cpufreq_the_clock_is_in_cpuinfo(linux_host: MakeHost) -> None:
    """Machines without cpufreq tell their clock beside each processor."""
    assert linux.read_state(linux_host("thinkpad")).frequency_hz == pytest.approx(2352.036e6)


def test_few_cores_stand_for_many(linux_host: MakeHost) -> None:
    """A server has hundreds of cores; only some are asked."""
    files = {f"/sys/devices/system/cpu/cpu{n}/cpufreq/scaling_cur_freq": "1000000" for n in range(200)}
    asked: list[str] = []
    host = linux_host("", files)

    def read_file(path: str) -> str | None:
        asked.append(path)
        return host.read_file(path)

    linux.read_state(Host("Linux", read_file=read_file, list_files=host.list_files, counters=host.counters))
    assert len([path for path in asked if "cpufreq" in path]) == linux.FREQUENCIES_AT_MOST


def test_a_cool_machine_that_could_throttle_is_nominal(linux_host: MakeHost) -> None:
    """Nominal needs processors that can be slowed down and are not."""
    state = linux.read_state(linux_host("msi-gl63"))
    assert state.thermal is Thermal.NOMINAL
    assert state.temperature_celsius == 54.0


@pytest.mark.parametrize("machine", ["epyc-vm", "thinkpad", "toshiba", "amd-desktop"])
def test_without_such_processors_nothing_is_called_nominal(linux_host: MakeHost, machine: str) -> None:
    """A machine may be slow from heat at 96 degrees, or cool, and tell nothing: unknown."""
    assert linux.read_state(linux_host(machine)).thermal is Thermal.UNKNOWN


def test_fans_at_full_speed_do_not_slow_anything_down(linux_host: MakeHost) -> None:
    """Fans and displays are cooling devices too, but none that a measurement feels."""
    host = linux_host("msi-gl63", {f"{COOLING}/type": "Fan", f"{COOLING}/cur_state": "3"})
    assert linux.read_state(host).thermal is Thermal.NOMINAL


@pytest.mark.parametrize(("state", "thermal"), [("1", Thermal.MODERATE), ("3", Thermal.HEAVY)])
def test_a_processor_slowed_down_shows_how_far(linux_host: MakeHost, state: str, thermal: Thermal) -> None:
    """Part of the way is moderate, all of it heavy."""
    host = linux_host("msi-gl63", {f"{COOLING}/cur_state": state})
    assert linux.read_state(host).thermal is thermal


@pytest.mark.parametrize(
    ("kind", "thermal"),
    [
        ("active", Thermal.NOMINAL),
        ("passive", Thermal.NOMINAL),
        ("hot", Thermal.HEAVY),
        ("critical", Thermal.TRAPPING),
    ],
)
def test_a_trip_point_that_is_passed_counts_by_its_kind(linux_host: MakeHost, kind: str, thermal: Thermal) -> None:
    """Active ones start fans, passive ones let the kernel act if it must; the others are dangerous."""
    trip = {f"{ZONE}/trip_point_2_temp": "50000\n", f"{ZONE}/trip_point_2_type": f"{kind}\n"}
    assert linux.read_state(linux_host("msi-gl63", trip)).thermal is thermal


@pytest.mark.parametrize("limit", ["0", "-274000", "200000", "", "junk"])
def test_a_trip_point_that_is_not_wired_up_is_passed_over(linux_host: MakeHost, limit: str) -> None:
    """Zero, absolute zero and junk are no temperatures."""
    trip = {f"{ZONE}/trip_point_2_temp": limit, f"{ZONE}/trip_point_2_type": "critical"}
    assert linux.read_state(linux_host("msi-gl63", trip)).thermal is Thermal.NOMINAL


@pytest.mark.parametrize("temp", ["0", "-273000", "999000", "", "junk"])
def test_a_sensor_that_is_not_wired_up_has_no_temperature(linux_host: MakeHost, temp: str) -> None:
    """What is no temperature is not the hottest sensor either."""
    assert linux.read_state(linux_host("", {f"{ZONE}/temp": temp})).temperature_celsius is None


def test_a_laptop_on_usb_power_is_plugged_in(linux_host: MakeHost) -> None:
    """The battery may discharge under load; what counts is the supply that is online."""
    state = linux.read_state(linux_host("framework-13"))
    assert state.on_ac is True
    assert state.low_power is False


def test_a_laptop_with_all_supplies_off_is_on_battery(linux_host: MakeHost) -> None:
    """The same laptop without its plug."""
    off = {f"{SUPPLY}/ACAD/online": "0\n", f"{SUPPLY}/ucsi-source-psy-USBC000:004/online": "0\n"}
    assert linux.read_state(linux_host("framework-13", off)).on_ac is False


def test_the_socket_of_a_graphics_card_says_nothing_about_power(linux_host: MakeHost) -> None:
    """A USB supply that is off is no reason to think of a battery."""
    assert linux.read_state(linux_host("graphics-card")).on_ac is None


def test_the_battery_of_a_pen_says_nothing_about_power(linux_host: MakeHost) -> None:
    """A pen that is always full and online does not plug the laptop in."""
    assert linux.read_state(linux_host("hp-envy")).on_ac is False


def test_a_desktop_with_a_mouse_is_not_on_battery(linux_host: MakeHost) -> None:
    """A mouse that runs on its own battery says nothing about the computer."""
    mouse = f"{SUPPLY}/hidpp_battery_0"
    files = {f"{mouse}/type": "Battery\n", f"{mouse}/scope": "Device\n", f"{mouse}/status": "Discharging\n"}
    assert linux.read_state(linux_host("", files)).on_ac is None


@pytest.mark.parametrize(
    ("status", "on_ac"),
    [("Charging", True), ("Full", True), ("Not charging", True), ("Unknown", None)],
)
def test_a_battery_speaks_where_no_mains_are_listed(linux_host: MakeHost, status: str, on_ac: bool | None) -> None:
    """Some firmware lists no mains; a battery that does not discharge tells the same."""
    files = {f"{SUPPLY}/BAT0/type": "Battery\n", f"{SUPPLY}/BAT0/status": f"{status}\n"}
    assert linux.read_state(linux_host("", files)).on_ac is on_ac


@pytest.mark.parametrize(("profile", "low"), [("low-power\n", True), ("performance\n", False), ("", None)])
def test_the_platform_profile_tells_low_power(linux_host: MakeHost, profile: str, low: bool | None) -> None:
    """One profile saves power, the others do not, and an empty file tells nothing."""
    assert linux.read_state(linux_host("", {linux.PLATFORM_PROFILE: profile})).low_power is low


def test_a_system_without_files_tells_next_to_nothing(linux_host: MakeHost) -> None:
    """In a bare container all that is left are the counters."""
    facts = linux.read_facts(linux_host())
    assert facts == HostFacts("Linux", cpu_physical=4, cpu_logical=8, ram_bytes=16 * GIB)
    assert linux.read_state(linux_host()) == HostState(load1=0.5, free_memory_bytes=8 * GIB)


def test_quotes_of_os_release_are_removed(linux_host: MakeHost) -> None:
    """The file has the syntax of a shell; comments and empty values are left out."""
    text = "# a comment\nNAME='Fedora Linux'\nVERSION_ID=41\nBUILD_ID=\"\"\n"
    facts = linux.read_facts(linux_host("", {linux.OS_RELEASE: text}))
    assert (facts.os, facts.os_version) == ("Fedora Linux", "41")


FILES = (
    linux.CPUINFO,
    linux.OS_RELEASE,
    linux.KERNEL_RELEASE,
    linux.GOVERNOR,
    linux.PLATFORM_PROFILE,
    f"{COOLING}/cur_state",
    f"{COOLING}/max_state",
    f"{COOLING}/type",
    f"{ZONE}/temp",
    f"{ZONE}/trip_point_0_temp",
    f"{ZONE}/trip_point_0_type",
    f"{SUPPLY}/BAT0/type",
    f"{SUPPLY}/BAT0/status",
    f"{SUPPLY}/AC/online",
    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq",
)


@given(st.dictionaries(st.sampled_from(FILES), st.text() | st.integers().map(str), min_size=1))
@settings(deadline=None)
def test_junk_in_files_never_raises(linux_host: MakeHost, files: dict[str, str]) -> None:
    """Whatever is in the files, facts and state are read, and figures are in the range of the real."""
    host = linux_host("", files)
    facts, state = linux.read_facts(host), linux.read_state(host)
    assert facts.os
    assert state.temperature_celsius is None or 0 < state.temperature_celsius <= 150
    assert state.frequency_hz is None or state.frequency_hz > 0
