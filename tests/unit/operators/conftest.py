"""What the tests of operators share: a view of pending work, and streams run through both implementations."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from placement_cli.operators.agreement import as_float64, disagreement
from placement_cli.operators.catalog import check_params, check_shapes, find_operator

Pending = Callable[..., list[str]]


def _pending(*arrays: Any) -> list[str]:
    graph = io.StringIO()
    mx.export_to_dot(graph, *(array for array in arrays if isinstance(array, mx.array)))
    return re.findall(r'label ="(\w+)", shape=rectangle', graph.getvalue())


@dataclass
class Stream:
    """An operator in use in both implementations, fed with the same random messages."""

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    shapes: Sequence[tuple[int, ...]] = ((64, 3),)
    dtype: str = "float32"
    seed: int = 0

    def __post_init__(self) -> None:
        self.operator = find_operator(self.name)
        self.checked = check_params(self.operator, self.params)
        check_shapes(self.operator, self.shapes, self.checked)
        self.unit = self.operator.make_mlx(self.shapes, self.checked, self.dtype, self.seed)
        self.reference = self.operator.make_numpy(self.shapes, self.checked, self.dtype, self.seed)
        self.features = self.operator.features(self.shapes, self.checked, self.dtype)
        self.random = np.random.default_rng(self.seed)

    def messages(self, length: int | None = None) -> list[mx.array]:
        """Return one evaluated message an input; `length` samples instead of the longest."""
        shapes = [shape if length is None else (*shape[:-2], length, shape[-1]) for shape in self.shapes]
        kind = getattr(mx, self.dtype)
        messages = [mx.array(self.random.normal(size=shape)).astype(kind) for shape in shapes]
        mx.eval(messages)
        return messages

    def disagreement(self, length: int | None = None) -> float:
        """Feed one message to both and return how far they are apart."""
        messages = self.messages(length)
        got = self.unit.step(*messages)
        want = self.reference.step(*(as_float64(message) for message in messages))
        return disagreement(got, want, self.dtype)

    def worst(self, lengths: Sequence[int]) -> float:
        """Feed messages of these lengths and return the largest disagreement."""
        return max(self.disagreement(length) for length in lengths)


@pytest.fixture(scope="session")
def pending() -> Pending:
    """The function that names the primitives which arrays still wait for, without evaluating them."""
    return _pending


@pytest.fixture(scope="session")
def stream() -> type[Stream]:
    """The class that runs one operator in both implementations."""
    return Stream
