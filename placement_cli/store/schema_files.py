"""The JSON Schemas of the documents: generated from their models, and shipped as files beside this one.

    python -m placement_cli.store.schema_files

writes the files anew after a model changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel

from placement_cli.profile.document import ProfileDocument
from placement_cli.store.advice_document import AdviceDocument
from placement_cli.store.comparison_document import ComparisonDocument
from placement_cli.store.diagnosis_document import DiagnosisDocument
from placement_cli.store.files import write_whole
from placement_cli.store.history_document import HistoryDocument
from placement_cli.store.plan_document import PlanDocument
from placement_cli.store.run_document import RunDocument
from placement_cli.store.settings_document import SettingsDocument
from placement_cli.store.trace_document import TraceDocument

FOLDER = Path(__file__).resolve().parent / "schemas"
DIALECT = "https://json-schema.org/draft/2020-12/schema"

SCHEMAS: Mapping[str, type[BaseModel]] = {
    "advice-1.schema.json": AdviceDocument,
    "comparison-1.schema.json": ComparisonDocument,
    "diagnosis-1.schema.json": DiagnosisDocument,
    "history-1.schema.json": HistoryDocument,
    "plan-1.schema.json": PlanDocument,
    "profile-1.schema.json": ProfileDocument,
    "run-1.schema.json": RunDocument,
    "settings-1.schema.json": SettingsDocument,
    "trace-1.schema.json": TraceDocument,
}
"""The file of each schema, which carries the major version of its document, and the model that it describes."""


def schema_text(model: type[BaseModel]) -> str:
    """Return the JSON Schema of the documents that `model` writes, as JSON text."""
    schema = model.model_json_schema(by_alias=True, mode="serialization")
    return json.dumps({"$schema": DIALECT, **schema}, indent=2) + "\n"


def write_schemas(folder: Path = FOLDER) -> None:
    """Write every schema into `folder`; raises UsageError when that cannot be written."""
    for name, model in SCHEMAS.items():
        write_whole(folder / name, schema_text(model))


if __name__ == "__main__":
    write_schemas()
