"""What `placement report` does: read the runs, draw them, write the page and the plots."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from placement_cli.errors import UsageError
from placement_cli.render.console import stderr_console
from placement_cli.render.plain import plain
from placement_cli.report.extra import require_charts
from placement_cli.store.files import load_run, write_whole

ENDINGS = (".html", ".htm")


def run_report(runs: Sequence[Path], output: Path, plots: Path | None) -> int:
    """Write the page, and the plots where asked for; nothing is written where a run cannot be read."""
    if output.suffix.lower() not in ENDINGS:
        raise UsageError(f"-o {output}: a report is a page; its name ends in .html.")
    documents = [(path, load_run(path)) for path in runs]
    require_charts()
    from placement_cli.report.page import page
    from placement_cli.report.plots import write_plots
    from placement_cli.report.section import run_section

    sections = [run_section(document, path.stem, number) for number, (path, document) in enumerate(documents, 1)]
    write_whole(output, page(sections, "Where evaluation belongs: what was measured"))
    drawn = [] if plots is None else write_plots(sections, plots)
    console = stderr_console()
    console.print(plain(f"written to {output}"), soft_wrap=True)
    if drawn:
        console.print(plain(f"{len(drawn)} plots in {plots}"), soft_wrap=True)
    return 0
