"""Inserts, replaces and removes one entry of a mapping in the text of a YAML document, in its own style."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from placement_cli.located.spans import Span

QUOTES = ("'", '"')
BLOCK_SCALARS = ("|", ">")
_UP_TO_COMMA = re.compile(r"(?:\s|#[^\r\n]*)*,")
"""From the end of a value to behind the comma that follows it; comments may stand between."""
_REST_OF_LINE = re.compile(r"[ \t]*(?P<comment>#[^\r\n]*)?(?P<end>\r\n|\r|\n|$)")


@dataclass(frozen=True, slots=True)
class Edit:
    """Puts `text` in place of what stands from `start` to `end`."""

    start: int
    end: int
    text: str = ""


def applied(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` with `edits`, which do not overlap."""
    parts: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda each: each.start):
        parts += [text[done : edit.start], edit.text]
        done = edit.end
    return "".join([*parts, text[done:]])


def replacement(value: Span, text: str) -> Edit:
    """Return the edit that writes `text` in place of a scalar, in the same quotes."""
    quote = value.style if value.style in QUOTES else ""
    return Edit(value.start, value.end, f"{quote}{text}{quote}")


def insertion(text: str, mapping: Span, position: int, key: str, value: str) -> Edit:
    """Return the edit that writes `key: value` behind the entry at `position`, quoted as the key of that is.

    Before it where it ends in block style, for then nothing in the text shows where it ends.
    """
    name, last = mapping.entries[position]
    quote = name.style if name.style in QUOTES else ""
    entry = f"{quote}{key}{quote}: {quote}{value}{quote}"
    if mapping.flow:
        return Edit(last.end, last.end, f", {entry}")
    indent = text[_line_start(text, name.start) : name.start]
    newline = "\r\n" if "\r\n" in text else "\n"
    rest = _REST_OF_LINE.match(text, last.end)
    if rest is None or last.style in BLOCK_SCALARS or (not last.flow and not last.text):
        return Edit(name.start, name.start, f"{entry}{newline}{indent}")
    return Edit(rest.start("end"), rest.start("end"), f"{newline}{indent}{entry}")


def removal(text: str, mapping: Span, position: int) -> list[Edit]:
    """Return the edits that take the entry at `position` away; comments stay."""
    key, value = mapping.entries[position]
    if not mapping.flow:
        return [_line_removal(text, key, value)]
    comma = _UP_TO_COMMA.match(text, value.end)
    if comma is not None:
        return _with_comma_behind(text, key, value, comma.end())
    if not position:
        return [Edit(key.start, value.end)]
    return _with_comma_before(text, mapping.entries[position - 1][1], key, value)


def _line_removal(text: str, key: Span, value: Span) -> Edit:
    """Take an entry in block style away with its line, unless a comment stands on it."""
    start, rest = _line_start(text, key.start), _REST_OF_LINE.match(text, value.end)
    if rest is None or text[start : key.start].strip():
        return Edit(key.start, value.end)
    if rest["comment"]:
        return Edit(key.start, rest.start("comment"))
    return Edit(start, rest.end())


def _with_comma_behind(text: str, key: Span, value: Span, end: int) -> list[Edit]:
    if text[value.end : end - 1].strip():  # a comment before the comma
        return [Edit(key.start, value.end), Edit(end - 1, end)]
    following = len(text[end:]) - len(text[end:].lstrip())
    return [Edit(key.start, end if text[end + following] == "#" else end + following)]


def _with_comma_before(text: str, before: Span, key: Span, value: Span) -> list[Edit]:
    comma = _UP_TO_COMMA.match(text, before.end)
    if comma is None:
        return []
    if text[comma.end() : key.start].strip():  # a comment behind the comma
        return [Edit(comma.end() - 1, comma.end()), Edit(key.start, value.end)]
    return [Edit(comma.end() - 1, value.end)]


def _line_start(text: str, index: int) -> int:
    return max(text.rfind("\n", 0, index), text.rfind("\r", 0, index)) + 1
