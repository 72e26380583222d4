"""The report in a real browser: drawn, read out, reached by keyboard, and without a word to the network."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import typer
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright
from typer.testing import CliRunner

from placement_cli.cli.report import report
from placement_cli.errors import UnreadableInput, UsageError

RUNS = Path(__file__).parents[1] / "data" / "runs"
NAMES = ("stream", "burst", "queue", "pending", "paced")
HOSTILE = ("<script>alert(1)</script>", "[red]", "</script>")
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
DRAWN_MS = 60_000
"""Nothing takes this long; only a page that never draws is ended by it."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The Chromium of this machine, headless."""
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        pytest.fail("The report is tested in Chromium, and there is none on PATH: apt-get install chromium.")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=list(QUIET))
        yield started
        started.close()


def run_command(*arguments: str | Path) -> None:
    """Run `placement report ARGUMENTS`; its errors are raised."""
    app = typer.Typer()
    app.command()(report)
    CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One page of every reading, and of a gate whose names are markup."""
    folder = tmp_path_factory.mktemp("report")
    documents = [_filled(json.loads((RUNS / f"{name}.json").read_bytes())) for name in NAMES]
    files = []
    for name, document in [*zip(NAMES, documents, strict=True), ("gate", _gate(documents[0]))]:
        files.append(folder / f"{name}.json")
        files[-1].write_text(json.dumps(document))
    run_command(*files, "-o", folder / "report.html", "--plots", folder / "plots")
    return folder / "report.html"


def _filled(document: dict[str, Any]) -> dict[str, Any]:
    """Return a run with readings of single messages, a control, and the CPU time of the host."""
    for case in document["cases"]:
        for block in case["blocks"]:
            base = [{**sample, "arm": "control"} for sample in block["samples"] if sample["arm"] == case["base"]]
            block["samples"] = [_with_messages(each, case["reading"]) for each in [*block["samples"], *base]]
    return document


def _with_messages(sample: dict[str, Any], reading: str) -> dict[str, Any]:
    if reading == "queue":
        return {**sample, "call_s": [1e-5] * 63 + [3e-3]}
    if reading == "pending":
        return {**sample, "pending_ops": [2, 4, 9], "pending_bytes": [0, 4096, 65536], "latency_s": [1e-4, 2e-4, 4e-3]}
    return {**sample, "host_cpu_s": sample["dispatch_s"] / 3}


def _gate(run: dict[str, Any]) -> dict[str, Any]:
    """Return a gate that failed: the first case of `run`, in which all that has a name has a hostile one."""
    case = run["cases"][0]
    name = "".join(HOSTILE)
    arms = ("base", "new")
    again = {"ratio": 1.2, "ci": [1.16, 1.27], "n_blocks": 6, "repeated": True, "reason": name}
    compared = {**case["comparisons"][0], "base": "base", "new": "new", "gated": True, "confirmation": again}
    side = {"given": name, "kind": "path", "resolved": name, "fingerprint": name, "stable": {}}
    samples = [
        {**sample, "arm": arm}
        for sample in case["blocks"][0]["samples"]
        if sample["arm"] == "sync"
        for arm in (*arms, "control")
    ]
    hostile = {
        **case,
        "id": name,
        "scenario": name,
        "base": "base",
        "params": {name: name, "arm": name},
        "arms": {arm: {**case["arms"]["sync"], "name": name} for arm in arms},
        "summary": dict.fromkeys(arms, case["summary"]["sync"]),
        "blocks": [{**case["blocks"][0], "kind": name, "samples": samples}],
        "comparisons": [compared],
    }
    gate = {"verdict": "regression", "reason": name, "base": side, "new": side, "differs": [name]}
    return {
        **run,
        "run": {**run["run"], "id": name, "argv": [name]},
        "scenarios": [{**run["scenarios"][0], "name": name, "question": name, "control_case": None}],
        "cases": [hostile],
        "says": [{"text": name, "cases": [name]}],
        "diagnostics": [{"level": "warning", "code": name, "text": name}],
        "gate": {**gate, "cases": 1, "compared": 1, "failed": [name]},
    }


@dataclass
class Opened:
    """A page in the browser, with all it said and asked for while it was opened."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def count(self, selector: str) -> int:
        """Return how many elements `selector` names."""
        return self.page.locator(selector).count()


@pytest.fixture(scope="module", params=["light", "dark"])
def opened(request: pytest.FixtureRequest, browser: Browser, written: Path) -> Iterator[Opened]:
    """The page, drawn, in either theme."""
    page = browser.new_page(viewport={"width": 1200, "height": 900}, color_scheme=request.param)
    it = Opened(page)
    _listen(it)
    _open(page, written)
    yield it
    page.close()


