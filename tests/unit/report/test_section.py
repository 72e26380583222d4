"""The section of a run: verdicts first, pictures, then how it was measured; whatever a document holds."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from placement_cli.report.escaping import escaped, script_json
from placement_cli.report.picture import Picture, Section
from placement_cli.report.section import run_section
from placement_cli.report.setting import fact_text
from placement_cli.store.run_document import RunDocument

EXTREMES: dict[type, list[Any]] = {
    int: [0, -1, 10**400],
    float: [0.0, -1.0, 1e308, -1e308, 1e-320],
    str: ["", "<script>", "\u202e\x1b[31m", "burst", "paced", "queue", "base"],
}


def text_of(section: Section) -> str:
    """Return all HTML of a section that is no picture."""
    return "".join(part for part in section.parts if not isinstance(part, Picture))


def test_verdicts_come_before_every_picture(document: RunDocument) -> None:
    """Then the sentences; what is not trusted is said beside them."""
    section = run_section(document, "run", 1)
    first = next((at for at, part in enumerate(section.parts) if isinstance(part, Picture)), len(section.parts))
    above = "".join(str(part) for part in section.parts[:first])
    for saying in document.says:
        assert escaped(saying.text) in above
    for each in document.diagnostics:
        assert each.level == "info" or escaped(each.text) in above


def test_every_picture_has_data_charts_and_numbers_that_json_can_hold(document: RunDocument) -> None:
    """No table is empty, no chart without a description to read out."""
    for picture in run_section(document, "run", 1).pictures:
        assert picture.table.rows
        assert all(len(row) == len(picture.table.headings) for row in picture.table.rows)
        assert all(panel.spec["description"] for panel in picture.panels)
        script_json([panel.spec for panel in picture.panels])


def test_a_gate_says_its_verdict_sides_and_what_was_flagged(gate: RunDocument) -> None:
    """What could not fail it is not among what was flagged."""
    shown = text_of(run_section(gate, "run", 1))
    for words in ("Regression", "One case is slower.", "MLX 0.31.1 against 0.32.4", "0123abc", "repeated: 1.20"):
        assert words in shown
    flagged = shown[shown.index("What is not the same, or not known to be") :].partition("</table>")[0]
    assert flagged.count("<tr>") == 2


def test_an_unfinished_run_says_so(load_run_of: Callable[[str], RunDocument]) -> None:
    """And a scenario without cases has no picture."""
    whole = load_run_of("queue")
    cut = whole.model_copy(update={"cases": [], "run": whole.run.model_copy(update={"complete": False})})
    section = run_section(cut, "run", 1)
    assert "The run was not finished" in text_of(section)
    assert "No case was measured." in text_of(section)
    assert not list(section.pictures)


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("ram_bytes", 2**34, "16.0 GiB"),
        ("resolution_s", 4.2e-8, "42.0 ns"),
        ("vars", {}, "none"),
        ("blas", [{"library": "openblas", "threads": 2}], "library openblas, threads 2"),
        ("gpu_cores", None, "unknown"),
        ("virtual", True, "yes"),
    ],
)
def test_facts_are_written_as_people_write_them(key: str, value: Any, text: str) -> None:
    """Sizes and durations in their unit, parts one by one."""
    assert fact_text(key, value) == text


@pytest.mark.parametrize("name", ["stream", "burst", "queue", "pending", "paced"])
def test_no_number_or_name_of_a_document_breaks_its_section(
    name: str, load_run_of: Callable[[str], RunDocument]
) -> None:
    """Absurd values anywhere are left out of charts, never a fault."""
    rng = random.Random(name)
    whole = json.loads(load_run_of(name).to_json())
    built = 0
    while built < 4:
        spoilt = _spoilt(whole, rng, rng.choice([0.002, 0.02, 0.2]))
        spoilt.update({key: whole[key] for key in ("schema", "schema_version", "env", "exit")})
        try:
            document = RunDocument.model_validate(spoilt)
        except ValidationError:
            continue
        script_json([panel.spec for picture in run_section(document, name, 1).pictures for panel in picture.panels])
        built += 1


def _spoilt(value: Any, rng: random.Random, share: float) -> Any:
    """Return `value` with a share of its numbers and words replaced by extreme ones."""
    if isinstance(value, dict):
        return {key: _spoilt(part, rng, share) for key, part in value.items()}
    if isinstance(value, list):
        return [_spoilt(part, rng, share) for part in value]
    kinds = {"verdict", "level", "phase"} & {str(value)}
    if type(value) not in EXTREMES or kinds or rng.random() > share:
        return value
    return rng.choice(EXTREMES[type(value)]) if not isinstance(value, str) or rng.random() < share else value
