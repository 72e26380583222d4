"""Stored runs side by side: the order of lines, the columns that vary, and what has no partner."""

from __future__ import annotations

import json
from collections.abc import Callable

import jsonschema  # type: ignore[import-untyped]  # it has no types of its own
import pytest

from placement_cli.comparing.columns import Columns, Layout
from placement_cli.comparing.documents import comparison_json
from placement_cli.comparing.recorded import Recorded, Series
from placement_cli.comparing.table import comparison_table
from placement_cli.errors import NothingComparable, UsageError
from placement_cli.statistics.verdict import VerdictKind
from placement_cli.store.schema_files import FOLDER

MakeRun = Callable[..., Recorded]
MakeSeries = Callable[..., Series]


def test_claims_come_first_and_the_rest_last(make_run: MakeRun, make_series: MakeSeries) -> None:
    """A change, then what is the same, then that of which nothing is claimed."""
    scales = {"unclear": 1.045, "same": 1.0, "slow": 1.3}
    base = make_run("a", *(make_series(case) for case in scales))
    new = make_run("b", *(make_series(case, scale=scale) for case, scale in scales.items()))
    table = comparison_table([base, new])
    assert [line.key[0] for line in table.lines] == ["slow", "same", "unclear"]
    assert table.counts(1) == {VerdictKind.SLOWER: 1, VerdictKind.SAME: 1, VerdictKind.INCONCLUSIVE: 1}


def test_only_what_varies_is_a_column(make_run: MakeRun, make_series: MakeSeries) -> None:
    """Parameters stand for the case where they tell the lines apart; what all share is said once."""
    own = [make_series(f"chain[depth={n},chunk=8]", params={"depth": n, "chunk": 8}) for n in (1, 2)]
    table = comparison_table([make_run("a", *own), make_run("b", *own)])
    assert table.layout.names == ("depth",)
    assert table.layout.where == (("1",), ("2",))
    assert table.layout.shared == {"case": "chain", "chunk": "8", "arm": "async", "metric": "time per message"}


def test_cases_go_by_their_ids_where_parameters_do_not_tell(make_run: MakeRun, make_series: MakeSeries) -> None:
    """Two cases with the same parameters keep their full names."""
    own = [make_series(f"chain[{n}]", params={"depth": 1}) for n in "xy"]
    table = comparison_table([make_run("a", *own), make_run("b", *own)])
    assert (table.layout.names, table.layout.where) == (("case",), (("chain[x]",), ("chain[y]",)))


def test_no_lines_have_no_columns() -> None:
    """As those of a set-up of which no series was asked for."""
    assert Columns((), frozenset({"rate"})).layout([]) == Layout((), {}, ())


def test_facts_that_vary_are_shown(make_run: MakeRun, make_series: MakeSeries) -> None:
    """Nested ones by their dotted name; of runs that differ nothing is claimed."""
    other = {"chip": "Example M1", "mlx": "0.33.0", "limits": {"wired": 5}}
    table = comparison_table([make_run("a", make_series()), make_run("b", make_series(scale=2), facts=other)])
    assert table.facts == {"env.mlx": ("0.32.4", "0.33.0"), "env.limits.wired": ("0", "5")}
    assert table.differs == ((), ("limits.wired was 0 and is 5", "mlx was '0.32.4' and is '0.33.0'"))
    assert table.counts(1) == {VerdictKind.INCONCLUSIVE: 1}


def test_columns_can_be_asked_for(make_run: MakeRun, make_series: MakeSeries) -> None:
    """Facts by their name or as the version of a library, when a run began, the tool, and parameters."""
    runs = [make_run(name, make_series(params={"rate": 5})) for name in "ab"]
    table = comparison_table(runs, ["env.mlx_version", "run.started", "tool", "params.rate", "env.chip"])
    assert list(table.facts) == ["env.mlx_version", "run.started", "tool", "env.chip"]
    assert table.facts["env.mlx_version"] == ("0.32.4", "0.32.4")
    assert table.facts["run.started"][0] == "2026-01-05 10:00"
    assert table.layout.names == ("rate",)


def test_an_unknown_column_is_told(make_run: MakeRun, make_series: MakeSeries) -> None:
    """The nearest is named."""
    with pytest.raises(UsageError, match=r"--columns env\.chop: no run has it\. Did you mean 'env\.chip'"):
        comparison_table([make_run("a", make_series())] * 2, ["env.chop"])


def test_what_has_no_partner_is_kept(make_run: MakeRun, make_series: MakeSeries) -> None:
    """For each run the series that no other holds."""
    base, new = make_run("a", make_series("x"), make_series("y")), make_run("b", make_series("x"), make_series("z"))
    assert comparison_table([base, new]).alone == ((("y", "async", "complete_s"),), (("z", "async", "complete_s"),))


def test_a_series_that_the_base_lacks_goes_by_the_next_run(make_run: MakeRun, make_series: MakeSeries) -> None:
    """It stands in two of the runs, so it is compared."""
    runs = [make_run("a", make_series("x")), make_run("b", make_series("x"), make_series("y"))]
    table = comparison_table([*runs, make_run("c", make_series("y", scale=2))])
    line = next(line for line in table.lines if line.key[0] == "y")
    assert (line.base, line.rows[0], line.rows[1]) == (1, None, None)
    assert line.rows[2] is not None
    assert line.rows[2].verdict is VerdictKind.SLOWER
    assert (table.bases(1), table.bases(2)) == ((0,), (1,))
    assert (table.counts(2, 0), table.counts(2, 1)) == ({}, {VerdictKind.SLOWER: 1})


def test_nothing_in_common_is_told(make_run: MakeRun, make_series: MakeSeries) -> None:
    """With an example of what either run holds."""
    with pytest.raises(NothingComparable, match="a holds x async complete_s; b holds nothing"):
        comparison_table([make_run("a", make_series("x")), make_run("b")])


def test_the_document_holds_what_the_table_shows(make_run: MakeRun, make_series: MakeSeries) -> None:
    """Ratios with intervals and clauses, facts, counts and what was left alone."""
    base = make_run("a", make_series("x"), make_series("y"), notes=["It ended before its plan did."])
    data = json.loads(comparison_json(comparison_table([base, make_run("b", make_series("x", scale=1.3))])))
    assert list(data)[:3] == ["schema", "schema_version", "tool"]
    assert data["schema"] == "placement.comparison"
    assert data["exit"] == {"code": 0, "name": "ok"}
    (compared,) = data["lines"][0]["compared"]
    assert (compared["run"], compared["verdict"], compared["clause"]) == (1, "slower", "clear-and-beyond")
    assert compared["ratio"] == pytest.approx(1.3)
    assert data["runs"][0]["alone"] == [{"case": "y", "arm": "async", "metric": "complete_s"}]
    assert data["runs"][1]["counts"] == {"slower": 1}
    assert data["diagnostics"][0]["text"] == "a: It ended before its plan did."
    jsonschema.validate(data, json.loads((FOLDER / "comparison-1.schema.json").read_text("utf-8")))


def test_names_of_files_that_are_no_text_are_escaped(make_run: MakeRun, make_series: MakeSeries) -> None:
    """JSON cannot hold them, in names as in notes."""
    runs = [make_run(f"r{n}\udcfe", make_series(), notes=["It ended before its plan did."]) for n in range(2)]
    data = json.loads(comparison_json(comparison_table(runs)))
    assert (data["runs"][0]["name"], data["runs"][0]["origin"]) == ("r0\\udcfe", "r0\\udcfe.json")
    assert data["diagnostics"][0]["text"].startswith("r0\\udcfe: ")
