"""What `placement trace` does with its options: check, run the program, find, tell, write, exit as the program did."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import placement_cli
from placement_cli.cli.time_options import seconds_of
from placement_cli.diagnose.findings.gathering import findings_of
from placement_cli.diagnose.program.refining import refined
from placement_cli.diagnose.program.running import Launch, Ran, run_program
from placement_cli.diagnose.trace_document import trace_document
from placement_cli.errors import PlacementError, UsageError
from placement_cli.render.console import stderr_console
from placement_cli.render.plain import plain
from placement_cli.render.sayings import diagnostics
from placement_cli.render.source_lines import Sources
from placement_cli.render.trace_report import print_trace, print_trace_verdict
from placement_cli.store.files import check_writable, write_whole
from placement_cli.store.trace_document import TraceDocument

STDERR = 2
"""The file descriptor of standard error."""


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """The options of `placement trace` as they were given; `argv` is the script or module with its arguments."""

    argv: tuple[str, ...]
    module: bool
    python: str | None
    timeout: str | None
    top: int
    timeline: Path | None
    graph: Path | None
    output: Path | None
    as_json: bool
    quiet: bool


def run_trace(options: TraceOptions) -> int:
    """Carry out `placement trace` and return the program's exit code."""
    limit_s = None if options.timeout is None else seconds_of("--timeout", options.timeout)
    _check_files(options)
    ran = traced(options.argv, options.module, options.python, limit_s, as_json=options.as_json)
    document = trace_document(ran, findings_of(ran.processes, ran.exit_code), placement_cli.__version__)
    # Written first: whatever becomes of the terminal or the pipe, the files are there.
    faults = _written(options, ran, document)
    _tell(options, document)
    for fault in faults:
        stderr_console().print(plain(f"placement: {fault}", "yellow"), soft_wrap=True)
    # What the program says of itself is worth more than a file that is missing, unless it says that all is well.
    return ran.exit_code or max((fault.exit_code for fault in faults), default=0)


def traced(argv: tuple[str, ...], module: bool, python: str | None, limit_s: float | None, *, as_json: bool) -> Ran:
    """Run a program under tracing, with its output on stderr where stdout is for a document."""
    # A process that outlives the program may still write while the folder is taken away.
    with tempfile.TemporaryDirectory(prefix="placement-trace-", ignore_cleanup_errors=True) as folder:
        launch = Launch(argv, module, python, Path(folder))
        ran = run_program(launch, limit_s, STDERR if as_json else None)
    return replace(ran, processes=refined(ran.processes))


def _check_files(options: TraceOptions) -> None:
    """Refuse files that could not be written, before the program has run for nothing. Raises UsageError."""
    asked = {
        "--output": (options.output, (".json",)),
        "--timeline": (options.timeline, (".json",)),
        "--graph": (options.graph, (".yaml", ".yml")),
    }
    files: dict[Path, str] = {}
    for option, (path, endings) in asked.items():
        if path is None:
            continue
        if path.suffix.lower() not in endings:
            # A slip must not put a document in the place of a script.
            raise UsageError(f"{option} {path}: expected a file that ends in {endings[0]}.")
        if path.is_dir():
            raise UsageError(f"{option} {path}: is a folder.")
        if other := files.get(path.absolute()):
            raise UsageError(f"{other} and {option} name the same file, {path}.")
        files[path.absolute()] = option
        check_writable(path.parent)


def _written(options: TraceOptions, ran: Ran, document: TraceDocument) -> list[PlacementError]:
    """Write the files asked for; return why some could not be, the others are there all the same."""
    faults: list[PlacementError] = []
    for path, text in _texts(options, ran, document):
        try:
            write_whole(path, text())
        except PlacementError as fault:
            faults.append(fault)
    return faults


def _texts(options: TraceOptions, ran: Ran, document: TraceDocument) -> Iterator[tuple[Path, Callable[[], str]]]:
    """Yield each file with what makes its text."""
    if options.output is not None:
        yield options.output, document.to_json
    if options.timeline is not None:
        from placement_cli.export.trace_timeline import timeline_json

        yield options.timeline, lambda: timeline_json(ran.processes, ran.argv)
    if options.graph is not None:
        from placement_cli.diagnose.graph_of_trace import graph_text

        name = Path(ran.argv[0]).stem
        yield options.graph, lambda: graph_text(ran.processes, name)


def _tell(options: TraceOptions, document: TraceDocument) -> None:
    """Tell on stderr what a person reads; the document alone goes to stdout."""
    console, sources = stderr_console(), Sources(Path.cwd())
    if options.as_json:
        _print_document(document)
    elif options.quiet:
        print_trace_verdict(document, console, sources)
    else:
        console.print()
        print_trace(document, console, sources, options.top, timeline=options.timeline is not None)
        return
    for line in diagnostics([each for each in document.diagnostics if each.level != "info"]):
        console.print(line, soft_wrap=True)


def _print_document(document: TraceDocument) -> None:
    """Print the document; a reader that goes away does not alter the program's exit code."""
    try:
        sys.stdout.write(document.to_json())
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
