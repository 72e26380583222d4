"""`placement check --advice`: a gate on what is advised, which measures nothing."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

GRAPH = Path(__file__).parents[3] / "examples" / "graphs" / "recording-replay.yaml"
PUBLISHED = ("--profile", "apple-m4-pro-published")


def test_another_best_placement_exits_with_1(gate: Any) -> None:
    """`check --advice` fails when what a graph does is not what would be advised, and passes once it does."""
    shutil.copy(GRAPH, gate.folder / "mine.yaml")
    asked = ("check", "--advice", "mine.yaml", *PUBLISHED)
    ended = gate("advice", *asked, "--json")
    assert ended.code == 1
    document = json.loads(ended.out)
    assert document["exit"] == {"code": 1, "name": "regression"}
    assert gate.placement("advise", "mine.yaml", "--write", *PUBLISHED).returncode == 0
    again = gate("advice", *asked)
    assert again.code == 0, again.out + again.err


def test_a_changed_recommendation_nobody_reads_exits_with_1(gate: Any) -> None:
    """A closed pipe behind stdout hides nothing here either."""
    shutil.copy(GRAPH, gate.folder / "unread.yaml")
    reader, writer = os.pipe()
    os.close(reader)
    process = gate.start("unread", "check", "--advice", "unread.yaml", *PUBLISHED, stdout=writer)
    os.close(writer)
    ended = gate.ended("unread", process)
    assert (ended.code, ended.err) == (1, "")
