"""What files, variables and options may set, and how mistakes in them are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.bench.catalog import find_scenario
from placement_cli.errors import UnreadableInput, UsageError
from placement_cli.located.places import Places
from placement_cli.settings.layers import environment_layer, file_layer, options_layer
from placement_cli.settings.limits import LimitEntry
from placement_cli.settings.loading import with_flags
from placement_cli.settings.merging import overlaid
from placement_cli.settings.reading import SettingsFile
from placement_cli.settings.settings import CheckSettings, Set, Settings

EVERYTHING = """\
[tool.placement]
schema = 1
[tool.placement.check]
scenarios = ["chunk-size", "mine.yaml", "more/mine"]
quick = true
against = "origin/main"
arms = ["async", "window:*"]
time-budget = "5min"
limit = "+4%"
memory-limit = "off"
expect-cases = 12
fail-on = ["inconclusive"]
workload = "ezmsg"
confirm = false
[[tool.placement.limits]]
cases = "chunk-size*"
arm = "async*"
metric = "complete_s"
limit = "+5%"
[[tool.placement.limits]]
limit = "off"
"""


def test_every_key_is_read_with_its_line(project) -> None:
    """Paths are those of the file, durations seconds, limits relative changes."""
    folder = project.write("pyproject.toml", EVERYTHING).parent
    (project.folder / "deep").mkdir()

    loaded = project.load(cwd="deep")
    where = str(folder / "pyproject.toml")
    assert loaded.check == CheckSettings(
        scenarios=Set(("chunk-size", str(folder / "mine.yaml"), str(folder / "more/mine")), f"{where}:4"),
        quick=Set(True, f"{where}:5"),
        against=Set("origin/main", f"{where}:6"),
        arms=Set(("async", "window:*"), f"{where}:7"),
        time_budget_s=Set(300.0, f"{where}:8"),
        limit=Set(0.04, f"{where}:9"),
        memory_limit=Set(None, f"{where}:10"),
        expect_cases=Set(12, f"{where}:11"),
        fail_on=Set(("inconclusive",), f"{where}:12"),
        workload=Set("ezmsg", f"{where}:13"),
        confirm=Set(False, f"{where}:14"),
    )
    assert loaded.limits == (
        LimitEntry(0.05, f"{where}:15", "chunk-size*", "async*", "complete_s"),
        LimitEntry(None, f"{where}:20"),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("chek = 1", r":1:1: 'chek' is no key of the settings. Did you mean 'check'\?"),
        ("[check]\n\nqick = true", r":3:1: 'qick' is no key of check. Did you mean 'quick'\?"),
        ("check.time_budget = 1", r":1:1: 'time_budget' is no key of check. Did you mean 'time-budget'\?"),
        ("[[limits]]\nlimit='off'\n[[limits]]\ncase='x'\nlimit='off'", r":4:1: 'case' is no key of limits. .*'cases'"),
        ("check = 3", r":1:1: check: expected a table, \[check\], not 3"),
        ("[check]\nquick = 'yes'", r":2:1: check.quick: expected true or false, not 'yes'"),
        ("[check]\nquick = 1", r":2:1: check.quick: expected true or false, not 1"),
        ("[check]\nscenarios = 'chunk-size'", r":2:1: check.scenarios: expected names or paths .* not 'chunk-size'"),
        ("[check]\nscenarios = [\n'a',\n3]", r":2:1: check.scenarios: expected names or paths .* not 3"),
        ("[check]\nscenarios = []", r":2:1: check.scenarios: expected names or paths .* not an empty list"),
        ("[check]\narms = ['']", r":2:1: check.arms: expected globs of arms.* not ''"),
        ("[check]\nlimit = 5", r":2:1: check.limit: expected a limit in quotes, such as \"\+5%\", or \"off\", not 5"),
        ("[check]\nlimit = '5%'", r":2:1: check.limit: '5%' is no limit: write"),
        ("[check]\nexpect-cases = true", r":2:1: check.expect-cases: expected a whole number .*, not true"),
        ("[check]\nexpect-cases = 0", r":2:1: check.expect-cases: expected a whole number .*, not 0"),
        ("[check]\nexpect-cases = 1.0", r":2:1: check.expect-cases: expected a whole number .*, not 1.0"),
        ("[check]\ntime-budget = '0 s'", r":2:1: check.time-budget: '0 s' is no time to measure in"),
        ("[check]\ntime-budget = '5'", r":2:1: check.time-budget: '5' is not a duration"),
        ("[check]\ntime-budget = 07:00:00", r":2:1: check.time-budget: expected a duration in quotes.* '07:00:00'"),
        ("[check]\nfail-on = ['slower']", r":2:1: check.fail-on: expected a list of .* not 'slower'"),
        ("limits = [3]", r":1:1: limits: expected a list of tables.* not 3"),
        ("[limits]\ncases = 'x'", r":1:1: limits: expected a list of tables.* not a table"),
        ("[[limits]]\ncases = 'x'", r":1:1: limits needs the key 'limit', a limit in quotes"),
        ("[[limits]]\nmetric='complet_s'\nlimit='off'", r":2:1: limits.metric: 'complet_s' is no .*'complete_s'"),
        ("[check]\nscenarios = ['a']\ngraph = 'g.yaml'", r":2 and placement.toml:3: scenarios and a graph do not go"),
        ("schema = '1'", r":1:1: schema: expected 1, not '1'"),
        ("check = 3\nschema = true", r":2:1: schema: expected 1, not true"),
        ("schema = 0", r":1:1: schema: expected 1, not 0"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_file_and_line(project, text: str, message: str) -> None:
    """What is wrong, where, and what would be right."""
    project.write("placement.toml", text)
    with pytest.raises(UsageError, match=r"^placement\.toml" + message):
        project.load()


def test_the_table_of_pyproject_must_be_one(project) -> None:
    """A value in its place is a mistake, not nothing."""
    project.write("pyproject.toml", "[tool]\nplacement = 3")
    with pytest.raises(UsageError, match=r"^pyproject.toml:2:1: expected a table, \[tool.placement\], not 3"):
        project.load()


def test_a_newer_schema_is_not_guessed_at(project) -> None:
    """Whatever else stands there: an update is what helps."""
    project.write("placement.toml", "new = 1\nschema = 2")
    with pytest.raises(UnreadableInput, match=r"^placement.toml:2:1: schema 2 is newer .* \(1\)\. Update\.$"):
        project.load()


@pytest.mark.parametrize(
    ("variable", "text", "message"),
    [
        ("PLACEMENT_CHECK_QUIK", "1", r"'PLACEMENT_CHECK_QUIK': there is no such .* 'PLACEMENT_CHECK_QUICK'"),
        ("PLACEMENT_CHECK_QUICK", "yes", r"PLACEMENT_CHECK_QUICK: expected true or false, not 'yes'"),
        ("PLACEMENT_CHECK_EXPECT_CASES", "two", r"PLACEMENT_CHECK_EXPECT_CASES: expected a whole number"),
        ("PLACEMENT_CHECK_EXPECT_CASES", "9" * 5000, r"PLACEMENT_CHECK_EXPECT_CASES: expected a whole number"),
        ("PLACEMENT_CHECK_LIMIT", "5%", r"PLACEMENT_CHECK_LIMIT: '5%' is no limit"),
        ("PLACEMENT_CHECK_AGAINST", "\udcff", r"PLACEMENT_CHECK_AGAINST: expected a revision"),
        ("PLACEMENT_CHECK_SCENARIOS", "live", r"PLACEMENT_CHECK_SCENARIOS: a list cannot be set by a variable"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_variable_is_told_with_its_name(variable: str, text: str, message: str) -> None:
    """A misspelt name is no variable of somebody else."""
    with pytest.raises(UsageError, match="^" + message):
        environment_layer({variable: text}, Path("/here"))


def test_variables_set_single_values() -> None:
    """Empty ones, which CI systems make, set nothing; other programs' variables are theirs."""
    env = {
        "PLACEMENT_CHECK_TIME_BUDGET": "90 s",
        "PLACEMENT_CHECK_QUICK": "1",
        "PLACEMENT_CHECK_CONFIRM": "False",
        "PLACEMENT_CHECK_EXPECT_CASES": "3",
        "PLACEMENT_CHECK_GRAPH": "g.yaml",
        "PLACEMENT_CHECK_AGAINST": "",
        "PLACEMENT_PROFILES": "x",
    }
    assert {name: value.value for name, value in environment_layer(env, Path("/here")).check.items()} == {
        "time_budget_s": 90.0,
        "quick": True,
        "confirm": False,
        "expect_cases": 3,
        "graph": Path("/here/g.yaml"),
    }


