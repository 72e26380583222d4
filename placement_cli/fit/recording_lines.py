"""Recordings of block timings as JSON lines, one configuration a line: what a raw run is kept as, and read from.

A line holds `backend`, `threads`, `channels`, `samples`, `split`, `blocks_rle` and `formulations` by name,
each with `seconds`, perhaps `halves`, and the formulation. Written in full it is `n_in`, `n_out`, `parts` and
what is moved. Read too is the short form of square blocks, `kind` (dense, loop, batch, perm, gather) with
`sizes_rle` as pairs [size, count].
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from placement_cli.blocks.formulation import BlockShape, Formulation, Kind, Part, blocks_of, dense
from placement_cli.errors import UnreadableInput
from placement_cli.fit.observations import Configuration, Recording, Timing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_MOVES = ("gathered_in", "gathered_out", "gathers", "zero_filled_out")


def recording_lines(recording: Recording) -> Iterator[str]:
    """Yield one line of JSON a configuration, in full form; `parse_recording` reads them back as they were."""
    for entry in recording.configurations:
        row = {"backend": recording.backend, "threads": recording.threads, **configuration_row(entry)}
        yield json.dumps(row, allow_nan=False)


def configuration_row(entry: Configuration) -> dict[str, Any]:
    """Return one configuration as the JSON object of its line; `configuration_of` reads it back as it was."""
    return {
        "channels": entry.channels,
        "samples": entry.samples,
        "split": entry.split,
        "blocks_rle": [[[shape.rows, shape.columns], count] for shape, count in entry.blocks],
        "formulations": {timing.name: _timing_row(timing) for timing in entry.timings},
    }


def parse_recording(lines: Iterable[str], where: str) -> Recording:
    """Return the configurations in `lines`, all of one backend; `where` names the file in errors.

    Empty lines are passed over. Raises UnreadableInput naming the line that cannot be read.
    """
    found: list[Configuration] = []
    backends: set[tuple[str, int]] = set()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            found.append(configuration_of(row))
            backends.add((str(row["backend"]), int(row["threads"])))
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError, OverflowError) as error:
            reason = f"{type(error).__name__}: {error}"
            raise UnreadableInput(f"{where}:{number}: this is no line of block timings ({reason}).") from None
    if len(backends) != 1:
        raise UnreadableInput(f"{where}: expected timings of one backend, found {sorted(backends)}.")
    (backend, threads) = backends.pop()
    return Recording(backend, threads, tuple(found))


def configuration_of(row: Mapping[str, Any]) -> Configuration:
    """Return the configuration of a line's object; raises KeyError, TypeError or ValueError for one that is none."""
    channels = int(row["channels"])
    timings = tuple(_timing(name, entry, channels) for name, entry in row["formulations"].items())
    if not any(timing.computes for timing in timings):
        raise ValueError("no formulation computes the product")
    return Configuration(int(row["samples"]), _blocks(row["blocks_rle"]), timings, str(row["split"]))


def _timing(name: str, entry: Mapping[str, Any], channels: int) -> Timing:
    formulation = _full(entry) if "parts" in entry else _short(entry, channels)
    halves = entry.get("halves")
    pair = (float(halves[0]), float(halves[1])) if halves else None
    return Timing(name, formulation, float(entry["seconds"]), pair)


def _short(entry: Mapping[str, Any], channels: int) -> Formulation:
    blocks = _blocks(entry["sizes_rle"])
    match entry["kind"]:
        case "dense":
            return dense(channels, channels)
        case "loop":
            return blocks_of(Kind.LOOP, blocks, channels, channels)
        case "batch":
            return blocks_of(Kind.BATCH, blocks, channels, channels)
        case "perm":
            parts = blocks_of(Kind.LOOP, blocks, channels, channels).parts
            return Formulation(channels, channels, parts, channels, channels, 2)
        case "gather":
            return Formulation(channels, channels, (), gathered_in=channels, gathers=1)
        case kind:
            raise ValueError(f"kind {kind!r} is not known")


def _full(entry: Mapping[str, Any]) -> Formulation:
    parts = tuple(
        Part(
            Kind(part["kind"]),
            BlockShape(*(int(side) for side in part["shape"])),
            int(part["count"]),
            bool(part["accumulates"]),
            int(part["tile"]),
        )
        for part in entry["parts"]
    )
    moves = {name: int(entry[name]) for name in _MOVES}
    return Formulation(int(entry["n_in"]), int(entry["n_out"]), parts, **moves, compiled=bool(entry["compiled"]))


def _timing_row(timing: Timing) -> dict[str, Any]:
    formulation = timing.formulation
    parts = [
        {
            "kind": str(part.kind),
            "shape": [part.shape.rows, part.shape.columns],
            "count": part.count,
            "accumulates": part.accumulates,
            "tile": part.tile,
        }
        for part in formulation.parts
    ]
    moves = {name: getattr(formulation, name) for name in _MOVES}
    whole = {"n_in": formulation.n_in, "n_out": formulation.n_out, "compiled": formulation.compiled}
    return {"seconds": timing.seconds, "halves": timing.halves, "parts": parts, **whole, **moves}


def _blocks(pairs: Sequence[Sequence[Any]]) -> tuple[tuple[BlockShape, int], ...]:
    return tuple((_shape(size), int(count)) for size, count in pairs)


def _shape(size: Any) -> BlockShape:
    """Return a square for one number, rows x columns for two."""
    rows, columns = size if isinstance(size, list) else (size, size)
    return BlockShape(int(rows), int(columns))
