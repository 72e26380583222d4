"""The section of one run: verdicts first, then for each scenario its pictures, and at the end how it was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from placement_cli.comparing.dates import moment_text
from placement_cli.render.run_report import machine_line
from placement_cli.report.charts.drift import drift
from placement_cli.report.charts.latencies import latencies
from placement_cli.report.charts.noise import noise
from placement_cli.report.charts.pending import pending
from placement_cli.report.charts.prices import prices
from placement_cli.report.charts.ratios import ratios
from placement_cli.report.charts.stalls import stalls
from placement_cli.report.charts.throughput import throughput
from placement_cli.report.charts.timeline import timeline
from placement_cli.report.escaping import Html, element, joined
from placement_cli.report.naming import anchor, case_label
from placement_cli.report.picture import Picture, Section
from placement_cli.report.setting import estimates, setting
from placement_cli.report.tables import folded
from placement_cli.report.verdicts import verdicts
from placement_cli.store.run_document import CaseRecord, RunDocument, ScenarioRecord

PICTURES: tuple[Callable[[Sequence[CaseRecord]], Picture | None], ...] = (
    ratios,
    latencies,
    throughput,
    pending,
    stalls,
    prices,
    timeline,
)
"""What is drawn of a scenario, in this order, where it was measured; noise and drift follow."""


def run_section(document: RunDocument, name: str, number: int) -> Section:
    """Return the section of the `number`-th run of a page (from 1), called `name`, as its file is."""
    place = f"run-{number}"
    parts: list[Html | Picture] = [_head(document, place), verdicts(document)]
    for at, scenario in enumerate(document.scenarios, 1):
        parts += _scenario(document, scenario, f"{place}-{at}")
    parts += [element("h3", "Environment and method", id=f"{place}-method"), setting(document)]
    return Section(place, name, tuple(parts))


def _head(document: RunDocument, place: str) -> Html:
    """Return where and when it was measured, and the ways to the scenarios."""
    machine = element(
        "p", f"{machine_line(document.env.stable).plain}. {moment_text(document.run.started)}.", class_="quiet"
    )
    names = [(f"#{place}-{at}", scenario.name) for at, scenario in enumerate(document.scenarios, 1)]
    ways = [*names, (f"#{place}-method", "Environment and method")]
    links = (element("li", element("a", name, href=address)) for address, name in ways)
    label = f"Scenarios of {document.run.id}, section {place}"
    return joined([machine, element("nav", element("ul", *links), class_="ways", aria_label=label)])


def _scenario(document: RunDocument, scenario: ScenarioRecord, place: str) -> Iterator[Html | Picture]:
    cases = [case for case in document.cases if case.scenario == scenario.name]
    yield element("h3", scenario.name, id=place)
    yield element("p", scenario.question, class_="question")
    if not cases:
        yield element("p", "No case was measured.")
        return
    found = [*(draw(cases) for draw in PICTURES), noise(cases, scenario.noise_floor), drift(cases)]
    slug = anchor(scenario.name) or place
    for picture in found:
        if picture is not None:
            yield replace(picture, slug=f"{slug}-{picture.slug}", scenario=scenario.name)
    if table := _estimates(scenario, cases):
        yield table


def _estimates(scenario: ScenarioRecord, cases: Sequence[CaseRecord]) -> Html | None:
    over_all = (("all cases", each) for each in scenario.estimates)
    table = estimates([*over_all, *((case_label(case, cases), each) for case in cases for each in case.estimates)])
    return None if table is None else folded(table, "Other quantities, with their intervals")
