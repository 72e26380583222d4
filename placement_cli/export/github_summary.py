"""What a step of GitHub Actions shows of a run on its summary page."""

from __future__ import annotations

from placement_cli.export.markdown_text import MOST_BYTES, cut_to
from placement_cli.export.run_markdown import run_markdown
from placement_cli.store.run_document import RunDocument


def github_summary(document: RunDocument, room_bytes: int = MOST_BYTES) -> str:
    """Return the run as Markdown of at most `room_bytes`: what one step still may add to its summary.

    An empty text when there is no room even for a sentence.
    """
    return cut_to(run_markdown(document), room_bytes)
