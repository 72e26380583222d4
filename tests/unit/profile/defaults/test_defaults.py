"""What is planned with before anything was measured here."""

from __future__ import annotations

import pytest

from placement_cli.blocks.formulation import dense
from placement_cli.profile.defaults import RECORDED, default_price, default_profile, shipped_profile
from placement_cli.profile.upstream import APPLE, APPLE_DISPATCHED


@pytest.mark.parametrize("name", RECORDED)
def test_shipped_profiles_say_where_they_come_from(name: str) -> None:
    """Each names its machine, is assumed to carry over, not measured here, and passed its own validation."""
    profile = shipped_profile(name)

    assert profile.name == name
    assert profile.confidence == "assumed"
    assert "2 x86 cores" in profile.key.machine
    assert "not on this machine" in profile.provenance
    assert profile.validation is not None
    assert profile.validation.passed


def test_an_unknown_name_is_refused() -> None:
    """Only shipped names are looked up, so no path can be asked for."""
    with pytest.raises(KeyError):
        shipped_profile("../conftest")


@pytest.mark.parametrize(
    ("backend", "threads", "name"),
    [
        ("numpy", 1, "numpy-1-thread-float32"),
        ("numpy", 2, "numpy-2-threads-float32"),
        ("numpy", 16, "numpy-2-threads-float32"),
        ("mlx-cpu", 1, "mlx-cpu-1-thread-float32"),
    ],
)
def test_the_nearest_recording_stands_in(backend: str, threads: int, name: str) -> None:
    """More threads than were recorded are taken for two."""
    profile = default_profile(backend, threads)

    assert profile is not None
    assert profile.name == name


def test_a_backend_that_was_not_recorded_has_upstreams_constants() -> None:
    """On a GPU the default is what ezmsg-sigproc ships, in multiply-accumulates, and says so."""
    default = default_price("mlx-gpu")

    assert default_profile("mlx-gpu") is None
    assert default.price is APPLE_DISPATCHED
    assert not default.in_seconds
    assert "ezmsg-sigproc" in default.provenance


def test_apple_constants_can_be_asked_for() -> None:
    """The alternative to the recorded constants is the set fitted on an Apple CPU."""
    assert default_price("numpy", apple=True).price is APPLE
    assert default_price("numpy").in_seconds
    assert 1e-7 < default_price("numpy").price(dense(64, 64), 30) < 1e-4
