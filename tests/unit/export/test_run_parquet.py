"""A run as Parquet, read back by pandas."""

from __future__ import annotations

import io
from collections.abc import Callable

import pandas as pd
import pytest

from placement_cli.errors import UsageError
from placement_cli.export import run_parquet as module
from placement_cli.export.run_csv import columns_of, run_csv
from placement_cli.export.run_parquet import run_parquet
from placement_cli.store.run_document import RunDocument


def test_it_holds_what_the_csv_holds(document: RunDocument) -> None:
    """The same rows, columns and numbers, with types."""
    frame = pd.read_parquet(io.BytesIO(run_parquet(document)))
    text = pd.read_csv(io.StringIO(run_csv(document)))
    assert list(frame.columns) == columns_of(document) == list(text.columns)
    for name in ("complete_s", "messages", "in_flight_bytes", "at_s"):
        assert frame[name].tolist() == pytest.approx(text[name].tolist(), rel=1e-14)
    assert frame["arm"].tolist() == text["arm"].tolist()
    assert frame["valid"].dtype == "boolean"
    assert frame["messages"].dtype == "Int64"


def test_names_are_as_they_are(renamed: Callable[[str], RunDocument], hostile: str) -> None:
    """No spreadsheet opens this: nothing is put in front of a formula."""
    frame = pd.read_parquet(io.BytesIO(run_parquet(renamed(hostile))))
    assert set(frame["arm"]) == {hostile}


def test_a_parameter_of_mixed_kinds_is_text(load_run_of: Callable[[str], RunDocument]) -> None:
    """Numbers in one case and a word in another, and numbers that no type of the format holds."""
    document = load_run_of("burst")
    first, second = document.cases
    params = [{"mixed": 1, "huge": 10**400, "half": 0.5}, {"mixed": "1x1", "huge": 2, "half": 1}]
    cases = [case.model_copy(update={"params": p}) for case, p in zip((first, second), params, strict=True)]
    frame = pd.read_parquet(io.BytesIO(run_parquet(document.model_copy(update={"cases": cases}))))
    assert set(frame["param.mixed"]) == {"1", "1x1"}
    assert set(frame["param.huge"]) == {str(10**400), "2"}
    assert frame["param.half"].dtype == "Float64"


def test_a_run_without_samples_has_columns(load_run_of: Callable[[str], RunDocument]) -> None:
    """Nothing measured is a table without rows."""
    empty = load_run_of("burst").model_copy(update={"cases": []})
    assert pd.read_parquet(io.BytesIO(run_parquet(empty))).shape == (0, len(columns_of(empty)))


def test_without_pyarrow_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, load_run_of: Callable[[str], RunDocument]
) -> None:
    """One clear error instead of one of pandas."""
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'placement-cli\[parquet\]'"):
        run_parquet(load_run_of("burst"))
