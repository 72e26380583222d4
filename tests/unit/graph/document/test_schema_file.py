"""The JSON Schema that ships is that of what is read."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no types of its own
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.graph.document.reading import LIMITS
from placement_cli.graph.document.schema_file import FILE, graph_json_schema, schema_text, write_schema
from placement_cli.graph.document.writing import to_document
from placement_cli.graph.graph import Graph
from placement_cli.located.yaml import YamlLimits, read_yaml_file

CASES = sorted((Path(__file__).parents[3] / "data" / "cases").glob("*.yaml"))
SCHEMA = graph_json_schema()
VALIDATOR = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)


def document(**changes: Any) -> dict[str, Any]:
    """Return a small document with these keys of its only node."""
    node = {"inputs": "source", **changes}
    return {"version": 1, "source": {"shape": [30, 256]}, "nodes": {"a": node}}


def test_the_shipped_schema_is_up_to_date() -> None:
    """The file equals what the models give; `python -m placement_cli.graph.document.schema_file` writes it anew."""
    assert FILE.read_text(encoding="utf-8") == schema_text()


def test_the_schema_is_part_of_the_package() -> None:
    """It is found as its resource, with the major version of the document in its name, and nothing lies beside it."""
    folder = files("placement_cli.graph.document") / "schemas"

    assert [entry.name for entry in folder.iterdir()] == ["graph-1.schema.json"]


def test_it_can_be_written_anywhere(tmp_path: Path) -> None:
    """For a site that publishes it."""
    write_schema(tmp_path / "graph.json")

    assert json.loads((tmp_path / "graph.json").read_text(encoding="utf-8")) == SCHEMA


def test_it_is_a_valid_schema() -> None:
    """Of the dialect that it names."""
    jsonschema.validators.validator_for(SCHEMA, default=None).check_schema(SCHEMA)


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_cases_fit(path: Path) -> None:
    """The graph of every case does."""
    limits = YamlLimits("a case", LIMITS.max_bytes, LIMITS.max_depth + 1, LIMITS.max_values)

    VALIDATOR.validate(read_yaml_file(path, path.name, limits)[0]["graph"])


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_what_is_written_fits(graphs: st.SearchStrategy[Graph], data: st.DataObject) -> None:
    """Whatever the graph."""
    VALIDATOR.validate(to_document(data.draw(graphs)))


@pytest.mark.parametrize(
    "node",
    [
        {},
        {"inputs": ["source", {"node": "a", "lag": 1}]},
        {"evaluate": False},
        {"evaluate": "every:4"},
        {"emits": "always"},
        {"costs": {"device": "2 min 5 s", "output": "1.5KiB"}},
    ],
)
def test_what_people_write_fits(node: dict[str, Any]) -> None:
    """Every form that is read."""
    VALIDATOR.validate(document(**node))


@pytest.mark.parametrize(
    "node",
    [
        {"inputs": []},
        {"inputs": "a b"},
        {"opp": "abs"},
        {"evaluate": "window:0"},
        {"evaluate": True},
        {"emits": "never"},
        {"emits": {}},
        {"repeat": 0},
        {"costs": {"device": "2"}},
        {"costs": {"output": "2 ms"}},
        {"blocks": {"count": 8}},
        {"weights": "w.txt"},
    ],
)
def test_mistakes_do_not_fit(node: dict[str, Any]) -> None:
    """An editor marks them."""
    assert not VALIDATOR.is_valid(document(**node))


def test_names_are_checked() -> None:
    """Of nodes, and of the keys at the top."""
    for name in ("source", "a b", ".a"):
        assert not VALIDATOR.is_valid({**document(), "nodes": {name: {"inputs": "source"}}})
    assert not VALIDATOR.is_valid({**document(), "nme": "x"})
    assert not VALIDATOR.is_valid({**document(), "version": 2})
