"""Which format belongs to which ending."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from placement_cli.errors import UsageError
from placement_cli.export import run_parquet as parquet
from placement_cli.export.formats import (
    FORMATS,
    SUFFIXES,
    format_for,
    format_named,
    format_of,
    write_content,
    write_outputs,
)
from placement_cli.export.run_csv import run_csv
from placement_cli.export.run_junit import run_junit
from placement_cli.export.run_markdown import run_markdown
from placement_cli.export.run_otava import run_otava
from placement_cli.export.run_pyperf import run_pyperf
from placement_cli.store.run_document import RunDocument


@pytest.mark.parametrize(
    ("name", "writer"),
    [
        ("run.csv", run_csv),
        ("a.b/RUN.MD", run_markdown),
        ("run.pyperf.json", run_pyperf),
        ("run.v2.Pyperf.JSON", run_pyperf),
        ("run.xml", run_junit),
        ("run.junit.xml", run_junit),
        ("run.otava.csv", run_otava),
        ("otava.csv", run_csv),
    ],
)
def test_the_ending_decides(name: str, writer: Callable[[RunDocument], str]) -> None:
    """Upper case or lower, in whatever folder; the longest ending that is known."""
    assert format_for(Path(name)) is writer


def test_json_is_the_document(load_run_of: Callable[[str], RunDocument]) -> None:
    """The JSON that is written reads back as the run it was."""
    document = load_run_of("stream")
    text = format_for(Path("run.json"))(document)
    assert isinstance(text, str)
    assert RunDocument.model_validate(json.loads(text)) == document


@pytest.mark.parametrize(
    ("name", "nearest"), [("run.jsn", ".json"), ("run.cvs", ".csv"), ("run.mdd", ".md"), ("run.parket", ".parquet")]
)
def test_a_wrong_ending_names_the_nearest(name: str, nearest: str) -> None:
    """A slip is told with the ending that was meant, or with all there are."""
    with pytest.raises(UsageError, match=r"no format has the ending") as raised:
        format_for(Path(name))
    assert nearest in str(raised.value)
    assert name in str(raised.value)


@pytest.mark.parametrize("name", ["run", "run.", ".json", ".pyperf.json", "run.q"])
def test_what_is_no_ending_names_all(name: str) -> None:
    """Where nothing is near, all endings are named."""
    with pytest.raises(UsageError) as raised:
        format_for(Path(name))
    assert all(ending in str(raised.value) for ending in SUFFIXES)


def test_every_format_has_a_name_and_an_ending() -> None:
    """What is listed is what endings and names find."""
    for name, form in FORMATS.items():
        assert format_named(name) is form
        assert [format_of(Path(f"run{suffix}")) for suffix in form.suffixes] == [form] * len(form.suffixes)


def test_a_wrong_name_names_the_nearest() -> None:
    """As with endings."""
    with pytest.raises(UsageError, match=r"--format pypref: is no format\. Did you mean 'pyperf'\?"):
        format_named("pypref")


def test_one_arm_is_refused_where_all_are_written() -> None:
    """The formats that take one arm are named."""
    with pytest.raises(
        UsageError, match=r"--arm new: md always holds all arms\. .* pyperf, bencher, github, gbench, otava"
    ):
        format_named("md").writer("new")


def test_a_missing_library_is_told_before_anything_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking for the writer is enough, and the extra is named."""
    monkeypatch.setattr(parquet.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"placement-cli\[parquet\]"):
        format_for(Path("run.parquet"))


def test_a_file_with_nothing_in_it_stops_no_other(load_run_of: Callable[[str], RunDocument], tmp_path: Path) -> None:
    """It is told, and the others are written."""
    empty = load_run_of("stream").model_copy(update={"cases": []})
    names = ("a.pyperf.json", "b.md", "c.otava.csv", "d.junit.xml")
    told = write_outputs(empty, [tmp_path / name for name in names])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.md", "d.junit.xml"]
    assert [sentence.partition(" was not written. No case holds")[0] for sentence in told] == [
        f"-o {tmp_path / name}" for name in names[::2]
    ]


@pytest.mark.parametrize("content", ["größer", b"\xff\x00"])
def test_text_and_bytes_are_written(tmp_path: Path, content: str | bytes) -> None:
    """Whichever a format gives."""
    write_content(tmp_path / "run", content)
    assert (tmp_path / "run").read_bytes() == (content.encode() if isinstance(content, str) else content)
