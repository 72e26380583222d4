"""`placement check` before anything is measured: what it is asked, by options and by the settings of the folder."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from placement_cli.cli import check_steps, gate_steps
from placement_cli.cli.check import check
from placement_cli.cli.check_steps import QUICK_BUDGET_S, Asked
from placement_cli.errors import NothingComparable, UsageError

app = typer.Typer()
app.command()(check)

SCENARIO = """
version: 1
name: solo
question: What does one small step cost?
reading: stream
source: {chunk: $chunk}
axes: {chunk: [8x8, 8x9]}
arms: [async, sync, off]
control: {chunk: 8x9}
nodes:
  rectify: {op: abs}
"""
AGAINST = ("solo.yaml", "--against", "../other")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a scenario, without the settings of anybody."""
    (tmp_path / "solo.yaml").write_text(SCENARIO)
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nobody"))
    monkeypatch.setattr(check_steps, "evaluates_on_cpu", lambda device: device == "cpu")
    return tmp_path


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Asked, str]]:
    """What gates were asked for; none is run."""
    asked: list[tuple[Asked, str]] = []

    def run(what: Asked, given: str) -> int:
        asked.append((what, given))
        return 0

    monkeypatch.setattr(gate_steps, "run_against", run)
    return asked


def invoke(*arguments: str) -> str:
    """Run the command, which must end with 0, and return what it prints."""
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def ids(asked: list[tuple[Asked, str]]) -> list[str]:
    """Return the cases of the only gate."""
    ((what, _),) = asked
    return [each.id for each in what.cases]


def test_small_work_that_the_cpu_evaluates_keeps_to_one_core(taken: list[tuple[Asked, str]]) -> None:
    """Unless all are asked for; its id says so."""
    invoke(*AGAINST, "--device", "cpu", "--arms", "sync")
    invoke(*AGAINST, "--device", "cpu", "--arms", "sync", "--cores", "all")
    first, second = ([each.id for each in asked.cases] for asked, _ in taken)
    assert first == [f"{case} (one core)" for case in second]


def test_the_other_side_is_asked_for_as_it_was_written(taken: list[tuple[Asked, str]]) -> None:
    """Every arm of every case is gated; without more words no budget and no other code."""
    invoke(*AGAINST)
    ((asked, given),) = taken
    assert given == "../other"
    assert ids(taken) == [f"solo[chunk={chunk}] {arm}" for chunk in ("8x8", "8x9") for arm in ("async", "sync", "off")]
    assert (asked.time_budget_s, asked.timeout_s, asked.rule.settle_all) == (None, None, False)
    assert asked.questions == {"solo": "What does one small step cost?"}


def test_a_quick_gate_takes_two_arms_of_one_case(taken: list[tuple[Asked, str]]) -> None:
    """Within a budget, unless another one is asked for."""
    invoke(*AGAINST, "--quick")
    assert ids(taken) == ["solo[chunk=8x9] async", "solo[chunk=8x9] sync"]
    assert taken.pop()[0].time_budget_s == QUICK_BUDGET_S
    invoke(*AGAINST, "--quick", "--time-budget", "10 min", "--timeout", "1 h")
    ((asked, _),) = taken
    assert (asked.time_budget_s, asked.timeout_s) == (600.0, 3600.0)


def test_arms_can_be_chosen(taken: list[tuple[Asked, str]]) -> None:
    """By globs, each of which must fit one."""
    invoke(*AGAINST, "--quick", "--arms", "*sync", "--arms", "off")
    assert ids(taken) == ["solo[chunk=8x9] async", "solo[chunk=8x9] sync", "solo[chunk=8x9] off"]
    with pytest.raises(UsageError, match=r"--arms windows: no arm"):
        invoke(*AGAINST, "--arms", "windows")


def test_who_fails_on_inconclusive_has_every_case_settled(taken: list[tuple[Asked, str]]) -> None:
    """Or a case that ended early because it was no slower would fail the gate."""
    invoke(*AGAINST, "--fail-on", "inconclusive")
    assert taken[0][0].rule.settle_all


def test_limits_can_be_set_for_time_and_for_memory(taken: list[tuple[Asked, str]]) -> None:
    """As options, over those of the folder; `off` leaves the other alone to fail the gate."""
    invoke(*AGAINST, "--quick", "--limit", "off", "--memory-limit", "+20%")
    assert [dict(each.limits) for each in taken[0][0].cases] == [{"in_flight_bytes": 0.2}] * 2


