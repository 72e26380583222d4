"""`with placement.trace():` in code: the trace of a part of a program, told at its end."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import placement_cli
from placement_cli.diagnose.findings.gathering import findings_of
from placement_cli.diagnose.program.refining import refined
from placement_cli.diagnose.program.running import Ran
from placement_cli.diagnose.trace_document import trace_document
from placement_cli.render.console import stderr_console
from placement_cli.render.source_lines import Sources
from placement_cli.render.trace_report import print_trace
from placement_cli.store.files import check_writable, write_whole
from placement_cli.store.trace_document import TraceDocument
from placement_cli.tracing.block import Traced, tracing
from placement_cli.tracing.raw import RawProcess

POINTS_SHOWN = 10


class TraceBlock:
    """What a `with placement.trace():` saw.

    `document` is there when the block has ended: a `placement.trace` document, whose `findings`, `points` and `memory`
    can be read. It stays None where the whole program runs under `placement trace`, which tells it all at the end.
    """

    def __init__(self) -> None:
        self.document: TraceDocument | None = None


@contextmanager
def trace(output: str | os.PathLike[str] | None = None, *, quiet: bool = False) -> Iterator[TraceBlock]:
    """Record what the block does with MLX in all threads of this process, and report on stderr when it ends.

    `output` is a file for the document (`placement.trace`, as of `placement trace -o FILE.json`); `quiet` leaves the
    report out. The block computes what it would without tracing, and its exceptions go on. Raises UsageError when
    `output` cannot be written, before the block begins where that is known by then.
    """
    if output is not None:
        check_writable(Path(output).parent)
    block = TraceBlock()
    began_s = perf_counter()
    traced = Traced()
    try:
        with tracing() as traced:
            yield block
    finally:
        if traced.process is not None:
            block.document = _document(traced.process, perf_counter() - began_s)
            # Written first: whatever becomes of the report, the document is there.
            if output is not None:
                write_whole(Path(output), block.document.to_json())
            if not quiet:
                print_trace(block.document, stderr_console(), Sources(Path.cwd()), POINTS_SHOWN, part=True)


def _document(process: RawProcess, wall_s: float) -> TraceDocument:
    processes = refined([process])
    ran = Ran(tuple(sys.argv), 0, None, wall_s, processes)
    return trace_document(ran, findings_of(processes, 0), placement_cli.__version__)
