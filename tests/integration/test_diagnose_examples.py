"""The programs in `examples/diagnose/`: `placement trace` names the disease of each sick one, and its twin is clean."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "diagnose"
NAMES = sorted(path.stem.removesuffix("_sick") for path in FOLDER.glob("*_sick.py"))
GUIDE = (FOLDER / "README.md").read_text(encoding="utf-8")
GUARD_S = 120.0
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


def result(name: str, health: str) -> list[float]:
    """Run a program as it is, check how it ends, and return the numbers of its result."""
    script = program(name, health)
    done = subprocess.run([sys.executable, script], capture_output=True, encoding="utf-8", timeout=GUARD_S)
    assert done.returncode == ENDS_WITH.get(script.stem, 0), done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("result: ")]
    return [float(number) for line in lines for number in line.split()[1:]]


@pytest.fixture(scope="module", autouse=True)
def false_alarms() -> Iterator[None]:
    """Say after all tests (`-s` shows it) how many findings on healthy programs were wrong."""
    yield
    alarms = sum(map(len, FALSE_ALARMS.values()))
    sys.stdout.write(f"\n{alarms} false alarms in {len(FALSE_ALARMS)} healthy programs\n")


@pytest.fixture
def findings(placement: Any, tmp_path: Path) -> Callable[[Path], list[dict[str, Any]]]:
    """Return a function that traces a program and returns what was found above a note."""

    def find(script: Path) -> list[dict[str, Any]]:
        done = placement("trace", "-o", "trace.json", script)
        assert done.returncode == ENDS_WITH.get(script.stem, 0), done.stderr
        document = read(tmp_path / "trace.json")
        return [each for each in document["findings"] if each["severity"] != "note"]

    return find


def read(path: Path) -> dict[str, Any]:
    """Return a document of a trace."""
    document: dict[str, Any] = json.loads(path.read_bytes())
    assert document["schema"] == "placement.trace"
    return document


@pytest.mark.parametrize("name", NAMES)
def test_both_programs_of_a_pair_run_and_come_to_the_same_result(name: str) -> None:
    """A disease costs time or memory or shows a wrong figure; what is computed is the same, where it ends well."""
    sick, healthy = result(name, "sick"), result(name, "healthy")
    assert healthy
    if name not in WITHOUT_RESULT:
        assert sick == pytest.approx(healthy, rel=CLOSE)


@pytest.mark.parametrize("name", NAMES)
def test_the_disease_is_named_at_its_line(findings: Callable[[Path], list[dict[str, Any]]], name: str) -> None:
    """A finding on the sick program has the code and the line that are marked in it."""
    codes, line = marked(name)
    found = [(each["code"], Path(each["file"] or "").name, each["line"]) for each in findings(program(name, "sick"))]
    assert any((code, f"{name}_sick.py", line) in found for code in codes), found


@pytest.mark.parametrize("name", NAMES)
def test_the_healthy_twin_is_clean(findings: Callable[[Path], list[dict[str, Any]]], name: str) -> None:
    """Nothing above a note is said of a program that is well."""
    FALSE_ALARMS[name] = [
        f"{each['code']} at {each['line']}: {each['says']}" for each in findings(program(name, "healthy"))
    ]
    assert FALSE_ALARMS[name] == []


def test_the_guide_lists_every_pair_with_its_code_and_line() -> None:
    """The table is that of the programs."""
    rows = {row["name"]: (set(row["codes"].strip().split(", ")), int(row["line"])) for row in ROW.finditer(GUIDE)}
    assert rows == {name: marked(name) for name in NAMES}
