"""What is compared of a stored run, whichever tool wrote it: named rows of values, one value a process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from placement_cli.graph.pipeline import ParameterValue

Unit = Literal["s", "bytes", "share", "count"]
"""Units of series, in SI."""


@dataclass(frozen=True, slots=True)
class Series:
    """One quantity of one arm of one case: a value for each independent process, in the order they ran.

    `case` is the id of the case (the name of the benchmark, where another tool wrote it), `arm` one of its arms (an
    empty string where there is only one), `metric` the key of the quantity (`complete_s`), always larger for dearer.
    Values of one process are reduced to their median before: they are no independent trials. Where a tool repeats
    within one process and keeps nothing else, `values` are its repetitions and `independent` is False.
    """

    case: str
    arm: str
    metric: str
    unit: Unit
    values: tuple[float, ...]
    params: Mapping[str, ParameterValue] = field(default_factory=dict, hash=False)
    independent: bool = True

    @property
    def key(self) -> tuple[str, str, str]:
        """What a series is matched by between runs."""
        return (self.case, self.arm, self.metric)


@dataclass(frozen=True, slots=True)
class Recorded:
    """One stored run, as it is compared.

    `name` is what people call it (the file's), `origin` its path, `tool` the program that wrote it, `started` when it
    began (ISO 8601, empty when that is not known). `fingerprint` is empty and `stable` holds what little there is
    where another tool did not write down where it was run. `notes` say what a reader should know of the run before
    comparing it, one sentence each.
    """

    name: str
    origin: str
    tool: str
    started: str
    fingerprint: str
    stable: Mapping[str, Any]
    series: tuple[Series, ...]
    notes: tuple[str, ...] = ()
