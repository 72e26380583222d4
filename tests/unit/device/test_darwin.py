from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.device import darwin
from placement_cli.device.host import Host
from placement_cli.device.readings import HostFacts, HostState, Thermal

MakeHost = Callable[..., Host]
COMMANDS = (
    darwin.SYSCTL,
    darwin.SW_VERS,
    darwin.DISPLAYS,
    darwin.ACCELERATOR,
    darwin.POWER_SETTINGS,
    darwin.POWER_SOURCE,
    darwin.THERMAL_LEVEL,
)
APPLE = HostFacts("macOS", chip="Apple M4 Pro", virtual=False)
GIB = 2**30


def state_of(host: Host) -> HostState:
    """Read the state as a run does."""
    return darwin.read_state(host, darwin.read_facts(host))


def test_facts_of_an_m1_air(mac_host: MakeHost) -> None:
    """An older macOS gives its kinds of cores no names; they get those of the time."""
    assert darwin.read_facts(mac_host("m1-air")) == HostFacts(
        os="macOS",
        os_version="14.1",
        os_build="23B2073",
        chip="Apple M1",
        cpu_physical=8,
        cpu_logical=8,
        core_kinds={"Performance": 4, "Efficiency": 4},
        gpu_cores=7,
        ram_bytes=16 * GIB,
        wired_limit_bytes=0,
        virtual=False,
    )


def test_facts_of_an_m3_max(mac_host: MakeHost) -> None:
    """A wired limit set by hand is a fact, in bytes."""
    facts = darwin.read_facts(mac_host("m3-max"))
    assert facts.gpu_cores == 40
    assert facts.core_kinds == {"Performance": 12, "Efficiency": 4}
    assert facts.wired_limit_bytes == 114_688 * 2**20
    assert (facts.os_version, facts.os_build) == ("15.5", "24F74")


def test_facts_of_an_m4_pro(mac_host: MakeHost) -> None:
    """What no command tells is None, the rest is there."""
    facts = darwin.read_facts(mac_host("m4-pro"))
    assert facts.chip == "Apple M4 Pro"
    assert facts.core_kinds == {"Performance": 8, "Efficiency": 4}
    assert facts.ram_bytes == 24 * GIB
    assert facts.gpu_cores is None


@pytest.mark.parametrize(
    ("machine", "kinds"),
    [
        ("m5-pro", {"Super": 5, "Performance": 10}),
        ("m5-max", {"Super": 6, "Performance": 12}),
        ("m6", {"Super": 2, "Performance": 4, "Efficiency": 6}),
        ("intel-i7-9750h", {}),
    ],
)
def test_kinds_of_cores_keep_the_names_macos_gives_them(
    mac_host: MakeHost, machine: str, kinds: dict[str, int]
) -> None:
    """Chips have two or three kinds under different names, Intel's have one without a name."""
    assert darwin.read_facts(mac_host(machine)).core_kinds == kinds


@pytest.mark.parametrize(("machine", "cores"), [("m4", 10), ("m5-pro", 16)])
def test_the_registry_is_asked_when_the_profiler_is_silent(mac_host: MakeHost, machine: str, cores: int) -> None:
    """The system profiler may take too long; the I/O registry knows the GPU's cores too."""
    assert darwin.read_facts(mac_host(machine)).gpu_cores == cores


def test_the_registry_is_left_alone_when_the_profiler_answers(mac_host: MakeHost) -> None:
    """Of two sources the first that answers counts."""
    host = mac_host("m1-air", {darwin.ACCELERATOR: '"gpu-core-count" = 99'})
    assert darwin.read_facts(host).gpu_cores == 7


def test_facts_of_an_intel_mac(mac_host: MakeHost) -> None:
    """Threads and cores differ, graphics cards count no cores, and the GPU has no wired limit."""
    facts = darwin.read_facts(mac_host("intel-i7-9750h"))
    assert (facts.cpu_physical, facts.cpu_logical) == (6, 12)
    assert facts.os == "Mac OS X"
    assert facts.gpu_cores is None
    assert facts.wired_limit_bytes is None


def test_state_of_a_laptop_on_battery(mac_host: MakeHost) -> None:
    """All that macOS tells without root is read."""
    assert state_of(mac_host("m1-air")) == HostState(
        load1=0.5,
        thermal=Thermal.NOMINAL,
        on_ac=False,
        low_power=False,
        free_memory_bytes=8 * GIB,
    )


def test_state_of_a_hot_laptop_in_low_power_mode(mac_host: MakeHost) -> None:
    """Heat and low-power mode are told apart from mains power."""
    state = state_of(mac_host("m3-max"))
    assert (state.thermal, state.on_ac, state.low_power) == (Thermal.HEAVY, True, True)


def test_high_power_mode_is_not_low_power_mode(mac_host: MakeHost) -> None:
    """Machines that have a high-power mode count 0, 1, 2 under another name."""
    state = state_of(mac_host("m4-pro"))
    assert (state.thermal, state.on_ac, state.low_power) == (Thermal.MODERATE, True, False)


@pytest.mark.parametrize(
    ("level", "thermal"),
    [
        (0, Thermal.NOMINAL),
        (1, Thermal.MODERATE),
        (2, Thermal.HEAVY),
        (3, Thermal.TRAPPING),
        (4, Thermal.SLEEPING),
    ],
)
def test_every_thermal_level_has_its_word(mac_host: MakeHost, level: int, thermal: Thermal) -> None:
    """The five levels of macOS are read in order."""
    host = mac_host("", {darwin.THERMAL_LEVEL: f"{darwin.THERMAL_KEY} {level}\n"})
    assert darwin.read_state(host, APPLE).thermal is thermal