def test_options_are_named_as_they_were_given() -> None:
    """A switch that turns something off has its own name, and what was not given sets nothing."""
    options = {"quick": True, "confirm": False, "limit": "off", "scenarios": ("live",), "against": None}
    assert options_layer(options, Path()).check == {
        "quick": Set(True, "--quick"),
        "confirm": Set(False, "--no-confirm"),
        "limit": Set(None, "--limit"),
        "scenarios": Set(("live",), "the command line"),
    }
    with pytest.raises(UsageError, match=r"^--memory-limit: '1' is no limit"):
        options_layer({"memory_limit": "1"}, Path())


@pytest.mark.parametrize("name", ["live", "mine.yaml", "./live", "deep/live"])
def test_what_is_a_path_is_decided_as_for_bench(name: str) -> None:
    """A shipped name stays a name; the same text means the same scenario in a file and on the command line."""
    is_path = find_scenario(name) == Path(name)
    [scenario] = options_layer({"scenarios": (name,)}, Path("/here")).check["scenarios"].value
    assert (scenario != name) is is_path


@pytest.mark.parametrize(
    ("against", "meant"),
    [
        ("origin/main", "origin/main"),
        ("./old", "/here/old"),
        ("../old", "/here/../old"),
        ("mlx==0.31.1", "mlx==0.31.1"),
    ],
)
def test_the_other_side_is_a_path_when_it_begins_with_a_dot(against: str, meant: str) -> None:
    """A branch may have slashes."""
    assert options_layer({"against": against}, Path("/here")).check["against"].value == meant


