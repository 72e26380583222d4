"""What costs are fitted for."""

from __future__ import annotations

import pytest

from placement_cli.errors import UsageError
from placement_cli.fit.target import Target, targets_of


def test_without_a_name_every_backend_here_is_fitted() -> None:
    """NumPy with every number of threads, fewest first; the GPU where there is one."""
    everywhere = [Target("numpy", 1), Target("numpy", 4), Target("mlx-cpu", 1)]
    assert targets_of([], "float32", [4, 1], has_gpu=False) == everywhere
    assert targets_of([], "float32", [1, 4], has_gpu=True) == [*everywhere, Target("mlx-gpu", 1)]


def test_nothing_is_fitted_twice() -> None:
    """On one core one thread and one a core are the same; so is a backend that is named twice."""
    assert targets_of(["numpy", "numpy"], "float32", [1, 1], has_gpu=False) == [Target("numpy", 1)]


def test_backends_without_the_element_type_are_left_out_unless_named() -> None:
    """Only MLX has short floats; who names another backend is told."""
    assert targets_of([], "float16", [2], has_gpu=False) == [Target("mlx-cpu", 1, "float16")]
    with pytest.raises(UsageError, match="not timed on numpy"):
        targets_of(["mlx-cpu", "numpy"], "float16", [2], has_gpu=False)


@pytest.mark.parametrize(("backends", "dtype"), [(["abacus"], "float32"), ([], "int8"), ([], "")])
def test_what_is_not_known_is_refused(backends: list[str], dtype: str) -> None:
    """A backend or an element type that is none is a usage error, before anything is timed."""
    with pytest.raises(UsageError):
        targets_of(backends, dtype, [2], has_gpu=True)


def test_a_target_has_words_and_a_library() -> None:
    """Threads are told where there is such a setting."""
    assert Target("numpy", 1).title == "NumPy, 1 BLAS thread, float32"
    assert Target("numpy", 2, "float64").title == "NumPy, 2 BLAS threads, float64"
    assert Target("mlx-gpu", 1).title == "MLX GPU, float32"
    assert [(t.library, t.on_mlx) for t in (Target("numpy", 1), Target("mlx-cpu", 1))] == [
        ("numpy", False),
        ("mlx", True),
    ]
