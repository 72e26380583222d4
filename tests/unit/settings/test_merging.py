"""One layer over another."""

from __future__ import annotations

from pathlib import Path

import pytest

from placement_cli.errors import UsageError
from placement_cli.settings.loading import with_flags
from placement_cli.settings.settings import CheckSettings, Set, Settings


def test_layers_come_in_their_order(project) -> None:
    """Defaults, user, project, environment, options."""
    project.write_user("[check]\nquick = true\nexpect-cases = 1\nlimit = '+1%'\ntime-budget = '1 s'")
    project.write("placement.toml", "[check]\nexpect-cases = 2\nlimit = '+2%'\ntime-budget = '2 s'")
    loaded = project.load({"PLACEMENT_CHECK_LIMIT": "+3%", "PLACEMENT_CHECK_TIME_BUDGET": "3 s"})
    check = with_flags(loaded, {"time_budget_s": "4 s"}, project.folder).check

    assert check.workload == CheckSettings().workload
    assert check.quick == Set(True, f"{project.user / 'config.toml'}:2")
    assert check.expect_cases == Set(2, "placement.toml:2")
    assert check.limit == Set(0.03, "PLACEMENT_CHECK_LIMIT")
    assert check.time_budget_s == Set(4.0, "--time-budget")


def test_lists_are_replaced_never_joined(project) -> None:
    """What a project says of limits is all that is said; a user's are for projects that say nothing."""
    project.write_user("[[limits]]\nlimit = '+1%'\n[check]\narms = ['async']")
    assert [entry.value for entry in project.load().limits] == [0.01]
    project.write("placement.toml", "check.arms = ['sync']\n[[limits]]\nlimit = '+2%'")
    loaded = project.load()
    assert [entry.value for entry in loaded.limits] == [0.02]
    assert loaded.check.arms.value == ("sync",)
    project.write("placement.toml", "limits = []")
    assert project.load().limits == ()


def test_a_graph_replaces_scenarios_and_the_other_way_round(project) -> None:
    """Both from different places are no mistake: the later one is meant."""
    project.write("placement.toml", "[check]\nscenarios = ['live']")
    loaded = project.load({"PLACEMENT_CHECK_GRAPH": "g.yaml"})
    assert loaded.check.scenarios == CheckSettings().scenarios
    assert loaded.check.graph.value == project.folder / "g.yaml"

    loaded = with_flags(loaded, {"scenarios": ("live",)})
    assert loaded.check.scenarios.value == ("live",)
    assert loaded.check.graph == CheckSettings().graph
    with pytest.raises(UsageError, match=r"^the command line and --graph: scenarios and a graph do not go together"):
        with_flags(loaded, {"scenarios": ("live",), "graph": Path("g.yaml")})


def test_limits_of_the_check_table_hold_where_no_entry_does(project) -> None:
    """An option replaces the default limit; what a project excepts stays excepted."""
    project.write("placement.toml", "[[limits]]\ncases = 'live*'\nlimit = 'off'")
    limits = with_flags(project.load(), {"limit": "+8%"}).gate_limits()
    assert limits.limit_for("live[rate=1]", "async", "latency_s").value is None
    assert limits.limit_for("fan-out[b=2]", "async", "complete_s").value == 0.08
    assert limits.limit_for("fan-out[b=2]", "async", "in_flight_bytes") == Settings().gate_limits().memory
