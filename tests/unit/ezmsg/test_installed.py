from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from typing import Any

import pytest

from placement_cli.errors import UsageError
from placement_cli.ezmsg import installed_version, upstream_plan, use_profile
from placement_cli.ezmsg.installed import MODULE, planner_module


def _uninstall(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)


def test_the_version_is_that_of_the_distribution() -> None:
    """It is read from metadata."""
    assert installed_version() == importlib.metadata.version("ezmsg-sigproc")


def test_without_ezmsg_sigproc_everything_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no version, and using the bridge is a usage error with the command to run."""
    _uninstall(monkeypatch)
    assert installed_version() is None
    for use in (use_profile, lambda: upstream_plan([[1.0]], 1, dispatched=False)):
        with pytest.raises(UsageError, match=r"pip install 'placement-cli\[ezmsg\]'"):
            use()


def test_a_version_without_the_module_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A version from before the planner is told apart from none at all."""
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "2.0.1")
    monkeypatch.setitem(sys.modules, MODULE, None)
    with pytest.raises(UsageError, match=rf"ezmsg-sigproc 2\.0\.1 cannot be used.*{MODULE}"):
        planner_module(names=[])


@pytest.mark.parametrize(
    ("name", "planner"), [("GATHER_COST_MACS", False), ("plan_block_matmul", True), ("BlockPlan", True)]
)
def test_a_version_without_a_name_is_named_with_it(
    name: str, planner: bool, monkeypatch: pytest.MonkeyPatch, shipped: dict[str, Any]
) -> None:
    """What is missing and which version was found are both in the message, and nothing was changed."""
    with monkeypatch.context() as patch:
        module = planner_module(names=[])
        patch.delattr(module, name)
        patch.setattr(importlib.metadata, "version", lambda _: "9.1")
        with pytest.raises(UsageError, match=rf"ezmsg-sigproc 9\.1 has no {name} in"):
            use_profile(planner=planner)
    assert {name: getattr(module, name) for name in shipped} == shipped


def test_constants_can_be_set_where_only_the_planner_has_another_name(
    monkeypatch: pytest.MonkeyPatch, blockdiag: Any
) -> None:
    """A name is only asked for by what needs it."""
    with monkeypatch.context() as patch:
        patch.delattr(blockdiag, "BlockPlan")
        use_profile().restore()


def test_importing_the_bridge_loads_neither_ezmsg_nor_array_libraries() -> None:
    """A command that offers the bridge starts as fast as without."""
    heavy = ["ezmsg", "numpy", "scipy", "mlx", "pydantic"]
    program = f"import sys, placement_cli.ezmsg; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
