"""What the tables of a settings file may hold. The description of a key completes "expected ..." in messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from placement_cli.errors import did_you_mean
from placement_cli.located.places import QUOTED_CHARACTERS, quoted
from placement_cli.located.validation import wrong
from placement_cli.settings.limits import MEMORY, METRIC_KEYS, TIME, metric_matches, parse_limit_or_off
from placement_cli.units import parse_duration

SETTINGS_VERSION = 1
MOST_ENTRIES = 1000
"""Names in a list, and entries of `limits`."""
MOST_CASES = 1_000_000

LIMIT = 'a limit in quotes, such as "+5%", or "off"'


def _parsed(parse: Callable[[str], float | None]) -> BeforeValidator:
    """Return what reads text with `parse`, and refuses a number: which unit it has is not said."""

    def read(value: Any) -> float | None:
        if not isinstance(value, str):
            raise PydanticCustomError("no_text", "expected text")
        try:
            return parse(value)
        except ValueError as error:
            raise wrong(str(error)) from None

    return BeforeValidator(read)


def _budget(text: str) -> float:
    seconds = parse_duration(text)
    if seconds <= 0:
        raise ValueError(f"{quoted(text)} is no time to measure in; expected more than nothing, such as 5min")
    return seconds


def _metric(pattern: str) -> str:
    if not any(metric_matches(pattern, key) for key in METRIC_KEYS):
        near = did_you_mean(pattern[:QUOTED_CHARACTERS], [*METRIC_KEYS, TIME, MEMORY])
        raise wrong(f"{quoted(pattern)} is no metric. {near}")
    return pattern


LimitText = Annotated[float | None, _parsed(parse_limit_or_off)]
BudgetText = Annotated[float, _parsed(_budget)]
Text = Annotated[str, Field(min_length=1)]
Names = Annotated[list[Text], Field(min_length=1, max_length=MOST_ENTRIES)]


class Table(BaseModel):
    """One table: unknown keys are mistakes, and nothing is converted on the quiet."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class CheckTable(Table):
    """`[check]`, or `[tool.placement.check]`: what `placement check` does. Fields are called as in CheckSettings."""

    scenarios: Names = Field(default=[], description='names or paths of scenarios, such as ["chunk-size", "fan-out"]')
    graph: Text = Field(default="", description='the path of a graph, such as "graph.yaml"')
    quick: bool = Field(default=False, description="true or false")
    against: Text = Field(default="", description='a revision, a path or a requirement, such as "origin/main"')
    arms: Names = Field(default=[], description='globs of arms, such as ["async", "window:*"]')
    time_budget_s: BudgetText = Field(
        default=0.0, alias="time-budget", description='a duration in quotes, such as "5min"'
    )
    limit: LimitText = Field(default=None, description=LIMIT)
    memory_limit: LimitText = Field(default=None, alias="memory-limit", description=LIMIT)
    expect_cases: int = Field(
        default=1, alias="expect-cases", ge=1, le=MOST_CASES, description="a whole number of cases, at least 1"
    )
    fail_on: list[Literal["inconclusive", "regression"]] = Field(
        default=[], alias="fail-on", max_length=2, description='a list of "inconclusive" and "regression"'
    )
    workload: Text = Field(default="", description='the name of a workload, such as "builtin"')
    confirm: bool = Field(default=True, description="true or false")
    cores: Literal["auto", "all", "one"] = Field(default="auto", description='"auto", "all" or "one"')


class LimitTable(Table):
    """One `[[limits]]`: where it holds, and the limit there."""

    cases: Text = Field(default="*", description='a glob of case ids in quotes, such as "chunk-size*"')
    arm: Text = Field(default="*", description='a glob of arms in quotes, such as "async*"')
    metric: Annotated[Text, AfterValidator(_metric)] = Field(
        default="*", description='a metric in quotes, such as "complete_s", "time" or "memory"'
    )
    limit: LimitText = Field(description=LIMIT)


class SettingsTable(Table):
    """All of a settings file; the version is checked before anything else is looked at."""

    schema_: Any = Field(default=SETTINGS_VERSION, alias="schema", description=f"{SETTINGS_VERSION}")
    check: CheckTable = Field(default=CheckTable(), description="a table, [check]")
    limits: list[LimitTable] = Field(
        default=[],
        max_length=MOST_ENTRIES,
        description="a list of tables, [[limits]] with cases, arm, metric and limit",
    )


CHECK_KEYS = {name: field.alias or name for name, field in CheckTable.model_fields.items()}
"""Field of the settings of `placement check` to the key in files."""
SCALAR_KEYS = tuple(name for name in CHECK_KEYS if name not in {"scenarios", "arms", "fail_on"})
"""Fields that hold a single value: an environment variable can set them."""
