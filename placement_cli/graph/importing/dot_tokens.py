"""The words of the DOT language."""

from __future__ import annotations

import re
from dataclasses import dataclass

from placement_cli.errors import UsageError
from placement_cli.graph.importing.imported import MAX_DEPTH
from placement_cli.located.places import quoted

KEYWORDS = frozenset({"strict", "graph", "digraph", "subgraph", "node", "edge"})
MAX_TOKENS = 1_000_000
MAX_JOINED = 10_000
"""Longest text that is put together with `+`."""
_SKIPPED = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/|\#[^\n]*)*+", re.DOTALL)
_TOKEN = re.compile(
    r'"(?P<quoted>(?:[^"\\]+|\\.)*+)"'
    r"|(?P<mark>->|--|[{}\[\]=;,:+])"
    r"|(?P<number>-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?![A-Za-z_]))"
    r"|(?P<word>[^\W\d]\w*)",
    re.DOTALL,
)
_BRACKET = re.compile(r"[<>]")


@dataclass(frozen=True, slots=True)
class Token:
    """One word. `mark` is `id` for names and values, else the mark or keyword itself; empty at the end."""

    mark: str
    text: str
    at: int
    is_html: bool = False

    def error(self, source: str, origin: str, message: str) -> UsageError:
        """Return the error that says `message` about this word of `source`."""
        line = source.count("\n", 0, self.at) + 1
        return UsageError(f"{origin}:{line}:{self.at - source.rfind(chr(10), 0, self.at)}: {message}")


def tokens(source: str, origin: str) -> list[Token]:
    """Return the words of a DOT file and an empty one at its end; raises UsageError for what is none."""
    found: list[Token] = []
    at = _skip(source, 0, origin)
    while at < len(source):
        token, at = _token(source, at, origin)
        joined = len(found) > 1 and found[-1].mark == "+"
        if joined:
            found.pop()
            first = found.pop()
            if first.mark != "id" or token.mark != "id":
                raise token.error(source, origin, "`+` joins only text in quotes")
            token = Token("id", first.text + token.text, first.at)
            if len(token.text) > MAX_JOINED:
                raise token.error(source, origin, f"text longer than {MAX_JOINED} characters")
        found.append(token)
        if len(found) > MAX_TOKENS:
            raise token.error(source, origin, f"more than {MAX_TOKENS} words and marks")
        at = _skip(source, at, origin)
    return [*found, Token("", "", len(source))]


def _skip(source: str, at: int, origin: str) -> int:
    found = _SKIPPED.match(source, at)
    end = found.end() if found else at
    if source.startswith("/*", end):
        raise Token("", "", end).error(source, origin, "a comment is not closed")
    return end


def _token(source: str, at: int, origin: str) -> tuple[Token, int]:
    if source[at] == "<":
        end = _html_end(source, at, origin)
        return Token("id", source[at + 1 : end - 1], at, is_html=True), end
    found = _TOKEN.match(source, at)
    if found is None:
        begun = source[at : at + 30].split("\n", 1)[0]
        what = "text in quotes is not closed" if source[at] == '"' else f"{quoted(begun)} is no DOT"
        raise Token("", "", at).error(source, origin, what)
    if (text := found["quoted"]) is not None:
        return Token("id", text.replace('\\"', '"').replace("\\\n", ""), at), found.end()
    word = found["word"]
    if word and word.lower() in KEYWORDS:
        return Token(word.lower(), word, at), found.end()
    return Token(found["mark"] or "id", found[0], at), found.end()


def _html_end(source: str, at: int, origin: str) -> int:
    """Return where text in angle brackets ends; brackets inside come in pairs."""
    depth = 0
    for bracket in _BRACKET.finditer(source, at):
        depth += 1 if bracket[0] == "<" else -1
        if depth == 0:
            return bracket.end()
        if depth > MAX_DEPTH:
            break
    raise Token("", "", at).error(source, origin, "text in angle brackets is not closed")
