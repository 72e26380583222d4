"""What `placement diagnose` does with its options: choose probes, run each in its process; then print and write."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import get_args

import placement_cli
from placement_cli.cli.interrupts import graceful_interrupts
from placement_cli.device.clock import SystemClock
from placement_cli.device.mlx_device import DEVICE_NAMES
from placement_cli.diagnose.document import diagnosis_document
from placement_cli.diagnose.probes.catalog import select_probes
from placement_cli.diagnose.probes.probe import Probe, Result
from placement_cli.diagnose.probes.running import Build, Runner, Watch, read_build, spawn_prober
from placement_cli.errors import Interrupted, InvalidMeasurement, UsageError, did_you_mean
from placement_cli.measure.spawn import WorkerLostError
from placement_cli.render.console import stderr_console, stdout_console
from placement_cli.render.probe_table import print_outcomes, print_probes, probe_list
from placement_cli.render.steps import steps_on
from placement_cli.store.diagnosis_document import DiagnosisDocument, Symptom
from placement_cli.store.files import check_writable, write_whole

SYMPTOMS: tuple[Symptom, ...] = get_args(Symptom)
ENDING = ".json"
"""How the name of a document ends."""
STOPPING = "Stopping after this probe; what is done is kept. Ctrl-C again ends at once."
OPTION = "--symptom"


@dataclass(frozen=True, slots=True)
class DiagnoseOptions:
    """The options of `placement diagnose` as they were given.

    `program` is the script, or with `is_module` the name of a module, and its arguments; empty for probes alone.
    """

    program: tuple[str, ...]
    is_module: bool
    symptom: str | None
    probes: tuple[str, ...]
    list_only: bool
    device: str | None
    output: Path | None
    as_json: bool
    quiet: bool


@dataclass(frozen=True, slots=True)
class DiagnoseProgram:
    """A program to trace and what to diagnose it for; `options` are the others, checked.

    `script` is a path, or with `is_module` the name of a module. `symptom` is None when the user did not name one.
    """

    script: str
    arguments: tuple[str, ...]
    is_module: bool
    symptom: Symptom | None
    options: DiagnoseOptions


@dataclass(frozen=True, slots=True)
class Executed:
    """Probes that were run on a build; `left_out` is how many were still to come when it was stopped."""

    build: Build
    results: tuple[Result, ...]
    left_out: int


def run_diagnose(options: DiagnoseOptions) -> int:
    """Carry out `placement diagnose` and return the exit code."""
    asked = with_symptom(options)
    symptom = checked_symptom(asked.symptom)
    if asked.device is not None and asked.device not in DEVICE_NAMES:
        raise UsageError(f"--device {asked.device}: is no device. {did_you_mean(asked.device, DEVICE_NAMES)}")
    if asked.program:
        return _diagnose_program(asked, symptom)
    if asked.is_module:
        raise UsageError("-m: the name of a module is missing.")
    probes = select_probes(asked.probes, symptom)
    if asked.list_only:
        for part in probe_list(probes):
            stdout_console().print(part)
        return 0
    check_output(asked.output)
    return _finish(asked, execute(probes, asked.device, shown=not (asked.quiet or asked.as_json)), symptom)


def check_output(path: Path | None) -> None:
    """Refuse a file that could not be written, before anything has run for nothing; raises UsageError."""
    if path is None:
        return
    if path.suffix.lower() != ENDING:
        # A slip must not put a document in the place of a script.
        raise UsageError(f"--output {path}: expected a file that ends in {ENDING}.")
    if path.is_dir():
        raise UsageError(f"--output {path}: is a folder.")
    check_writable(path.parent)


def with_symptom(options: DiagnoseOptions) -> DiagnoseOptions:
    """Return the options with a `--symptom` that stands behind the script, the only one of ours that may.

    With one before the script all that follows it is the program's own.
    """
    words = options.program
    at = next((at for at, word in enumerate(words) if at and word.partition("=")[0] == OPTION), None)
    if options.symptom is not None or at is None:
        return options
    _, equals, value = words[at].partition("=")
    after = at + (1 if equals else 2)
    if after > len(words):
        raise UsageError(f"{OPTION}: its value is missing; one of {', '.join(SYMPTOMS)}.")
    return replace(options, program=words[:at] + words[after:], symptom=value if equals else words[at + 1])


def checked_symptom(name: str | None) -> Symptom | None:
    """Return the symptom of that name; raises UsageError when there is none."""
    if name is None:
        return None
    found = next((symptom for symptom in SYMPTOMS if symptom == name), None)
    if found is None:
        raise UsageError(f"{OPTION} {name}: is no symptom. {did_you_mean(name, SYMPTOMS)}")
    return found


def execute(probes: Sequence[Probe], device: str | None, *, shown: bool) -> Executed:
    """Run the probes, with progress on stderr where it is `shown`; Ctrl-C keeps what is done.

    Raises UsageError when there is no such device, InvalidMeasurement when MLX ends the process that opens it.
    """
    spawn = partial(spawn_prober, device)
    try:
        build = read_build(spawn)
    except WorkerLostError as lost:
        raise InvalidMeasurement(f"MLX cannot be opened here: {lost}.") from None
    runner = Runner(build.backend, spawn, SystemClock().now)
    console = stderr_console()
    results: list[Result] = []
    try:
        with (
            steps_on(console, len(probes), quiet=not shown) as steps,
            graceful_interrupts(lambda _: console.print(STOPPING)) as interrupt,
        ):
            watch = Watch(lambda at, probe: steps.piece(at, probe.id), results.append, lambda: interrupt.requested)
            runner.run_all(probes, watch)
    except KeyboardInterrupt:
        console.print("Ended at once; what was done before is kept.")
    return Executed(build, tuple(results), len(probes) - len(results))


def _finish(options: DiagnoseOptions, executed: Executed, symptom: Symptom | None) -> int:
    """Print and write what was found, and return the exit code; raises InvalidMeasurement when nothing was executed."""
    ran = any(result.outcome != "not-run" for result in executed.results)
    code = Interrupted.exit_code if executed.left_out else 0 if ran else InvalidMeasurement.exit_code
    document = diagnosis_document(
        executed.build,
        executed.results,
        placement_cli.__version__,
        exit_code=code,
        symptom=symptom,
        left_out=executed.left_out,
    )
    _tell(options, document)
    if code == InvalidMeasurement.exit_code:
        raise InvalidMeasurement("not a single probe could be executed here; the reasons stand beside them.")
    return code


def _tell(options: DiagnoseOptions, document: DiagnosisDocument) -> None:
    # Written first: whatever becomes of the terminal or the pipe, the file is there.
    if options.output is not None:
        write_whole(options.output, document.to_json())
    if options.as_json:
        sys.stdout.write(document.to_json())
    elif options.quiet:
        print_outcomes(document, stdout_console())
    else:
        print_probes(document, stdout_console())


def _diagnose_program(options: DiagnoseOptions, symptom: Symptom | None) -> int:
    from placement_cli.cli.diagnose_program_steps import run_diagnose_program

    script, *arguments = options.program
    return run_diagnose_program(DiagnoseProgram(script, tuple(arguments), options.is_module, symptom, options))
