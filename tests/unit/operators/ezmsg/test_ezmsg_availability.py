"""What is said where chains cannot run through ezmsg-sigproc."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from itertools import combinations

import pytest

from placement_cli.operators.catalog import find_operator
from placement_cli.operators.ezmsg.availability import (
    PACKAGES,
    ezmsg_problem,
    installed_versions,
    refusal,
    unsupported,
)
from placement_cli.operators.operator import Operator

VERSIONS = [None, "2.9", "3.10.4", "3.11", "3.11.1", "3.12.0b1", "4.0"]
GOOD = {"3.11", "3.11.1", "3.12.0b1", "4.0"}
KINDS = ["abs", "sosfilt", "ewm_scaler", "host", "wavelet"]
OPS = [set(some) for size in range(len(KINDS) + 1) for some in combinations(KINDS, size)]


@pytest.mark.parametrize("metal", [True, False])
@pytest.mark.parametrize("installed", VERSIONS)
def test_every_combination_is_judged_and_all_that_is_missing_is_told(installed: str | None, metal: bool) -> None:
    """The package in a version that fits, Metal for the kernels, a processor for each operator: else it says which."""
    for ops in OPS:
        no_metal = bool(ops & {"sosfilt", "ewm_scaler"}) and not metal
        told = ezmsg_problem(installed, metal, ops) or ""
        assert ("is not installed" in told) is (installed is None)
        assert (f"{installed} is too old" in told) is (installed is not None and installed not in GOOD)
        assert ("are Metal kernels" in told) is no_metal
        assert ("has no processor for wavelet" in told) is ("wavelet" in ops)
        assert bool(told) is (installed not in GOOD or no_metal or "wavelet" in ops)


def test_without_the_package_the_command_that_installs_it_is_named() -> None:
    """What to do stands beside what is missing."""
    assert ezmsg_problem(None, True, ["abs"]) == (
        "--workload ezmsg cannot run here. ezmsg-sigproc is not installed: run `python -m pip install"
        " 'ezmsg-sigproc>=3.11'`."
    )


def test_without_metal_the_operators_that_need_it_are_named() -> None:
    """So that one can leave them out, or go where they run."""
    assert ezmsg_problem("3.11.1", False, ["sosfilt", "abs", "ewm_scaler"]) == (
        "--workload ezmsg cannot run here. Its processors for ewm_scaler and sosfilt are Metal kernels, and the device"
        " is not a Metal GPU: run on a Mac with Apple silicon, without `--device cpu`, or leave out the scenarios that"
        " use ewm_scaler and sosfilt."
    )


def test_an_operator_without_a_processor_is_told_with_those_that_have_one() -> None:
    """The list of what is supported follows the name."""
    told = ezmsg_problem("3.11.1", True, ["wavelet"]) or ""
    assert "no processor for wavelet; it has them for sosfilt, " in told
    assert told.endswith("window and join.")


def test_host_work_needs_no_processor() -> None:
    """Work on the host is the program's own on either workload."""
    assert unsupported(["host", "values", "abs"]) == []


@pytest.mark.parametrize(
    ("name", "shapes", "dtype", "told"),
    [
        ("abs", [(8, 3)], "float32", None),
        ("values", [(8, 3)], "bfloat16", None),
        ("abs", [(8, 3)], "float16", "Messages are float16"),
        ("abs", [(8, 3)], "bfloat16", "Messages are bfloat16"),
        ("spectrum", [(2, 16, 3)], "float32", None),
        ("spectrum", [(16, 3)], "float32", "spectrum does not go through ezmsg-sigproc like this"),
    ],
)
def test_a_node_is_refused_for_what_runs_nowhere(
    name: str, shapes: list[tuple[int, ...]], dtype: str, told: str | None
) -> None:
    """Element types and shapes that no processor takes are told before anything runs."""
    reason = refusal(find_operator(name), shapes, dtype)
    assert reason is None if told is None else reason is not None and reason.startswith(told)


def test_a_node_without_a_processor_is_refused() -> None:
    """An operator that the catalog gains is refused until it has a route."""
    known = find_operator("abs")
    new = Operator("wavelet", "", known.make_mlx, known.make_numpy, known.features)
    assert "no processor for wavelet" in (refusal(new, [(8, 3)], "float32") or "")


def test_versions_are_those_of_the_packages_on_the_way() -> None:
    """A package that is not installed is left out."""

    def find(name: str) -> str:
        if name == "ezmsg":
            raise PackageNotFoundError(name)
        return "1.2"

    assert installed_versions(find) == dict.fromkeys(PACKAGES[1:], "1.2")
