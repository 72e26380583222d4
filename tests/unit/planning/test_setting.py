"""Where a product will be computed."""

from __future__ import annotations

import sys
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from placement_cli.planning.setting import Setting, mlx_device, setting_of


@pytest.mark.parametrize(
    ("dtype", "taken"), [("float32", "float32"), ("float64", "float64"), ("int16", "float32"), ("complex64", "float32")]
)
def test_numpy_computes_in_the_type_of_its_weights(dtype: str, taken: str) -> None:
    """With the threads its library has now; types without costs of their own count as float32."""
    with threadpool_limits(1):
        assert setting_of(np.eye(2, dtype=dtype)) == Setting("numpy", 1, taken)
    assert not setting_of(np.eye(2)).on_mlx


def test_weights_of_mlx_are_computed_by_mlx() -> None:
    """On its default device, with no setting for threads."""
    setting = setting_of(mx.eye(2, dtype=mx.bfloat16))
    assert setting == Setting(f"mlx-{mlx_device()}", 1, "bfloat16")
    assert setting.on_mlx


def test_dispatched_weights_of_numpy_become_float32() -> None:
    """That is what MLX makes of them, whatever they were."""
    assert setting_of(np.eye(2), dispatched=True) == Setting(f"mlx-{mlx_device()}", 1, "float32")
    assert setting_of([[1.0]]).dtype == "float32"


def test_the_default_device_is_asked_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipeline may change it between two plans."""
    devices = iter([mx.gpu, mx.cpu, mx.gpu])
    monkeypatch.setattr(mx, "default_device", lambda: mx.Device(next(devices)))
    assert [mlx_device() for _ in range(3)] == ["gpu", "cpu", "gpu"]


def test_without_mlx_a_gpu_is_planned_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans can be made where MLX is not installed."""
    missing: Any = None
    for name in ("mlx", "mlx.core"):
        monkeypatch.setitem(sys.modules, name, missing)
    assert mlx_device() == "gpu"
