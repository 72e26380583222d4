"""Which file format belongs to which ending."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from placement_cli.errors import NothingComparable, UsageError, did_you_mean
from placement_cli.export.run_bencher import run_bencher
from placement_cli.export.run_csv import run_csv
from placement_cli.export.run_github_benchmark import run_github_benchmark
from placement_cli.export.run_google_benchmark import run_google_benchmark
from placement_cli.export.run_junit import run_junit
from placement_cli.export.run_markdown import run_markdown
from placement_cli.export.run_otava import run_otava
from placement_cli.export.run_parquet import require_parquet, run_parquet
from placement_cli.export.run_pyperf import run_pyperf
from placement_cli.store.files import write_whole, write_whole_bytes
from placement_cli.store.run_document import RunDocument

Writer = Callable[[RunDocument], str | bytes]
ArmWriter = Callable[[RunDocument, str | None], str | bytes]
"""What writes one arm of a run, or all with None."""


def _nothing_needed() -> None:
    """Stand for what a format needs that comes with the program."""


@dataclass(frozen=True, slots=True)
class Format:
    """One format: its name, the endings of its files, the function that writes it, and what it is for.

    `write_arm` is there where one arm can be written alone; files of other tools have no place for arms. `require`
    raises UsageError when a library that the format needs is not installed.
    """

    name: str
    suffixes: tuple[str, ...]
    write: Writer
    description: str
    write_arm: ArmWriter | None = None
    require: Callable[[], None] = _nothing_needed

    def writer(self, arm: str | None) -> Writer:
        """Return what writes the run, or of each case the arm called `arm` alone.

        Raises UsageError where this format always holds all arms.
        """
        if arm is None:
            return self.write
        write_arm = self.write_arm
        if write_arm is None:
            raise UsageError(f"--arm {arm}: {self.name} always holds all arms. Those that take one: {_of_one_arm()}.")
        return lambda document: write_arm(document, arm)


_ALL = (
    Format("json", (".json",), RunDocument.to_json, "the whole run; every command reads it back"),
    Format("csv", (".csv",), run_csv, "one row a sample"),
    Format("parquet", (".parquet",), run_parquet, "the same with types, for data frames", require=require_parquet),
    Format("md", (".md",), run_markdown, "tables and sentences, for a pull request"),
    Format("junit", (".junit.xml", ".xml"), run_junit, "verdicts as test results, for CI"),
    Format("pyperf", (".pyperf.json",), run_pyperf, "python -m pyperf stats, hist, compare_to", run_pyperf),
    Format("bencher", (".bencher.json",), run_bencher, "Bencher Metric Format", run_bencher),
    Format(
        "github",
        (".github.json",),
        run_github_benchmark,
        "github-action-benchmark, customSmallerIsBetter",
        run_github_benchmark,
    ),
    Format(
        "gbench", (".gbench.json",), run_google_benchmark, "Google Benchmark, for its compare.py", run_google_benchmark
    ),
    Format("otava", (".otava.csv",), run_otava, "one row a run, for Apache Otava", run_otava),
)

FORMATS: Mapping[str, Format] = {each.name: each for each in _ALL}
"""The formats a run can be written in, by name."""
SUFFIXES: Mapping[str, Format] = {suffix: each for each in _ALL for suffix in each.suffixes}
"""Endings of files a run can be written to."""


def format_for(path: Path) -> Writer:
    """Return what writes a run in the format of `path`'s ending.

    Raises UsageError for another ending, and when the format needs a library that is not installed.
    """
    found = format_of(path)
    found.require()
    return found.write


def format_of(path: Path) -> Format:
    """Return the format of `path`'s ending, the longest that is known; raises UsageError for another ending."""
    if found := _by_ending(path):
        return found
    ending = "" if path.name.lower() in SUFFIXES else path.suffix
    raise UsageError(f"-o {path}: no format has the ending {ending!r}. {did_you_mean(ending.lower(), list(SUFFIXES))}")


def format_asked(path: Path, named: Format | None) -> Format:
    """Return the format that a file is written in: `named` where there is one, else that of the path's ending.

    Raises UsageError for an unknown ending without `named`, and for one that is known as that of another format.
    """
    if named is None:
        return format_of(path)
    by_ending = _by_ending(path)
    if by_ending not in (None, named):
        raise UsageError(
            f"-o {path}: --format says {named.name}, but this ending that of {by_ending.name}. "
            f"Endings of {named.name}: {', '.join(named.suffixes)}."
        )
    return named


def format_named(name: str) -> Format:
    """Return the format called `name`; raises UsageError for another name."""
    if name not in FORMATS:
        raise UsageError(f"--format {name}: is no format. {did_you_mean(name, list(FORMATS))}")
    return FORMATS[name]


def write_outputs(document: RunDocument, paths: Iterable[Path]) -> list[str]:
    """Write a run to each path in the format of its ending; return a sentence for each that was not written.

    That is where the run holds nothing that the format has a place for: the other files are there all the same. Raises
    UsageError for an unknown ending, and for what cannot be written.
    """
    left_out: list[str] = []
    for path in paths:
        try:
            write_content(path, format_for(path)(document))
        except NothingComparable as nothing:
            left_out.append(f"-o {path} was not written. {nothing}")
    return left_out


def write_content(path: Path, content: str | bytes) -> None:
    """Write what a format gave to `path`, whole or not at all; raises UsageError when it cannot be written."""
    if isinstance(content, bytes):
        write_whole_bytes(path, content)
    else:
        write_whole(path, content)


def _by_ending(path: Path) -> Format | None:
    """Return the format of the longest known ending of `path`; None where there is none, or nothing before it."""
    name = path.name.lower()
    fitting = [] if name in SUFFIXES else [suffix for suffix in SUFFIXES if name.endswith(suffix)]
    return SUFFIXES[max(fitting, key=len)] if fitting else None


def _of_one_arm() -> str:
    return ", ".join(each.name for each in _ALL if each.write_arm is not None)
