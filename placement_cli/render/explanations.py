"""What findings mean, for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict

from rich.console import Console
from rich.text import Text

from placement_cli.advice.explanations.explanation import Explanation
from placement_cli.codes import CODES
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain

ROOM = 9
"""Columns of the words that explanations begin with."""


def print_explanation(explained: Explanation, console: Console) -> None:
    """Print what a finding means, why it matters, how it is decided and what to do."""
    console.print(Hanging(plain(f"{explained.code} {CODES[explained.code]}: {explained.summary}", "bold")))
    for title, text in (("means", explained.means), ("why", explained.why), ("decided", explained.decided)):
        console.print(Hanging(plain(text), Text(title, style="bold"), ROOM))
    for number, way in enumerate(explained.do):
        console.print(Hanging(plain(way), Text("" if number else "do", style="bold"), ROOM))


def print_codes(explanations: Iterable[Explanation], console: Console) -> None:
    """Print a line a code: its name and what it is about."""
    known = list(explanations)
    room = max((len(CODES[each.code]) for each in known), default=0)
    for each in known:
        mark = f"{each.code}  {CODES[each.code]:<{room}}  "
        console.print(Hanging(plain(each.summary), Text(mark, style="bold")))


def explanations_json(explanations: Iterable[Explanation]) -> str:
    """Return the explanations as one JSON document."""
    entries = [{"code": each.code, "name": CODES[each.code], **asdict(each)} for each in explanations]
    return json.dumps({"schema": "placement.explanations", "schema_version": "1.0.0", "findings": entries}, indent=1)
