"""The JSON Schemas that ship are those of what is written."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]  # it has no types of its own
import pytest

import placement_cli
from placement_cli.store.run_document import RUN_VERSION, RunDocument
from placement_cli.store.schema_files import FOLDER, SCHEMAS, schema_text, write_schemas

MakeDocument = Callable[..., RunDocument]
PACKAGE = Path(placement_cli.__file__).resolve().parent


@pytest.mark.parametrize("name", SCHEMAS)
def test_shipped_schemas_are_up_to_date(name: str) -> None:
    """The file equals what the model gives; `python -m placement_cli.store.schema_files` writes it anew."""
    assert (FOLDER / name).read_text(encoding="utf-8") == schema_text(SCHEMAS[name])


def test_no_other_schema_ships() -> None:
    """Every file has a model that it is tested against."""
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(SCHEMAS)


def test_schemas_are_part_of_the_package() -> None:
    """They lie inside the folder that the wheel is made of, with nothing left out, and are found as its resources."""
    assert PACKAGE in FOLDER.parents
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["packages"] == [PACKAGE.name]
    assert not {"exclude", "only-include", "include"} & wheel.keys()
    shipped = files("placement_cli.store") / "schemas"
    assert sorted(entry.name for entry in shipped.iterdir()) == sorted(SCHEMAS)


def test_names_carry_the_major_version() -> None:
    """A file is replaced by the schema of the same major only."""
    assert f"run-{RUN_VERSION.partition('.')[0]}.schema.json" in SCHEMAS


def test_schemas_can_be_written_anywhere(tmp_path: Path) -> None:
    """For a site that publishes them."""
    write_schemas(tmp_path / "site")
    assert sorted(path.name for path in (tmp_path / "site").iterdir()) == sorted(SCHEMAS)


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_valid_schemas(name: str) -> None:
    """Of the dialect that they name."""
    schema = json.loads(schema_text(SCHEMAS[name]))
    jsonschema.validators.validator_for(schema, default=None).check_schema(schema)


def test_what_is_written_fits_the_schema(make_document: MakeDocument) -> None:
    """A complete document, and one without cases."""
    schema = json.loads((FOLDER / "run-1.schema.json").read_text(encoding="utf-8"))
    for document in (make_document(), make_document(cases=[], says=[], scenarios=[])):
        jsonschema.validate(json.loads(document.to_json()), schema)


@pytest.mark.parametrize(
    "key", ["schema", "schema_version", "tool", "run", "env", "cases", "says", "exit", "diagnostics"]
)
def test_what_every_document_has_is_required(make_document: MakeDocument, key: str) -> None:
    """A reader may rely on it."""
    schema = json.loads((FOLDER / "run-1.schema.json").read_text(encoding="utf-8"))
    data = json.loads(make_document().to_json())
    del data[key]
    with pytest.raises(jsonschema.ValidationError, match=f"'{key}' is a required property"):
        jsonschema.validate(data, schema)


def test_other_values_do_not_fit(make_document: MakeDocument) -> None:
    """A verdict that does not exist is no verdict, another document no run."""
    schema = json.loads((FOLDER / "run-1.schema.json").read_text(encoding="utf-8"))
    data = json.loads(make_document().to_json())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data | {"schema": "placement.profile"}, schema)
    data["cases"][0]["comparisons"][0]["verdict"] = "great"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, schema)


def test_later_keys_fit(make_document: MakeDocument) -> None:
    """A minor version adds keys, and the schema of the major still holds."""
    schema = json.loads((FOLDER / "run-1.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(make_document().to_json()) | {"new": 1}, schema)
