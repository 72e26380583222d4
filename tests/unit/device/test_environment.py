import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.device import darwin, linux
from placement_cli.device.environment import PATH_VALUE, RAM_GRAIN_BYTES, Environment, collect_environment
from placement_cli.device.host import Host
from placement_cli.device.interface import Device
from placement_cli.device.readings import HostState, Thermal

MakeHost = Callable[..., Host]


@dataclass
class FakeDevice:
    """A device that only tells of itself."""

    name: str = "gpu"
    backend: str = "metal"
    told: Mapping[str, Any] = field(
        default_factory=lambda: {
            "mlx": "0.32.4",
            "device_info": {"device_name": "Apple M4 Pro", "architecture": "applegpu_g16s"},
            "memory_limit_bytes": 18 * 2**30,
        }
    )

    def facts(self) -> dict[str, Any]:
        """What it was given to tell."""
        return dict(self.told)


def read_blas(env: Mapping[str, str]) -> Sequence[Mapping[str, Any]]:
    """One pinned library."""
    return [{"library": "accelerate", "kernel": None, "threads": 1, "version": None}]


def collect(host: Host, device: FakeDevice | None = None, env: Mapping[str, str] | None = None) -> Environment:
    """Collect from fakes alone."""
    return collect_environment(cast(Device, device or FakeDevice()), host, env or {}, read_blas)


def keys_in_order(value: Any) -> bool:
    """Tell whether every mapping in a document has its keys sorted."""
    if isinstance(value, dict):
        return list(value) == sorted(value) and all(map(keys_in_order, value.values()))
    return not isinstance(value, list) or all(map(keys_in_order, value))


def test_a_mac_is_told_in_full(mac_host: MakeHost) -> None:
    """The facts of chip, system, device and libraries stand together under fixed keys."""
    stable = collect(mac_host("m4-pro"), env={"MLX_MAX_OPS_PER_BUFFER": "100"}).stable
    assert stable["chip"] == "Apple M4 Pro"
    assert stable["core_kinds"] == {"Efficiency": 4, "Performance": 8}
    assert (stable["os"], stable["os_version"], stable["os_build"]) == ("macOS", "26.5.2", "25F84")
    assert stable["ram_bytes"] == 24 * 2**30
    assert (stable["mlx"], stable["backend"], stable["device"]) == ("0.32.4", "metal", "gpu")
    assert stable["device_info"] == {"architecture": "applegpu_g16s", "device_name": "Apple M4 Pro"}
    assert stable["limits"] == {"memory_bytes": 18 * 2**30, "wired_bytes": 0}
    assert stable["blas"] == [{"kernel": None, "library": "accelerate", "threads": 1, "version": None}]
    assert stable["vars"] == {"MLX_MAX_OPS_PER_BUFFER": "100"}


@pytest.mark.parametrize("machine", ["m1-air", "m3-max", "m6", "intel-i7-9750h", "virtual", ""])
def test_stable_facts_are_plain_and_sorted(mac_host: MakeHost, machine: str) -> None:
    """On every machine the facts are JSON without NaN, keys in order, and the same keys everywhere."""
    stable = collect(mac_host(machine)).stable
    assert json.loads(json.dumps(stable, allow_nan=False)) == stable
    assert keys_in_order(stable)
    assert stable.keys() == collect(mac_host("m4-pro")).stable.keys()


def test_nothing_that_moves_is_a_stable_fact(mac_host: MakeHost) -> None:
    """Load, free memory, heat and power change between runs; the stable facts do not."""
    host = mac_host("m3-max")
    moved = {
        darwin.THERMAL_LEVEL: f"{darwin.THERMAL_KEY} 4\n",
        darwin.POWER_SOURCE: "Now drawing from 'Battery Power'\n",
        darwin.POWER_SETTINGS: " lowpowermode         0\n",
    }

    class Busy:
        """Counters of the same machine under load."""

        def cpu_count(self, logical: bool = True) -> int | None:
            """The same as ever."""
            return host.counters.cpu_count(logical)

        def virtual_memory(self) -> Any:
            """As much memory, little of it free."""
            memory = host.counters.virtual_memory()
            memory.available = 1
            return memory

        def getloadavg(self) -> tuple[float, float, float]:
            """A high load."""
            return (99.0, 99.0, 99.0)

    later = replace(mac_host("m3-max", moved), counters=Busy())
    before, after = collect(host), collect(later)
    assert before.stable == after.stable
    assert before.read_state() != after.read_state()


def test_a_machine_of_linux_is_told_with_its_governor(linux_host: MakeHost) -> None:
    """Keys that only one system fills are None on the other."""
    stable = collect(linux_host("amd-desktop")).stable
    assert stable["governor"] == "powersave"
    assert stable["gpu_cores"] is None
    assert stable["limits"]["wired_bytes"] is None


