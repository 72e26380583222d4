"""Recordings as JSON lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.blocks.formulation import BlockShape, Formulation, Kind, Part, blocks_of
from placement_cli.errors import UnreadableInput
from placement_cli.fit.observations import Configuration, Recording, Timing
from placement_cli.fit.recording_lines import configuration_of, configuration_row, parse_recording, recording_lines

SHORT = {
    "backend": "np", "threads": 1, "channels": 64, "samples": 30, "blocks_rle": [[32, 2]], "split": "test",
    "formulations": {
        "dense": {"kind": "dense", "sizes_rle": [[64, 1]], "seconds": 3e-6},
        "loop1": {"kind": "loop", "sizes_rle": [[32, 2]], "seconds": 2e-6},
        "perm1": {"kind": "perm", "sizes_rle": [[32, 2]], "seconds": 4e-6},
        "batch1": {"kind": "batch", "sizes_rle": [[32, 2]], "seconds": 1e-6},
        "gather": {"kind": "gather", "sizes_rle": [], "seconds": 1e-6},
    },
}  # fmt: skip

parts = st.builds(
    Part,
    st.sampled_from([kind for kind in Kind if kind not in {Kind.MIXED, Kind.ZEROS}]),
    st.builds(BlockShape, st.integers(1, 99), st.integers(1, 99)),
    st.integers(1, 9),
    st.booleans(),
    st.integers(0, 64),
)
some_formulations = st.builds(
    Formulation,
    st.integers(1, 999),
    st.integers(1, 999),
    st.lists(parts, min_size=1, max_size=4).map(tuple),
    *[st.integers(0, 99)] * 4,
    st.booleans(),
)
seconds = st.floats(1e-9, 1e3)


def test_the_short_form_is_read() -> None:
    """Square blocks by size and count become the formulations they stand for."""
    recording = parse_recording([json.dumps(SHORT), ""], "x.jsonl")
    (entry,) = recording.configurations
    by_name = {timing.name: timing.formulation for timing in entry.timings}

    assert (recording.backend, recording.threads, entry.samples, entry.split) == ("np", 1, 30, "test")
    assert by_name["loop1"] == blocks_of(Kind.LOOP, [(BlockShape(32, 32), 2)], 64, 64)
    assert by_name["perm1"].gathers == 2
    assert by_name["batch1"].calls == 1
    assert by_name["gather"].gathered_in == 64
    assert len(entry.candidates) == 4


@given(some_formulations, seconds, st.none() | st.tuples(seconds, seconds))
@settings(deadline=None)
def test_what_is_written_is_read_back(
    formulation: Formulation, taken: float, halves: tuple[float, float] | None
) -> None:
    """Any formulation and any times survive their line, and a row by itself, to the last bit."""
    blocks = ((BlockShape(3, 5), 2), (BlockShape(4, 4), 1))
    entry = Configuration(7, blocks, (Timing("x", formulation, taken, halves),), "calibration")
    recording = Recording("mlx-cpu", 2, (entry, entry))

    assert parse_recording(recording_lines(recording), "x.jsonl") == recording
    assert configuration_of(json.loads(json.dumps(configuration_row(entry)))) == entry


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"samples": "many"}, "x.jsonl:2"),
        ({"formulations": {}}, "no formulation"),
        ({"formulations": 3}, "x.jsonl:2"),
        ({"formulations": {"a": {"kind": "odd", "sizes_rle": [], "seconds": 1}}}, "odd"),
        ({"formulations": {"a": {"kind": "dense", "sizes_rle": [], "seconds": 0}}}, "above zero"),
        ({"blocks_rle": [[1, 2, 3]]}, "x.jsonl:2"),
        ({"samples": float("inf")}, "x.jsonl:2"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(change: dict[str, object], said: str) -> None:
    """Damage in a line is one error with file and line."""
    with pytest.raises(UnreadableInput, match=said):
        parse_recording([json.dumps(SHORT), json.dumps(SHORT | change)], "x.jsonl")


@pytest.mark.parametrize("line", ["{", "3", "[]", "null", '"x"', "[" * 100_000])
def test_what_is_no_row_is_refused(line: str) -> None:
    """JSON of another kind, and text that is none, is refused."""
    with pytest.raises(UnreadableInput, match=r"x\.jsonl:1"):
        parse_recording([line], "x.jsonl")


def test_a_recording_is_of_one_backend() -> None:
    """Rows of two backends, or none at all, are no recording."""
    for lines in ([json.dumps(SHORT), json.dumps(SHORT | {"threads": 2})], []):
        with pytest.raises(UnreadableInput, match="one backend"):
            parse_recording(lines, "x.jsonl")
