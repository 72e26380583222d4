"""`placement check`: has the time or the memory of evaluation points grown?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from placement_cli.cli.bench import DEFAULT_OUT

Scenarios = Annotated[list[str] | None, typer.Argument(help="Scenarios, by name or as YAML files.")]
Against = Annotated[
    str | None,
    typer.Option(metavar="REF", help="The other side: a git revision, a path, an environment, or mlx==0.31.1."),
]
Baseline = Annotated[
    list[Path] | None,
    typer.Option("--baseline", metavar="FILE", help="A stored run to compare with instead (weaker); repeatable."),
]
Advice = Annotated[
    Path | None, typer.Option("--advice", metavar="GRAPH", help="Fail when the best placement of GRAPH is another one.")
]
Limit = Annotated[str | None, typer.Option("--limit", metavar="+5%", help="How much slower is still fine.")]
MemoryLimit = Annotated[
    str | None, typer.Option("--memory-limit", metavar="+10%", help="How much more memory is still fine.")
]
Arms = Annotated[
    list[str] | None, typer.Option("--arms", metavar="GLOB", help="Arms of the scenarios that are gated; repeatable.")
]
Sets = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=A,B,C", help="Change an axis, the arms or a parameter.")
]
Outputs = Annotated[
    list[Path] | None,
    typer.Option("--output", "-o", metavar="FILE", help="Also write the outcome to FILE; the ending says how."),
]
FailOn = Annotated[
    list[str] | None,
    typer.Option("--fail-on", metavar="WHAT", help="inconclusive; with --baseline also regression; repeatable."),
]


def check(
    scenarios: Scenarios = None,
    against: Against = None,
    baseline: Baseline = None,
    advice: Advice = None,
    graph: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Gate placements in the graph of FILE instead of scenarios.")
    ] = None,
    arms: Arms = None,
    quick: Annotated[
        bool | None, typer.Option("--quick/--no-quick", help="One case a scenario, and two arms of it.")
    ] = None,
    sets: Sets = None,
    limit: Limit = None,
    memory_limit: MemoryLimit = None,
    expect_cases: Annotated[
        int | None, typer.Option("--expect-cases", min=1, metavar="N", help="Exit with 4 unless N cases are gated.")
    ] = None,
    fail_on: FailOn = None,
    confirm: Annotated[
        bool | None, typer.Option("--confirm/--no-confirm", help="Measure again what is flagged; on by itself.")
    ] = None,
    workload: Annotated[str | None, typer.Option(help="builtin, or ezmsg: through ezmsg-sigproc's processors.")] = None,
    device: Annotated[str | None, typer.Option(help="gpu or cpu; MLX's default without it.")] = None,
    cores: Annotated[
        str | None, typer.Option(help="all, one, or auto: one for small work that MLX evaluates on the CPU (Linux).")
    ] = None,
    profile: Annotated[str | None, typer.Option(help="With --advice: the profile; see `placement advise`.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of data and order.")] = 0,
    time_budget: Annotated[
        str | None, typer.Option("--time-budget", metavar="TIME", help="Then what is undecided stays so.")
    ] = None,
    timeout: Annotated[str | None, typer.Option(metavar="TIME", help="Then the gate ends with 124.")] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the outcome is kept.")] = DEFAULT_OUT,
    outputs: Outputs = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the document alone.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the verdict alone, no progress.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show cases, limits and estimated time; measure nothing.")
    ] = False,
) -> int:
    """Compare two builds in the same blocks and exit with 1 when the new one is slower or takes more memory."""
    from placement_cli.cli.check_steps import Options, run_check

    return run_check(
        Options(
            scenarios=tuple(scenarios or ()),
            against=against,
            baseline=tuple(baseline or ()),
            advice=advice,
            graph=graph,
            arms=tuple(arms or ()),
            quick=quick,
            sets=tuple(sets or ()),
            limit=limit,
            memory_limit=memory_limit,
            expect_cases=expect_cases,
            fail_on=tuple(fail_on or ()),
            confirm=confirm,
            workload=workload,
            device=device,
            cores=cores,
            profile=profile,
            seed=seed,
            time_budget=time_budget,
            timeout=timeout,
            out=out,
            outputs=tuple(outputs or ()),
            as_json=as_json,
            quiet=quiet,
            dry_run=dry_run,
        )
    )
