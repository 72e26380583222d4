"""The document of a profile."""

from __future__ import annotations

import json

from jsonschema import Draft202012Validator

from placement_cli.profile.conversion import to_document
from placement_cli.profile.document import PROFILE_VERSION, profile_schema
from placement_cli.profile.profile import Profile
from placement_cli.profile.terms import UNITS


def test_what_is_written_fits_the_schema(profile: Profile) -> None:
    """The JSON Schema that ships accepts the document."""
    schema = profile_schema()
    Draft202012Validator.check_schema(schema)

    Draft202012Validator(schema).validate(json.loads(to_document(profile, "1.2.3").to_json()))


def test_the_keys_others_rely_on_are_there(profile: Profile) -> None:
    """Header, environment, constants, upstream's constants, validation and observations have their names."""
    data = json.loads(to_document(profile, "1.2.3").to_json())

    assert data["schema"] == "placement.profile"
    assert data["schema_version"] == PROFILE_VERSION
    assert data["tool"] == {"name": "placement", "version": "1.2.3"}
    assert data["exit"] == {"code": 0, "name": "ok"}
    assert data["backend"] == "numpy"
    assert data["env"]["machine"] == "Chip X"
    assert data["evaluation"]["submit_s"].keys() == {"value", "low", "high", "unit", "identified", "source"}
    assert data["blocks"].keys() >= {
        *UNITS, "small_macs", "near_bytes", "far_bytes", "weight_load_samples", "call_cost_macs", "gather_cost_macs",
    }  # fmt: skip
    assert data["validation"]["rules"] == {"always-dense": 9.0}
    assert data["observations"] == "runs/raw.jsonl"


def test_numbers_that_cannot_be_given_are_null(profile: Profile) -> None:
    """A constant without an interval has null ends and a source that says why."""
    threshold = json.loads(to_document(profile, "1").to_json())["blocks"]["small_macs"]

    assert threshold["low"] is None
    assert "grid" in threshold["source"]
