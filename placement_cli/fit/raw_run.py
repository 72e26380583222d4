"""The raw timings behind one profile: a journal that grows while it is measured, and that a fit can be resumed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from placement_cli.errors import UnreadableInput, UsageError
from placement_cli.fit.recording_lines import configuration_of, configuration_row
from placement_cli.profile.key import ProfileKey
from placement_cli.store.journal import Journal, read_journal

if TYPE_CHECKING:
    from placement_cli.fit.observations import Configuration

Experiments = dict[tuple[int, str], Sequence[dict[str, Any]]]
DAMAGE = (KeyError, TypeError, ValueError, AttributeError, OverflowError)
"""What reading a record raises that holds something else than was written."""


@dataclass(slots=True)
class RawRun:
    """What is kept of one backend: the bound of its products, the products by number, the experiments on evaluation."""

    journal: Journal
    most_macs: float | None = None
    configurations: dict[int, Configuration] = field(default_factory=dict)
    experiments: Experiments = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """The file."""
        return self.journal.path

    def keep_most_macs(self, most_macs: float) -> float:
        """Keep the bound that products were drawn under, and return it."""
        self.journal.append({"kind": "bound", "most_macs": most_macs})
        return most_macs

    def keep_configuration(self, number: int, configuration: Configuration) -> None:
        """Keep one product; a later one with the same number takes its place."""
        self.journal.append({"kind": "product", "number": number, **configuration_row(configuration)})

    def keep_experiment(self, process: int, name: str, observations: Sequence[dict[str, Any]]) -> None:
        """Keep what one experiment observed in one process."""
        self.experiments[process, name] = observations
        self.journal.append(
            {"kind": "experiment", "process": process, "name": name, "observations": list(observations)}
        )

    def finish(self) -> None:
        """Say that the profile was fitted and saved."""
        self.journal.append({"kind": "finished"})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.journal.close()


def open_raw(folder: Path, key: ProfileKey, seed: int) -> RawRun:
    """Start the raw timings of `key` in `folder`, or go on with those that are there.

    Raises UsageError when they were taken on another set-up or with another seed, UnreadableInput when they are
    damaged.
    """
    path = raw_path(folder, key)
    if not path.exists():
        return RawRun(Journal.create(path, {"key": asdict(key), "seed": seed}))
    journal, records = Journal.reopen(path)
    try:
        _check_header(path, records[0], key, seed)
        return _with_records(RawRun(journal), records[1:])
    except DAMAGE as error:
        journal.close()
        raise UnreadableInput(f"{path}: these are no timings of fit-costs ({error}). Start without --resume.") from None
    except UsageError:
        journal.close()
        raise


def kept_configurations(path: Path) -> tuple[Configuration, ...]:
    """Return the products in the raw timings at `path`, in order; none where the file is gone.

    Raises UnreadableInput when it is damaged.
    """
    if not path.exists():
        return ()
    found: dict[int, Configuration] = {}
    for record in read_journal(path):
        if record["kind"] == "product":
            try:
                found[int(record["number"])] = configuration_of(record)
            except DAMAGE as error:
                raise UnreadableInput(f"{path}: these are no timings of fit-costs ({error}).") from None
    return tuple(found[number] for number in sorted(found))


def raw_path(folder: Path, key: ProfileKey) -> Path:
    """Return the file of raw timings of `key` in `folder`."""
    return folder / f"{key.file_name.removesuffix('.json')}.jsonl"


def is_finished(path: Path) -> bool:
    """Tell whether the file at `path` ends with a profile that was saved; False where there is none."""
    return path.exists() and read_journal(path)[-1]["kind"] == "finished"


def newest_run(raw: Path) -> Path:
    """Return the folder of the newest run in `raw`; raises UsageError when there is none."""
    runs = sorted(path for path in raw.glob("*") if path.is_dir()) if raw.is_dir() else []
    if not runs:
        raise UsageError(f"There is nothing to resume in {raw}. Start without --resume.")
    return runs[-1]


def _check_header(path: Path, header: dict[str, Any], key: ProfileKey, seed: int) -> None:
    reasons = ProfileKey(**header["key"]).stale_reasons(key)
    if header["seed"] != seed:
        reasons += (f"the seed was {header['seed']} and is {seed}",)
    if reasons:
        raise UsageError(f"{path}: cannot go on: {'; '.join(reasons)}. Start without --resume.")


def _with_records(raw: RawRun, records: Sequence[dict[str, Any]]) -> RawRun:
    for record in records:
        match record["kind"]:
            case "bound":
                raw.most_macs = float(record["most_macs"])
            case "product":
                raw.configurations[int(record["number"])] = configuration_of(record)
            case "experiment":
                raw.experiments[int(record["process"]), str(record["name"])] = record["observations"]
    return raw
