"""Messages as ezmsg-sigproc takes them: an array with named dimensions, made around the arrays that nodes hand on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from placement_cli.operators.operator import Shape

DIMENSIONS = ("win", "time", "ch")
"""Windows, samples, channels; messages of samples and channels have the last two."""


def envelope(load: Callable[[str], Any], shape: Shape) -> Callable[[Any], Any]:
    """Return the function that puts an array shaped like `shape` (samples or windows first) into an AxisArray.

    Channels have labels and the first dimension is declared as the one that grows, as sources of ezmsg do it. All
    messages share their axes: processors then see at once that nothing but the data has changed. The time axis begins
    at 0 in every message, for no processor in use here reads where it begins.
    """
    axis_array = load("ezmsg.util.messages.axisarray").AxisArray
    dims = list(DIMENSIONS[-len(shape) :])
    axes = _axes(axis_array, dims, shape[-1])
    attrs: dict[str, Any] = {}
    stream = dims[0]

    def enclose(array: Any) -> Any:
        return axis_array(data=array, dims=dims, axes=axes, attrs=attrs, stream_dim=stream)

    return enclose


def _axes(axis_array: Any, dims: Sequence[str], channels: int) -> dict[str, Any]:
    import numpy as np

    labels = np.array([f"ch{number}" for number in range(channels)])
    axes = {name: axis_array.LinearAxis(unit="s", gain=1.0, offset=0.0) for name in dims[:-1]}
    return {**axes, dims[-1]: axis_array.CoordinateAxis(data=labels, dims=[dims[-1]])}
