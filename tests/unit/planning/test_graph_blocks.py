"""What the block structure of the matrices in a graph is worth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from placement_cli.errors import UsageError
from placement_cli.graph.graph import BlockShape, Edge, Graph, GraphNode, GraphSource
from placement_cli.planning.graph_blocks import MOST_CHANNELS, BlockWorth, blocks_worth

CHANNELS = 512


def worth(*nodes: GraphNode, folder: Path = Path(), kind: str = "cpu", here: bool = False) -> dict[str, BlockWorth]:
    """Return what the matrices of some nodes are worth, for messages of 30 samples."""
    return blocks_worth(Graph(GraphSource(30, CHANNELS), nodes), folder, kind, here=here)


def node(name: str, *, weights: str | None = None, blocks: BlockShape | None = None) -> GraphNode:
    """Return a matrix across the channels of the source."""
    return GraphNode(name, (Edge("source"),), op="affine", weights=weights, blocks=blocks)


def banks(folder: Path) -> Path:
    """Write a matrix of 16 blocks of 32 channels into `folder`."""
    matrix = np.kron(np.eye(CHANNELS // 32), np.ones((32, 32))).astype(np.float32)
    matrix *= np.random.default_rng(0).standard_normal(matrix.shape).astype(np.float32)
    folder.mkdir(exist_ok=True)
    np.save(folder / "banks.npy", matrix)
    return folder


def test_blocks_that_are_described_are_worth_more_than_dense() -> None:
    """Sixteen blocks of 32 channels are a sixteenth of the products, and the way to use them has a name."""
    found = worth(node("decode", blocks=BlockShape(16, 32, 32)))
    assert found["decode"].gain > 1.2
    assert found["decode"].formulation != "dense"


def test_a_matrix_is_looked_for_beside_the_graph(tmp_path: Path) -> None:
    """Its path is read from the folder of the graph, wherever the command was started."""
    found = worth(node("decode", weights="banks.npy"), folder=banks(tmp_path / "graphs"))
    assert found["decode"].gain > 1.2


def test_a_dense_matrix_is_worth_nothing_more(tmp_path: Path) -> None:
    """Where every output reads every input, dense is the best way."""
    matrix = np.random.default_rng(0).standard_normal((CHANNELS, CHANNELS)).astype(np.float32)
    np.save(tmp_path / "full.npy", matrix)
    found = worth(node("decode", weights="full.npy"), folder=tmp_path)
    assert found["decode"] == BlockWorth(1.0, "dense", found["decode"].basis)


def test_only_nodes_with_a_matrix_are_priced() -> None:
    """A graph without matrices costs nothing to look at."""
    assert worth(node("plain"), GraphNode("rectify", (Edge("plain"),), op="abs")) == {}


def test_a_matrix_too_wide_for_a_remark_is_left_out() -> None:
    """A few words in a document must not take gigabytes."""
    assert worth(node("decode", blocks=BlockShape(MOST_CHANNELS, 2, 2))) == {}


def test_a_matrix_that_is_missing_is_told(tmp_path: Path) -> None:
    """Whoever names a file expects it to be read."""
    with pytest.raises(UsageError, match=r"none\.npy"):
        worth(node("decode", weights="none.npy"), folder=tmp_path)


@pytest.mark.parametrize(("kind", "basis"), [("cpu", "2 x86 cores"), ("metal", "ezmsg-sigproc")])
def test_the_costs_of_another_machine_say_so(kind: str, basis: str) -> None:
    """They come from what ships for the backend, and ask to measure where it will run."""
    found = worth(node("decode", blocks=BlockShape(16, 32, 32)), kind=kind)["decode"].basis
    assert basis in found
    assert "Measure where it will run." in found


def test_the_costs_that_were_measured_here_are_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On this machine a saved profile comes first; without one the basis says what would make it."""
    monkeypatch.setenv("PLACEMENT_PROFILES", str(tmp_path))
    found = worth(node("decode", blocks=BlockShape(16, 32, 32)), here=True)["decode"].basis
    assert "`placement fit-costs`" in found
