"""Checks parameters that a document gives, and places the objection at the value that it is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from placement_cli.errors import UsageError, did_you_mean
from placement_cli.located.places import QUOTED_CHARACTERS, Given, quoted
from placement_cli.operators.catalog import check_params
from placement_cli.operators.operator import Operator


def check_given(operator: Operator, given: Mapping[str, Given], key_place: Callable[[str], str], place: str) -> None:
    """Raise UsageError unless `operator` takes the parameters `given`.

    An unknown one is reported at `key_place` of its name, a wrong value at its own place, and values that are wrong
    only together at `place`.
    """
    known = [parameter.name for parameter in operator.parameters]
    for key in given:
        if key not in known:
            hint = did_you_mean(key[:QUOTED_CHARACTERS], known) if known else "It takes none."
            raise UsageError(f"{key_place(key)}: {quoted(key)} is no parameter of {operator.name}. {hint}")
    objection = _objection(operator, given)
    if objection:
        guilty = (value.place for key, value in given.items() if _objection(operator, {key: value}) == objection)
        raise UsageError(f"{next(guilty, place)}: {objection}")


def _objection(operator: Operator, given: Mapping[str, Given]) -> str:
    try:
        check_params(operator, {key: each.value for key, each in given.items()})
    except UsageError as error:
        return str(error)
    return ""
