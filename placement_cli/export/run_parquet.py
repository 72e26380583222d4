"""A run as Parquet: the rows and columns of the CSV, with types, for data frames."""

from __future__ import annotations

import importlib.util
import io
import sys
from typing import TYPE_CHECKING, Any

from placement_cli.errors import UsageError
from placement_cli.export.run_csv import columns_of, sample_rows
from placement_cli.store.run_document import RunDocument

if TYPE_CHECKING:
    import pandas as pd

LARGEST = 2**63 - 1
"""The largest whole number of the format."""
LARGEST_FLOAT = sys.float_info.max


def require_parquet() -> None:
    """Raise UsageError when what writes Parquet is not installed."""
    if importlib.util.find_spec("pyarrow") is None:
        raise UsageError("Parquet needs pyarrow, which comes with: pip install 'placement-cli[parquet]'.")


def run_parquet(document: RunDocument) -> bytes:
    """Return the samples of a run as one Parquet file; its columns are those of `run_csv`, names as they are.

    A parameter that is a number in one case and a word in another is text in all. Raises UsageError when the extra
    `parquet` is not installed.
    """
    require_parquet()
    import pandas as pd

    rows = sample_rows(document)
    frame = pd.DataFrame({name: _column([row.get(name) for row in rows]) for name in columns_of(document)})
    written = io.BytesIO()
    frame.to_parquet(written, engine="pyarrow", index=False)
    return written.getvalue()


def _column(values: list[Any]) -> pd.Series[Any]:
    """Return a column of the narrowest type that holds all its values; what is missing is null."""
    import pandas as pd

    present = [value for value in values if value is not None]
    if present and all(isinstance(value, bool) for value in present):
        return pd.Series(values, dtype="boolean")
    if present and all(isinstance(value, int) and abs(value) <= LARGEST for value in present):
        return pd.Series(values, dtype="Int64")
    if present and all(isinstance(value, int | float) and abs(value) <= LARGEST_FLOAT for value in present):
        return pd.Series([None if value is None else float(value) for value in values], dtype="Float64")
    return pd.Series([None if value is None else str(value) for value in values], dtype="string")