@given(st.lists(st.sets(st.sampled_from(["time-budget", "expect-cases", "workload", "limit"])), min_size=4, max_size=4))
@settings(deadline=None)
def test_each_layer_overrides_those_below_key_by_key(given_keys: list[set[str]]) -> None:
    """User, project, environment, options: of those that set a key the last one counts, and its origin is told."""
    text = {"time-budget": "{} s", "expect-cases": "{}", "workload": "w{}", "limit": "+{}%"}
    names = {"time-budget": "time_budget_s", "expect-cases": "expect_cases", "workload": "workload", "limit": "limit"}
    user, project, env, flags = (
        {key: text[key].format(number) for key in keys} for number, keys in enumerate(given_keys, start=1)
    )
    loaded = Settings()
    for name, table in (("user", user), ("project", project)):
        typed = {key: int(value) if key == "expect-cases" else value for key, value in table.items()}
        loaded = overlaid(loaded, file_layer(SettingsFile(Path("/f"), {"check": typed}, Places(name, {}, {}))))
    variables = {f"PLACEMENT_CHECK_{key.upper().replace('-', '_')}": value for key, value in env.items()}
    loaded = overlaid(loaded, environment_layer(variables, Path("/here")))
    options = {names[key]: int(value) if key == "expect-cases" else value for key, value in flags.items()}
    loaded = with_flags(loaded, options, Path("/here"))

    for key, name in names.items():
        setters = [number for number, keys in enumerate(given_keys, start=1) if key in keys]
        result = getattr(loaded.check, name)
        if not setters:
            assert result == getattr(CheckSettings(), name)
            continue
        expected = {"time-budget": 1.0, "expect-cases": 1, "limit": 0.01}.get(key, "w")
        last = setters[-1]
        assert result.value == (f"w{last}" if key == "workload" else pytest.approx(expected * last))
        assert (
            result.origin
            == ["user", "project", f"PLACEMENT_CHECK_{key.upper().replace('-', '_')}", f"--{key}"][last - 1]
        )


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.datetimes(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
KNOWN = st.sampled_from(["check", "limits", "schema", "quick", "limit", "scenarios", "metric", "fail-on", "[key]", "0"])
TABLES = st.dictionaries(
    KNOWN | st.text(), JUNK | st.dictionaries(KNOWN, JUNK) | st.lists(st.dictionaries(KNOWN, JUNK))
)


def told(table: dict[str, Any]) -> str | None:
    """Return what is said of a file that holds `table`, None when nothing is wrong with it."""
    try:
        file_layer(SettingsFile(Path("/p/f"), table, Places("f", {}, {})))
    except (UsageError, UnreadableInput) as error:
        return str(error)
    return None


@given(TABLES)
@settings(deadline=None)
def test_any_table_is_settings_or_one_error(table: dict[str, Any]) -> None:
    """Whatever the keys and values are, it is told in one line, never in a traceback."""
    message = told(table)
    assert message is None or (message.startswith("f: ") and "\n" not in message and len(message) < 400)
