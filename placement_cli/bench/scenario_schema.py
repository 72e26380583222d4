"""What a scenario document may hold, version 1: keys, types and bounds that do not depend on values of axes."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from placement_cli.bench.arms import SITE_WORDS
from placement_cli.bench.axes import NAME
from placement_cli.errors import did_you_mean
from placement_cli.graph.pipeline import SOURCE, ParameterValue
from placement_cli.located.places import quoted
from placement_cli.located.validation import kind_of, wrong
from placement_cli.measure.specs import ArmMode, Reading

VERSION = 1
"""The version of the document that this program reads."""
MAX_AXES = 8
MAX_QUESTION = 200
"""Most characters of a question."""
MAX_TEXT = 1024
"""Most characters of any other text: a list of values, an arm with its sites."""

REFERENCE = "$"
"""What a value begins with that stands for an axis or a setting."""
SETTINGS = ("messages", "rate", "duration")
"""Top-level keys that other values may refer to, and that `quick` and `--set` may replace by an axis."""
CHOICES = ("arms", "base")
"""Top-level keys that `quick` and `--set` may replace."""


def _name(value: Any) -> str:
    if not isinstance(value, str) or not NAME.fullmatch(value):
        raise wrong(
            f"{quoted(value)} is not a name; expected up to 64 letters, digits, '.', '-' and '_', the first a letter "
            f"or digit"
        )
    return value


def _node_name(value: Any) -> str:
    name = _name(value)
    if name == SOURCE or name in SITE_WORDS:
        raise wrong(f"{name!r} is a word of the scenario language; call the node something else")
    return name


def _axis_name(value: Any) -> str:
    name = _name(value)
    if name in {*CHOICES, "quick", "control"}:
        raise wrong(f"{name!r} is a key of the scenario; call the axis something else")
    return name


def _scalar(value: Any) -> ParameterValue:
    if isinstance(value, str):
        return _word(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong(f"expected a number, a word or $AXIS, not {kind_of(value)}")
    return value


def _values(value: Any) -> tuple[ParameterValue, ...]:
    return tuple(_scalar(_off(item)) for item in _listed(value))


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable() or len(value) > MAX_QUESTION:
        raise wrong(f"expected one line of text, at most {MAX_QUESTION} characters")
    return value


def _word(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise wrong(f"expected a word, not {kind_of(value)}")
    if len(value) > MAX_TEXT:
        raise wrong(f"{quoted(value)} is longer than {MAX_TEXT} characters")
    return value


def _words(value: Any) -> tuple[str, ...]:
    return tuple(_word(item) for item in _listed(value))


def _arms(value: Any) -> tuple[str, ...]:
    return tuple(_word(_off(item)) for item in _listed(value))


def _arm(value: Any) -> str:
    return _word(_off(value))


def _listed(value: Any) -> list[Any]:
    items = value if isinstance(value, list) else [value]
    if not items:
        raise wrong("is empty; expected one value or a list of values")
    return items


def _off(value: Any) -> Any:
    """Return the mode that YAML 1.1 writers spell as a bare `false`."""
    return str(ArmMode.OFF) if value is False else value


def _version(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        if value == VERSION:
            return value
        if value > VERSION:
            raise wrong(f"version {value} is newer than this program reads; expected {VERSION}")
    raise wrong(f"expected {VERSION}, the version of the scenario language")


def _reading(value: Any) -> Reading:
    known = [str(reading) for reading in Reading]
    if value not in known:
        raise wrong(f"{quoted(value)} is not a reading. {did_you_mean(str(value), known)}")
    return Reading(value)


Scalar = Annotated[int | float | str, BeforeValidator(_scalar)]
Values = Annotated[tuple[int | float | str, ...], BeforeValidator(_values)]
Words = Annotated[tuple[str, ...], BeforeValidator(_words)]
Arms = Annotated[tuple[str, ...], BeforeValidator(_arms)]
Arm = Annotated[str, BeforeValidator(_arm)]
NodeName = Annotated[str, BeforeValidator(_node_name)]
AxisName = Annotated[str, BeforeValidator(_axis_name)]


class Entry(BaseModel):
    """A mapping of the document: frozen, and with no key that is not named here."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceEntry(Entry):
    """`source`: what comes in. Values may be `$AXIS`."""

    chunk: Scalar
    dtype: Scalar = "float32"


class NodeEntry(Entry):
    """One node as written. `inputs` defaults to the node before; `repeat` and `branches` write it several times."""

    op: Annotated[str, BeforeValidator(_word)]
    params: dict[Annotated[str, BeforeValidator(_name)], Scalar] = Field(default_factory=dict)
    inputs: Words | None = None
    repeat: Scalar | None = None
    branches: Scalar | None = None


class ScenarioDocument(Entry):
    """A whole scenario as written. Mappings keep the order of the file."""

    version: Annotated[int, BeforeValidator(_version)]
    name: Annotated[str, BeforeValidator(_name)]
    question: Annotated[str, BeforeValidator(_text)]
    reading: Annotated[Reading, BeforeValidator(_reading)]
    source: SourceEntry
    nodes: dict[NodeName, NodeEntry] = Field(min_length=1)
    arms: Arms
    base: Arm | None = None
    axes: dict[AxisName, Values] = Field(default_factory=dict, max_length=MAX_AXES)
    control: dict[AxisName, Scalar] = Field(default_factory=dict)
    messages: Scalar | None = None
    rate: Scalar | None = None
    duration: Scalar | None = None
    quick: dict[Annotated[str, BeforeValidator(_name)], Values] = Field(default_factory=dict)
