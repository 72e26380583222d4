"""`placement trace` runs a program as it runs without it, and tells what it did however it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from placement_cli.graph.document.reading import load_graph

Trace = Callable[..., subprocess.CompletedProcess[str]]
EVALUATES = "import mlx.core as mx\nmx.eval(mx.zeros(2) + 1)\n"
"""What makes a process one that is recorded."""


@pytest.fixture
def trace(placement: Any) -> Trace:
    """Traces a program of the given source, with arguments, and checks that it says nothing of itself."""

    def run(source: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        placement.write("program.py", source)
        done = placement("trace", "-q", "-o", "trace.json", "program.py", *arguments, **variables)
        assert "placement_cli" not in done.stderr
        return done

    return run


def bare(folder: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program of that folder without tracing."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, encoding="utf-8", capture_output=True, timeout=60, **options
    )


def document(folder: Path, name: str = "trace.json") -> dict[str, Any]:
    """Return the document of a trace."""
    found: dict[str, Any] = json.loads((folder / name).read_bytes())
    return found


def calls(folder: Path) -> dict[str, int]:
    """Return how often each call was recorded."""
    found: dict[str, int] = {}
    for point in document(folder)["points"]:
        found[point["call"]] = found.get(point["call"], 0) + point["count"]
    return found


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        ("print('done')", 0),
        ("raise LookupError('of the program')", 1),
        ("import sys; sys.exit(3)", 3),
        ("import sys; sys.exit('a message')", 1),
        ("import os; os._exit(4)", 4),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 137),
        ("import os; os.execvp('sh', ['sh', '-c', 'exit 6'])", 6),
    ],
)
def test_the_exit_code_is_the_programs_and_the_trace_is_there(
    trace: Trace, tmp_path: Path, ending: str, code: int
) -> None:
    """By its end, an exception, an exit, or a kill; after that what was known by then is there."""
    wait = "import time; time.sleep(0.4)\n" if "SIGKILL" in ending else ""
    done = trace(f"{EVALUATES}{wait}{ending}\n")
    assert done.returncode == code, done.stderr
    assert calls(tmp_path) == {"mx.eval": 1}
    told = document(tmp_path)
    assert (told["program"]["exit"], told["processes"][0]["ended"]) == (code, code != 137)
    assert ("LookupError: of the program" in done.stderr) == ("LookupError" in ending)


SHOWS = """\
import json, os, sys
import mlx.core as mx
mx.eval(mx.zeros(2) + 1)
import __main__
print(json.dumps([
    sys.argv, sys.path, __name__, __main__.__file__, getattr(__main__.__spec__, "name", None), os.getcwd(),
    sys.flags.interactive, sys.stdin.isatty(), "\\u00e9", sorted(sys.warnoptions), str(mx.new_stream(mx.cpu)),
    [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each and "start" not in each],
]))
sys.stdout.write("no newline at the end")
"""


@pytest.mark.parametrize("arguments", [(), ("a b", "", "--json", "-o", "x", "--", "-m", "-c", "*", "--help")])
def test_a_script_finds_itself_as_without_tracing(trace: Trace, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """Arguments, path, name, file, variables and output, byte for byte."""
    (tmp_path / "more").mkdir()
    done = trace(SHOWS, *arguments, PYTHONPATH="more")
    expected = bare(tmp_path, "program.py", *arguments, env={**os.environ, "PYTHONPATH": "more"})
    assert done.returncode == expected.returncode == 0
    assert done.stdout == expected.stdout
    assert document(tmp_path)["program"]["argv"] == ["program.py", *arguments]


def test_a_module_finds_itself_as_without_tracing(placement: Any, tmp_path: Path) -> None:
    """One in a package, which imports relative to itself."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "beside.py").write_text("value = 5\n", encoding="utf-8")
    (package / "tool.py").write_text(f"from .beside import value\n{SHOWS}print(value)\n", encoding="utf-8")
    done = placement("trace", "-o", "trace.json", "-m", "package.tool", "--flag", "-m")
    expected = bare(tmp_path, "-m", "package.tool", "--flag", "-m")
    assert (done.returncode, done.stdout) == (0, expected.stdout)
    assert expected.stdout.endswith("no newline at the end5\n")
    assert calls(tmp_path) == {"mx.eval": 1}