def test_a_gate_that_could_never_fail_is_refused() -> None:
    """It would pass whatever happens."""
    with pytest.raises(NothingComparable, match="every limit is off"):
        invoke(*AGAINST, "--limit", "off", "--memory-limit", "off")


def test_limits_of_the_folder_hold_by_case_arm_and_metric(folder: Path, taken: list[tuple[Asked, str]]) -> None:
    """The last entry that covers a comparison wins; what is off everywhere is not measured."""
    (folder / "placement.toml").write_text(
        """
[check]
scenarios = ["solo.yaml"]
against = "origin/main"
[[limits]]
cases = "solo[chunk=8x8]"
limit = "off"
[[limits]]
arm = "sync"
metric = "time"
cases = "*8x9*"
limit = "+25%"
"""
    )
    invoke()
    ((asked, given),) = taken
    assert given == "origin/main"
    assert {each.id: dict(each.limits) for each in asked.cases} == {
        "solo[chunk=8x9] async": {"complete_s": 0.03, "in_flight_bytes": 0.1},
        "solo[chunk=8x9] sync": {"complete_s": 0.25, "in_flight_bytes": 0.1},
        "solo[chunk=8x9] off": {"complete_s": 0.03, "in_flight_bytes": 0.1},
    }


def test_a_limit_that_covers_nothing_is_refused(folder: Path) -> None:
    """With its place; it is most likely a typing mistake."""
    (folder / "placement.toml").write_text(
        '[check]\nscenarios = ["solo.yaml"]\n[[limits]]\ncases = "sole*"\nlimit = "off"\n'
    )
    with pytest.raises(UsageError, match=r"placement\.toml:3.*this limit covers nothing.*'?sole\*"):
        invoke("--against", "../other")


@pytest.mark.parametrize("expected", [5, 7])
def test_another_number_of_cases_than_expected_is_refused(expected: int) -> None:
    """A gate whose cases went away must not pass; nothing is prepared for it."""
    with pytest.raises(NothingComparable, match=f"--expect-cases: {expected} cases are expected, but 6 are gated"):
        invoke(*AGAINST, "--expect-cases", str(expected))


def test_the_number_of_cases_expected_is_right(taken: list[tuple[Asked, str]]) -> None:
    """Then the gate runs."""
    invoke(*AGAINST, "--expect-cases", "6")
    assert len(taken) == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("solo.yaml",), "Compare with what?"),
        ((*AGAINST, "--baseline", "x.json"), "--against and --baseline do not go together"),
        ((*AGAINST, "--advice", "x.yaml"), "--against and --advice do not go together"),
        ((*AGAINST, "--profile", "x"), "--profile goes with --advice"),
        ((*AGAINST, "-o", "x.docx"), r"x\.docx"),
        ((*AGAINST, "--out", "solo.yaml"), "is no folder"),
        ((*AGAINST, "--limit", "5%"), "--limit.*is no limit"),
        ((*AGAINST, "--fail-on", "regresion"), "--fail-on.*regression"),
        ((*AGAINST, "--timeout", "soon"), "--timeout"),
        ((*AGAINST, "--time-budget", "-1 s"), "--time-budget"),
        ((*AGAINST, "--workload", "ezmgs"), "--workload|ezmgs"),
        (("sollo.yaml", "--against", "x"), "sollo"),
    ],
    ids=range(12),
)
def test_a_mistake_is_told_before_anything_is_prepared(arguments: tuple[str, ...], told: str) -> None:
    """One sentence, with the option it is about."""
    with pytest.raises(UsageError, match=told):
        invoke(*arguments)


def test_a_dry_run_shows_cases_and_limits(folder: Path) -> None:
    """And about how long it takes; nothing is prepared, so that the other side need not exist."""
    text = invoke("solo.yaml", "--against", "no-such-thing", "--quick", "--limit", "+7.5%", "--dry-run")
    assert "solo[chunk=8x9] sync" in text
    assert "time per message +7.5%, in flight +10%" in text
    assert "2 cases; about" in text
    assert sorted(path.name for path in folder.iterdir()) == [".git", "solo.yaml"]
