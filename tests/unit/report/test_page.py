"""The page: complete in itself, with names as text, and small."""

from __future__ import annotations

import base64
import hashlib
import re
import sys
from collections.abc import Callable

import pytest

from placement_cli.errors import UsageError
from placement_cli.report.escaping import Html, script_json
from placement_cli.report.extra import grammar_version, require_charts
from placement_cli.report.page import page
from placement_cli.report.picture import Panel, Picture, Section, Table
from placement_cli.report.section import run_section
from placement_cli.store.run_document import RunDocument

HOSTILE = "</script><script>alert(1)</script>[red]"


@pytest.fixture(scope="module")
def hostile() -> str:
    """The page of a run whose names are markup."""
    picture = Picture(HOSTILE, HOSTILE, HOSTILE, (Panel(HOSTILE, {"x": HOSTILE}),), Table((HOSTILE,), ((HOSTILE,),)))
    return page([Section("one", HOSTILE, (Html("<p>text</p>"), picture)), Section("two", HOSTILE, ())], HOSTILE)


def test_names_are_text_everywhere(hostile: str) -> None:
    """In headings, tables, addresses and the data of charts."""
    assert "alert(1)</script>" not in hostile
    assert "<script>alert" not in hostile
    assert hostile.count("<script") == hostile.count("</script>") == 3
    assert hostile.count("&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;[red]") >= 7


def test_only_the_scripts_of_the_page_may_run(hostile: str) -> None:
    """Its policy names each by what is in it, and allows to load nothing."""
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', hostile)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    scripts = re.findall(r"<script>(.*?)</script>", hostile, re.DOTALL)
    assert len(scripts) == 2
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy[1]


def test_nothing_is_loaded_from_elsewhere(hostile: str) -> None:
    """No script, style, image or font has an address."""
    markup = re.sub(r"<script>.*?</script>", "", hostile, flags=re.DOTALL)
    assert not re.search(r"<(script|link|img|iframe)[^>]*\b(src|href)=", markup)
    assert "@import" not in hostile.partition("</style>")[0]
    assert "url(" not in hostile.partition("</style>")[0]


def test_several_sections_have_contents_and_one_has_none(hostile: str) -> None:
    """Each is reached by a link."""
    assert '<a href="#one">' in hostile
    assert '<a href="#two">' in hostile


def test_more_samples_make_no_larger_page(load_run_of: Callable[[str], RunDocument]) -> None:
    """Of many, some are drawn, and the page says how many."""
    run = load_run_of("stream")
    case = run.cases[0]
    many = [block.model_copy(update={"samples": case.blocks[0].samples * 40}) for block in (case.blocks[0],) * 6]
    section = run_section(run.model_copy(update={"cases": [case.model_copy(update={"blocks": many})]}), "many", 1)
    drift = next(picture for picture in section.pictures if picture.slug.endswith("drift"))
    assert "samples is drawn" in drift.reading
    assert len(script_json([panel.spec for panel in drift.panels])) < 60_000


@pytest.mark.parametrize("missing", ["altair", "vl_convert"])
def test_a_missing_extra_is_told(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    """With the command that installs it."""
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(UsageError, match=rf"needs {missing}.*pip install 'placement-cli\[report\]'"):
        require_charts()


def test_charts_are_drawn_by_the_version_they_are_written_for() -> None:
    """One that vl-convert holds."""
    import vl_convert

    assert grammar_version() in vl_convert.get_vegalite_versions()
