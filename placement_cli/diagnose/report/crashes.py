"""How a program ended that did not end well: by a signal, by an error that MLX raised, or by one that it did not."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import replace

from placement_cli.diagnose.finding import Finding
from placement_cli.diagnose.findings.seen import at, counted, message_of
from placement_cli.diagnose.program.running import Ran
from placement_cli.diagnose.report.classes import bears_on, class_of
from placement_cli.diagnose.report.sighting import UNSURE, Sighting, sighting_of
from placement_cli.errors import Interrupted
from placement_cli.tracing.raw import RawPoint, RawProcess, RawUncaught
from placement_cli.units import format_duration

FAULTHANDLER = "import faulthandler; faulthandler.enable()  # at the start: it prints where each thread was"


def crash_of(ran: Ran, findings: Sequence[Finding], program: str) -> Sighting | None:
    """Return how the program broke; None when it did not.

    Findings that broke it come first, then a signal, late errors and others that MLX raised, and its own errors last.
    `program` are its words as in a shell.
    """
    error = next((each for each in findings if each.severity == "error" and bears_on(each, "crash")), None)
    if error is not None:
        return _with_end(ran, sighting_of(error))
    if ran.signal is not None:
        return _killed(ran, ran.signal, findings)
    late = next((each for each in findings if class_of(each) == "late-error"), None)
    if late is not None:
        return sighting_of(late)
    return _uncaught(ran, program) or _raised(ran) or _own(ran, program)


def interrupted(ran: Ran) -> bool:
    """Tell whether Ctrl-C ended the program, which then did not break by itself."""
    return ran.signal == signal.SIGINT or ran.exit_code == Interrupted.exit_code


def broke(ran: Ran) -> bool:
    """Tell whether the program ended in another way than it should."""
    return ran.exit_code != 0 and not interrupted(ran)


def signal_name(number: int) -> str:
    """Return the name of a signal, such as `SIGKILL`."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _killed(ran: Ran, number: int, findings: Sequence[Finding]) -> Sighting:
    """Tell of a signal: that it ended the program is certain, why it was sent is not."""
    name = signal_name(number)
    told = next((each for each in findings if class_of(each) == "killed-by-signal"), None)
    if told is not None:
        return replace(sighting_of(told), decided=True, called=f"killed by {name}")
    last = _last_call(ran.processes)
    return Sighting(
        kind="killed-by-signal",
        says=f"The program was ended by {name} after {format_duration(ran.wall_s)}.{_after(last)} Why is not known.",
        next_check=FAULTHANDLER,
        code=UNSURE,
        called=f"killed by {name}",
        file=None if last is None else last.place.file,
        line=None if last is None else last.place.line,
    )


def _raised(ran: Ran) -> Sighting | None:
    """Tell of the last error that a call of MLX raised and no finding explains."""
    errors = [error for process in ran.processes for error in process.errors]
    if not errors:
        return None
    last = max(errors, key=lambda error: error.at_s)
    return Sighting(
        kind="mlx-error",
        says=(
            f"A call of MLX ({last.kind}) at {at(last.place)} raised {last.type} {counted(last.count, 'time')}: "
            f"{message_of(last)}. The program ended with exit code {ran.exit_code}."
        ),
        next_check=(
            f"# before line {last.place.line}, for each array x that the call is given:\n"
            "print(x.shape, x.dtype); mx.eval(x)"
        ),
        file=last.place.file,
        line=last.place.line,
    )


def _uncaught(ran: Ran, program: str) -> Sighting | None:
    """Tell of the exception that ended the program, where Python reported one."""
    error = ran.processes[0].uncaught if ran.processes else None
    if error is None or ran.exit_code == 0 or _is_recorded(ran.processes[0], error):
        return None
    what = _exception(error)
    if error.by_mlx:
        return Sighting(
            kind="mlx-error",
            says=f"MLX raised {what}. The program ended with exit code {ran.exit_code}.",
            next_check=f"print(x.shape, x.dtype)  # before line {error.place.line}, for each array x in it",
            file=error.place.file,
            line=error.place.line,
        )
    return Sighting(
        kind="program-error",
        says=f"The program ended with {what}. No call of MLX raised that.",
        next_check=f"python -m pdb {program}  # it stops where the exception is raised",
        file=error.place.file,
        line=error.place.line,
    )


def _with_end(ran: Ran, sighting: Sighting) -> Sighting:
    """Add the exception that ended the program where it is another one than what was found."""
    error = ran.processes[0].uncaught if ran.processes else None
    if error is None or ran.exit_code == 0:
        return sighting
    here = (error.place.file, error.place.line) == (sighting.file, sighting.line)
    if here or " ".join(error.message.split()).rstrip(".") in sighting.says:
        return sighting
    return replace(sighting, says=f"{sighting.says} The program itself ended with {_exception(error)}.")


def _exception(error: RawUncaught) -> str:
    """Return an exception with its place and what it says, without a full stop."""
    message = " ".join(error.message.split()).rstrip(".")
    return f"{error.type} at {at(error.place)}" + (f": {message}" if message else "")


def _is_recorded(process: RawProcess, error: RawUncaught) -> bool:
    """Tell whether a call of MLX is known to have raised it: that tells more."""
    return any(each.type == error.type and each.message == error.message for each in process.errors)


def _own(ran: Ran, program: str) -> Sighting | None:
    if ran.exit_code == 0 or ran.timed_out:
        return None
    used = any(process.mlx for process in ran.processes)
    last = _last_call(ran.processes)
    rest = (
        f"and no evaluation, read or wait of MLX raised an error.{_after(last)} Its traceback, if it had one, is "
        "above; an operation that MLX refuses when it is built, for its shapes or types, would look the same from here."
        if used
        else "and no process of it that was recorded imported MLX."
    )
    return Sighting(
        kind="program-error",
        says=f"The program ended with exit code {ran.exit_code}, {rest}",
        next_check=f"python {program}  # without tracing: the last line of its traceback names the error",
    )


def _last_call(processes: Sequence[RawProcess]) -> RawPoint | None:
    points = [point for process in processes[:1] for point in process.points if point.count]
    return max(points, key=lambda point: point.last_at_s, default=None)


def _after(point: RawPoint | None) -> str:
    return "" if point is None else f" Its last recorded call of MLX was {point.call} at {at(point.place)}."
