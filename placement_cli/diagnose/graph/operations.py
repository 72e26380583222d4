"""What an operation does as far as its name tells."""

from __future__ import annotations

from placement_cli.tracing.raw import RawOp

HOST_MADE = frozenset({"array", "asarray", "from_dlpack", "frombuffer", "load"})
"""Names of calls that make an array of values of the host."""
RANDOM = frozenset(
    {"bernoulli", "categorical", "gumbel", "laplace", "multivariate_normal", "normal", "permutation", "randint"}
    | {"truncated_normal", "uniform"}
)
"""Names of calls that make an array of random values."""
VIEWS = frozenset(
    {"__getitem__", "as_strided", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_to"}
    | {"expand_dims", "flatten", "getitem", "moveaxis", "permute_dims", "reshape", "slice", "split", "squeeze"}
    | {"stop_gradient", "swapaxes", "t", "transpose", "unflatten", "view"}
)
"""Operations that mostly show the same bytes in another way."""


def plain_name(op: RawOp) -> str:
    """Return the last part of the name of an operation: `normal` for `mx.random.normal`."""
    return op.name.rsplit(".", 1)[-1].lower()


def is_view(op: RawOp) -> bool:
    """Whether an operation is a view, by its name."""
    return plain_name(op) in VIEWS


def runs_kernel(op: RawOp) -> bool:
    """Whether the device has something to do for it, by its name."""
    return not is_view(op) and plain_name(op) not in HOST_MADE


def elements(op: RawOp) -> int:
    """Return how many elements its output has."""
    count = 1
    for side in op.shape:
        count *= side
    return count
