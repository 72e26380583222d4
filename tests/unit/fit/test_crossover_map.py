"""Where blocks begin to pay."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.blocks.pricing import upstream_price
from placement_cli.fit import crossover_map as module
from placement_cli.fit.crossover_map import BLOCKS, CHANNELS, SAMPLES, crossover_map


def test_a_map_has_every_size_and_length() -> None:
    """Rows of channels, cells of samples; no plan costs more than the dense product."""
    cells = crossover_map(upstream_price(), "numpy")
    assert [[(cell.channels, cell.samples) for cell in row] for row in cells] == [
        [(channels, samples) for samples in SAMPLES] for channels in CHANNELS
    ]
    assert all(cell.gain >= 1 for row in cells for cell in row)
    assert all((cell.kind == "dense") == (cell.gain == 1) for row in cells for cell in row)


@pytest.mark.parametrize(("call_s", "kind", "gain"), [(0.0, "loop", BLOCKS), (1e9, "dense", 1.0)])
def test_cheap_calls_give_all_there_is_to_gain(
    call_s: float, kind: str, gain: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks are as many times cheaper as there are of them; where calls are all that costs, nothing is gained."""

    def price(formulation: Any, samples: int) -> float:
        blocks = sum(part.count for part in formulation.parts)
        other = formulation.kind not in ("dense", "loop")
        return (samples * formulation.macs + call_s * (blocks - 1)) * (2 if other else 1)

    monkeypatch.setattr(module, "CHANNELS", (64, 128))
    cells = [cell for row in crossover_map(price, "numpy") for cell in row]
    assert {cell.kind for cell in cells} == {kind}
    assert [cell.gain for cell in cells] == pytest.approx([gain] * len(cells))
