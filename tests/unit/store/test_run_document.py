"""The document of a run holds numbers that every reader of JSON understands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from placement_cli.store.run_document import RunDocument, RunFacts

MakeDocument = Callable[..., RunDocument]
NOT_FINITE = (float("nan"), float("inf"), float("-inf"))


def strictly(text: str) -> Any:
    """Parse JSON as the standard has it: without NaN and Infinity."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


def floats_in(data: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield where floats stand in a document."""
    if isinstance(data, float):
        yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from floats_in(value, (*path, key))


def replaced(data: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """Return a copy of `data` with another value at `path`."""
    if not path:
        return value
    copy: Any = dict(data) if isinstance(data, dict) else list(data)
    copy[path[0]] = replaced(data[path[0]], path[1:], value)
    return copy


def read(data: Any) -> RunDocument | str:
    """Return the document that `data` is, or why it is none."""
    try:
        return RunDocument.model_validate(data)
    except ValidationError as error:
        return str(error)


def test_documents_begin_with_what_they_are(make_document: MakeDocument) -> None:
    """Schema and version come first."""
    assert list(strictly(make_document().to_json()).items())[:2] == [
        ("schema", "placement.run"),
        ("schema_version", "1.1.0"),
    ]


def test_what_was_not_measured_is_null(make_document: MakeDocument) -> None:
    """Keys are always there; a missing reading or ratio is null."""
    case = strictly(make_document().to_json())["cases"][0]
    assert case["blocks"][0]["samples"][0]["latency_s"] is None
    assert case["comparisons"][1]["ratio"] is None
    assert case["estimates"][0] == {
        "name": "price",
        "value": None,
        "low": None,
        "high": None,
        "unit": "s",
        "reason": "too few blocks",
    }


def test_documents_without_a_gate_are_read(make_document: MakeDocument) -> None:
    """What 1.0.0 wrote, before there were gates, is a run without one."""
    data = strictly(make_document().to_json()) | {"schema_version": "1.0.0"}
    del data["gate"]
    for each in data["cases"][0]["comparisons"]:
        del each["gated"], each["confirmation"]
    document = RunDocument.model_validate(data)
    assert document.gate is None
    assert [each.gated for each in document.cases[0].comparisons] == [False, False]


@pytest.mark.parametrize("value", NOT_FINITE)
def test_no_document_holds_a_number_that_is_none(make_document: MakeDocument, value: float) -> None:
    """Put in any place, NaN and Infinity are refused, or null where a document holds free facts."""
    data = json.loads(make_document().to_json())
    places = list(floats_in(data))
    assert len(places) > 40
    for path in places:
        outcome = read(replaced(data, path, value))
        if isinstance(outcome, RunDocument):
            assert path[0] in {"method", "env"} or "state" in path
            strictly(outcome.to_json())
        else:
            assert "finite" in outcome


@given(st.dictionaries(st.text(max_size=5), st.recursive(st.floats(), st.lists, max_leaves=4), max_size=4))
@settings(deadline=None)
def test_free_facts_never_become_nan(make_document: MakeDocument, facts: dict[str, Any]) -> None:
    """Whatever a host says of itself, the text is JSON."""
    strictly(make_document(method=facts).to_json())


def test_arguments_that_are_no_text_do_not_stop_the_document() -> None:
    """A path with bytes that are no UTF-8 is written escaped: a run must not fail at its last step."""
    argv = ["bench", b"r\xc3\xa9sultats/\xff".decode(errors="surrogateescape")]
    facts = RunFacts(id="r", started="", duration_s=0.0, argv=argv, seed=0, complete=True)
    assert strictly(facts.model_dump_json())["argv"] == ["bench", "résultats/\\udcff"]


def test_documents_cannot_be_changed(make_document: MakeDocument) -> None:
    """They are values: whoever wants another one makes it."""
    with pytest.raises(ValidationError, match="frozen"):
        make_document().says = []
