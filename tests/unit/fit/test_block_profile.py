"""From timings to a profile."""

from __future__ import annotations

from dataclasses import replace

import pytest

from placement_cli.fit.block_profile import fit_block_profile
from placement_cli.fit.observations import Configuration
from placement_cli.profile.conversion import from_document, to_document
from placement_cli.profile.key import ProfileKey

KEY = ProfileKey("Chip X", "mlx-cpu", 1, versions={"mlx": "0.32"})


def test_a_profile_is_complete(configurations: tuple[Configuration, ...]) -> None:
    """Constants, upstream's constants for a dispatched backend, held-out validation, and a document of it all."""
    held_out = configurations[::6]
    seen = [entry for entry in configurations if entry not in held_out]
    profile = fit_block_profile(
        seen, KEY, name="mine", provenance="made up", held_out=held_out, observations="raw.jsonl", draws=5
    )

    assert profile.confidence == "calibrated"
    assert profile.blocks is not None
    assert profile.blocks.upstream is not None
    assert profile.blocks.upstream.dispatched
    assert profile.validation is not None
    assert profile.validation.configurations == len(held_out)
    assert from_document(to_document(profile, "1")) == profile


def test_without_held_out_timings_it_validates_across(configurations: tuple[Configuration, ...]) -> None:
    """The validation covers all configurations, each by a fit to others."""
    profile = fit_block_profile(configurations, KEY, name="mine", provenance="made up", draws=5)

    assert profile.validation is not None
    assert profile.validation.configurations == len(configurations)
    assert profile.validation.worst_fold is not None


def test_the_element_type_decides_the_bytes(configurations: tuple[Configuration, ...]) -> None:
    """Half-size elements fill caches half as fast; an unknown type is refused."""
    half = replace(KEY, dtype="float16")
    profile = fit_block_profile(configurations, half, name="x", provenance="", held_out=configurations[:8], draws=2)

    assert profile.blocks is not None
    assert profile.blocks.item_bytes == 2
    with pytest.raises(KeyError):
        fit_block_profile(configurations, replace(KEY, dtype="int7"), name="x", provenance="", draws=2)
