"""Records learn from the program's source which pairs measure and where variables are made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from placement_cli.diagnose.program.refining import read_text, refined
from placement_cli.tracing.raw import (
    KeptSample,
    Place,
    RawBuild,
    RawCost,
    RawInterval,
    RawKept,
    RawLazy,
    RawProcess,
)

PROCESS = RawProcess(
    pid=1,
    parent=0,
    argv=("a.py",),
    started_s=0.0,
    duration_s=1.0,
    ended=True,
    python="3",
    mlx="0",
    device="Device(cpu, 0)",
    backend="cpu",
    variables={},
    cost=RawCost(0.0, 0.0, 0, 0, 0.0, 0.0),
)
FILES = {
    "a.py": "start = clock()\nx = build()\nprint(clock() - start)\noutputs = []\nloop(outputs)\nmean = mean + x\n",
    "b.py": "def loop(held):\n    held.outputs.append(1)\n",
    "broken.py": "def",
}


def interval(file: str, line: int, until: int, through: str = "") -> RawInterval:
    """Return a pair of reads."""
    place = Place(file, line, "main", through)
    return RawInterval(place, until, "clock", "MainThread", 1, 0.1, 1, 0, 0, 1, 0, 0.0, None)


def kept(name: str, file: str = "a.py") -> RawKept:
    """Return a container that grew, seen at line 5."""
    return RawKept(name, Place(file, 5, "main"), "list", False, (KeptSample(0.0, 0, 8, 8),))


def lazy(name: str, built: Place | None = None) -> RawLazy:
    """Return a lazy variable, seen at line 5."""
    return RawLazy(name, Place("a.py", 5, "main"), built, ())


def with_sources(process: RawProcess) -> RawProcess:
    """Return a record with what the files above tell."""
    (found,) = refined((process,), FILES.get)
    return found


def test_only_pairs_that_are_subtracted_stay() -> None:
    """Those of files that cannot be read or parsed are not known to measure anything."""
    pairs = [interval("a.py", 1, 3), interval("a.py", 3, 1), interval("none.py", 1, 3), interval("broken.py", 1, 3)]
    found = with_sources(replace(PROCESS, intervals=tuple(pairs)))
    assert found.intervals == (pairs[0],)


def test_timeit_subtracts_for_the_program() -> None:
    """Its own source is nobody's business."""
    pair = interval("none.py", 4, 4, "timeit")
    assert with_sources(replace(PROCESS, intervals=(pair,))).intervals == (pair,)


def test_a_container_is_moved_to_the_line_that_lets_it_grow() -> None:
    """In its own file, else in another one of the program, else it stays where it was seen."""
    builds = (RawBuild(Place("b.py", 2, "loop"), "MainThread", 1, False),)
    process = replace(PROCESS, kept=(kept("outputs"), kept("outputs", "b.py"), kept("absent")), builds=builds)
    places = [(each.place.file, each.place.line) for each in with_sources(process).kept]
    assert places == [("b.py", 2), ("b.py", 2), ("a.py", 5)]


def test_a_lazy_variable_gets_the_line_that_assigns_it() -> None:
    """Where it was not seen being built; what was seen is better."""
    seen = Place("a.py", 2, "main")
    process = replace(PROCESS, lazy=(lazy("mean"), lazy("mean", seen), lazy("absent")))
    built = [each.built for each in with_sources(process).lazy]
    assert built == [Place("a.py", 6, "main"), seen, None]


def test_nothing_else_of_a_record_is_altered() -> None:
    """Each process keeps its place among the others."""
    processes = (PROCESS, replace(PROCESS, pid=2))
    assert refined(processes, FILES.get) == processes


def test_each_file_is_read_once() -> None:
    """However many records there are."""
    read: list[str] = []

    def reader(file: str) -> str | None:
        read.append(file)
        return FILES.get(file)

    process = replace(PROCESS, intervals=(interval("a.py", 1, 3), interval("none.py", 1, 3)) * 3)
    refined((process, process), reader)
    assert sorted(read) == ["a.py", "none.py"]


def test_what_cannot_be_read_is_no_source(tmp_path: Path) -> None:
    """Neither what is not there, nor what is no text, nor a name that is none."""
    (tmp_path / "binary.py").write_bytes(b"\xff\xfe")
    (tmp_path / "text.py").write_text("x = 1\n", encoding="utf-8")
    found = [read_text(str(tmp_path / name)) for name in ("text.py", "binary.py", "absent.py", "nul\0.py")]
    assert found == ["x = 1\n", None, None, None]
    assert read_text("<string>") is None
