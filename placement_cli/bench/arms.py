"""The grammar of arms: what one competitor of a case evaluates, and where.

    arm   = mode ["@" site {"+" site}] ["+state"] ["+values"]
    mode  = "off" | "async" | "sync" | "window:" K | "every:" K
    site  = "tail" | "every-node" | name of a node

`tail` is the default: the ends of the MLX work, outputs that reach no other MLX node. `every-node` is the output of
every MLX node, the name of a node that of all its copies. With `+state` the carried states of all nodes are
evaluated too; with `+values` each message ends with a conversion of its output to NumPy. `off` evaluates nothing
and so takes no site.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from placement_cli.bench.axes import NAME
from placement_cli.errors import UsageError, did_you_mean
from placement_cli.located.places import quoted
from placement_cli.measure.specs import ArmMode

TAIL = "tail"
EVERY_NODE = "every-node"
STATE = "state"
VALUES = "values"
SITE_WORDS = frozenset({TAIL, EVERY_NODE, STATE, VALUES})
"""Words of the grammar, which no node may be called."""
MAX_WINDOW = 1024
"""Largest K of `window:K` and `every:K`."""

_DEEP = frozenset({ArmMode.WINDOW, ArmMode.EVERY})
_MODES = tuple(f"{mode}:K" if mode in _DEEP else str(mode) for mode in ArmMode)
_EXPECTED = f"expected {', '.join(_MODES)}, then @SITE+SITE, +state, +values as needed"


@dataclass(frozen=True, slots=True)
class ArmSpec:
    """An arm as written, not yet placed in a pipeline; `sites` are words of the grammar, in their order."""

    mode: ArmMode
    depth: int = 0
    sites: tuple[str, ...] = (TAIL,)
    state: bool = False
    values: bool = False

    def __str__(self) -> str:
        """The arm in its one form, which `parse_arm` reads; a lone `tail` is left out."""
        text = f"{self.mode}:{self.depth}" if self.mode in _DEEP else str(self.mode)
        if self.mode is not ArmMode.OFF and self.sites != (TAIL,):
            text += f"@{'+'.join(self.sites)}"
        return text + f"+{STATE}" * self.state + f"+{VALUES}" * self.values

    @property
    def meaning(self) -> tuple[object, ...]:
        """Equal for arms that do the same in every pipeline."""
        return self.mode, self.depth, frozenset(self.sites), self.state, self.values


def parse_arm(text: str) -> ArmSpec:
    """Read one arm; raises UsageError that says what is wrong and what is allowed."""
    head, marker, tail = text.strip().partition("@")
    word, *flags = head.split("+")
    sites: list[str] = []
    if marker:
        sites, flags = _split_flags(text, flags, tail)
    mode, depth = _mode(text, word)
    state, values = _flags(text, flags)
    if mode is ArmMode.OFF and (marker or state):
        raise _wrong(text, "off evaluates nothing; expected off or off+values")
    return ArmSpec(mode, depth, tuple(sites) or (TAIL,), state, values)


def _split_flags(text: str, early: list[str], tail: str) -> tuple[list[str], list[str]]:
    if early:
        raise _wrong(text, "+state and +values come after the sites")
    sites = tail.split("+")
    flags: list[str] = []
    while len(sites) > 1 and sites[-1] in {STATE, VALUES}:
        flags.insert(0, sites.pop())
    for index, site in enumerate(sites):
        if not NAME.fullmatch(site) or site in {STATE, VALUES}:
            raise _wrong(text, f"{quoted(site)} is not a site; expected {TAIL}, {EVERY_NODE} or the name of a node")
        if site in sites[:index]:
            raise _wrong(text, f"site {quoted(site)} is given twice")
    return sites, flags


def _mode(text: str, word: str) -> tuple[ArmMode, int]:
    name, colon, depth = word.partition(":")
    if name not in ArmMode.__members__.values():
        raise _wrong(text, f"{quoted(name)} is not a mode. {did_you_mean(name, [str(mode) for mode in ArmMode])}")
    mode = ArmMode(name)
    if mode not in _DEEP:
        if colon:
            raise _wrong(text, f"{mode} takes no number")
        return mode, 0
    if not re.fullmatch(r"[0-9]{1,4}", depth) or not 1 <= int(depth) <= MAX_WINDOW:
        raise _wrong(text, f"{mode} needs a number from 1 to {MAX_WINDOW}, such as {mode}:4")
    return mode, int(depth)


def _flags(text: str, flags: list[str]) -> tuple[bool, bool]:
    for index, flag in enumerate(flags):
        if flag not in {STATE, VALUES}:
            raise _wrong(text, f"{quoted(flag)} is neither +state nor +values; sites come after @")
        if flag in flags[:index]:
            raise _wrong(text, f"+{flag} is given twice")
    return STATE in flags, VALUES in flags


def _wrong(text: str, what: str) -> UsageError:
    return UsageError(f"arm {quoted(text)}: {what} ({_EXPECTED})")
