"""Evaluation constants on the terminal: what evaluation costs, and what operators take on the device by message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import RenderableType
from rich.text import Text

from placement_cli.fit.evaluation_fit import evaluation_meaning
from placement_cli.profile.constant import Constant
from placement_cli.render.constants import interval_text, some_names, value_text
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import harmless, plain
from placement_cli.render.sheet import Group, Row, Sheet

DEVICE, HELD = "device.", "held."
"""How names of device times and of bytes in flight begin: `device.OPERATOR.SAMPLESxCHANNELS`."""


def evaluation_tables(constants: Mapping[str, Constant]) -> Iterator[RenderableType]:
    """Yield the tables of what was determined, and a sentence on what was not."""
    known = {name: constant for name, constant in constants.items() if constant.identified}
    rows = tuple(
        Row((plain(_meaning(name)), Text(interval_text(each))))
        for name, each in known.items()
        if _of_operator(name, DEVICE) is None and _of_operator(name, HELD) is None
    )
    yield Sheet((), ("what", "costs"), (Group((), rows),))
    unknown = [name for name in constants if name not in known]
    if unknown:
        yield Hanging(plain(f"Not determined: {some_names(unknown)}.", "dim"))
    for prefix, title in ((DEVICE, "device time of one message"), (HELD, "bytes that one message keeps in flight")):
        found = {key: each for name, each in constants.items() if (key := _of_operator(name, prefix))}
        if found:
            yield Text(f"\n{title}, samples x channels", style="italic")
            yield _operator_table(found)


def _meaning(name: str) -> str:
    """Return what a constant means; the name itself for one that this version does not know."""
    try:
        return evaluation_meaning(name)
    except KeyError:
        return name


def _of_operator(name: str, prefix: str) -> tuple[str, str] | None:
    """Return operator and shape where the name begins with `prefix`."""
    operator, _, shape = name.removeprefix(prefix).rpartition(".")
    return (operator, shape) if name.startswith(prefix) and operator else None


def _operator_table(times: Mapping[tuple[str, str], Constant]) -> Sheet:
    shapes = list(dict.fromkeys(shape for _, shape in times))
    operators = dict.fromkeys(operator for operator, _ in times)
    rows = tuple(
        Row((plain(operator), *(_cell(times.get((operator, shape))) for shape in shapes))) for operator in operators
    )
    return Sheet((), ("operator", *map(harmless, shapes)), (Group((), rows),))


def _cell(constant: Constant | None) -> Text:
    return Text("" if constant is None or not constant.identified else value_text(constant))
