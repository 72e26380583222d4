"""The programs in `examples/diagnose/`: `placement trace` names the disease of each sick one, and its twin is clean."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[3] / "examples" / "diagnose"
NAMES = sorted(path.stem.removesuffix("_sick") for path in FOLDER.glob("*_sick.py"))
GUIDE = (FOLDER / "README.md").read_text(encoding="utf-8")
MARK = re.compile(r"# <- (PL\d{3}(?:, PL\d{3})*)$")
ROW = re.compile(r"^\| \[(?P<name>\w+)\]\((?P=name)_sick\.py\) \| [^|]+ \| (?P<codes>[^|]+) \| (?P<line>\d+) \|", re.M)
CLOSE = 1e-3
"""Sums in float32 that are taken in another order differ by less."""

ENDS_WITH = {"eval_in_compile_sick": 1}
"""Exit codes of Python for programs that do not end with 0: an exception that nobody catches."""
WITHOUT_RESULT = {"eval_in_compile", "lazy_across_threads"}
"""Pairs whose sick program breaks before it has the result."""
FALSE_ALARMS: dict[str, list[str]] = {}


def program(name: str, health: str) -> Path:
    """Return the file of one program."""
    return FOLDER / f"{name}_{health}.py"


def marked(name: str) -> tuple[set[str], int]:
    """Return the codes that fit, and the line at which a sick program is marked."""
    lines = program(name, "sick").read_text(encoding="utf-8").splitlines()
    ((found, number),) = [(found, at) for at, line in enumerate(lines, 1) if (found := MARK.search(line))]
    return set(found[1].split(", ")), number


def result(traced: Any) -> list[float]:
    """Return the numbers of a program's result."""
    lines = [line for line in traced.stdout.splitlines() if line.startswith("result: ")]
    return [float(number) for line in lines for number in line.split()[1:]]


@pytest.fixture(scope="module", autouse=True)
def false_alarms() -> Iterator[None]:
    """Say after all tests (`-s` shows it) how many findings on healthy programs were wrong."""
    yield
    alarms = sum(map(len, FALSE_ALARMS.values()))
    sys.stdout.write(f"\n{alarms} false alarms in {len(FALSE_ALARMS)} healthy programs\n")


@pytest.fixture(scope="module")
def traced(trace_all: Any) -> Any:
    """Every program, traced, by the name of its file."""
    return trace_all({path.stem: [path] for path in sorted(FOLDER.glob("*_*.py"))})


@pytest.mark.parametrize("name", NAMES)
def test_both_programs_of_a_pair_run_and_come_to_the_same_result(traced: Any, name: str) -> None:
    """A disease costs time or memory or shows a wrong figure; what is computed is the same, where it ends well."""
    sick, healthy = traced[f"{name}_sick"], traced[f"{name}_healthy"]
    for each, stem in ((sick, f"{name}_sick"), (healthy, f"{name}_healthy")):
        assert each.returncode == ENDS_WITH.get(stem, 0), each.stderr
    assert result(healthy)
    if name not in WITHOUT_RESULT:
        assert result(sick) == pytest.approx(result(healthy), rel=CLOSE)


@pytest.mark.parametrize("name", NAMES)
def test_the_disease_is_named_at_its_line(traced: Any, name: str) -> None:
    """A finding on the sick program has the code and the line that are marked in it."""
    codes, line = marked(name)
    findings = traced[f"{name}_sick"].findings
    found = [(each["code"], Path(each["file"] or "").name, each["line"]) for each in findings]
    assert any((code, f"{name}_sick.py", line) in found for code in codes), found


@pytest.mark.parametrize("name", NAMES)
def test_the_healthy_twin_is_clean(traced: Any, name: str) -> None:
    """Nothing above a note is said of a program that is well."""
    findings = traced[f"{name}_healthy"].findings
    FALSE_ALARMS[name] = [f"{each['code']} at {each['line']}: {each['says']}" for each in findings]
    assert FALSE_ALARMS[name] == []


def test_the_guide_lists_every_pair_with_its_code_and_line() -> None:
    """The table is that of the programs."""
    rows = {row["name"]: (set(row["codes"].strip().split(", ")), int(row["line"])) for row in ROW.finditer(GUIDE)}
    assert rows == {name: marked(name) for name in NAMES}
