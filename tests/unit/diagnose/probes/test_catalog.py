"""All probes: ids are unique and stable in form, and what is asked for is found."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path
from typing import get_args

import pytest

from placement_cli.diagnose.probes.catalog import PROBES, find_probe, select_probes
from placement_cli.diagnose.probes.probe import GROUPS, Probe
from placement_cli.errors import UsageError
from placement_cli.store.diagnosis_document import Symptom

BACKENDS = {"metal", "cuda", "cpu"}


def test_ids_are_unique_and_groups_come_in_their_order() -> None:
    """Every group has probes, and they stand together."""
    assert len({probe.id for probe in PROBES}) == len(PROBES)
    assert tuple(group for group, _ in groupby(PROBES, key=lambda probe: probe.group)) == GROUPS


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.id)
def test_every_probe_is_described(probe: Probe) -> None:
    """An id of words with hyphens, one sentence, known symptoms and backends, and a limit."""
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*\.[a-z0-9]+(-[a-z0-9]+)*", probe.id)
    assert re.fullmatch(r"[^\n]+\.", probe.claim)
    assert probe.symptoms
    assert set(probe.symptoms) <= set(get_args(Symptom))
    assert probe.backends
    assert set(probe.backends) <= BACKENDS
    assert 0 < probe.limit_s <= 120


def test_a_probe_is_found_by_its_id() -> None:
    """Exactly."""
    assert all(find_probe(probe.id) is probe for probe in PROBES)


@pytest.mark.parametrize("name", ["timing.submision-only", "timing", ""])
def test_an_unknown_id_is_refused(name: str) -> None:
    """With the nearest one, or what there is."""
    with pytest.raises(UsageError, match=r"There is no probe .* `placement diagnose --list` shows all\."):
        find_probe(name)


def test_the_nearest_id_is_named() -> None:
    """For a typing mistake."""
    with pytest.raises(UsageError, match=r"Did you mean 'timing\.submission-only'\?"):
        select_probes(["timing.submision-only"])


def test_without_names_all_are_selected() -> None:
    """In their order."""
    assert select_probes() == PROBES


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_selects_its_probes(group: str) -> None:
    """All of them and no other."""
    assert {probe.group for probe in select_probes([group])} == {group}
    assert len(select_probes([group])) == sum(probe.group == group for probe in PROBES)


def test_what_is_named_twice_comes_once_and_in_order() -> None:
    """An id of a group that is named too."""
    names = ["timing.build-cost", "threads.lazy-returned", "timing"]
    found = select_probes(names)
    assert [probe for probe in PROBES if probe in found] == list(found)
    assert {probe.group for probe in found} == {"threads", "timing"}
    assert sum(probe.group == "threads" for probe in found) == 1


@pytest.mark.parametrize("symptom", get_args(Symptom))
def test_a_symptom_selects_what_bears_on_it(symptom: str) -> None:
    """There is something for each."""
    found = select_probes(symptom=symptom)
    assert found
    assert set(found) == {probe for probe in PROBES if symptom in probe.symptoms}


def test_a_probe_that_does_not_bear_on_the_symptom_is_told() -> None:
    """Nothing would be run."""
    with pytest.raises(UsageError, match="bears on the symptom 'crash'"):
        select_probes(["timing.build-cost"], "crash")


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md", "docs/diagnose.md"])
def test_pages_say_how_many_there_are(page: str) -> None:
    """Where a number of probes or claims is written, it is that of the catalog."""
    text = (Path(__file__).parents[4] / page).read_text(encoding="utf-8")
    numbers = re.findall(r"(\d+) (?:probes|claims)\b(?!:)", text)
    assert numbers
    assert {int(number) for number in numbers} == {len(PROBES)}
