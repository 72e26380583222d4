"""What a profile is valid for."""

from __future__ import annotations

from dataclasses import replace

from placement_cli.profile.key import ProfileKey


def test_an_equal_setup_is_not_stale(key: ProfileKey) -> None:
    """A profile fits the set-up it was measured on."""
    assert key.stale_reasons(replace(key)) == ()


def test_every_difference_is_a_reason(key: ProfileKey) -> None:
    """Machine, backend, threads, element type and versions each say what was and what is."""
    other = ProfileKey("Chip Y", "mlx-cpu", 1, "float16", {"numpy": "2.5", "mlx": "0.32"})

    assert key.stale_reasons(other) == (
        "the machine was Chip X and is Chip Y",
        "the backend was numpy and is mlx-cpu",
        "the number of threads was 2 and is 1",
        "the element type was float32 and is float16",
        "the version of blas was OpenBLAS 0.3 and is absent",
        "the version of mlx was absent and is 0.32",
        "the version of numpy was 2.4 and is 2.5",
    )


def test_the_file_name_leaves_versions_out(key: ProfileKey) -> None:
    """A profile of older versions is found under the same name, to be refused with its reason."""
    assert key.file_name == "numpy-2-threads-float32.json"
    assert replace(key, versions={}).file_name == key.file_name
    assert replace(key, threads=1).file_name == "numpy-1-thread-float32.json"
