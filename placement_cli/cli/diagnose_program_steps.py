"""What `placement diagnose SCRIPT` does: run the program under tracing, then the probes that matter; report on both."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import placement_cli
from placement_cli.cli.diagnose_steps import DiagnoseOptions, DiagnoseProgram, Executed, check_output, execute
from placement_cli.cli.trace_steps import traced
from placement_cli.diagnose.document import diagnosis_document
from placement_cli.diagnose.findings.gathering import findings_of
from placement_cli.diagnose.probes.catalog import select_probes
from placement_cli.diagnose.probes.probe import Probe
from placement_cli.diagnose.program.running import Ran
from placement_cli.diagnose.report.assembling import Case, with_report
from placement_cli.diagnose.report.crashes import interrupted
from placement_cli.diagnose.trace_document import trace_document
from placement_cli.errors import Interrupted
from placement_cli.render.console import stdout_console
from placement_cli.render.diagnosis_report import print_diagnosis, print_diagnosis_verdict
from placement_cli.render.probe_table import probe_list
from placement_cli.render.source_lines import Sources
from placement_cli.store.diagnosis_document import DiagnosisDocument
from placement_cli.store.files import write_whole


def run_diagnose_program(program: DiagnoseProgram) -> int:
    """Carry out `placement diagnose SCRIPT`: 0 when it was diagnosed, whatever the program's code was.

    130 when Ctrl-C ended the program or the probes. Raises UsageError for a program, a file or a probe that cannot be.
    """
    options = program.options
    asked = select_probes(options.probes) if options.probes else None
    if options.list_only:
        for part in probe_list(select_probes(options.probes, None if options.probes else program.symptom)):
            stdout_console().print(part)
        return 0
    check_output(options.output)
    if options.device is not None:
        # A device that is not there is told before the program has run for nothing.
        execute((), options.device, shown=False)
    argv = (program.script, *program.arguments)
    ran = traced(argv, program.is_module, None, None, as_json=options.as_json)
    case = Case(ran, findings_of(ran.processes, ran.exit_code), program.symptom, program.is_module)
    executed = _executed(options, case, asked)
    document = _document(case, executed)
    # Written first: whatever becomes of the terminal or the pipe, the file is there.
    if options.output is not None:
        write_whole(options.output, document.to_json())
    _tell(options, document)
    return document.exit.code


def _executed(options: DiagnoseOptions, case: Case, asked: Sequence[Probe] | None) -> Executed:
    """Run the probes that were asked for, or those that matter; none once somebody pressed Ctrl-C."""
    probes = case.probes if asked is None else tuple(asked)
    if interrupted(case.ran):
        executed = execute((), options.device, shown=False)
        return Executed(executed.build, (), len(probes))
    return execute(probes, options.device or _device(case.ran), shown=not (options.quiet or options.as_json))


def _device(ran: Ran) -> str | None:
    """Return the device that the program used, for the probes: `cpu` where it is not MLX's own choice."""
    first = next((process for process in ran.processes if process.mlx), None)
    return None if first is None or first.backend != "cpu" else "cpu"


def _document(case: Case, executed: Executed) -> DiagnosisDocument:
    stopped = executed.left_out or interrupted(case.ran)
    document = diagnosis_document(
        executed.build,
        executed.results,
        placement_cli.__version__,
        exit_code=Interrupted.exit_code if stopped else 0,
        symptom=case.symptom,
        left_out=executed.left_out,
    )
    trace = trace_document(case.ran, case.findings, placement_cli.__version__)
    return with_report(document, case, trace, executed.results)


def _tell(options: DiagnoseOptions, document: DiagnosisDocument) -> None:
    """Print the report on stdout, below what the program printed; the document alone with `--json`."""
    console, sources = stdout_console(), Sources(Path.cwd())
    if options.as_json:
        _print_document(document)
    elif options.quiet:
        print_diagnosis_verdict(document, console, sources)
    else:
        console.print()
        print_diagnosis(document, console, sources)


def _print_document(document: DiagnosisDocument) -> None:
    try:
        sys.stdout.write(document.to_json())
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
