"""What `placement fit-costs` does with its options: measure, resume or look up; then print, export and write."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import placement_cli
from placement_cli.cli.interrupts import graceful_interrupts
from placement_cli.device.clock import SystemClock
from placement_cli.device.mlx_device import has_gpu
from placement_cli.errors import Interrupted, NothingComparable, UsageError, did_you_mean
from placement_cli.ezmsg import export_text
from placement_cli.fit.calibration import FULL, QUICK, SHARED, Effort
from placement_cli.fit.raw_run import is_finished, kept_configurations, newest_run, raw_path
from placement_cli.fit.session import FitAround, Fitted, fit_target
from placement_cli.fit.target import Target, targets_of
from placement_cli.measure.evaluation.spawn import spawn_evaluation
from placement_cli.measure.products.setup import profile_key
from placement_cli.measure.products.taking import product_worker
from placement_cli.profile.conversion import to_document
from placement_cli.profile.places import profile_folder, raw_folder
from placement_cli.profile.profile import Profile
from placement_cli.profile.saved import find_profile
from placement_cli.render.console import stderr_console, stdout_console
from placement_cli.render.fit_report import print_fit
from placement_cli.render.plain import plain
from placement_cli.render.steps import StepBar, StepLines, steps_on
from placement_cli.store.files import write_whole

EXPORTS = ("ezmsg",)


@dataclass(frozen=True, slots=True)
class FitOptions:
    """The options of `placement fit-costs` as they were given."""

    backends: Sequence[str]
    threads: int | None
    dtype: str
    quick: bool
    seed: int
    profiles: Path | None
    resume: bool
    saved: bool
    export: str | None
    output: Path | None
    as_json: bool
    quiet: bool

    @property
    def folder(self) -> Path:
        """Where profiles are kept."""
        return self.profiles or profile_folder()


def run_fit_costs(options: FitOptions) -> int:
    """Carry out `placement fit-costs` and return the exit code."""
    if options.export is not None and options.export not in EXPORTS:
        raise UsageError(f"--export {options.export}: is not known. {did_you_mean(options.export, EXPORTS)}")
    threads = [options.threads] if options.threads else [1, os.cpu_count() or 1]
    targets = targets_of(list(options.backends), options.dtype, threads, has_gpu=has_gpu())
    if options.saved:
        return _show(options, _all_saved(options, targets))
    return _measure(options, targets)


def _measure(options: FitOptions, targets: Sequence[Target]) -> int:
    console = stderr_console()
    run_folder = _run_folder(options)
    shown = options.quiet or options.as_json or options.export is not None
    fitted: list[Fitted] = []
    try:
        with (
            steps_on(console, len(targets), quiet=shown) as steps,
            graceful_interrupts(console.print) as interrupt,
        ):
            around = _around(options, run_folder, steps, lambda: interrupt.requested)
            for number, target in enumerate(targets):
                steps.piece(number, target.title)
                if kept := _finished(options, run_folder, target):
                    fitted.append(kept)
                    continue
                fitted.append(fit_target(target, around, options.seed))
    except KeyboardInterrupt:
        raise Interrupted("ended at once. `placement fit-costs --resume` goes on from here.") from None
    return _show(options, fitted)


def _run_folder(options: FitOptions) -> Path:
    raw = raw_folder(options.folder)
    if options.resume:
        return newest_run(raw)
    return raw / datetime.now(UTC).strftime("%Y%m%dT%H%M%S")


def _around(
    options: FitOptions, run_folder: Path, steps: StepBar | StepLines, stopped: Callable[[], bool]
) -> FitAround:
    return FitAround(
        profiles=options.folder,
        run_folder=run_folder,
        now=SystemClock().now,
        spawn_products=lambda target: product_worker(target.backend, target.threads, target.dtype),
        spawn_evaluation=lambda target: partial(spawn_evaluation, target.backend.removeprefix("mlx-")),
        tell=steps.tell,
        stopped=stopped,
        effort=partial(_effort, quick=options.quick),
        tool_version=placement_cli.__version__,
        today=datetime.now(UTC).date().isoformat(),
    )


def _effort(target: Target, *, quick: bool) -> Effort:
    if quick:
        return QUICK
    return SHARED if target.on_mlx else FULL


def _finished(options: FitOptions, run_folder: Path, target: Target) -> Fitted | None:
    """Return what an earlier part of a resumed run saved for `target`; None when it is still to do."""
    if not options.resume:
        return None
    key = profile_key(target.backend, target.threads, target.dtype)
    if not is_finished(raw_path(run_folder, key)):
        return None
    return _looked_up(options, target)


def _all_saved(options: FitOptions, targets: Sequence[Target]) -> list[Fitted]:
    """Return what is saved for the targets; raises NothingComparable when nothing is, or only for other set-ups."""
    found = []
    reasons = []
    for target in targets:
        try:
            found.append(_looked_up(options, target))
        except NothingComparable as stale:
            reasons.append(str(stale))
    if not found:
        raise NothingComparable(" ".join(reasons))
    for reason in reasons:
        stderr_console().print(plain(reason, "dim"), soft_wrap=True)
    return found


def _looked_up(options: FitOptions, target: Target) -> Fitted:
    """Return the profile saved for `target`; raises NothingComparable when there is none, or a stale one."""
    key = profile_key(target.backend, target.threads, target.dtype)
    profile = find_profile(options.folder, key)
    if profile is None:
        raise NothingComparable(f"Nothing is saved for {target.title} in {options.folder}.")
    configurations = kept_configurations(options.folder / profile.observations) if profile.observations else ()
    return Fitted(target, profile, configurations, options.folder / key.file_name)


def _show(options: FitOptions, fitted: Sequence[Fitted]) -> int:
    documents = "".join(_line(each.profile) for each in fitted)
    if options.as_json:
        sys.stdout.write(documents)
    elif options.export is not None:
        stdout_console().print(export_text(*_exported(fitted)), end="", soft_wrap=True)
    else:
        for each in fitted:
            if not options.quiet:
                print_fit(each, stdout_console())
            stdout_console().print(plain(f"saved as {each.path}"), soft_wrap=True)
    if options.output is not None:
        write_whole(options.output, documents)
    return 0


def _line(profile: Profile) -> str:
    return to_document(profile, placement_cli.__version__).model_dump_json(by_alias=True) + "\n"


def _exported(fitted: Sequence[Fitted]) -> list[Profile]:
    """Return one profile for each of upstream's two kinds of backend: NumPy with one thread, and MLX's best device."""
    numpy = [each.profile for each in fitted if not each.target.on_mlx]
    mlx = [each.profile for each in fitted if each.target.on_mlx]
    return [*numpy[:1], *mlx[-1:]]
