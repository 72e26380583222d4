"""From what a person asks for to scenarios."""

from __future__ import annotations

from pathlib import Path

import pytest

from placement_cli.bench.catalog import READING_ORDER
from placement_cli.bench.selection import select_scenarios
from placement_cli.errors import UsageError

SCENARIO = """\
version: 1
name: mine
question: What is it?
reading: stream
source: {chunk: 8x4}
axes: {depth: [1, 3]}
arms: [async, sync]
nodes:
  step: {op: scale, repeat: $depth}
"""


def test_without_names_all_shipped_scenarios_are_meant() -> None:
    """In the order in which people read about them."""
    assert tuple(scenario.name for scenario in select_scenarios()) == READING_ORDER


def test_names_and_paths_may_be_mixed(tmp_path: Path) -> None:
    """The order is the one asked for."""
    path = tmp_path / "any.yaml"
    path.write_text(SCENARIO)

    chosen = select_scenarios([str(path), "live"], ["depth=3"])

    assert [scenario.name for scenario in chosen] == ["mine", "live"]
    assert chosen[0].axes["depth"] == (3,)


def test_each_scenario_takes_the_keys_it_has() -> None:
    """An axis that only some of them have is set in those."""
    chunk_size, queue_depth = select_scenarios(["chunk-size", "queue-depth"], ["ops=2", "chunk=4x4"])

    assert [case.id for case in chunk_size.cases] == ["chunk-size[chunk=4x4]"]
    assert [case.id for case in queue_depth.cases] == ["queue-depth[chunk=4x4,ops=2]"]


@pytest.mark.parametrize(
    ("wanted", "sets", "message"),
    [
        (["live"], ["raet=3"], "--set 'raet=3': 'raet' is nothing that live has. Did you mean 'rate'?"),
        (["live", "withheld"], ["bni=64"], "--set 'bni=64': no scenario has 'bni'. Did you mean 'bin'?"),
        (["live"], ["rate=3", "rate=4"], "--set 'rate=4': rate is set twice; expected all values in one --set"),
        (["lvie"], [], "There is no scenario 'lvie'. Did you mean 'live'?"),
        (["absent.yaml"], [], "absent.yaml: cannot be read: No such file or directory"),
    ],
)
def test_mistakes_are_named(wanted: list[str], sets: list[str], message: str) -> None:
    """Unknown keys, keys given twice, unknown names, missing files."""
    with pytest.raises(UsageError) as raised:
        select_scenarios(wanted, sets)

    assert str(raised.value).startswith(message)


def test_a_scenario_is_asked_for_once(tmp_path: Path) -> None:
    """Two scenarios of one name would give cases of one name."""
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    first.write_text(SCENARIO)
    second.write_text(SCENARIO)

    with pytest.raises(UsageError) as raised:
        select_scenarios([str(first), str(second)])

    assert str(raised.value) == (
        f"{second}:2:7: scenario 'mine' is asked for twice (also {first}); expected one of each name"
    )
