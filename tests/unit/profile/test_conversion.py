"""Between a profile and its document."""

from __future__ import annotations

from dataclasses import replace

import pytest

from placement_cli.profile.conversion import from_document, to_document
from placement_cli.profile.profile import Profile


def test_a_profile_survives_its_document(profile: Profile) -> None:
    """What is written and read is equal to what was there."""
    assert from_document(to_document(profile, "1")) == profile


def test_missing_halves_stay_missing(profile: Profile) -> None:
    """A profile without block constants or validation comes back without them."""
    bare = replace(profile, blocks=None, validation=None, observations=None)

    assert from_document(to_document(bare, "1")) == bare


def test_upstream_constants_may_be_missing(profile: Profile) -> None:
    """Block constants without upstream's come back without them."""
    assert profile.blocks is not None
    bare = replace(profile, blocks=replace(profile.blocks, upstream=None))

    assert from_document(to_document(bare, "1")) == bare


def test_a_missing_term_is_named(profile: Profile) -> None:
    """A document that lacks the price of a term cannot be used, and says which."""
    document = to_document(profile, "1")
    assert document.blocks is not None
    fewer = {name: record for name, record in document.blocks.items() if name != "gather"}

    with pytest.raises(ValueError, match="lacks gather"):
        from_document(document.model_copy(update={"blocks": fewer}))


def test_diagnostics_tell_what_is_not_sure(profile: Profile) -> None:
    """Undetermined terms are told, and a missed gate is a warning to measure instead."""
    assert profile.validation is not None
    missed = replace(profile, validation=replace(profile.validation, misses=("order is low",)))

    codes = {entry.code: (entry.level, entry.text) for entry in to_document(missed, "1").diagnostics}

    assert codes["not-identified"] == ("info", "the timings did not determine gather_mm_call")
    assert codes["fit-missed-gate"][0] == "warning"
    assert "order is low" in codes["fit-missed-gate"][1]
