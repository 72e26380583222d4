"""The words of Mermaid's flowcharts, as patterns."""

from __future__ import annotations

import re
from dataclasses import dataclass

FENCE = re.compile(r"\s*```+ *mermaid *\n")
FRONT = re.compile(r"\s*---[ \t]*\n(?P<matter>.*?)\n---[ \t]*(?:\n|$)", re.DOTALL)
TITLE = re.compile(r"^[ \t]*title:[ \t]*(?P<title>[^\n]*)$", re.MULTILINE)

_COMMENT = r"%%[^\n]*|```+[ \t]*(?=\n|$)"
SKIPPED = re.compile(rf"(?:[\s;]+|{_COMMENT})*+")
"""What stands between statements: blanks, semicolons, comments, directives, the end of a fence."""
BLANK = re.compile(r"[ \t]*")
LINE_END = re.compile(rf"[ \t]*(?:(?=[;\n])|$|{_COMMENT})")

HEADER = re.compile(r"(?:flowchart(?:-elk|-v2)?|graph)\b[ \t]*(?:(?:TB|TD|BT|RL|LR|[<>^v])(?=[\s;]|$))?")
IGNORED = re.compile(
    r"(?P<word>end)(?=[\s;]|$)"
    r"|direction[ \t]+(?:TB|TD|BT|RL|LR)(?=[\s;]|$)"
    r"|accDescr[ \t]*\{[^}]*\}"
    r"|(?:classDef|class|style|linkStyle|click|accTitle|accDescr)(?=[ \t:])[^\n]*"
)
"""`end`, and statements that say nothing about what leads where."""

_ID = r"(?P<id>\w+(?:[-./]\w+)*)"
ID = re.compile(_ID)
CLASS = re.compile(r":::[\w-]+")
ATTRIBUTES = re.compile(r'@\{(?P<body>(?:[^}"]|"[^"]*")*+)\}')
"""A shape in the newer form, `@{ shape: rect, label: "text" }`."""
LABEL = re.compile(r'\blabel[ \t]*:[ \t]*(?:"(?P<quoted>[^"]*)"|(?P<plain>[^",}\n]*))')


@dataclass(frozen=True, slots=True)
class Shape:
    """How the label of a node begins, and what follows up to the end of the shape."""

    opening: re.Pattern[str]
    rest: re.Pattern[str]


def _shape(opening: str, *closings: str) -> Shape:
    closing = "|".join(re.escape(each) for each in closings)
    rest = rf'[ \t]*"(?P<quoted>[^"]*)"[ \t]*(?:{closing})|(?P<plain>[^"\n]*?)(?:{closing})'
    return Shape(re.compile(rf"[ \t]*{re.escape(opening)}"), re.compile(rest))


SHAPES = (
    _shape("(((", ")))"),
    _shape("((", "))"),
    _shape("([", "])"),
    _shape("(", ")"),
    _shape("[[", "]]"),
    _shape("[(", ")]"),
    _shape("[/", "/]", "\\]"),
    _shape("[\\", "\\]", "/]"),
    _shape("[", "]"),
    _shape("{{", "}}"),
    _shape("{", "}"),
    _shape(">", "]"),
)
"""All shapes, the longer openings first."""

LINK_ID = re.compile(r"(?P<id>\w+)@(?=[<xo]?[-=~])")
LINK = re.compile(r"(?P<left>[<xo])?(?:--+[->xo]|==+[=>xo]|-\.+-[>xo]?|~~~+)")
_TEXT = r'"[^"\n]*"|[^\n]{0,2000}?'
TEXT_LINK = re.compile(
    r"(?P<left>[<xo])?"
    rf"(?:--[ \t]?(?P<one>{_TEXT})[ \t]?-{{2,99}}[->xo]"
    rf"|==[ \t]?(?P<two>{_TEXT})[ \t]?={{2,99}}[=>xo]"
    rf"|-\.[ \t]?(?P<three>{_TEXT})[ \t]?\.{{1,99}}-[>xo]?)"
)
"""A link with its text in the middle, `-- text -->`. Lengths are bounded, so that a hostile line costs no time."""
LINK_TEXT = re.compile(r"[ \t]*\|(?P<text>\"[^\"]*\"|[^|\n]*)\|")


@dataclass(frozen=True, slots=True)
class SubgraphWords:
    """The parts of the line that begins a subgraph: the word, what it is called, a title without brackets."""

    opening: re.Pattern[str]
    key: re.Pattern[str]
    rest: re.Pattern[str]


SUBGRAPH_ID = SubgraphWords(
    opening=re.compile(r"subgraph(?=[\s;]|$)[ \t]*"),
    key=re.compile(_ID),
    rest=re.compile(r'[ \t]*(?:"(?P<quoted>[^"\n]*)"|(?P<plain>[^\n;]*))'),
)
