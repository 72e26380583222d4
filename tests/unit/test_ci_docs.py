"""The guide for CI: its workflow is one, its commands exist, and its settings are taken."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from placement_cli.bench.selection import select_scenarios
from placement_cli.cli.app import app
from placement_cli.cli.check_steps import QUICK_BUDGET_S
from placement_cli.errors import EXIT_NAMES
from placement_cli.gate.cores import Cores, on_cores
from placement_cli.gate.suite import ARM, check_limits, gate_cases, limits_of
from placement_cli.located.yaml import YamlLimits, read_yaml
from placement_cli.settings.limits import METRIC_KEYS
from placement_cli.settings.loading import load_settings
from placement_cli.settings.schema import CHECK_KEYS
from placement_cli.settings.settings import Settings

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
EXAMPLE = (ROOT / "examples" / "ci" / "placement.yml").read_text(encoding="utf-8")
PINNED = re.compile(r"[\w-]+/[\w-]+@(v[0-9]+(\.[0-9]+){0,2}|[0-9a-f]{40})")
PLACEHOLDER = re.compile(r"OUTPUT-[A-Z]")
ROOMS = ("docs", "examples", "tests")
"""Folders with guides of this repository."""
NEXT_COMMAND = ("||", "&&", "|", ";")


def blocks(language: str) -> list[str]:
    """Return the blocks of the guide in this language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


def workflow() -> dict[str, Any]:
    """Return the workflow as a mapping."""
    data, _ = read_yaml(EXAMPLE, "placement.yml", YamlLimits("a workflow", 100_000, 16, 1000))
    return data


def settings_of(block: str, folder: Path) -> Settings:
    """Return what a block for pyproject.toml asks for."""
    (folder / "pyproject.toml").write_text(block, encoding="utf-8")
    return load_settings(folder, {}, folder / "user")


def steps() -> list[dict[str, Any]]:
    """Return the steps of all jobs."""
    return [step for job in workflow()["jobs"].values() for step in job["steps"]]


def commands() -> list[list[str]]:
    """Return the words of every placement command in the workflow and in the guide."""
    scripts = [str(step["run"]) for step in steps() if "run" in step]
    scripts += [block.replace("$ placement", "placement") for block in blocks("console")]
    lines = [line.strip() for script in scripts for line in script.splitlines()]
    lines += re.findall(r"`(placement [^`]+)`", GUIDE)
    found = [shlex.split(line, comments=True) for line in lines if line.startswith("placement ")]
    return [words[: min([words.index(end) for end in NEXT_COMMAND if end in words], default=None)] for words in found]


def test_the_guide_shows_the_file_that_ships() -> None:
    """Whoever copies the one has the other."""
    assert blocks("yaml") == [EXAMPLE]


def test_the_workflow_has_what_github_needs() -> None:
    """When it runs, and jobs with a machine and steps, each of which does one thing."""
    found = workflow()
    assert {"pull_request", "schedule"} <= found["on"].keys()
    assert found["permissions"] == {"contents": "read"}
    for job in found["jobs"].values():
        assert job["runs-on"]
        assert job["timeout-minutes"]
        assert all(("run" in step) is not ("uses" in step) for step in job["steps"])
    runners = [each["runner"] for each in found["jobs"]["check"]["strategy"]["matrix"]["include"]]
    assert [runner.partition("-")[0] for runner in runners] == ["macos", "ubuntu"]


def test_the_actions_are_pinned_and_the_history_is_there() -> None:
    """No action changes under a project, and the other side's commit can be laid out."""
    used = [step["uses"] for step in steps() if "uses" in step]
    assert len(used) == 4
    assert all(PINNED.fullmatch(each) for each in used)
    [checkout] = [step for step in steps() if step.get("uses", "").startswith("actions/checkout@")]
    assert checkout["with"]["fetch-depth"] == 0


def test_no_script_holds_an_expression() -> None:
    """Text of a pull request reaches a script as a variable alone, never as a part of it."""
    assert not [step["run"] for step in steps() if "${{" in step.get("run", "")]


def test_a_second_try_is_for_3_and_5_alone() -> None:
    """A confirmed regression is never measured again until it is gone."""
    check = next(step for step in steps() if step.get("id") == "check")
    again = steps()[steps().index(check) + 1]
    assert re.findall(r"== '(\d+)'", again["if"]) == ["3", "5"]
    assert 'case "$code" in 3|5)' in check["run"]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_is_one_of_ours(words: list[str]) -> None:
    """Its options exist and take what they are given."""
    command: Any = typer.main.get_command(app)
    _, *rest = words
    while rest and rest[0] in getattr(command, "commands", {}):
        command = command.commands[rest.pop(0)]
    assert not hasattr(command, "commands"), f"{words} names no command"
    command.make_context("placement", rest)


def test_both_sides_that_matter_are_shown() -> None:
    """A branch and a release."""
    shown = [words for words in commands() if words[1] == "check"]
    assert {"origin/main", "mlx==0.31.1", "$AGAINST"} <= {word for words in shown for word in words}


def test_the_settings_are_taken_as_they_stand(tmp_path: Path) -> None:
    """The block for pyproject.toml is valid, and all keys and metrics are named somewhere."""
    settings = [settings_of(block, tmp_path) for block in blocks("toml")]
    assert [entry.value for each in settings for entry in each.limits] == [None, 0.2]
    assert settings[0].check.workload.value == "ezmsg"
    assert all(re.search(rf"(?<![\w-]){key}(?![\w-])", GUIDE) for key in CHECK_KEYS.values())
    assert all(f"`{key}`" in GUIDE for key in METRIC_KEYS)


def test_the_settings_gate_as_many_cases_as_they_expect(tmp_path: Path) -> None:
    """Whoever copies them has no gate that ends with 4; an arm of which all is off is no case."""
    settings = settings_of(blocks("toml")[-1], tmp_path)
    check, limits = settings.check, settings.gate_limits()
    scenarios = select_scenarios(list(check.scenarios.value), (), quick=check.quick.value)
    check_limits(limits, select_scenarios(list(check.scenarios.value), (), quick=False))
    cases = gate_cases(scenarios, limits_of(limits, scenarios), check.arms.value, quick=check.quick.value)
    assert [(each.case.scenario, each.case.params[ARM]) for each in cases] == [
        ("chunk-size", "async"),
        ("chunk-size", "sync"),
        ("live", "sync"),
    ]
    assert list(cases[-1].limits) == ["latency_p95_s"]
    assert len(on_cores(cases, Cores.AUTO, on_cpu=True)) == len(cases) == check.expect_cases.value


def test_both_tries_fit_into_the_job() -> None:
    """A quick gate bounds itself, and a job has room for two of them."""
    scripts = " ".join(str(step.get("run", "")) for step in steps())
    assert scripts.count("placement check --quick ") == 2
    assert workflow()["jobs"]["check"]["timeout-minutes"] * 60 > 2 * 2 * QUICK_BUDGET_S


def test_no_guide_waits_for_its_output() -> None:
    """What commands print was printed by them, and stands where a placeholder for it did."""
    guides = [*ROOT.glob("*.md"), *(path for room in ROOMS for path in (ROOT / room).rglob("*.md"))]
    assert len(guides) > 10
    assert [str(path.relative_to(ROOT)) for path in guides if PLACEHOLDER.search(path.read_text("utf-8"))] == []


def test_the_exit_codes_are_those_that_exist() -> None:
    """All that a gate ends with are explained."""
    explained = {int(code) for code in re.findall(r"^\| (\d+) \|", GUIDE, re.MULTILINE)}
    assert explained == set(EXIT_NAMES)
