"""Which format belongs to which ending."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from placement_cli.errors import UsageError
from placement_cli.export.formats import FORMATS, format_for
from placement_cli.export.run_csv import run_csv
from placement_cli.export.run_markdown import run_markdown
from placement_cli.store.run_document import RunDocument


@pytest.mark.parametrize(("name", "writer"), [("run.csv", run_csv), ("a.b/RUN.MD", run_markdown)])
def test_the_ending_decides(name: str, writer: Callable[[RunDocument], str]) -> None:
    """Upper case or lower, in whatever folder."""
    assert format_for(Path(name)) is writer


def test_json_is_the_document(load_run_of: Callable[[str], RunDocument]) -> None:
    """The JSON that is written reads back as the run it was."""
    document = load_run_of("stream")
    text = format_for(Path("run.json"))(document)
    assert RunDocument.model_validate(json.loads(text)) == document


@pytest.mark.parametrize(
    ("name", "nearest"), [("run.jsn", ".json"), ("run.cvs", ".csv"), ("run.mdd", ".md"), ("run.markdown", ".md")]
)
def test_a_wrong_ending_names_the_nearest(name: str, nearest: str) -> None:
    """A slip is told with the ending that was meant, or with all there are."""
    with pytest.raises(UsageError, match=r"no format has the ending") as raised:
        format_for(Path(name))
    assert nearest in str(raised.value)
    assert name in str(raised.value)


@pytest.mark.parametrize("name", ["run", "run.", ".json", "run.parquet"])
def test_what_is_no_ending_names_all(name: str) -> None:
    """Where nothing is near, all endings are named."""
    with pytest.raises(UsageError) as raised:
        format_for(Path(name))
    assert all(ending in str(raised.value) for ending in FORMATS)