def test_memory_that_differs_by_a_boot_is_the_same_memory(linux_host: MakeHost) -> None:
    """Linux counts some MiB more or less as its own; the sizes are rounded to a coarser grain."""
    stable = collect(linux_host("epyc-vm"), FakeDevice(told={"memory_limit_bytes": 3 * 2**30 + 5_000_000})).stable
    assert stable["limits"]["memory_bytes"] == 3 * 2**30
    assert stable["ram_bytes"] % RAM_GRAIN_BYTES == 0


def test_only_variables_that_change_measurements_are_kept(mac_host: MakeHost) -> None:
    """MLX's own and the drivers' variables count; the rest of the environment is nobody's business."""
    env = {
        "MLX_BFS_MAX_WIDTH": "50",
        "MLX_PTX_CACHE_DIR": f"{os.sep}home{os.sep}somebody{os.sep}cache",
        "MTL_DEBUG_LAYER": "1",
        "CUDA_VISIBLE_DEVICES": "0",
        "HOME": "somewhere",
        "AWS_SECRET_ACCESS_KEY": "secret",
    }
    assert collect(mac_host("m4-pro"), env=env).stable["vars"] == {
        "CUDA_VISIBLE_DEVICES": "0",
        "MLX_BFS_MAX_WIDTH": "50",
        "MLX_PTX_CACHE_DIR": PATH_VALUE,
        "MTL_DEBUG_LAYER": "1",
    }


def test_a_cool_cpu_says_nothing_about_a_graphics_card(linux_host: MakeHost) -> None:
    """With the work on a CUDA device the CPU's nominal is unknown, its heat still counts."""
    cuda = FakeDevice(backend="cuda")
    host = linux_host("msi-gl63")
    assert collect(host, FakeDevice("cpu", "cpu")).read_state().thermal is Thermal.NOMINAL
    assert collect(host, cuda).read_state().thermal is Thermal.UNKNOWN
    hot = linux_host("msi-gl63", {"/sys/class/thermal/cooling_device0/cur_state": "2"})
    assert collect(hot, cuda).read_state().thermal is Thermal.MODERATE


def test_a_mac_reads_its_state_when_asked(mac_host: MakeHost) -> None:
    """The state is read at the call, not when the environment is collected."""
    levels = ["0", "2"]

    def run(argv: Sequence[str]) -> str | None:
        if tuple(argv) == darwin.THERMAL_LEVEL:
            return f"{darwin.THERMAL_KEY} {levels.pop(0)}\n"
        return mac_host("m4-pro").run(argv)

    environment = collect(replace(mac_host("m4-pro"), run=run))
    assert environment.read_state().thermal is Thermal.NOMINAL
    assert environment.read_state().thermal is Thermal.HEAVY


def test_an_unknown_system_tells_what_its_counters_tell(mac_host: MakeHost) -> None:
    """On another system nothing is guessed, and nothing raises."""
    other = replace(mac_host(), system="Plan9")
    environment = collect(other)
    assert environment.stable["os"] == "Plan9"
    assert environment.stable["cpu_physical"] == 4
    assert environment.read_state() == HostState(load1=0.5, free_memory_bytes=8 * 2**30)


def test_the_state_is_plain_json(mac_host: MakeHost) -> None:
    """A state goes into documents as it is."""
    assert collect(mac_host("m3-max")).read_state().to_json() == {
        "load1": 0.5,
        "thermal": "heavy",
        "on_ac": True,
        "low_power": True,
        "free_memory_bytes": 8 * 2**30,
        "temperature_celsius": None,
        "frequency_hz": None,
    }


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.just(Thermal.HEAVY),
    lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=8,
)


@given(ANYTHING)
@settings(deadline=None)
def test_whatever_a_device_tells_becomes_plain_json(mac_host: MakeHost, told: Any) -> None:
    """Numbers that JSON lacks become None, other types their text, and keys are sorted."""
    stable = collect(mac_host("virtual"), FakeDevice(told={"device_info": told, "mlx": math.nan})).stable
    assert json.loads(json.dumps(stable, allow_nan=False)) == stable
    assert keys_in_order(stable)
    assert stable["mlx"] is None


def test_this_machine_tells_the_same_twice() -> None:
    """The real readers give equal facts on a second look, and a state."""
    device = cast(Device, FakeDevice("cpu", "cpu"))
    first, second = collect_environment(device), collect_environment(device)
    assert first.stable == second.stable
    assert isinstance(first.read_state(), HostState)
    assert first.stable["numpy"]


def test_linux_paths_are_not_read_on_a_mac(mac_host: MakeHost) -> None:
    """Each system is asked in its own way only."""

    def refuse(path: str) -> str | None:
        raise AssertionError(f"{path} was read on a Mac, {linux.CPUINFO} is of Linux")

    collect(replace(mac_host("m4-pro"), read_file=refuse)).read_state()
