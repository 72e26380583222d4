"""What a command tells GitHub Actions when it runs there: a summary of the step, and annotations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from placement_cli.export.github_annotations import annotation, github_annotations
from placement_cli.export.github_summary import github_summary
from placement_cli.export.markdown_text import MOST_BYTES
from placement_cli.store.run_document import RunDocument

SUMMARY = "GITHUB_STEP_SUMMARY"
ACTIONS = "GITHUB_ACTIONS"


def tell_github(document: RunDocument, env: Mapping[str, str]) -> list[str]:
    """Append a summary of the run to the file that `GITHUB_STEP_SUMMARY` names; return the lines to print.

    The lines are annotations, and there are some only where `GITHUB_ACTIONS` is `true`. Each must stand alone on a line
    of stdout or stderr, both of which GitHub reads, as it is. A summary that cannot be written is a warning among the
    lines, and never an error: what was measured counts.
    """
    failure = _summarise(document, env.get(SUMMARY, ""))
    on_actions = env.get(ACTIONS) == "true"
    lines = github_annotations(document) if on_actions else []
    if not failure:
        return lines
    return [*lines, annotation("warning", "placement", failure) if on_actions else f"warning: {failure}"]


def _summarise(document: RunDocument, name: str) -> str:
    """Append the summary to the file called `name`, if any; return why that failed, or an empty string."""
    if not name:
        return ""
    path = Path(name)
    try:
        taken = path.stat().st_size if path.exists() else 0
        text = github_summary(document, MOST_BYTES - taken)
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "that is no name of a file"
        return f"the summary of this step cannot be written to {SUMMARY} ({reason})."
    return "" if text else "the summary of this step is full; the run was not added to it."
