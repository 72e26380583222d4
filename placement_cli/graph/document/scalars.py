"""The single values of a graph document: names, durations, sizes, modes, shapes."""

from __future__ import annotations

import re
from typing import Any

from placement_cli.graph.document.rules import Rule, line, matching
from placement_cli.graph.mode import OFF, WORDS, Mode, parse_mode
from placement_cli.graph.pipeline import SOURCE
from placement_cli.located.places import quoted
from placement_cli.located.validation import kind_of, wrong
from placement_cli.units import format_duration, parse_duration, parse_size

LONGEST_NAME = 128
NODE_NAME = re.compile(rf"[A-Za-z0-9_][A-Za-z0-9_.-]{{0,{LONGEST_NAME - 1}}}")
"""What nodes may be called, but for `source`; importers write names of modules, such as `model.layers.0`."""
LONGEST_PATH = 1024
"""Most characters of the path of a file."""
LONGEST_DURATION_S = 3600.0
"""No single cost of one message and no limit on its latency is longer."""
MAX_SIDE = 2**31
"""Most samples or channels of one message, rows or columns of one block."""


def _node_name(value: Any) -> str:
    if not isinstance(value, str) or not NODE_NAME.fullmatch(value):
        raise wrong(
            f"{kind_of(value)} is not a name; expected up to {LONGEST_NAME} letters, digits, '_', '-' and '.', "
            f"the first a letter, a digit or '_'"
        )
    return value


def _own_name(value: Any) -> str:
    name = _node_name(value)
    if name == SOURCE:
        raise wrong(f"{SOURCE!r} is the message that comes in; call the node something else")
    return name


def _duration(value: Any) -> float:
    try:
        seconds = parse_duration(_written(value))
    except ValueError as error:
        raise wrong(str(error)) from None
    if seconds > LONGEST_DURATION_S:
        raise wrong(f"{quoted(value)} is longer than {format_duration(LONGEST_DURATION_S)}, the most there may be")
    return seconds


def _positive_duration(value: Any) -> float:
    seconds = _duration(value)
    if not seconds:
        raise wrong(f"expected a duration above zero, not {quoted(value)}")
    return seconds


def _size(value: Any) -> int:
    try:
        return parse_size(_written(value))
    except ValueError as error:
        raise wrong(str(error)) from None


def _positive_size(value: Any) -> int:
    size = _size(value)
    if not size:
        raise wrong(f"expected a size above zero, not {quoted(value)}")
    return size


def _written(value: Any) -> str:
    """Return a quantity as written; a number without a unit is refused by its parser, which says what is missing."""
    return value if isinstance(value, str) else kind_of(value).strip("'")


def _mode(value: Any) -> Mode:
    if value is False:  # how writers of YAML 1.1 spell a bare off
        return OFF
    if not isinstance(value, str):
        raise wrong(f"{kind_of(value)} is no mode; expected one of {', '.join(WORDS)}")
    try:
        return parse_mode(value)
    except ValueError as error:
        raise wrong(str(error)) from None


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise wrong(f"expected true or false, not {kind_of(value)}")
    return value


def _parameter(value: Any) -> int | float | str:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise wrong(f"expected a number or a word, not {kind_of(value)}")
    return value


def _shape(value: Any) -> tuple[int, int]:
    if isinstance(value, list) and len(value) == 2 and all(type(n) is int and 1 <= n <= MAX_SIDE for n in value):
        return value[0], value[1]
    shown = value if isinstance(value, list) else kind_of(value)
    raise wrong(f"expected two whole numbers from 1 to {MAX_SIDE}, such as [30, 256], not {str(shown)[:60]}")


def _matrix_file(value: Any) -> str:
    path: str = line(LONGEST_PATH).read(value)
    if not path.endswith((".npy", ".npz")):
        raise wrong(f"expected the path of a file that ends in .npy or .npz, not {quoted(path)}")
    return path


_NUMBER = r"([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?"
_PART = rf"{_NUMBER}\s*(ns|us|\u00b5s|\u03bcs|ms|s|min|h)"
_DURATION_SCHEMA = {"type": "string", "pattern": rf"^\s*{_PART}(\s*{_PART})*\s*$"}
_SIZE_SCHEMA = {"type": "string", "pattern": rf"^\s*{_NUMBER}\s*([kKMGT]?B|[KMGT]iB)\s*$"}
_NAME_SCHEMA = {"type": "string", "pattern": f"^{NODE_NAME.pattern}$"}

NAME = Rule(_node_name, _NAME_SCHEMA)
OWN_NAME = Rule(_own_name, {**_NAME_SCHEMA, "not": {"const": SOURCE}})
DURATION = Rule(_duration, _DURATION_SCHEMA)
POSITIVE_DURATION = Rule(_positive_duration, _DURATION_SCHEMA)
SIZE = Rule(_size, _SIZE_SCHEMA)
POSITIVE_SIZE = Rule(_positive_size, _SIZE_SCHEMA)
FLAG = Rule(_flag, {"type": "boolean"})
PARAMETER = Rule(_parameter, {"type": ["number", "string"]})
MODE = Rule(
    _mode,
    {
        "anyOf": [
            {"enum": ["off", "async", "sync", False]},
            {"type": "string", "pattern": "^(window|every):0*[1-9][0-9]*$"},
        ]
    },
)
SHAPE = Rule(
    _shape,
    {
        "type": "array",
        "items": {"type": "integer", "minimum": 1, "maximum": MAX_SIDE},
        "minItems": 2,
        "maxItems": 2,
    },
)
VERSION_OF_MLX = matching(re.compile(r"[0-9]+\.[0-9]+[0-9A-Za-z.+-]{0,32}"), "a version such as 0.32.4")
MATRIX_FILE = Rule(_matrix_file, {"type": "string", "maxLength": LONGEST_PATH, "pattern": r"\.np[yz]$"})
