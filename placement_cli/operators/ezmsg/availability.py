"""Whether chains can run through ezmsg-sigproc here, and if not, what is missing and what to do about it."""

from __future__ import annotations

import importlib.metadata
import re
from importlib.metadata import PackageNotFoundError
from typing import TYPE_CHECKING

from placement_cli.operators.catalog import OPERATORS
from placement_cli.operators.ezmsg.routes import ROUTES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from placement_cli.operators.operator import Operator, Shape

PACKAGE = "ezmsg-sigproc"
PACKAGES = ("ezmsg", "ezmsg-baseproc", PACKAGE)
"""The distributions that a message passes through on its way."""
LEAST = (3, 11)
"""The first version whose processors have the names, settings and states that `routes` knows."""
DTYPE = "float32"
"""The element type that all processors keep; the Metal kernels give back float32 whatever they get."""
HOW_TO_INSTALL = f"run `python -m pip install '{PACKAGE}>={'.'.join(map(str, LEAST))}'`"


def installed_versions(find: Callable[[str], str] = importlib.metadata.version) -> dict[str, str]:
    """Return the version of each of `PACKAGES` that is installed; nothing is imported."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = find(name)
        except PackageNotFoundError:
            continue
    return versions


def ezmsg_problem(installed: str | None, metal: bool, ops: Collection[str]) -> str | None:
    """Return why chains of the operators `ops` cannot run through ezmsg-sigproc, and what to do; None when they can.

    `installed` is the version of ezmsg-sigproc (None without it); `metal` says that the device in use is a Metal GPU.
    Everything that is missing is told at once.
    """
    found = [_no_processor(unknown)] if (unknown := unsupported(ops)) else []
    if installed is None:
        found.append(f"{PACKAGE} is not installed: {HOW_TO_INSTALL}.")
    elif _release(installed) < LEAST:
        found.append(f"{PACKAGE} {installed} is too old: {HOW_TO_INSTALL}.")
    if not metal and (kernels := sorted(op for op in ops if op in ROUTES and ROUTES[op].needs_metal)):
        found.append(_no_metal(_listed(kernels)))
    return f"--workload ezmsg cannot run here. {' '.join(found)}" if found else None


def unsupported(ops: Collection[str]) -> list[str]:
    """Return the operators among `ops` that ezmsg-sigproc has no processor for. Host work needs none."""
    return sorted(op for op in ops if op not in ROUTES and not (op in OPERATORS and OPERATORS[op].backend == "host"))


def refusal(operator: Operator, shapes: Sequence[Shape], dtype: str) -> str | None:
    """Return why one node cannot run through ezmsg-sigproc wherever it runs; None when it can.

    `shapes` are those of its inputs (longest message), `dtype` the element type of messages.
    """
    if unsupported([operator.name]):
        return _no_processor([operator.name])
    if operator.name not in ROUTES:
        return None
    if dtype != DTYPE:
        return f"Messages are {dtype}, but the processors of {PACKAGE} keep only {DTYPE}."
    reason = ROUTES[operator.name].refuses(shapes)
    return f"{operator.name} does not go through {PACKAGE} like this: {reason}." if reason else None


def _no_processor(ops: Sequence[str]) -> str:
    return f"{PACKAGE} has no processor for {_listed(ops)}; it has them for {_listed(list(ROUTES))}."


def _no_metal(ops: str) -> str:
    return (
        f"Its processors for {ops} are Metal kernels, and the device is not a Metal GPU: run on a Mac with Apple"
        f" silicon, without `--device cpu`, or leave out the scenarios that use {ops}."
    )


def _release(version: str) -> tuple[int, ...]:
    """Return the first two numbers of a version."""
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
