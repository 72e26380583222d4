"""The JSON Schema of graph.yaml for editors: generated from the models, and shipped as a file in this folder.

    python -m placement_cli.graph.document.schema_file

writes the file anew after a model changed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from placement_cli.graph.document.schema import VERSION, GraphDocument

FILE = Path(__file__).resolve().parent / "schemas" / f"graph-{VERSION}.schema.json"
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def graph_json_schema() -> dict[str, Any]:
    """Return the JSON Schema of what people may write, without what only the whole graph shows (names, cycles)."""
    schema = GraphDocument.model_json_schema(mode="validation")
    return {"$schema": DIALECT, **_without_empty_defaults(schema)}


def schema_text() -> str:
    """Return the schema as JSON text."""
    return json.dumps(graph_json_schema(), indent=2) + "\n"


def write_schema(path: Path = FILE) -> None:
    """Write the schema to `path`."""
    path.write_text(schema_text(), encoding="utf-8")


def _without_empty_defaults(value: Any) -> Any:
    """Leave out defaults that stand for `not stated`: they are none of the values that may be written."""
    if isinstance(value, list):
        return [_without_empty_defaults(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _without_empty_defaults(each)
        for key, each in value.items()
        if key != "default" or (isinstance(each, bool | int | float | str) and each != "")
    }


if __name__ == "__main__":
    write_schema()
