"""Which columns a comparison shows: what varies, and what was asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from placement_cli.comparing.dates import day_and_time
from placement_cli.comparing.recorded import Recorded
from placement_cli.comparing.setups import flat_facts
from placement_cli.comparing.stored import Key
from placement_cli.comparing.titles import metric_title
from placement_cli.errors import UsageError, did_you_mean
from placement_cli.graph.pipeline import ParameterValue

ENV, PARAMS, VERSION = "env.", "params.", "_version"
CASE, ARM, METRIC = "case", "arm", "metric"
UNKNOWN = "-"
"""Stands where a run does not say."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What tells the lines of a table apart: headings, and the values under them for each line in `where`.

    `shared` holds what stands the same in every line, and so in no column.
    """

    names: tuple[str, ...]
    shared: Mapping[str, str]
    where: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """What was asked for: facts of runs by the name they were asked by, and parameters of cases."""

    runs: tuple[str, ...]
    params: frozenset[str]

    @classmethod
    def of(cls, asked: Sequence[str], runs: Sequence[Recorded]) -> Columns:
        """Read the names asked for; raises UsageError for one that no run knows."""
        known = _known(runs)
        for name in asked:
            if _resolved(name, known) is None:
                raise UsageError(f"--columns {name}: no run has it. {did_you_mean(name, known)}")
        params = frozenset(name.removeprefix(PARAMS) for name in asked if name.startswith(PARAMS))
        return cls(tuple(dict.fromkeys(name for name in asked if not name.startswith(PARAMS))), params)

    def facts(self, runs: Sequence[Recorded]) -> dict[str, tuple[str, ...]]:
        """Return the facts asked for and those that vary, a value for each run."""
        each, known = [_facts(run) for run in runs], _known(runs)
        asked = {name: _resolved(name, known) or name for name in self.runs}
        varying = [name for name in dict.fromkeys(key for facts in each for key in facts) if _varies(each, name)]
        names = {**{name: name for name in varying if name not in asked.values()}, **asked}
        return {shown: tuple(facts.get(name, UNKNOWN) for facts in each) for shown, name in names.items()}

    def layout(self, lines: Sequence[tuple[Key, Mapping[str, ParameterValue]]]) -> Layout:
        """Return what tells `lines` apart, and what all of them share.

        Parameters have columns of their own, and a case goes by what stands before its brackets, where that tells the
        lines apart; else a case goes by its whole id, beside the parameters asked for.
        """
        if not lines:
            return Layout((), {}, ())
        params = dict.fromkeys(name for _, own in lines for name in own)
        found = self._layout([_cells(key, own, params, short=True) for key, own in lines])
        if len(set(found.where)) == len(lines):
            return found
        return self._layout([_cells(key, own, self.params, short=False) for key, own in lines])

    def _layout(self, rows: Sequence[Mapping[str, str]]) -> Layout:
        values = {name: [row[name] for row in rows] for name in rows[0]}
        shown = [name for name in values if len(set(values[name])) > 1 or name in self.params]
        shared = {name: column[0] for name, column in values.items() if name not in shown and column[0]}
        return Layout(tuple(shown), shared, tuple(tuple(row[name] for name in shown) for row in rows))


def _cells(key: Key, own: Mapping[str, ParameterValue], params: Iterable[str], *, short: bool) -> dict[str, str]:
    """Return the values of one line by column."""
    case, arm, metric = key
    named = {_titled(name): str(own[name]) if name in own else "" for name in params}
    return {CASE: case.partition("[")[0] if short and own else case, **named, ARM: arm, METRIC: metric_title(metric)}


def _titled(param: str) -> str:
    """Return the heading of a parameter; one that is called like another column says what it is."""
    return f"parameter {param}" if param in (CASE, ARM, METRIC) else param


def _facts(run: Recorded) -> dict[str, str]:
    facts = {f"{ENV}{key}": value for key, value in flat_facts(run.stable).items()}
    return {"tool": run.tool, "run.started": day_and_time(run.started) or UNKNOWN, **facts}


def _varies(facts: Sequence[Mapping[str, str]], name: str) -> bool:
    return name != "run.started" and len({each.get(name) for each in facts}) > 1


def _known(runs: Sequence[Recorded]) -> list[str]:
    facts = dict.fromkeys(name for run in runs for name in _facts(run))
    params = dict.fromkeys(f"{PARAMS}{key}" for run in runs for series in run.series for key in series.params)
    return [*facts, *params]


def _resolved(name: str, known: Sequence[str]) -> str | None:
    """Return the fact that `name` means: itself, or without `_version`, as the version of a library is called here."""
    if name in known:
        return name
    plain = name.removesuffix(VERSION)
    return plain if plain in known else None
