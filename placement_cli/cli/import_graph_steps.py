"""What `placement import` does with its options: read, turn into a graph, write; notes go to stderr."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import get_args

from placement_cli.errors import UsageError, did_you_mean
from placement_cli.graph.document.node_schema import LONGEST_TEXT
from placement_cli.graph.document.scalars import MAX_SIDE
from placement_cli.graph.document.schema import MAX_RATE
from placement_cli.graph.document.writing import graph_text
from placement_cli.graph.graph import DeviceName
from placement_cli.graph.importing.dot import read_dot
from placement_cli.graph.importing.ezmsg_dashboard import read_ezmsg_dashboard
from placement_cli.graph.importing.imported import MAX_CHARACTERS, Asked, Imported, SourceFacts
from placement_cli.graph.importing.mermaid import read_mermaid
from placement_cli.graph.importing.node_link import read_node_link
from placement_cli.located.places import quoted
from placement_cli.render.console import stderr_console
from placement_cli.render.plain import plain
from placement_cli.store.files import write_whole

READERS: Mapping[str, Callable[[str, str, Asked], Imported]] = {
    "mermaid": read_mermaid,
    "dot": read_dot,
    "node-link": read_node_link,
    "ezmsg-dashboard": read_ezmsg_dashboard,
}
"""Format to what reads it."""
STANDARD_INPUT = "-"
_SHAPE = re.compile(r"(?P<samples>[1-9][0-9]{0,9})x(?P<channels>[1-9][0-9]{0,9})")


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """The options of `placement import` as they were given."""

    form: str
    file: Path
    output: Path | None
    source_shape: str | None
    rate: float | None
    device: str | None
    name: str | None
    force: bool


def run_import(options: ImportOptions) -> int:
    """Carry out `placement import` and return the exit code."""
    if options.form not in READERS:
        known = did_you_mean(options.form, list(READERS))
        raise UsageError(f"{quoted(options.form)} is no format that can be imported. {known}")
    asked = _asked(options)
    if options.output is not None and options.output.exists() and not options.force:
        raise UsageError(f"{options.output}: is there already; --force replaces it.")
    origin = "standard input" if str(options.file) == STANDARD_INPUT else str(options.file)
    imported = READERS[options.form](_text(options.file, origin), origin, asked)
    document = graph_text(imported.graph)
    if options.output is None:
        sys.stdout.write(document)
    else:
        write_whole(options.output, document)
    console = stderr_console()
    for note in imported.notes:
        console.print(plain(f"note: {note}"), soft_wrap=True)
    return 0


def _asked(options: ImportOptions) -> Asked:
    """Return what the options say about the graph; raises UsageError for what cannot be."""
    samples, channels = (None, None) if options.source_shape is None else _shape(options.source_shape)
    if options.rate is not None and not (isfinite(options.rate) and 0 < options.rate <= MAX_RATE):
        raise UsageError(f"--rate {options.rate}: expected messages per second, a number above 0 up to {MAX_RATE:g}")
    if options.name is not None and not (options.name.isprintable() and len(options.name) <= LONGEST_TEXT):
        raise UsageError(f"--name: expected one line of at most {LONGEST_TEXT} characters")
    return Asked(SourceFacts(samples, channels, options.rate), _device(options.device), options.name)


def _shape(text: str) -> tuple[int, int]:
    found = _SHAPE.fullmatch(text)
    if found is None or max(int(found["samples"]), int(found["channels"])) > MAX_SIDE:
        raise UsageError(f"--source-shape {quoted(text)}: expected SAMPLESxCHANNELS, such as 30x256")
    return int(found["samples"]), int(found["channels"])


def _device(text: str | None) -> DeviceName | None:
    devices: dict[str, DeviceName] = {name: name for name in get_args(DeviceName)}
    if text is not None and text not in devices:
        raise UsageError(f"--device {quoted(text)}: is not known. {did_you_mean(text, list(devices))}")
    return None if text is None else devices[text]


def _text(file: Path, origin: str) -> str:
    """Return the text of a file, of which no more than an importer takes is read."""
    try:
        if str(file) == STANDARD_INPUT:
            raw = sys.stdin.buffer.read(MAX_CHARACTERS + 1)
        else:
            with file.open("rb") as opened:
                raw = opened.read(MAX_CHARACTERS + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "that is no name of a file"
        raise UsageError(f"{origin}: cannot be read: {reason}") from None
    if len(raw) > MAX_CHARACTERS:
        raise UsageError(
            f"{origin}: is larger than {MAX_CHARACTERS // 1024**2} MiB, the most a graph to import may have"
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        raise UsageError(f"{origin}:{line}:{column}: is not UTF-8 text") from None
