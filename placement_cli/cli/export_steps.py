"""What `placement export` does with its options: read the run, write it in every format asked for."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from placement_cli.errors import UsageError
from placement_cli.export.formats import FORMATS, Format, format_asked, format_named, write_content
from placement_cli.render.console import stdout_console
from placement_cli.render.grid import grid
from placement_cli.render.plain import plain
from placement_cli.store.files import load_run


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The options of `placement export` as they were given."""

    run: Path | None
    form: str | None
    outputs: Sequence[Path]
    arm: str | None
    list_only: bool


def run_export(options: ExportOptions) -> int:
    """Carry out `placement export` and return the exit code."""
    if options.list_only:
        for line in format_list():
            stdout_console().print(line, soft_wrap=True)
        return 0
    if options.run is None:
        raise UsageError("export: say which run, as the path of its document.")
    named = None if options.form is None else format_named(options.form)
    targets = [(path, format_asked(path, named)) for path in options.outputs]
    formats = [form for _, form in targets] or [_for_stdout(named)]
    for form in formats:
        form.writer(options.arm)
        form.require()
    document = load_run(options.run)
    contents = [form.writer(options.arm)(document) for form in formats]
    if not targets:
        _to_stdout(contents[0])
    for (path, _), content in zip(targets, contents, strict=False):
        write_content(path, content)
    return 0


def format_list() -> list[Text]:
    """Return the lines of a table of the formats."""
    rows = [[plain(each.name), plain(" ".join(each.suffixes)), plain(each.description)] for each in FORMATS.values()]
    return grid([plain("format"), plain("ending"), plain("what it is for")], [[row] for row in rows])


def _for_stdout(named: Format | None) -> Format:
    if named is None:
        raise UsageError("export: say in which format, with -o FILE or --format NAME; --list names them.")
    return named


def _to_stdout(content: str | bytes) -> None:
    if isinstance(content, str):
        sys.stdout.write(content if content.endswith("\n") else f"{content}\n")
        return
    if sys.stdout.isatty():
        raise UsageError("export: this format is no text for a terminal; give it a file with -o FILE.")
    sys.stdout.buffer.write(content)
