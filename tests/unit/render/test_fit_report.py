"""A fit on the terminal: constants, how they predict and choose, and where blocks pay."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from placement_cli.blocks.formulation import BlockShape, Kind, blocks_of, dense
from placement_cli.fit.crossover_map import MapCell, crossover_map
from placement_cli.fit.observations import Configuration, Timing
from placement_cli.fit.session import Fitted
from placement_cli.fit.target import Target
from placement_cli.profile.constant import Constant
from placement_cli.profile.defaults import shipped_profile
from placement_cli.profile.key import ProfileKey
from placement_cli.profile.profile import Profile
from placement_cli.profile.upstream import UpstreamConstants
from placement_cli.profile.validation import Validation
from placement_cli.render import fit_report
from placement_cli.render.fit_report import RULE_WORDS, print_fit
from placement_cli.render.term_words import TERM_WORDS

TITLES = (
    "ezmsg-sigproc's constants, in its own meaning",
    "what products cost",
    "where blocks pay: 8 equal blocks, times as fast as dense (predicted)",
    "how it predicts and chooses, on products it was not fitted to",
    "what evaluation costs",
)
VALIDATION = Validation(
    0.05, 0.3, 0.01, 0.04, 0.08, 0.97, 24, noise_floor=0.002, rules={"always-dense": 1.5, "finest-blocks": 0.5}
)
SHAPES = [(BlockShape(32, 32), 8)]
Report = Callable[..., str]


@cache
def map_of_numpy() -> list[list[MapCell]]:
    """The map by the recorded costs, which is worked out once."""
    return crossover_map(shipped_profile("numpy-1-thread-float32").price, "numpy")


@pytest.fixture(autouse=True)
def one_map(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every profile here has the same map."""
    monkeypatch.setattr(fit_report, "crossover_map", lambda price, library: map_of_numpy())


def configuration(profile: Profile, samples: int) -> Configuration:
    """Eight blocks in two ways, each taking what the profile predicts and a little more."""
    ways = {"dense": dense(256, 256), "batch": blocks_of(Kind.BATCH, SHAPES, 256, 256)}
    timings = tuple(Timing(name, each, 1.1 * profile.price(each, samples)) for name, each in ways.items())
    return Configuration(samples, tuple(SHAPES), timings)


def fitted(**changes: Any) -> Fitted:
    """A fit of NumPy with one thread, its profile changed."""
    recorded = shipped_profile("numpy-1-thread-float32")
    evaluation = {"build_op": Constant(3e-7, 2e-7, 4e-7, "s/op", True, "by hand")}
    profile = replace(recorded, **{"evaluation": evaluation, "validation": VALIDATION} | changes)
    products = tuple(configuration(recorded, samples) for samples in (1, 30, 1000))
    return Fitted(Target("numpy", 1), profile, products, Path("profile.json"))


@pytest.fixture
def report(make_console: Callable[..., Console], read_console: Callable[[Console], str]) -> Report:
    """Prints a fit on a console of this width and returns the text."""

    def show(fit: Fitted, width: int = 120) -> str:
        console = make_console(width)
        print_fit(fit, console)
        return read_console(console)

    return show


def row(text: str, name: str) -> list[str]:
    """The cells of the first row of a table that begins with `name`."""
    return next(re.split(r"\s{2,}", line) for line in text.splitlines() if line.startswith(name))


def test_the_parts_come_in_order(report: Report) -> None:
    """The target and where the profile comes from, constants, chart, map, validation, evaluation."""
    lines = report(fitted()).splitlines()
    assert lines[0] == "NumPy, 1 BLAS thread, float32"
    assert lines[1].startswith("2 x86 cores (AMD EPYC); numpy ")
    places = [lines.index(title) for title in TITLES]
    assert places == sorted(places)
    assert places[1] < lines.index("predicted (up) against measured (right), the line is equality") < places[2]


@pytest.mark.parametrize("width", [120, 80, 40, 24])
def test_no_line_is_wider_than_the_terminal(width: int, report: Report) -> None:
    """Tables fold and the chart shrinks, or goes."""
    assert max(map(cell_len, report(fitted(), width).splitlines())) <= width


def test_upstreams_constants_stand_beside_the_shipped_ones(report: Report) -> None:
    """How far the shipped one is off is told only of what was determined here."""
    load = Constant(0.5, 0.01, 9.0, "samples", False, "by hand")
    call = Constant(1.6e5, 1.5e5, 1.7e5, "MAC", True, "by hand")
    gather = Constant(40.0, 30.0, 50.0, "MAC/element", True, "by hand")
    blocks = replace(shipped_profile("numpy-1-thread-float32").blocks, upstream=UpstreamConstants(load, call, gather))
    text = report(fitted(blocks=blocks))
    assert row(text, "WEIGHT_LOAD_SAMPLES")[1:] == ["0.5 [0.01, 9] (not determined)", "108 samples"]
    assert row(text, "CALL_COST_MACS")[1:] == ["1.6e+05 [1.5e+05, 1.7e+05]", "1.6e+06 MAC", "10.0x here"]
    assert row(text, "GATHER_COST_MACS")[3] == "40.0x here"
    dispatched = replace(blocks, upstream=UpstreamConstants(load, call, gather, dispatched=True))
    assert row(report(fitted(blocks=dispatched)), "CALL_COST_MACS_DISPATCHED")[2:] == ["8e+06 MAC", "50.0x here"]
    assert TITLES[0] not in report(fitted(blocks=replace(blocks, upstream=None)))


