"""A profile: everything measured and fitted about one backend of one machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from placement_cli.errors import UsageError
from placement_cli.profile.block_constants import BlockConstants, BlockPrice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from placement_cli.profile.constant import Constant
    from placement_cli.profile.key import ProfileKey
    from placement_cli.profile.validation import Validation

Confidence = Literal["calibrated", "published", "assumed"]
"""`calibrated` on the machine that `key` names, derived from `published` figures, or `assumed` to carry over."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The constants of one backend.

    `evaluation` holds what placement advice needs, `blocks` what block matmuls cost (None when that half was
    not measured), `validation` how the latter did on held-out timings. `provenance` is one sentence on where
    the numbers come from, `observations` the path of the raw timings, from the
    folder the profile is in.
    """

    name: str
    key: ProfileKey
    confidence: Confidence
    provenance: str
    evaluation: Mapping[str, Constant] = field(default_factory=dict)
    blocks: BlockConstants | None = None
    validation: Validation | None = None
    observations: str | None = None

    @property
    def price(self) -> BlockPrice:
        """What block matmuls cost by this profile, in seconds; raises UsageError when that half was not measured."""
        if self.blocks is None:
            raise UsageError(f"The profile {self.name} holds no costs of matrix products. Run `placement fit-costs`.")
        return BlockPrice.of(self.blocks)
