from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from placement_cli.errors import UsageError
from placement_cli.ezmsg import export_text, use_profile
from placement_cli.profile.constant import Constant
from placement_cli.profile.key import ProfileKey
from placement_cli.profile.profile import Profile

NAMES = ("WEIGHT_LOAD_SAMPLES", "CALL_COST_MACS", "CALL_COST_MACS_DISPATCHED", "GATHER_COST_MACS")
HOSTILE = 'a\nraise SystemExit(\'"""\r\f\x00\u2028\u202e\ud800 # coding: utf-7 +AAo-raise'


@pytest.fixture
def run(blockdiag: Any) -> Iterator[Any]:
    """Runs source as a file would be, returns the constants it leaves, and puts those back that were there."""

    def execute(text: str) -> dict[str, float]:
        exec(compile(text.encode(), "snippet.py", "exec"), {})
        return {name: getattr(blockdiag, name) for name in NAMES}

    before = {name: getattr(blockdiag, name) for name in NAMES}
    yield execute
    for name, value in before.items():
        setattr(blockdiag, name, value)


@pytest.mark.parametrize("names", [("on_numpy",), ("on_mlx",), ("on_numpy", "on_mlx"), ("on_mlx", "on_numpy"), ()])
def test_running_it_sets_what_using_the_profiles_sets(
    names: tuple[str, ...], request: pytest.FixtureRequest, run: Any, blockdiag: Any
) -> None:
    """Executed against the real module, it leaves exactly the constants that `use_profile` sets."""
    profiles = [request.getfixturevalue(name) for name in names]
    with use_profile(*profiles):
        expected = {name: getattr(blockdiag, name) for name in NAMES}
    assert run(export_text(*profiles)) == expected


def test_it_tells_the_set_up_and_how_sure_each_constant_is(on_mlx: Profile) -> None:
    """Machine, backend, threads and versions are in the head; interval and identification over each line."""
    text = export_text(on_mlx)
    for told in ("2 x86 cores (AMD EPYC)", "mlx-cpu, 1 thread, float32", "mlx 0.32.4", "not on this machine"):
        assert told in text
    lines = text.splitlines()
    for name, words in (
        ("WEIGHT_LOAD_SAMPLES", ("samples; 5 to 95 %:", "not identified (")),
        ("CALL_COST_MACS_DISPATCHED", ("MAC; 5 to 95 %:", "identified")),
    ):
        at = next(i for i, line in enumerate(lines) if line.startswith(f"blockdiag.{name} = "))
        assert all(word in lines[at - 1] for word in words)


def test_it_says_when_the_fit_is_not_to_be_relied_on(on_numpy: Profile) -> None:
    """What the validation missed is in the head; a constant without an interval says so."""
    missed = replace(on_numpy, validation=replace(on_numpy.validation, misses=("regret 30 % over 5 %",)))
    upstream = replace(missed.blocks.upstream, call_cost_macs=Constant(5e4, None, None, "MAC", True, "by hand"))
    text = export_text(replace(missed, blocks=replace(missed.blocks, upstream=upstream)))
    assert "not to be relied on: regret 30 % over 5 %" in text
    assert "MAC; no interval; identified" in text


def test_nothing_in_a_profile_leaves_its_comment(run: Any, on_mlx: Profile) -> None:
    """Newlines, quotes, controls and encodings in names are data: the source has its import and assignments alone."""
    key = ProfileKey(HOSTILE, HOSTILE, 1, HOSTILE, {HOSTILE: HOSTILE})
    constant = Constant(1.0, 0.5, 2.0, HOSTILE, False, HOSTILE)
    blocks = replace(on_mlx.blocks, upstream=replace(on_mlx.blocks.upstream, weight_load_samples=constant))
    validation = replace(on_mlx.validation, misses=(HOSTILE,))
    hostile = replace(on_mlx, name=HOSTILE, key=key, provenance=HOSTILE, blocks=blocks, validation=validation)
    text = export_text(hostile)
    assert [type(node) for node in ast.parse(text.encode()).body] == [ast.ImportFrom] + [ast.Assign] * 3
    assert run(text)["WEIGHT_LOAD_SAMPLES"] == 1.0


def test_it_needs_no_ezmsg_but_upstreams_constants(
    without_upstream: Profile, on_numpy: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It can be written on a machine without ezmsg-sigproc; a profile without the constants is refused."""
    monkeypatch.setitem(sys.modules, "ezmsg.sigproc.util.blockdiag", ModuleType("not used"))
    assert "CALL_COST_MACS" in export_text(on_numpy)
    with pytest.raises(UsageError, match="fit-costs"):
        export_text(without_upstream)
