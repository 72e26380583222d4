"""What a document need not say: what follows from the operator of a node and from the rate of the source."""

from __future__ import annotations

from placement_cli.graph.graph import Backend, SourceKind, State
from placement_cli.operators.operator import Operator


def default_state(operator: Operator | None) -> State:
    """Return the state of a node with this operator."""
    return "carried" if operator is not None and operator.carries_state else "none"


def default_backend(operator: Operator | None) -> Backend:
    """Return where a node with this operator works."""
    return "mlx" if operator is None else operator.backend


def default_kind(rate: float | None) -> SourceKind:
    """Return the kind of a source with this rate: what comes at a rate is live, anything else is replayed."""
    return "replay" if rate is None else "live"
