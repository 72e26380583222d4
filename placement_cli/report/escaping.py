"""HTML out of values: text is escaped wherever it comes in, so a name from a document can never become markup."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from typing import Any

from placement_cli.render.plain import harmless

_ENDS_SCRIPTS = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
"""Characters that could end a script, or a line of one, as JSON writes them: they occur in its strings alone."""


class Html(str):
    """Text that is HTML already; every other string is escaped where it meets HTML."""

    __slots__ = ()


NOTHING = Html("")


def escaped(text: str) -> Html:
    """Return `text` as HTML that shows it, on one line; characters that hide or turn text are replaced."""
    return text if isinstance(text, Html) else Html(escape(harmless(text), quote=True))


def element(name: str, *children: str, **attributes: str | bool) -> Html:
    """Return the element `name` around `children`.

    Underscores in names of attributes are hyphens, a last one is dropped (`class_`); True stands for an attribute
    without a value, False for none.
    """
    shown = (_attribute(key, value) for key, value in attributes.items() if value is not False)
    return Html(f"<{' '.join([name, *shown])}>{joined(children)}</{name}>")


def _attribute(key: str, value: str | bool) -> str:
    name = key.rstrip("_").replace("_", "-")
    return name if value is True else f'{name}="{escaped(str(value))}"'


def joined(parts: Iterable[str]) -> Html:
    """Return `parts` one behind the other."""
    return Html("".join(map(escaped, parts)))


def script_json(value: Any) -> Html:
    """Return `value` as JSON that can stand inside a script element: no text in it can end the script.

    Raises ValueError for NaN and infinities, which are no JSON.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Html(text.translate(_ENDS_SCRIPTS))
