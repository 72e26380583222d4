"""Whatever a name holds, it reaches HTML and scripts as text."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.render.plain import harmless
from placement_cli.report.escaping import element, escaped, script_json


class Read(HTMLParser):
    """What a browser would read: tags with their attributes, and the text between them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag."""
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Keep text."""
        self.text += data


@settings(deadline=None)
@given(st.text())
def test_any_text_is_read_back_as_text(text: str) -> None:
    """In an element and in an attribute: no tag but the element itself is there."""
    read = Read(element("td", text, title=text))
    assert read.tags == [("td", {"title": harmless(text)})]
    assert read.text == harmless(text)


@settings(deadline=None)
@given(st.dictionaries(st.text(), st.text() | st.floats(allow_nan=False, allow_infinity=False)))
def test_json_in_a_script_is_the_same_json_and_cannot_end_the_script(value: dict[str, object]) -> None:
    """None of the characters that could end a script or a line of one is in it."""
    shown = script_json(value)
    assert json.loads(shown) == value
    assert not set("<>&\u2028\u2029") & set(shown)


def test_what_is_no_json_is_refused() -> None:
    """A page with NaN in its data would not be read at all."""
    with pytest.raises(ValueError, match="JSON compliant"):
        script_json([float("nan")])


def test_html_is_not_escaped_twice() -> None:
    """Elements stand in elements; attributes that are true or false have no value."""
    assert element("p", element("b", "a<b"), " & c", hidden=True, open=False) == "<p hidden><b>a&lt;b</b> &amp; c</p>"
    assert escaped(escaped("&")) == "&amp;"