def test_what_lies_beside_the_script_is_imported(trace: Trace, tmp_path: Path) -> None:
    """From another working folder as well; its calls are the program's."""
    (tmp_path / "beside.py").write_text(f"def work():\n    import mlx.core as mx\n    {EVALUATES.splitlines()[1]}\n")
    done = trace("import beside\nbeside.work()\n")
    assert done.returncode == 0, done.stderr
    (point,) = document(tmp_path)["points"]
    assert (Path(point["file"]).name, point["function"], point["line"]) == ("beside.py", "work", 3)


def test_input_reaches_the_program(tmp_path: Path) -> None:
    """To its end."""
    (tmp_path / "program.py").write_text(f"{EVALUATES}import sys\nprint(sys.stdin.read()[::-1])\n", encoding="utf-8")
    done = bare(tmp_path, "-m", "placement_cli", "trace", "-q", "program.py", input="one\ntwo")
    assert (done.returncode, done.stdout) == (0, "owt\neno\n")


def test_a_program_without_mlx_runs_and_is_told_so(trace: Trace, tmp_path: Path) -> None:
    """There is nothing to say about it."""
    done = trace("print(6)\n")
    assert (done.returncode, done.stdout) == (0, "6\n")
    assert "MLX" in done.stderr
    told = document(tmp_path)
    assert (told["points"], told["findings"]) == ([], [])


def test_a_program_that_only_asks_for_mlx_first_is_recorded(trace: Trace, tmp_path: Path) -> None:
    """Many libraries look whether it is there before they import it."""
    done = trace(f"import importlib.util\nassert importlib.util.find_spec('mlx.core')\n{EVALUATES}")
    assert done.returncode == 0, done.stderr
    assert calls(tmp_path) == {"mx.eval": 1}


def test_the_document_alone_is_on_stdout(placement: Any) -> None:
    """What the program prints goes to stderr then."""
    placement.write("program.py", f"{EVALUATES}print('of the program')\n")
    done = placement("trace", "--json", "program.py")
    assert done.returncode == 0
    told = json.loads(done.stdout)
    assert (told["schema"], told["points"][0]["call"]) == ("placement.trace", "mx.eval")
    assert "of the program" in done.stderr


PIPELINE = """\
import time
import mlx.core as mx

weights = mx.ones((64, 64))
mx.eval(weights)


def main():
    for number in range(60):
        message = mx.full((32, 64), number)
        message = mx.tanh(message @ weights)
        mx.eval(message)


main()
"""


def test_timeline_and_graph_are_what_others_open(placement: Any, tmp_path: Path) -> None:
    """A trace of events for a viewer, and a graph that this program reads itself."""
    placement.write("program.py", PIPELINE)
    done = placement("trace", "--timeline", "time.json", "--graph", "graph.yaml", "program.py")
    assert done.returncode == 0, done.stderr
    events = document(tmp_path, "time.json")["traceEvents"]
    assert {"X", "C", "M"} <= {each["ph"] for each in events}
    assert all(each["ts"] >= 0 for each in events if "ts" in each)
    assert load_graph(tmp_path / "graph.yaml").graph.nodes


def test_the_programs_own_sitecustomize_runs(trace: Trace, tmp_path: Path) -> None:
    """Found where it would be found, after ours."""
    own = tmp_path / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("import sys\nsys.own = 5\n", encoding="utf-8")
    done = trace(f"{EVALUATES}import sys\nprint(sys.own)\n", PYTHONPATH="own")
    assert (done.returncode, done.stdout) == (0, "5\n")
    assert calls(tmp_path) == {"mx.eval": 1}


def test_a_program_that_is_not_there_is_a_mistake_of_usage(placement: Any) -> None:
    """Nothing has run, and the nearest name is offered."""
    placement.write("program.py", EVALUATES)
    done = placement("trace", "progam.py")
    assert done.returncode == 2
    assert "program.py" in done.stderr


def test_a_time_limit_ends_it(placement: Any, tmp_path: Path) -> None:
    """With what it had done."""
    placement.write("program.py", f"{EVALUATES}import time\ntime.sleep(60)\n")
    done = placement("trace", "--timeout", "2 s", "-o", "trace.json", "program.py")
    assert done.returncode == 124
    assert calls(tmp_path) == {"mx.eval": 1}
