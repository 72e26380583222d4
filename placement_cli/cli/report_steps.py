"""What `placement report` does: read the runs, draw them, write the page and the plots."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from placement_cli.cli.history_steps import HistoryOptions, load_history
from placement_cli.comparing.loading import run_names
from placement_cli.errors import UsageError
from placement_cli.render.console import stderr_console
from placement_cli.render.plain import plain
from placement_cli.report.extra import require_charts
from placement_cli.store.files import load_run, write_whole

ENDINGS = (".html", ".htm")


def run_report(runs: Sequence[Path], history: Path | None, output: Path, plots: Path | None) -> int:
    """Write the page, and the plots where asked for; nothing is written where a run cannot be read."""
    if not runs and history is None:
        raise UsageError("Report on what? Name runs that bench or check wrote, or --history DIR, or both.")
    if output.suffix.lower() not in ENDINGS:
        raise UsageError(f"-o {output}: a report is a page; its name ends in .html.")
    documents = [load_run(path) for path in runs]
    over_time = None if history is None else load_history(HistoryOptions(history, (), (), None, as_json=False))
    require_charts()
    from placement_cli.report.history_section import history_section
    from placement_cli.report.page import page
    from placement_cli.report.plots import write_plots
    from placement_cli.report.section import run_section

    named = zip(run_names(runs), documents, strict=True)
    sections = [run_section(document, name, number) for number, (name, document) in enumerate(named, 1)]
    if over_time is not None:
        sections.append(history_section(over_time, len(sections) + 1))
    write_whole(output, page(sections, "Where evaluation belongs: what was measured"))
    drawn = [] if plots is None else write_plots(sections, plots)
    console = stderr_console()
    console.print(plain(f"written to {output}"), soft_wrap=True)
    if drawn:
        console.print(plain(f"{len(drawn)} plots in {plots}"), soft_wrap=True)
    return 0
