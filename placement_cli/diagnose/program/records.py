"""Reading what the processes of a traced program wrote: whatever ended them, and whatever else is in the folder."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from placement_cli.store.json_input import MOST_BYTES, MOST_MAGNITUDE
from placement_cli.store.texts import encodable
from placement_cli.tracing.raw import RawProcess

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_RECORD = re.compile(r"[0-9]{1,20}-[0-9]{1,20}\.json")
"""The name of a record: the process and a moment. A file under another name is on its way to become one, or foreign."""
UNFINISHED = ".part"
"""The ending of a record that is still being written."""


class _UnreadableRecordError(Exception):
    """A file holds no record; the text says why."""


@dataclass(frozen=True, slots=True)
class Records:
    """What was read of a folder, the program's own process first, and a sentence for each file passed over."""

    processes: tuple[RawProcess, ...]
    passed_over: tuple[str, ...]


def read_records(folder: Path, root: int) -> Records:
    """Read all records in `folder`: those of the process `root` first, otherwise in the order of their start.

    A file that is torn, empty, foreign or no file at all is passed over. What is read can be relied on: its numbers
    are finite, its texts encodable, and what refers to a point refers to one that is there.
    """
    read, passed_over = [], []
    for path in sorted(_files(folder)):
        try:
            read.append(_read(path))
        except _UnreadableRecordError as problem:
            passed_over.append(f"The record {encodable(path.name)} was passed over: {problem}.")
    read.sort(key=lambda process: (process.pid != root, process.started_s))
    return Records(tuple(read), tuple(passed_over))


def _files(folder: Path) -> Iterator[Path]:
    """Yield what lies in `folder`, without what is still being written."""
    try:
        yield from (path for path in folder.iterdir() if path.suffix != UNFINISHED)
    except OSError:
        # The program itself removed the folder.
        return


def _read(path: Path) -> RawProcess:
    from pydantic import ValidationError

    if _RECORD.fullmatch(path.name) is None:
        raise _UnreadableRecordError("its name is not that of a record")
    content = _content(path)
    try:
        process = _adapter().validate_python(_sound(json.loads(content)))
    except ValidationError:
        raise _UnreadableRecordError("it holds something else") from None
    except (ValueError, RecursionError):
        raise _UnreadableRecordError("it is torn or damaged" if content else "it is empty") from None
    if not _whole(process):
        raise _UnreadableRecordError("it refers to points that it does not hold")
    return process


def _content(path: Path) -> bytes:
    # Asked first: opening a pipe would wait for somebody to write to it.
    if path.is_symlink() or not path.is_file():
        raise _UnreadableRecordError("it is no file")
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise _UnreadableRecordError(f"it cannot be read ({error.strerror})") from None
    if len(content) > MOST_BYTES:
        raise _UnreadableRecordError(f"it is larger than {MOST_BYTES >> 20} MiB")
    return content


@cache
def _adapter() -> TypeAdapter[RawProcess]:
    from pydantic import TypeAdapter

    return TypeAdapter(RawProcess)


def _sound(value: Any) -> Any:
    """Return `value` with texts that can be encoded; raises ValueError for a number that is no quantity."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {encodable(key): _sound(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_sound(each) for each in value]
    # Nothing compares with NaN, which is how it is caught, too.
    if isinstance(value, int | float) and not abs(value) <= MOST_MAGNITUDE:
        raise ValueError("no quantity is that large")
    return value


def _whole(process: RawProcess) -> bool:
    """Tell whether every reference to a point has one."""
    points = range(len(process.points))
    steps = all(step.before in points and step.after in points for step in process.steps)
    return steps and all(event.point in points for event in process.events)
