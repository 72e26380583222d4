"""What a price must know of a way of computing `x @ W`: shapes and counts, whatever class holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class ShapeLike(Protocol):
    """Shape of a block."""

    @property
    def rows(self) -> int:
        """Inputs."""

    @property
    def columns(self) -> int:
        """Outputs."""


class PartLike(Protocol):
    """A number of equal blocks computed in one way."""

    @property
    def kind(self) -> str:
        """How: one of the kinds of `terms.KINDS`."""

    @property
    def shape(self) -> ShapeLike:
        """Shape of each block."""

    @property
    def count(self) -> int:
        """How many blocks."""

    @property
    def accumulates(self) -> bool:
        """Whether the result is added to the output instead of written."""

    @property
    def calls(self) -> int:
        """Calls of a kernel."""

    @property
    def macs(self) -> int:
        """Multiply-accumulates a sample, which is also the weights touched."""


class FormulationLike(Protocol):
    """A way of computing `x @ W`; `blocks.formulation.Formulation` is one."""

    @property
    def n_in(self) -> int:
        """Inputs of the whole product."""

    @property
    def n_out(self) -> int:
        """Outputs of the whole product."""

    @property
    def parts(self) -> Sequence[PartLike]:
        """What is computed."""

    @property
    def gathered_in(self) -> int:
        """Channels copied by index before."""

    @property
    def gathered_out(self) -> int:
        """Outputs copied by index after."""

    @property
    def gathers(self) -> int:
        """Indexing calls this takes."""

    @property
    def zero_filled_out(self) -> int:
        """Outputs that no weight reaches and that are set to zero."""

    @property
    def compiled(self) -> bool:
        """Whether the graph of calls was compiled."""

    @property
    def calls(self) -> int:
        """Calls of a kernel, gathers not counted."""

    @property
    def macs(self) -> int:
        """Multiply-accumulates a sample, which is also the weights touched."""
