"""Names of nodes, made from the labels and addresses of other tools."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import count

from placement_cli.graph.document.node_schema import LONGEST_TEXT
from placement_cli.graph.document.scalars import LONGEST_NAME, NODE_NAME
from placement_cli.graph.pipeline import SOURCE

ROOM = 8
"""Characters kept free at the end of a name, for the number that makes it unique."""
NAMELESS = "node"
_OTHER = re.compile(r"[^A-Za-z0-9._-]+")
_TAG = re.compile(r"<[^<>]*>")
_BREAK = re.compile(r"<br\s*/?>|\n", re.IGNORECASE)


def label_lines(label: str) -> list[str]:
    """Return the lines of a label, without tags; at least one."""
    return [_TAG.sub(" ", line).strip() for line in _BREAK.split(label)]


def one_line(text: str) -> str:
    """Return text as graph.yaml takes it for names that are not those of nodes: one line, printable, not long."""
    return "".join(char if char.isprintable() else " " for char in text)[:LONGEST_TEXT].strip()


def names_for(labels: Sequence[str]) -> list[str]:
    """Return a name for each label: its last part where that is unique, all of it where not, a number where it must.

    Parts are separated by slashes, as in the addresses of ezmsg. Names hold letters, digits, `_`, `-` and `.`, and
    begin with a letter, a digit or `_`.
    """
    lasts = [_sanitised(label.rsplit("/", 1)[-1]) for label in labels]
    seen = Counter(lasts)
    wanted = [last if seen[last] == 1 else _sanitised(label) for last, label in zip(lasts, labels, strict=True)]
    return _unique(wanted)


def _sanitised(label: str) -> str:
    if NODE_NAME.fullmatch(label):
        return label
    plain = _OTHER.sub("-", label.replace("/", ".")).lstrip(".-").rstrip("-.")
    return plain[: LONGEST_NAME - ROOM].rstrip("-.") or NAMELESS


def _unique(wanted: Sequence[str]) -> list[str]:
    once = {name for name, times in Counter(wanted).items() if times == 1}
    taken = {SOURCE, *once}
    numbers = {name: count(1) for name in wanted}
    names = []
    for name in wanted:
        if name in once and name != SOURCE:
            names.append(name)
            continue
        free = next(found for number in numbers[name] if (found := _numbered(name, number)) not in taken)
        taken.add(free)
        names.append(free)
    return names


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name[: LONGEST_NAME - ROOM]}-{number}"
