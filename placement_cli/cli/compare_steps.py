"""What `placement compare` does with its options: read, choose, compare; then print and write."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from placement_cli.comparing.choosing import chosen
from placement_cli.comparing.documents import comparison_json
from placement_cli.comparing.folder import load_folder
from placement_cli.comparing.loading import load_recorded, run_names
from placement_cli.comparing.recorded import Recorded
from placement_cli.comparing.spread import spread_between_days
from placement_cli.comparing.stored import Key
from placement_cli.comparing.table import ComparisonTable, comparison_table
from placement_cli.errors import UsageError, did_you_mean
from placement_cli.render.comparison_table import print_comparison
from placement_cli.render.console import stderr_console, stdout_console
from placement_cli.render.plain import plain
from placement_cli.store.files import write_whole


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """The options of `placement compare` as they were given."""

    runs: tuple[Path, ...]
    base: str | None
    cases: tuple[str, ...]
    metrics: tuple[str, ...]
    columns: tuple[str, ...]
    history: Path | None
    explain: bool
    output: Path | None
    as_json: bool


def run_compare(options: CompareOptions) -> int:
    """Carry out `placement compare` and return the exit code."""
    if len(options.runs) < 2:
        raise UsageError("compare needs at least two runs: placement compare OLD.json NEW.json")
    if options.output is not None and options.output.suffix.lower() != ".json":
        raise UsageError(f"-o {options.output}: a comparison is written as .json alone.")
    runs = chosen(_base_first(_named(options.runs), options), options.cases, options.metrics)
    table = comparison_table(runs, _columns(options.columns), _spread(options.history, runs[0]))
    _tell(table, options)
    return 0


def _named(paths: Sequence[Path]) -> list[Recorded]:
    """Load the runs, under names that tell them apart."""
    return [replace(load_recorded(path), name=name) for path, name in zip(paths, run_names(paths), strict=True)]


def _base_first(runs: list[Recorded], options: CompareOptions) -> list[Recorded]:
    if options.base is None:
        return runs
    found = next((run for run in runs if options.base in (run.name, run.origin)), None)
    if found is None:
        hint = did_you_mean(options.base, [run.name for run in runs])
        raise UsageError(f"--base {options.base}: is none of the runs. {hint}")
    return [found, *(run for run in runs if run is not found)]


def _columns(given: Sequence[str]) -> list[str]:
    return [name.strip() for each in given for name in each.split(",") if name.strip()]


def _spread(folder: Path | None, base: Recorded) -> Mapping[Key, float]:
    if folder is None:
        return {}
    runs, unreadable = load_folder(folder)
    if unreadable:
        told = f"warning: --history: {len(unreadable)} files of {folder} hold no run that can be read."
        stderr_console().print(plain(told, "yellow"), soft_wrap=True)
    return spread_between_days(runs, base)


def _tell(table: ComparisonTable, options: CompareOptions) -> None:
    document = comparison_json(table)
    if options.as_json:
        sys.stdout.write(document)
    else:
        print_comparison(table, stdout_console(), explain=options.explain)
    if options.output is not None:
        write_whole(options.output, document)
