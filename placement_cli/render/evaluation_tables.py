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

DEVICE = "device."
"""How names of device times begin: `device.OPERATOR.SAMPLESxCHANNELS`."""


def evaluation_tables(constants: Mapping[str, Constant]) -> Iterator[RenderableType]:
    """Yield the tables of what was determined, and a sentence on what was not."""
    known = {name: constant for name, constant in constants.items() if constant.identified}
    rows = tuple(
        Row((plain(_meaning(name)), Text(interval_text(each))))
        for name, each in known.items()
        if _device_time(name) is None
    )
    yield Sheet((), ("what", "costs"), (Group((), rows),))
    unknown = [name for name in constants if name not in known]
    if unknown:
        yield Hanging(plain(f"Not determined: {some_names(unknown)}.", "dim"))
    times = {found: each for name, each in constants.items() if (found := _device_time(name))}
    if times:
        yield Text("\ndevice time of one message, samples x channels", style="italic")
        yield _device_table(times)


def _meaning(name: str) -> str:
    """Return what a constant means; the name itself for one that this version does not know."""
    try:
        return evaluation_meaning(name)
    except KeyError:
        return name


def _device_time(name: str) -> tuple[str, str] | None:
    """Return operator and shape where the name is one of a device time."""
    operator, _, shape = name.removeprefix(DEVICE).rpartition(".")
    return (operator, shape) if name.startswith(DEVICE) and operator else None


def _device_table(times: Mapping[tuple[str, str], Constant]) -> Sheet:
    shapes = list(dict.fromkeys(shape for _, shape in times))
    operators = dict.fromkeys(operator for operator, _ in times)
    rows = tuple(
        Row((plain(operator), *(_cell(times.get((operator, shape))) for shape in shapes))) for operator in operators
    )
    return Sheet((), ("operator", *map(harmless, shapes)), (Group((), rows),))


def _cell(constant: Constant | None) -> Text:
    return Text("" if constant is None or not constant.identified else value_text(constant))
