"""Reads graphs in the DOT language of Graphviz.

Taken: graphs and digraphs, nodes with labels, chains of edges, ports, subgraphs and sets of nodes in braces, defaults,
comments. What is only about looks is passed over.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from placement_cli.errors import UsageError
from placement_cli.graph.importing.dot_tokens import Token, tokens
from placement_cli.graph.importing.drawn import import_sketch
from placement_cli.graph.importing.imported import MAX_LABEL, NOTHING_ASKED, Asked, Imported, check_size
from placement_cli.graph.importing.sketch import Sketch
from placement_cli.located.places import quoted

UNDIRECTED = "The graph is undirected: each edge is taken to lead from the node that is written first."
NAME_ITSELF = "\\N"
"""A label that stands for the name of its node."""
_ARROWS = ("->", "--")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_BREAKS = {"n": "\n", "l": "\n", "r": "\n"}
_PORT = re.compile(r"<[^<>|{}]*>")


def read_dot(text: str, origin: str, asked: Asked = NOTHING_ASKED) -> Imported:
    """Read a DOT file; raises UsageError with line and column where it is none."""
    check_size(text, origin)
    return import_sketch(_Reader(text, origin).read(), origin, asked)


@dataclass(slots=True)
class _Open:
    """A group that is being read: what its nodes are, and the chain of edges it stands in."""

    members: dict[str, None] = field(default_factory=dict)
    chain: list[list[str]] = field(default_factory=list)
    group: int | None = None


@dataclass(slots=True)
class _Reader:
    """Goes through the tokens once; groups within groups are kept on a stack, never on that of Python."""

    text: str
    origin: str
    place: int = 0
    tokens: list[Token] = field(init=False)
    sketch: Sketch = field(init=False)
    stack: list[_Open] = field(init=False)

    def __post_init__(self) -> None:
        self.sketch = Sketch(lambda message: self.current.error(self.text, self.origin, message))
        self.tokens = tokens(self.text, self.origin)
        self.stack = [_Open()]

    @property
    def current(self) -> Token:
        return self.tokens[self.place]

    def taken(self, *marks: str) -> Token | None:
        """Return the token here and go on, if it is one of these marks or words."""
        token = self.current
        if token.mark not in marks:
            return None
        self.place += 1
        return token

    def unexpected(self, expected: str) -> UsageError:
        found = f"found {quoted(self.current.text)}" if self.current.mark else "the file ends"
        return self.current.error(self.text, self.origin, f"expected {expected}, but {found}")

    def read(self) -> Sketch:
        self.taken("strict")
        kind = self.taken("digraph", "graph")
        if kind is None:
            raise self.unexpected("`digraph` or `graph`")
        if kind.mark == "graph":
            self.sketch.notes.append(UNDIRECTED)
        if name := self.taken("id"):
            self.sketch.name = name.text
        if not self.taken("{"):
            raise self.unexpected("`{`")
        while self.stack:
            self._statement()
        return self.sketch

    def _statement(self) -> None:
        if self.stack[-1].chain:
            self._operand()
        elif self.taken(";", ","):
            return
        elif self.taken("}"):
            self._close()
        elif self.taken("node", "edge", "graph"):
            self._attributes()
        elif self.current.mark == "id" and self.tokens[self.place + 1].mark == "=":
            self.place += 1
            self._group_attribute(self.tokens[self.place - 1].text.lower())
        else:
            self._operand()

    def _group_attribute(self, name: str) -> None:
        self.place += 1
        value = self.taken("id")
        if value is None:
            raise self.unexpected("a value")
        group = self.stack[-1].group
        if name != "label":
            return
        if group is None:
            self.sketch.name = _plain(value)
        else:
            self.sketch.groups[group].label = _plain(value)[:MAX_LABEL]

    def _operand(self) -> None:
        """Read a node, or begin a group; either may stand in a chain of edges."""
        opened = self.taken("subgraph")
        name = self.taken("id")
        if opened or (name is None and self.current.mark == "{"):
            self._open(name)
            return
        if name is None:
            raise self.unexpected("a node, a subgraph or `}`")
        self._port()
        self._add([name.text])
        self._mention(name.text)
        self._after_operand()

    def _open(self, name: Token | None) -> None:
        if not self.taken("{"):
            raise self.unexpected("`{`")
        self.sketch.open_group(name.text if name else "", name.text if name else "")
        self.stack.append(_Open(group=self.sketch.open_groups[-1]))

    def _close(self) -> None:
        closed = self.stack.pop()
        if not self.stack:
            if self.current.mark:
                raise self.unexpected("the end of the file")
            return
        self.sketch.close_group()
        self.stack[-1].members.update(closed.members)
        self._add(list(closed.members))
        self._after_operand()

    def _port(self) -> None:
        for _ in range(2):
            if self.taken(":") and not self.taken("id"):
                raise self.unexpected("the name of a port")

    def _mention(self, key: str) -> None:
        self.sketch.mention(key)
        self.stack[-1].members[key] = None

    def _add(self, keys: list[str]) -> None:
        self.stack[-1].chain.append(keys)

    def _after_operand(self) -> None:
        """Go on with the chain, or draw it: its edges, or the label of its only node."""
        if self.taken(*_ARROWS):
            if self.current.mark not in ("id", "{", "subgraph"):
                raise self.unexpected("a node or a subgraph")
            return
        chain, self.stack[-1].chain = self.stack[-1].chain, []
        attributes = self._attributes()
        label = _label(attributes)
        if len(chain) == 1:
            if len(chain[0]) == 1 and label is not None:
                self.sketch.mention(chain[0][0], label)
            return
        back = attributes["dir"].text.lower() if "dir" in attributes else "forward"
        for tails, heads in pairwise(chain):
            if back != "back":
                self.sketch.connect(tails, heads, label or "")
            if back in ("back", "both"):
                self.sketch.connect(heads, tails, label or "")

    def _attributes(self) -> Mapping[str, Token]:
        found: dict[str, Token] = {}
        while self.taken("["):
            while not self.taken("]"):
                name = self.taken("id")
                if name is None:
                    raise self.unexpected("the name of an attribute or `]`")
                value = self.taken("id") if self.taken("=") else name
                if value is None:
                    raise self.unexpected("a value")
                found[name.text.lower()] = value
                self.taken(",", ";")
        return found


def _label(attributes: Mapping[str, Token]) -> str | None:
    """Return the label of a node or edge, without the ports of records; None where it is the name itself."""
    token = attributes.get("label")
    if token is None or token.text == NAME_ITSELF:
        return None
    text = _plain(token)
    return _PORT.sub(" ", text) if "|" in text else text


def _plain(token: Token) -> str:
    """Return the text of a label with line breaks and entities written out."""
    if token.is_html:
        return html.unescape(token.text)
    return html.unescape(_ESCAPE.sub(lambda found: _BREAKS.get(found[1], found[1]), token.text))