@pytest.mark.parametrize(
    "printed",
    [
        None,
        "",
        "0",
        f"{darwin.THERMAL_KEY} ",
        f"{darwin.THERMAL_KEY} 5",
        f"{darwin.THERMAL_KEY} 30",
        f"{darwin.THERMAL_KEY} -1",
        f"{darwin.THERMAL_KEY}: Failed with code 9",
        "com.apple.system.lowpowermode 0",
    ],
)
def test_anything_but_a_level_is_unknown_and_never_nominal(mac_host: MakeHost, printed: str | None) -> None:
    """A missing command, a failure, a level of another system: none says that the machine is cool."""
    host = mac_host("m1-air", {darwin.THERMAL_LEVEL: printed})
    assert state_of(host).thermal is Thermal.UNKNOWN


@pytest.mark.parametrize("machine", ["virtual", "intel-i7-9750h", "m5-pro"])
def test_a_zero_that_nobody_may_have_posted_is_unknown(mac_host: MakeHost, machine: str) -> None:
    """A name that was never posted reads 0, as in a virtual machine or where the machine is not known."""
    host = mac_host(machine, {darwin.THERMAL_LEVEL: f"{darwin.THERMAL_KEY} 0\n"})
    assert state_of(host).thermal is Thermal.UNKNOWN


def test_a_level_above_zero_is_believed_everywhere(mac_host: MakeHost) -> None:
    """Somebody must have posted it."""
    host = mac_host("virtual", {darwin.THERMAL_LEVEL: f"{darwin.THERMAL_KEY} 2\n"})
    assert state_of(host).thermal is Thermal.HEAVY


@pytest.mark.parametrize(
    ("printed", "on_ac"),
    [
        ("Now drawing from 'AC Power'\n", True),
        ("Now drawing from 'UPS Power'\n", False),
        ("Now drawing from 'Something New'\n", None),
        (" -InternalBattery-0\t100%; charged; 'AC Power'\n", None),
        ("", None),
    ],
)
def test_the_power_source_is_the_one_macos_names(mac_host: MakeHost, printed: str, on_ac: bool | None) -> None:
    """Only the first line decides, and only with a source that is known."""
    assert state_of(mac_host("m1-air", {darwin.POWER_SOURCE: printed})).on_ac is on_ac


@pytest.mark.parametrize(
    ("printed", "low_power"),
    [
        (" powermode            1\n", True),
        (" lowpowermode         1\n powermode            0\n", False),
        (" lowpowermode         7\n", None),
        (" sleep                1\n", None),
    ],
)
def test_the_newer_name_of_the_power_mode_decides(mac_host: MakeHost, printed: str, low_power: bool | None) -> None:
    """Where both names are printed the tri-state one counts; other values are not guessed at."""
    assert state_of(mac_host("m1-air", {darwin.POWER_SETTINGS: printed})).low_power is low_power


def test_a_mac_without_any_command_tells_next_to_nothing(mac_host: MakeHost) -> None:
    """When every command is missing, fails or times out, all is unknown and nothing raises."""
    assert darwin.read_facts(mac_host()) == HostFacts("macOS")
    assert state_of(mac_host()) == HostState(load1=0.5, free_memory_bytes=8 * GIB)


@pytest.mark.parametrize("argv", COMMANDS)
def test_one_missing_command_costs_its_own_facts_alone(mac_host: MakeHost, argv: Sequence[str]) -> None:
    """Without one command the others are still read."""
    host = mac_host("m3-max", {argv: None})
    facts = darwin.read_facts(host)
    assert facts.chip == "Apple M3 Max" or argv == darwin.SYSCTL
    assert facts.os_build == "24F74" or argv == darwin.SW_VERS
    assert state_of(host).on_ac is True or argv == darwin.POWER_SOURCE


@pytest.mark.parametrize(
    "printed",
    [
        "[]",
        "null",
        "{}",
        '{"SPDisplaysDataType": 7}',
        '{"SPDisplaysDataType": ["card", {"sppci_cores": "many"}, {"sppci_cores": null}]}',
        "[" * 100_000,
    ],
)
def test_a_report_of_another_form_tells_no_gpu_cores(mac_host: MakeHost, printed: str) -> None:
    """JSON that is valid, but not the report, gives None."""
    assert darwin.read_facts(mac_host("m1-air", {darwin.DISPLAYS: printed})).gpu_cores is None


@pytest.mark.parametrize("argv", COMMANDS)
@given(printed=st.text())
@settings(deadline=None, max_examples=40)
def test_junk_from_a_command_never_raises(mac_host: MakeHost, argv: Sequence[str], printed: str) -> None:
    """Whatever one command prints, facts and state are read, and heat is not called nominal because of it."""
    host = mac_host("m4-pro", {argv: printed})
    facts = darwin.read_facts(host)
    assert facts.ram_bytes is None or facts.ram_bytes == 24 * GIB or argv == darwin.SYSCTL
    assert state_of(host).thermal in (Thermal.MODERATE, Thermal.UNKNOWN)


@given(st.lists(st.tuples(st.sampled_from(darwin.SYSCTL_NAMES), st.text()), max_size=8))
@settings(deadline=None)
def test_junk_values_of_known_names_never_raise(mac_host: MakeHost, values: list[tuple[str, str]]) -> None:
    """Values that are no numbers give None under every name."""
    printed = "".join(f"{name}: {value}\n" for name, value in values)
    facts = darwin.read_facts(mac_host("", {darwin.SYSCTL: printed}))
    assert all(isinstance(cores, int) for cores in facts.core_kinds.values())
    assert facts.virtual in (True, False, None)
