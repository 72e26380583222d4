"""What `placement selftest` does: the harness against a bare loop, an arm against itself, a slowness injected."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

from placement_cli.bench.harness import harness_costs
from placement_cli.bench.run import Method
from placement_cli.bench.selftest import self_test
from placement_cli.bench.surroundings import probe, real_surroundings
from placement_cli.bench.watch import Nobody
from placement_cli.errors import InvalidMeasurement, UsageError
from placement_cli.export.selftest_json import selftest_document
from placement_cli.measure.spawn import spawn_process
from placement_cli.render.console import stderr_console, stdout_console
from placement_cli.render.selftest import harness_table, rate_lines

HARNESS_BLOCKS = 12
"""Fresh processes in which the harness is compared with a bare loop."""
POWER_VERDICTS = 20
"""Verdicts on an injected slowness where `--aa` does not say how many."""


def run_selftest(
    *, harness: bool, aa: int | None, inject: str | None, device: str | None, seed: int, as_json: bool
) -> int:
    """Run the parts that were asked for (the harness alone without any) and return the exit code."""
    share = _share(inject)
    console, method = stdout_console(), Method()
    spawn = partial(spawn_process, device)
    probe(spawn)
    costs, tests = [], []
    with tempfile.TemporaryDirectory(prefix="placement-") as scratch:
        if harness or (aa is None and share is None):
            costs = harness_costs(HARNESS_BLOCKS, spawn, seed, Path(scratch))
        around = real_surroundings(device, seed, Nobody(), lambda: False)
        bench = replace(around.bench, seed=seed)
        for number, injected in ((aa, 0.0), (aa or POWER_VERDICTS if share else None, share or 0.0)):
            if number is not None:
                stderr_console().print(f"{number} verdicts, {100 * injected:g} % injected")
                tests.append(self_test(number, injected, method, bench, around.watcher, Path(scratch)))
    if as_json:
        sys.stdout.write(json.dumps(selftest_document(costs, tests), indent=1) + "\n")
    else:
        if costs:
            console.print(harness_table(costs))
        for test in tests:
            for line in rate_lines(test):
                console.print(line)
    if any(not cost.ok for cost in costs):
        raise InvalidMeasurement("the harness costs more than its limit on this machine.")
    if any(test.flagged.count for test in tests if not test.inject):
        raise InvalidMeasurement("an arm was told from itself on this machine.")
    return 0


def _share(text: str | None) -> float | None:
    """Read a share such as `5%` or `0.05`."""
    if text is None:
        return None
    number, percent = text.strip().removesuffix("%"), text.strip().endswith("%")
    try:
        share = float(number) / (100 if percent else 1)
    except ValueError:
        share = -1.0
    if not 0 < share <= 1:
        raise UsageError(f"--inject {text}: expected a share above nothing and at most 100%, such as 5%.")
    return share
