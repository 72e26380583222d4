"""What a profile is valid for: a machine, a backend with its threads and element type, and versions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class ProfileKey:
    """The set-up that a profile was measured on.

    `machine` names the chip as the system reports it, `backend` is `numpy`, `mlx-cpu` or `mlx-gpu`, `threads`
    those of the BLAS (1 where the backend has no such setting). `versions` maps what decides the constants to
    its version, such as `numpy`, `mlx`, `blas`.
    """

    machine: str
    backend: str
    threads: int
    dtype: str = "float32"
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def file_name(self) -> str:
        """The name of the file a profile is kept in: one a backend, thread count and element type.

        Machine and versions are left out on purpose: a profile that no longer fits is then found and refused
        with the reason, where a name with them in it would only look as if none had been made.
        """
        threads = f"{self.threads}-thread{'s' if self.threads != 1 else ''}"
        return f"{self.backend}-{threads}-{self.dtype}.json"

    def stale_reasons(self, current: ProfileKey) -> tuple[str, ...]:
        """Return why a profile with this key is not valid for `current`, one sentence part a reason."""
        named = (
            ("the machine", self.machine, current.machine),
            ("the backend", self.backend, current.backend),
            ("the number of threads", str(self.threads), str(current.threads)),
            ("the element type", self.dtype, current.dtype),
            *(
                (
                    f"the version of {name}",
                    self.versions.get(name, "absent"),
                    current.versions.get(name, "absent"),
                )
                for name in sorted({*self.versions, *current.versions})
            ),
        )
        return tuple(f"{what} was {old} and is {new}" for what, old, new in named if old != new)
