"""A whole run on the terminal: complete, within its width, inert, and legible without colour."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from rich.cells import cell_len
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from placement_cli.bench.figures import verdict_word
from placement_cli.render.run_report import machine_line, print_run, print_verdicts
from placement_cli.store.run_document import RunDocument

WIDTHS = (120, 80, 60, 40)
MakeConsole = Callable[..., Console]
Read = Callable[[Console], str]


@pytest.fixture
def report(make_console: MakeConsole, read_console: Read) -> Callable[[RunDocument, int], str]:
    """Prints a run on a console of this width and returns the text."""

    def show(document: RunDocument, width: int) -> str:
        console = make_console(width)
        print_run(document, console)
        return read_console(console)

    return show


@pytest.mark.parametrize("width", WIDTHS)
def test_what_is_printed(
    width: int, document: RunDocument, report: Callable[[RunDocument, int], str], snapshot: SnapshotAssertion
) -> None:
    """A run is printed as it was looked at and found good."""
    assert report(document, width) == snapshot


@pytest.mark.parametrize("width", [*WIDTHS, 30, 20, 200])
def test_no_line_is_wider_than_the_terminal(
    width: int, document: RunDocument, report: Callable[[RunDocument, int], str]
) -> None:
    """Nothing runs over the edge, nothing is cut off with an ellipsis, and no line ends in blanks."""
    text = report(document, width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert "…" not in text
    assert not re.search(r" $", text, re.MULTILINE)


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_lost_in_narrow_terminals(
    width: int, document: RunDocument, report: Callable[[RunDocument, int], str]
) -> None:
    """Whatever the width, every arm, every parameter that varies, and all sentences are there."""
    words = report(document, width).split()
    for case in document.cases:
        assert words.count(next(name for name in case.arms)) >= 1
        assert set(case.arms) <= set(words)
    for saying in document.says:
        assert _within(saying.text.split(), words)


def _within(part: list[str], whole: list[str]) -> bool:
    return any(whole[start : start + len(part)] == part for start in range(len(whole)))


@pytest.mark.parametrize("width", WIDTHS)
def test_every_verdict_is_a_word(width: int, document: RunDocument, report: Callable[[RunDocument, int], str]) -> None:
    """Without any colour each verdict of a table is there, as often as it was given."""
    tables = report(document, width).split("What this says")[0]
    shown = {"stream": {"complete_s", "in_flight_bytes"}, "burst": {"dispatch_s"}, "pending": {"complete_s"}}
    metrics = shown.get(document.cases[0].reading, {"latency_s"})
    words = [verdict_word(each) for case in document.cases for each in case.comparisons if each.metric in metrics]
    for word in {*words}:
        assert len(re.findall(rf"\b{word}\b", _without_footnote(tables))) == words.count(word)


def _without_footnote(tables: str) -> str:
    return tables.split("blocks of fresh")[0].replace("same as", "")


def test_colour_says_nothing_that_words_do_not(
    document: RunDocument, make_console: MakeConsole, read_console: Read, report: Callable[[RunDocument, int], str]
) -> None:
    """A terminal with colours shows the same text."""
    console = make_console(80, terminal=True)
    print_run(document, console)
    coloured = read_console(console)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == report(document, 80)


def test_no_color_is_respected(
    load_run_of: Callable[[str], RunDocument],
    make_console: MakeConsole,
    read_console: Read,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With NO_COLOR a terminal gets no colours, whatever it can do."""
    monkeypatch.setenv("NO_COLOR", "1")
    console = make_console(80, terminal=True, color_system="auto")
    print_run(load_run_of("stream"), console)
    codes = {code for found in re.findall(r"\x1b\[([0-9;]*)m", read_console(console)) for code in found.split(";")}
    assert codes <= {"", "0", "1", "2", "3"}


@pytest.mark.parametrize("width", [120, 60, 40])
def test_names_are_data(
    width: int,
    hostile: str,
    document: RunDocument,
    renamed: Callable[[RunDocument, str], RunDocument],
    make_console: MakeConsole,
    read_console: Read,
) -> None:
    """No name is taken for markup, a link, a control code or a direction, however long; none breaks the width."""
    console = make_console(width, terminal=True, color_system=None)
    print_run(renamed(document, hostile), console)
    text = read_console(console)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]", text)
    assert max(map(cell_len, text.splitlines())) <= width
    flat = re.sub(r"\s", "", text)
    assert re.sub(r"[\s\x00-\x1f\u2028\u202e]", "", hostile) in flat.replace("\N{REPLACEMENT CHARACTER}", "")


@pytest.mark.parametrize("markup", [True, False])
def test_names_are_data_on_any_console(
    markup: bool,
    load_run_of: Callable[[str], RunDocument],
    renamed: Callable[[RunDocument, str], RunDocument],
    make_console: MakeConsole,
    read_console: Read,
) -> None:
    """Even a console that interprets markup and emoji is given none to interpret."""
    console = make_console(120, markup=markup, emoji=markup)
    print_run(renamed(load_run_of("paced"), "[red]:tada:[/]"), console)
    assert "[red]:tada:[/]" in read_console(console)


def test_verdicts_alone_are_the_sentences(document: RunDocument, make_console: MakeConsole, read_console: Read) -> None:
    """In quiet mode each sentence is one line, however narrow the terminal."""
    console = make_console(20)
    print_verdicts(document, console)
    assert read_console(console).splitlines() == [saying.text for saying in document.says]


def test_the_machine_is_named() -> None:
    """Chip, cores, memory, system, MLX and Python are there as far as they are known."""
    stable = {
        "chip": "Apple M4 Pro",
        "cpu_logical": 14,
        "ram_bytes": 24 * 2**30,
        "os": "macOS",
        "os_version": "15.1",
        "mlx": "0.32.4",
        "backend": "metal",
        "python": "CPython 3.12.1",
    }
    assert machine_line(stable).plain == (
        "Apple M4 Pro, 14 cores, 24 GiB, macOS 15.1, MLX 0.32.4 on metal, CPython 3.12.1"
    )


def test_a_memory_size_that_cannot_be_is_left_out() -> None:
    """A document from outside may hold any number."""
    assert machine_line({"ram_bytes": 10**400, "mlx": "1", "backend": "cpu"}).plain == "MLX 1 on cpu"


def test_what_is_not_known_of_the_machine_is_left_out() -> None:
    """A machine that tells nothing is named by its MLX."""
    stable = {"chip": None, "os": "Linux", "os_version": None, "mlx": "0.32.4", "backend": "cpu"}
    assert machine_line(stable).plain == "Linux, MLX 0.32.4 on cpu"
