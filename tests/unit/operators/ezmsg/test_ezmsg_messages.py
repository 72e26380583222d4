"""What processors see of a message."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from placement_cli.operators.ezmsg.messages import envelope


@pytest.mark.parametrize(
    ("shape", "dims"), [((8, 3), ["time", "ch"]), ((2, 8, 3), ["win", "time", "ch"])], ids=["samples", "windows"]
)
def test_dimensions_are_named_and_the_first_one_grows(shape: tuple[int, ...], dims: list[str], sigproc: Any) -> None:
    """Channels come last; messages accumulate along samples, or along windows where there are some."""
    data = np.zeros(shape)
    message = envelope(sigproc.load, shape)(data)
    assert message.data is data
    assert message.dims == dims
    assert message.stream_dim == dims[0]


def test_time_runs_at_one_sample_a_second_and_channels_have_labels(sigproc: Any) -> None:
    """Seconds and samples are the same number; every channel has a name of its own."""
    axes = envelope(sigproc.load, (8, 3))(np.zeros((8, 3))).axes
    assert (axes["time"].gain, axes["time"].offset, axes["time"].unit) == (1.0, 0.0, "s")
    assert axes["ch"].data.tolist() == ["ch0", "ch1", "ch2"]
    assert axes["ch"].dims == ["ch"]


def test_messages_share_all_but_their_data(sigproc: Any) -> None:
    """Equal objects tell a processor at once that the layout of the stream is the same."""
    enclose = envelope(sigproc.load, (8, 3))
    first, second = enclose(np.zeros((8, 3))), enclose(np.ones((5, 3)))
    assert all(first.axes[name] is second.axes[name] for name in first.dims)
    assert first.attrs is second.attrs
