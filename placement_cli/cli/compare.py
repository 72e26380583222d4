"""`placement compare`: stored runs side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Cases = Annotated[list[str] | None, typer.Option("-k", metavar="GLOB", help="Only cases whose id matches; repeatable.")]
Metrics = Annotated[
    list[str] | None, typer.Option("--metric", metavar="GLOB", help="Only metrics that match; repeatable.")
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE.json", help="Also write the document to FILE.")
]


def compare(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="A B [C ...]",
            help="Runs of placement, or JSON of pyperf, Google Benchmark, hyperfine, pytest-benchmark.",
        ),
    ],
    base: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which run is the base, by name or path; the first without it.")
    ] = None,
    cases: Cases = None,
    metrics: Metrics = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            metavar="NAME,...",
            help="Also show these: env.mlx_version or another fact, run.started, tool, params.NAME; repeatable.",
        ),
    ] = None,
    history: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Runs of other days: a change must exceed 3 times their spread."),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say which clause decided each row.")] = False,
    output: Output = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the document alone.")] = False,
) -> int:
    """Compare stored runs: ratios to the base with their intervals, and `~` where nothing is claimed. Advisory."""
    from placement_cli.cli.compare_steps import CompareOptions, run_compare

    return run_compare(
        CompareOptions(
            runs=tuple(runs),
            base=base,
            cases=tuple(cases or ()),
            metrics=tuple(metrics or ()),
            columns=tuple(columns or ()),
            history=history,
            explain=explain,
            output=output,
            as_json=as_json,
        )
    )
