"""Where the arms of a run were measured, in the words that other formats have for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from placement_cli.store.run_document import RunDocument, SideRecord


@dataclass(frozen=True, slots=True)
class MachineFacts:
    """The facts that decide whether runs compare, and their fingerprint."""

    stable: Mapping[str, Any]
    fingerprint: str

    @property
    def system(self) -> str:
        """The operating system and its version, such as `macOS 15.1`."""
        return " ".join(str(part) for part in (self.stable.get("os"), self.stable.get("os_version")) if part)

    @property
    def line(self) -> str:
        """Chip, system and MLX in one line."""
        mlx = f"MLX {self.stable.get('mlx')} on {self.stable.get('backend')}"
        return ", ".join(str(part) for part in (self.stable.get("chip"), self.system, mlx) if part)


def machine_facts(document: RunDocument, arm: str | None = None) -> MachineFacts:
    """Return the facts of the run, or, of a gate, those of the side that `arm` was measured with."""
    side = side_of(document, arm)
    return (
        MachineFacts(side.stable, side.fingerprint)
        if side
        else MachineFacts(document.env.stable, document.env.fingerprint)
    )


def side_of(document: RunDocument, arm: str | None) -> SideRecord | None:
    """Return the side of a gate that `arm` belongs to, None where there is no gate or no such arm."""
    if document.gate is None:
        return None
    return {"base": document.gate.base, "new": document.gate.new}.get(arm or "")