def _listen(it: Opened) -> None:
    it.page.on("console", lambda message: it.said.append(message.text))
    it.page.on("pageerror", lambda error: it.said.append(str(error)))
    it.page.on("dialog", lambda dialog: it.said.append(dialog.message))
    it.page.on("request", lambda request: it.asked.append(request.url))


def _open(page: Page, path: Path) -> None:
    page.goto(path.as_uri())
    page.wait_for_function("document.documentElement.dataset.drawn !== undefined", timeout=DRAWN_MS)


def test_the_console_is_silent_and_nothing_leaves_the_file(opened: Opened, written: Path) -> None:
    """No error, no warning, no dialog of a name that is a script, and one request: the page itself."""
    assert opened.said == []
    assert opened.asked == [written.as_uri()]


def test_every_chart_is_drawn(opened: Opened) -> None:
    """With marks in it, a name to read out, and its data as a table below."""
    places = opened.page.locator(".chart").all()
    assert len(places) > 20
    for place in places:
        drawing = place.locator("svg")
        assert drawing.count() == 1
        assert place.locator(".role-mark path, .role-mark line").count() > 0
        assert place.locator("[aria-label]").count() > 0
    assert opened.count("figure") == opened.count("figure > details table")


def test_numbers_are_shown_on_hovering(opened: Opened) -> None:
    """The ratio with its interval, and the verdict."""
    opened.page.locator(".chart .mark-symbol.role-mark path").first.hover(force=True)
    tooltip = opened.page.locator("#vg-tooltip-element.visible")
    tooltip.wait_for()
    assert "verdict" in (tooltip.text_content() or "")
    opened.page.mouse.move(0, 0)


def test_every_table_is_reached_and_opened_by_keyboard(opened: Opened) -> None:
    """Tab goes to each line that opens one, Enter opens it, and Tab then goes into the table."""
    page = opened.page
    closed = opened.count("details:not([open])")
    assert closed >= opened.count("figure")
    page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    unopened = "document.activeElement.matches('details:not([open]) > summary')"
    into_table = "document.activeElement.matches('details > .scroll')"
    tables = 0
    for _ in range(8 * closed + 200):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
        tables += page.evaluate(into_table)
        if page.evaluate(unopened):
            page.keyboard.press("Enter")
    assert opened.count("details:not([open])") == 0
    assert tables == opened.count("details > .scroll")


def test_axe_finds_no_violation(opened: Opened) -> None:
    """Contrast, names, headings, regions: with every table open."""
    opened.page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    found = Axe().run(opened.page).response["violations"]
    assert [(each["id"], [node["html"][:120] for node in each["nodes"]][:3]) for each in found] == []


def test_hostile_names_are_text(opened: Opened) -> None:
    """In headings, tables and drawings; they made no element and ran no script."""
    page = opened.page
    name = "".join(HOSTILE)
    assert page.get_by_role("heading", name=name, exact=True).count() >= 1
    assert page.locator("td", has_text=name).count() > 3
    assert page.locator("svg text", has_text=HOSTILE[0]).count() > 0
    assert page.evaluate("document.scripts.length") == 3


def test_a_phone_needs_no_sideways_scrolling(browser: Browser, written: Path) -> None:
    """At 360 pixels, with every table open: wide ones scroll on their own."""
    page = browser.new_page(viewport={"width": 360, "height": 740})
    _open(page, written)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    widest = "Math.max(...[...document.querySelectorAll('.chart svg')].map(each => each.getBoundingClientRect().right))"
    assert page.evaluate(widest) <= 360
    page.close()


def test_it_prints_in_light_with_every_table(browser: Browser, written: Path) -> None:
    """Whatever the theme of the screen: white paper, and what was closed is open while it prints."""
    page = browser.new_page(color_scheme="dark")
    _open(page, written)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    page.close()


def test_the_page_is_small_and_its_charts_are_files_too(written: Path) -> None:
    """Below 3 MB; each chart once as PNG and once as SVG."""
    assert written.stat().st_size < 3e6
    plots = list((written.parent / "plots").iterdir())
    assert len([path for path in plots if path.suffix == ".svg"]) * 2 == len(plots) > 40


def test_a_plot_and_the_document_alone_exclude_each_other(placement) -> None:
    """`bench --plot --json` measures nothing and says why."""
    done = placement("bench", "pair.yaml", "--plot", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--plot and --json do not go together" in done.stderr


def test_nothing_is_written_where_a_run_cannot_be_read(tmp_path: Path) -> None:
    """One clear error, also for a name that is no page's."""
    bad = tmp_path / "torn.json"
    bad.write_text('{"schema": "placement.run"')
    with pytest.raises(UnreadableInput, match=r"torn\.json"):
        run_command(RUNS / "stream.json", bad, "-o", tmp_path / "report.html")
    with pytest.raises(UsageError, match=r"its name ends in \.html"):
        run_command(RUNS / "stream.json", "-o", tmp_path / "report.pdf")
    assert list(tmp_path.iterdir()) == [bad]