def test_prices_are_in_words_and_only_those_determined(report: Report) -> None:
    """The others are named below, the first of them at least."""
    blocks = shipped_profile("numpy-1-thread-float32").blocks
    assert blocks is not None
    lines = report(fitted()).splitlines()
    rows = {re.split(r"\s{2,}", line)[0] for line in lines}
    known = {TERM_WORDS[name] for name in blocks.prices if name not in blocks.undetermined}
    assert rows & set(TERM_WORDS.values()) == known
    assert f"Not determined by these timings: {blocks.undetermined[0]}, " in "\n".join(lines)


def test_the_map_says_dense_or_the_gain_and_how(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every letter of the legend means one kind."""
    cells = [
        ("dense", 1.0),
        ("batch", 3.44),
        ("block_masked_mm", 12.4),
        ("loop", 1.2),
        ("mixed", 2.0),
        ("gather_mm", 9),
    ]
    made = [[MapCell(64, samples, kind, gain) for samples, (kind, gain) in enumerate(cells)]]
    monkeypatch.setattr(fit_report, "crossover_map", lambda price, library: made)
    monkeypatch.setattr(fit_report, "SAMPLES", tuple(range(len(cells))))
    text = report(fitted())
    assert row(text, "64") == ["64", "dense", "3.4 b", "12 k", "1.2 l", "2.0 m", "9.0 g"]
    assert "b: batch, k: block_masked_mm, g: gather_mm, l: loop, m: mixed\n" in text


def test_validation_is_told_with_its_rivals(report: Report) -> None:
    """Errors, order and noise in words, and the choices beside those of constant rules."""
    text = report(fitted())
    assert "error of predicted times: median 5.0 %, for 95 % of timings below 30.0 %" in text
    assert "clear pairs in the right order: 97.0 %" in text
    assert "noise floor (choosing by half of the rounds): 0.2 %" in text
    assert row(text, "by this fit")[1:] == ["1.0 %", "4.0 %"]
    assert row(text, RULE_WORDS["always-dense"])[1] == "150.0 %"
    assert "Its choices can be trusted without measuring." in text


def test_a_missed_gate_says_why_and_what_happens_then(report: Report) -> None:
    """A fit that cannot be trusted is no failure: choices are measured instead."""
    text = " ".join(report(fitted(validation=replace(VALIDATION, misses=("too noisy", "too dear")))).split())
    assert "It missed its gate, so `plan` measures instead: too noisy; too dear." in text
    assert "trusted" not in text


@pytest.mark.parametrize(("reason", "told"), [("no repeats were kept", "no repeats were kept"), (None, "not known")])
def test_a_missing_noise_floor_has_its_reason(reason: str | None, told: str, report: Report) -> None:
    """As far as there is one."""
    text = report(fitted(validation=replace(VALIDATION, noise_floor=None, noise_floor_reason=reason)))
    assert f"(choosing by half of the rounds): {told}\n" in text


def test_what_was_not_measured_is_left_out(report: Report) -> None:
    """A profile may hold either half alone, or none."""
    whole = report(fitted(evaluation={}))
    assert TITLES[4] not in whole
    assert TITLES[1] in whole
    bare = report(fitted(blocks=None, validation=None))
    assert [title for title in TITLES if title in bare] == [TITLES[4]]


def test_without_its_timings_there_is_no_chart(report: Report) -> None:
    """A saved profile whose raw timings are gone shows everything else."""
    text = report(replace(fitted(), configurations=()))
    assert "predicted (up)" not in text
    assert all(title in text for title in TITLES)


@pytest.mark.parametrize("width", [120, 40])
def test_names_are_data(width: int, hostile: str, report: Report) -> None:
    """Whatever a profile's file says of itself is shown as it is, or replaced."""
    changes: dict[str, Any] = {
        "key": ProfileKey(hostile, "numpy", 1, "float32", {hostile: hostile}),
        "provenance": hostile,
        "validation": replace(
            VALIDATION, noise_floor=None, noise_floor_reason=hostile, rules={hostile: 1.0}, misses=(hostile,)
        ),
    }
    text = report(fitted(**changes), width)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028]", text)
    assert max(map(cell_len, text.splitlines())) <= width
    flat = re.sub(r"\s", "", text).replace("\N{REPLACEMENT CHARACTER}", "")
    assert flat.count(re.sub(r"[\s\x1b\u2028\u202e]", "", hostile)) >= 7
