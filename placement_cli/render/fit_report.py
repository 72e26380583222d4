"""A fit on the terminal: upstream's constants, the prices, how they predict and choose, and where blocks pay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Console, RenderableType
from rich.text import Text

from placement_cli.blocks.formulation import Kind
from placement_cli.fit.crossover_map import BLOCKS, SAMPLES, MapCell, crossover_map
from placement_cli.fit.session import Fitted
from placement_cli.profile.block_constants import BlockConstants
from placement_cli.profile.upstream import APPLE, APPLE_DISPATCHED, UPSTREAM_UNITS, UpstreamConstants
from placement_cli.profile.validation import Validation
from placement_cli.render.constants import interval_text, number_text, some_names
from placement_cli.render.evaluation_tables import evaluation_tables
from placement_cli.render.fit_chart import PredictedChart
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain
from placement_cli.render.sheet import Group, Row, Sheet
from placement_cli.render.term_words import TERM_WORDS
from placement_cli.units import format_percent, format_ratio

UPSTREAM_NAMES: Mapping[str, str] = {
    "weight_load_samples": "WEIGHT_LOAD_SAMPLES",
    "call_cost_macs": "CALL_COST_MACS",
    "gather_cost_macs": "GATHER_COST_MACS",
}
RULE_WORDS: Mapping[str, str] = {
    "always-dense": "always the dense product",
    "finest-blocks": "always the finest blocks",
    "upstream-shipped": "ezmsg-sigproc's model as shipped",
    "upstream-refitted": "ezmsg-sigproc's model, refitted here",
}


def print_fit(fitted: Fitted, console: Console) -> None:
    """Print everything a person may want to know of one profile."""
    profile = fitted.profile
    console.print(plain(fitted.target.title, "bold"))
    versions = ", ".join(f"{name} {version}" for name, version in profile.key.versions.items())
    console.print(Hanging(plain(f"{profile.key.machine}; {versions}; {profile.provenance}", "dim")))
    parts: list[RenderableType] = []
    if profile.blocks is not None:
        parts += _products(profile.blocks, fitted)
    if profile.validation is not None:
        parts += _validation(profile.validation)
    if profile.evaluation:
        parts += [_title("what evaluation costs"), *evaluation_tables(profile.evaluation)]
    for part in parts:
        console.print(part)
    console.print()


def _products(blocks: BlockConstants, fitted: Fitted) -> Iterator[RenderableType]:
    if blocks.upstream is not None:
        yield _title("ezmsg-sigproc's constants, in its own meaning")
        yield _upstream_table(blocks.upstream)
    yield _title("what products cost")
    yield _prices_table(blocks)
    if blocks.undetermined:
        yield Hanging(plain(f"Not determined by these timings: {some_names(blocks.undetermined)}.", "dim"))
    price = fitted.profile.price
    timings = [(each, entry.samples) for entry in fitted.configurations for each in entry.timings]
    yield Text()
    yield PredictedChart(
        [each.seconds for each, _ in timings], [price(each.formulation, samples) for each, samples in timings]
    )
    yield _title(f"where blocks pay: {BLOCKS} equal blocks, times as fast as dense (predicted)")
    rows = crossover_map(price, fitted.target.library)
    yield _map_table(rows)
    yield Hanging(_legend(rows))


def _title(text: str) -> Text:
    return Text(f"\n{text}", style="italic")


def _upstream_table(upstream: UpstreamConstants) -> Sheet:
    shipped = APPLE_DISPATCHED if upstream.dispatched else APPLE
    rows = []
    for name, unit in UPSTREAM_UNITS.items():
        here, theirs = getattr(upstream, name), getattr(shipped, name)
        suffix = "_DISPATCHED" if upstream.dispatched and name == "call_cost_macs" else ""
        factor = f"{format_ratio(theirs.value / here.value)}x here" if here.identified else ""
        cells = (UPSTREAM_NAMES[name] + suffix, number_text(here), f"{theirs.value:g} {unit}", factor)
        rows.append(Row(tuple(map(Text, cells))))
    return Sheet((), ("constant", "here", "shipped", "shipped is"), (Group((), tuple(rows)),))


def _prices_table(blocks: BlockConstants) -> Sheet:
    rows = tuple(
        Row((Text(TERM_WORDS[name]), Text(interval_text(constant))))
        for name, constant in blocks.prices.items()
        if constant.identified
    )
    return Sheet((), ("what", "costs"), (Group((), rows),))


def _map_table(rows: list[list[MapCell]]) -> Sheet:
    headings = ("channels", *(f"n={count}" for count in SAMPLES))
    found = tuple(Row((Text(str(row[0].channels)), *map(_cell, row))) for row in rows)
    return Sheet((), headings, (Group((), found),))


def _cell(cell: MapCell) -> Text:
    if cell.kind == "dense":
        return Text("dense", style="dim")
    gain = f"{cell.gain:.1f}" if cell.gain < 10 else f"{cell.gain:.0f}"
    return Text(f"{gain} {_letter(cell.kind)}")


def _legend(rows: list[list[MapCell]]) -> Text:
    kinds = sorted({cell.kind for row in rows for cell in row if cell.kind != "dense"})
    return plain(", ".join(f"{_letter(kind)}: {kind}" for kind in kinds), "dim")


def _letter(kind: str) -> str:
    """Return one letter for a kind, of its own for each: `batch` and `block_masked_mm` begin alike."""
    return "k" if kind == Kind.MASKED_MM else kind[0]


def _validation(found: Validation) -> Iterator[RenderableType]:
    yield _title("how it predicts and chooses, on products it was not fitted to")
    error = f"{format_percent(found.error_median)}, for 95 % of timings below {format_percent(found.error_p95)}"
    yield Hanging(plain(f"error of predicted times: median {error}"), Text("  - "))
    yield Hanging(plain(f"clear pairs in the right order: {format_percent(found.order)}"), Text("  - "))
    reason = found.noise_floor_reason or "not known"
    floor = reason if found.noise_floor is None else format_percent(found.noise_floor)
    yield Hanging(plain(f"noise floor (choosing by half of the rounds): {floor}"), Text("  - "))
    rows = [("by this fit", found.regret_mean, format_percent(found.regret_p95))]
    rows += [(RULE_WORDS.get(name, name), regret, "") for name, regret in found.rules.items()]
    cells = tuple(Row((plain(name), Text(format_percent(mean)), Text(p95))) for name, mean, p95 in rows)
    yield Sheet((), ("choice", "longer than the best: mean", "95 %"), (Group((), cells),))
    yield from _gate(found)


def _gate(found: Validation) -> Iterator[RenderableType]:
    if found.passed:
        yield Hanging(plain("Its choices can be trusted without measuring."))
        return
    text = f"It missed its gate, so `plan` measures instead: {'; '.join(found.misses)}. A quieter machine may help."
    yield Hanging(plain(text, "yellow"))
