"""What an experiment found out about one case: the same quantity once a round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CaseValue = float | str
LARGEST = 1e12
"""No time in seconds, no count and no size of a message is larger: what is, was not measured."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One quantity of one case of an experiment, measured once a round, in the order of the rounds.

    `case` says what was measured; its entry `reading` names the quantity where a case has several. `unit` is that of
    `values`: `s`, or `calls` for a count. `process` numbers the worker process: processes differ from one another by
    more than the rounds within one do. Numbers in `case` become floats, so that documents give equal cases back.
    Raises ValueError when there are no values, and for numbers that are not finite or beyond `LARGEST`.
    """

    experiment: str
    case: Mapping[str, CaseValue]
    values: tuple[float, ...]
    unit: str = "s"
    process: int = 0

    def __post_init__(self) -> None:
        case = {name: value if isinstance(value, str) else float(value) for name, value in self.case.items()}
        numbers = [*self.values, *(value for value in case.values() if not isinstance(value, str))]
        if not self.values or not all(abs(number) <= LARGEST for number in numbers):
            raise ValueError(f"an observation of {self.experiment!r} holds finite values, at least one")
        object.__setattr__(self, "case", case)

    def to_json(self) -> dict[str, Any]:
        """Return the observation as plain JSON values."""
        return {
            "experiment": self.experiment,
            "case": dict(self.case),
            "values": list(self.values),
            "unit": self.unit,
            "process": self.process,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Observation:
        """Read what `to_json` wrote; unknown keys are ignored.

        Raises ValueError when something is missing or is not what it should be.
        """
        try:
            return cls(
                _text(data["experiment"]),
                {_text(name): _case_value(value) for name, value in data["case"].items()},
                tuple(_number(value) for value in data["values"]),
                _text(data["unit"]),
                _whole(data["process"]),
            )
        except (KeyError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"this is no observation: {type(error).__name__}: {error}") from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a word was expected")
    return value


def _number(value: Any) -> float:
    if type(value) not in (int, float):
        raise TypeError("a number was expected")
    return float(value)


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("a whole number was expected")
    return value


def _case_value(value: Any) -> CaseValue:
    return value if isinstance(value, str) else _number(value)
