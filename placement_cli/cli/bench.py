"""`placement bench`: measure where evaluation points belong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DEFAULT_OUT = Path("results")

Scenarios = Annotated[list[str] | None, typer.Argument(help="Scenarios, by name or as YAML files; all without any.")]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=A,B,C", help="Change an axis, the arms or a parameter; repeatable."),
]
Outputs = Annotated[
    list[Path] | None,
    typer.Option("--output", "-o", metavar="FILE", help="Also write the run to FILE.{json,csv,md}; repeatable."),
]


Graph = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Measure placements in the graph of FILE instead of scenarios.")
]
Arms = Annotated[
    list[str] | None,
    typer.Option("--arm", metavar="ARM", help="With --graph: what competes, such as sync or current; repeatable."),
]


def bench(
    scenarios: Scenarios = None,
    graph: Graph = None,
    arms: Arms = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer cases, six blocks each.")] = False,
    sets: Sets = None,
    device: Annotated[str | None, typer.Option(help="gpu or cpu; MLX's default without it.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of data and order.")] = 0,
    time_budget: Annotated[
        str | None, typer.Option(metavar="TIME", help="Bound on the whole run, such as 5min.")
    ] = None,
    min_effect: Annotated[
        float, typer.Option(min=0.001, max=1.0, help="Smallest change that counts, as a share.")
    ] = 0.03,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where runs are kept.")] = DEFAULT_OUT,
    outputs: Outputs = None,
    plot: Annotated[bool, typer.Option("--plot", help="Also draw the ratios with their intervals.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the document alone.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the sentences alone, no progress.")] = False,
    list_only: Annotated[bool, typer.Option("--list", help="List the scenarios and exit.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show cases, blocks and estimated time; measure nothing.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the newest unfinished run.")] = False,
    workload: Annotated[
        str, typer.Option(help="builtin, or ezmsg: the same chains through ezmsg-sigproc's processors.")
    ] = "builtin",
    fail_on_inconclusive: Annotated[
        bool, typer.Option("--fail-on-inconclusive", help="Exit with 3 when a verdict is inconclusive.")
    ] = False,
) -> int:
    """Measure here what SYNC, ASYNC, a bounded window or a point at every node cost, and where one belongs."""
    from placement_cli.cli.bench_steps import Options, run_bench

    return run_bench(
        Options(
            scenarios=scenarios or [],
            graph=graph,
            arms=arms or [],
            sets=sets or [],
            quick=quick,
            device=device,
            seed=seed,
            time_budget=time_budget,
            min_effect=min_effect,
            out=out,
            outputs=outputs or [],
            plot=plot,
            as_json=as_json,
            quiet=quiet,
            list_only=list_only,
            dry_run=dry_run,
            resume=resume,
            workload=workload,
            fail_on_inconclusive=fail_on_inconclusive,
        )
    )
