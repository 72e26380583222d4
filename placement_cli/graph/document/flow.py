"""Lays plain values out as YAML: mappings in one line while they fit, text in quotes where YAML would misread it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

LINE = 120
"""Longer mappings are broken between their entries."""
WIDEST_KEY = 20
"""Values of a block stand in one column when no key is longer than this."""
_WORDS = re.compile(r"[A-Za-z_][A-Za-z0-9_./+-]*( [A-Za-z0-9_./+-]+)*")
_QUANTITY = re.compile(r"[0-9][0-9.]*(e[+-]?[0-9]+)? [A-Za-z]+")
_MODE = re.compile(r"(window|every):[0-9]+")
_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")
_MISREAD = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
"""What some reader of YAML takes for something else than text."""


def block_lines(mapping: Mapping[str, Any]) -> list[str]:
    """Return the lines of a block mapping below its key: an entry a line, its value in flow style."""
    keys = [scalar_text(key) for key in mapping]
    widest = max(map(len, keys))
    pad = widest + 2 if widest <= WIDEST_KEY else 0
    lines: list[str] = []
    for key, value in zip(keys, mapping.values(), strict=True):
        lines += _laid_out("  " + f"{key}: ".ljust(pad if isinstance(value, Mapping) else 0), value)
    return lines


def flow_entry(key: str, value: Any) -> str:
    """Return `key: value` in one line."""
    return f"{scalar_text(key)}: {flow_text(value)}"


def flow_text(value: Any) -> str:
    """Return a value in one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(flow_entry(key, each) for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow_text, value)) + "]"
    return scalar_text(value) if isinstance(value, str) else json.dumps(value)


def scalar_text(text: str) -> str:
    """Return text plain where every reader of YAML takes it as that text, else in double quotes."""
    forms = (_WORDS, _QUANTITY, _MODE, _VERSION)
    if text.lower() not in _MISREAD and any(form.fullmatch(text) for form in forms):
        return text
    return json.dumps(text, ensure_ascii=False)


def _laid_out(head: str, value: Any) -> list[str]:
    """Return `head` and the value, its entries broken over lines where they do not fit into one."""
    whole = head + flow_text(value)
    if len(whole) <= LINE or not isinstance(value, Mapping):
        return [whole]
    return _filled(head + "{", (flow_entry(key, each) for key, each in value.items()))


def _filled(line: str, entries: Iterable[str]) -> list[str]:
    """Fill lines with entries up to the length of a line; the first begins with `line`, the last closes the mapping."""
    lines: list[str] = []
    begun = False
    for entry in entries:
        if begun and len(line) + len(entry) + len(", ,") > LINE:
            lines.append(line + ",")
            line, begun = " " * 6, False
        line += f", {entry}" if begun else entry
        begun = True
    return [*lines, line + "}"]
