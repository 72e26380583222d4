"""Damaged documents never give a traceback: only a value that can be compared and printed, or one clear error.

PLACEMENT_RUN_MUTATIONS says how many damaged documents are read.
"""

from __future__ import annotations

import copy
import io
import json
import os
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest
from rich.console import Console

from placement_cli.comparing.documents import comparison_json, history_json
from placement_cli.comparing.history import history_of
from placement_cli.comparing.loading import load_recorded
from placement_cli.comparing.table import comparison_table
from placement_cli.errors import NothingComparable, UnreadableInput
from placement_cli.render.comparison_table import print_comparison
from placement_cli.render.history_table import print_history
from placement_cli.store.files import load_run

T = TypeVar("T")
MUTATIONS = int(os.environ.get("PLACEMENT_RUN_MUTATIONS", "2000"))
PARTS = 20
PRINTED = 10
"""One in so many is printed as well, which takes the longest."""
DATA = Path(__file__).parents[2] / "data"
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**63, 10**40, -(10**99), 10**120, 1e-320, 1e99, -0.5, 1e308, float("nan"),
    float("inf"), "", "x" * 5000, "\ud800", "\x1b[31m[red]<b>", "NaN", "1.0", "2.0.0", [], {}, [[]], [None], {"": {}},
    [1, "a", None], {"a": float("-inf")}, "sha256:0", "control", "base", "2026-13-45T99:00:00",
    "9999-12-31T23:59:59-23:00",
)  # fmt: skip
"""Values that stand in the place of others."""


def small(document: Any) -> Any:
    """Return a run with one case, and in that two blocks that hold some samples of every arm."""
    for case in document.get("cases", ())[1:]:
        document["cases"].remove(case)
    for case in document.get("cases", ()):
        first = case["blocks"][0]
        kept = [sample for sample in first["samples"] if sample["phase"] == "measure"]
        first["samples"] = kept[: len(case["arms"])]
        case["blocks"] = [{**copy.deepcopy(first), "index": number} for number in range(2)]
    return document


SOURCES = [
    json.dumps(small(json.loads(path.read_bytes())))
    for folder in ("runs", "foreign")
    for path in sorted((DATA / folder).glob("*.json"))
]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every place of a document: what holds it, and its key there."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder)) if isinstance(holder, list) else ()
        found += [(holder, key) for key in keys]
        waiting += [holder[key] for key in keys]
    return found


def replaced(value: Any, draw: random.Random) -> None:
    """Put an odd value, or another part of the document, in some place."""
    holder, key = draw.choice(places(value))
    if draw.random() < 0.2:
        other, name = draw.choice(places(value))
        holder[key] = copy.deepcopy(other[name])
    else:
        holder[key] = copy.deepcopy(draw.choice(ODD))


def deleted(value: Any, draw: random.Random) -> None:
    """Take some place out."""
    holder, key = draw.choice(places(value))
    del holder[key]


def scaled(value: Any, draw: random.Random) -> None:
    """Change the size or the sign of some number."""
    numbers = [(holder, key) for holder, key in places(value) if isinstance(holder[key], int | float)]
    holder, key = draw.choice(numbers)
    holder[key] *= draw.choice([-1, 0, 1e-30, 1e-9, 0.5, 1e6, 1e30, 1e200])


def doubled(value: Any, draw: random.Random) -> None:
    """Let some entry of a list stand twice."""
    lists = [holder[key] for holder, key in places(value) if isinstance(holder[key], list) and holder[key]]
    chosen = draw.choice(lists)
    chosen.append(copy.deepcopy(draw.choice(chosen)))


CHANGES: tuple[Callable[[Any, random.Random], None], ...] = (replaced, replaced, deleted, scaled, doubled)


def damaged(draw: random.Random) -> bytes:
    """Return a document with one to four changes, and perhaps bytes that are cut off, turned or put in."""
    value = json.loads(draw.choice(SOURCES))
    for _ in range(draw.choice([0, 1, 1, 2, 4])):
        # What is left may hold nothing that this change could be made to.
        with suppress(IndexError):
            draw.choice(CHANGES)(value, draw)
    content = bytearray(json.dumps(value).encode("utf-8", "surrogatepass"))
    match draw.randrange(6):
        case 0:
            del content[draw.randrange(len(content)) :]
        case 1:
            content[draw.randrange(len(content))] = draw.randrange(256)
        case 2:
            at = draw.randrange(len(content))
            content[at:at] = draw.choice([b"9" * 400, b"[" * 300, b"\xff", b"\\u0000", b"e", b"-", b'"', b"\x00"])
    return bytes(content)


def tried(load: Callable[[Path], T], path: Path) -> T | None:
    """Return what is loaded, None where an error says that it cannot be, which names the file and is short."""
    told = str(path)
    try:
        return load(path)
    except UnreadableInput as error:
        told = str(error)
    finally:
        assert str(path) in told
        assert len(told) < 1500
    return None


def read_through(path: Path, console: Console | None) -> bool:
    """Load a run, compare and follow it, write both and print them; tell whether it could be read at all."""
    run = tried(load_recorded, path)
    if run is None:
        return False
    history = history_of("runs", [run])
    json.loads(history_json(history))
    try:
        table = comparison_table([run, run])
    except NothingComparable:
        return True
    json.loads(comparison_json(table))
    if console is not None:
        print_history(history, console)
        print_comparison(table, console, explain=True)
    return True


@pytest.mark.parametrize("part", range(PARTS))
def test_damage_never_gives_a_traceback(part: int, tmp_path: Path) -> None:
    """Bytes cut, types swapped, keys deleted, huge numbers: through the functions that every command loads with."""
    draw, path = random.Random(part), tmp_path / "run.json"
    console = Console(file=io.StringIO(), width=80, highlight=False, emoji=False, markup=False)
    read = 0
    for number in range(MUTATIONS // PARTS):
        path.write_bytes(damaged(draw))
        read += read_through(path, None if number % PRINTED else console)
        tried(load_run, path)
    assert 0 < read < MUTATIONS // PARTS
