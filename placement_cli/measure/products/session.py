"""The worker of products: loads the formulations of one product, and times rounds of them when told to.

    python -m placement_cli.measure.products.session BACKEND THREADS DTYPE

How it is spoken to is in `measure.serving`.
"""

from __future__ import annotations

import gc
import pickle
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from placement_cli.device.clock import Clock, SystemClock
from placement_cli.measure.products.backends import ProductBackend, check_dtype, open_backend
from placement_cli.measure.products.checking import check_products, random_chunk
from placement_cli.measure.products.setup import profile_key
from placement_cli.measure.products.timing import Stream, calls_for, first_timing
from placement_cli.measure.serving import serve_process

if TYPE_CHECKING:
    from placement_cli.measure.products.case import ProductCase


class ProductSession:
    """What one worker does between the first command and the last."""

    def __init__(self, backend: ProductBackend, threads: int, dtype: str, clock: Clock) -> None:
        self._backend, self._threads, self._dtype, self._now = backend, threads, dtype, clock.now
        self._bounds: list[Any] = []
        self._stream: Stream | None = None
        self._calls: list[int] = []

    def answer(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out one command and return the reply."""
        verbs = {"hello": self._hello, "load": self._load, "rounds": self._rounds}
        return verbs[command["do"]](command)

    def _hello(self, _: Mapping[str, Any]) -> dict[str, Any]:
        key = profile_key(self._backend.name, self._threads, self._dtype)
        return {"machine": key.machine, "threads": key.threads, "versions": dict(key.versions)}

    def _load(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """Bind every plan of the case in the file, check what they compute, and size the samples.

        A plan that this backend cannot compute in this type has null and the reason among `problems`.
        """
        case: ProductCase = pickle.loads(Path(command["path"]).read_bytes())  # noqa: S301 - written by our parent
        self._bounds, self._stream = [], None
        gc.collect()
        chunk = random_chunk(case.samples, case.plans[0].n_in, self._dtype, case.seed)
        typed = self._typed(case.weights)
        self._bounds = [plan.bind(typed, self._backend.library) for plan in case.plans]
        self._stream = Stream.of(self._backend, chunk, self._dtype, case.seed)
        x = self._stream.chunks[0]
        first, problems = self._first_timings([x])
        usable = [number for number, seconds in enumerate(first) if seconds is not None]
        names, bounds = [case.names[number] for number in usable], [self._bounds[number] for number in usable]
        tolerance = max(plan.tolerance for plan in case.plans)
        check_products(self._backend, names, bounds, case.weights, x, self._dtype, tolerance)
        self._calls = [calls_for(seconds or 0.0) for seconds in first]
        return {"first_s": first, "problems": problems}

    def _first_timings(self, chunks: Sequence[Any]) -> tuple[list[float | None], list[str]]:
        first: list[float | None] = []
        problems = []
        for bound in self._bounds:
            try:
                first.append(first_timing(self._backend, bound, chunks, self._now))
            except (ValueError, RuntimeError) as error:  # how MLX says that a kernel does not exist
                first.append(None)
                problems.append(str(error))
        return first, problems

    def _typed(self, weights: Any) -> Any:
        if hasattr(weights, "tocsr"):
            if self._backend.library == "numpy":
                return weights.astype(self._dtype)
            weights = weights.toarray()
        return self._backend.array(weights, self._dtype)

    def _rounds(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """Time one round for each order in the command."""
        orders: Sequence[Sequence[int]] = command["orders"]
        stream = self._stream
        assert stream is not None, "load comes before rounds"
        gc.disable()
        try:
            return {
                "seconds": [stream.take(self._backend, self._bounds, self._calls, order, self._now) for order in orders]
            }
        finally:
            gc.enable()


def main(arguments: Sequence[str]) -> None:
    """Run a worker for the backend, threads and element type that the arguments name."""
    name, threads, dtype = arguments

    def open_session() -> ProductSession:
        backend = open_backend(name)
        check_dtype(name, dtype)
        return ProductSession(backend, int(threads), dtype, SystemClock())

    serve_process(open_session)


if __name__ == "__main__":
    main(sys.argv[1:])
