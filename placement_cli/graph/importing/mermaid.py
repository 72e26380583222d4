"""Reads flowcharts of Mermaid: the part of the language that says what leads where.

Taken: `graph` and `flowchart`, nodes of every shape, chains of links, `&`, texts on links, subgraphs, front matter
with a title. Styles, classes, clicks and directions are passed over. Other kinds of diagram are refused.
"""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass, field

from placement_cli.errors import UsageError
from placement_cli.graph.importing.drawn import import_sketch
from placement_cli.graph.importing.imported import NOTHING_ASKED, Asked, Imported, check_size
from placement_cli.graph.importing.mermaid_groups import without_group_ends
from placement_cli.graph.importing.mermaid_words import (
    ATTRIBUTES,
    BLANK,
    CLASS,
    FENCE,
    FRONT,
    HEADER,
    ID,
    IGNORED,
    LABEL,
    LINE_END,
    LINK,
    LINK_ID,
    LINK_TEXT,
    SHAPES,
    SKIPPED,
    SUBGRAPH_ID,
    TEXT_LINK,
    TITLE,
)
from placement_cli.graph.importing.sketch import Sketch
from placement_cli.located.places import quoted


def read_mermaid(text: str, origin: str, asked: Asked = NOTHING_ASKED) -> Imported:
    """Read a flowchart; raises UsageError with line and column where it is none."""
    check_size(text, origin)
    sketch = _Reader(text, origin).read()
    return import_sketch(without_group_ends(sketch, origin), origin, asked)


@dataclass(slots=True)
class _Reader:
    text: str
    origin: str
    at: int = 0
    link_ids: set[str] = field(default_factory=set)
    sketch: Sketch = field(init=False)

    def __post_init__(self) -> None:
        self.sketch = Sketch(self.refused)

    def refused(self, message: str) -> UsageError:
        line = self.text.count("\n", 0, self.at) + 1
        column = self.at - self.text.rfind("\n", 0, self.at)
        return UsageError(f"{self.origin}:{line}:{column}: {message}")

    def unexpected(self, expected: str) -> UsageError:
        rest = self.text[self.at : self.at + 200].split("\n", 1)[0].strip()
        found = f"found {quoted(rest)}" if rest else "the line ends"
        return self.refused(f"expected {expected}, but {found}")

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return what stands here, and go on behind it."""
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def read(self) -> Sketch:
        self._front()
        if not self.take(HEADER):
            raise self.unexpected("a flowchart, which begins with `flowchart` or `graph`")
        while self.take(SKIPPED) and self.at < len(self.text):
            self._statement()
        if self.sketch.open_groups:
            raise self.refused("a subgraph is not ended; expected `end`")
        return self.sketch

    def _front(self) -> None:
        self.take(FENCE)
        if (front := self.take(FRONT)) and (title := TITLE.search(front["matter"])):
            self.sketch.name = _scalar(title["title"])
        self.take(SKIPPED)

    def _statement(self) -> None:
        if word := self.take(IGNORED):
            if word["word"] == "end":
                self._end(word.start())
            return
        if self.take(SUBGRAPH_ID.opening):
            self._subgraph()
            return
        self._chain()
        if not self.take(LINE_END):
            raise self.unexpected("a link, `&` or the end of the line")

    def _end(self, place: int) -> None:
        if not self.sketch.open_groups:
            self.at = place
            raise self.refused("`end` without a subgraph")
        self.sketch.close_group()

    def _subgraph(self) -> None:
        key = self.take(SUBGRAPH_ID.key)
        label = self._shape()
        if label is None:
            rest = self.take(SUBGRAPH_ID.rest)
            name = f"{key['id'] if key else ''} {_label(rest) if rest else ''}".strip()
            label = name
        else:
            name = key["id"] if key else label
        if not self.take(LINE_END):
            raise self.unexpected("the end of the line")
        self.sketch.open_group(name, label)

    def _chain(self) -> None:
        tails = self._nodes()
        while link := self._link():
            behind = self.at
            self.take(SKIPPED)
            if not ID.match(self.text, self.at):
                self.at = behind
            heads = self._nodes()
            label, both, drawn = link
            if drawn:
                self.sketch.connect(tails, heads, label)
                if both:
                    self.sketch.connect(heads, tails, label)
            tails = heads

    def _nodes(self) -> list[str]:
        keys = [self._node()]
        while self.take(BLANK) and self.text.startswith("&", self.at):
            self.at += 1
            self.take(BLANK)
            keys.append(self._node())
        return [key for key in keys if key not in self.link_ids]

    def _node(self) -> str:
        found = self.take(ID)
        if not found:
            raise self.unexpected("the name of a node")
        key, label = found["id"], self._shape()
        if key not in self.link_ids:
            self.sketch.mention(key, label)
        self.take(CLASS)
        return key

    def _shape(self) -> str | None:
        """Return the label of the shape that stands here, if one does."""
        if attributes := self.take(ATTRIBUTES):
            found = LABEL.search(attributes["body"])
            return _label(found) if found else None
        opened = False
        for shape in SHAPES:
            if begin := shape.opening.match(self.text, self.at):
                opened = True
                if found := shape.rest.match(self.text, begin.end()):
                    self.at = found.end()
                    return _label(found)
        if opened:
            raise self.refused("a label is not closed")
        return None

    def _link(self) -> tuple[str, bool, bool] | None:
        """Return the text of the link that stands here, whether it points both ways, and whether it is visible."""
        self.take(BLANK)
        if (named := LINK_ID.match(self.text, self.at)) is not None:
            self.link_ids.add(named["id"])
            self.at = named.end()
        found = self.take(LINK)
        label = ""
        if found is None:
            if (found := self.take(TEXT_LINK)) is None:
                return None
            label = found["one"] or found["two"] or found["three"] or ""
        elif text := self.take(LINK_TEXT):
            label = text["text"]
        return _words(label.strip().strip('"')), found["left"] == "<", not found[0].startswith("~")


def _label(found: re.Match[str]) -> str:
    """Return the text of a label, which stands in quotes or not."""
    return _words(found["quoted"] if found["quoted"] is not None else found["plain"].strip())


def _words(text: str) -> str:
    """Return text with Mermaid's entities (`#quot;`, `#35;`) written out, and without the marks of Markdown strings."""
    return re.sub(r"#([0-9]{1,7}|[A-Za-z][A-Za-z0-9]{1,30});", _entity, text.strip("`"))


def _entity(found: re.Match[str]) -> str:
    name = found[1]
    return html.unescape(f"&#{name};" if name.isdecimal() else f"&{name};")


def _scalar(text: str) -> str:
    """Return a title of front matter, which may stand in quotes."""
    plain = text.strip()
    if plain.startswith('"'):
        try:
            return str(json.loads(plain))
        except ValueError:
            return plain.strip('"')
    return plain.strip("'")
