"""Between a profile and its document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placement_cli.profile.block_constants import THRESHOLD_UNITS, BlockConstants
from placement_cli.profile.constant import Constant
from placement_cli.profile.document import (
    ConstantRecord,
    DiagnosticRecord,
    EnvRecord,
    ProfileDocument,
    ToolRecord,
    ValidationRecord,
)
from placement_cli.profile.key import ProfileKey
from placement_cli.profile.profile import Profile
from placement_cli.profile.terms import UNITS, Thresholds
from placement_cli.profile.upstream import UPSTREAM_UNITS, UpstreamConstants
from placement_cli.profile.validation import Validation

if TYPE_CHECKING:
    from collections.abc import Mapping

_THRESHOLD_SOURCE = "chosen from a grid, which gives no interval"


def to_document(profile: Profile, tool_version: str) -> ProfileDocument:
    """Return the document of `profile`, written by the version `tool_version` of this program."""
    key = profile.key
    return ProfileDocument(
        tool=ToolRecord(name="placement", version=tool_version),
        name=profile.name,
        env=EnvRecord(machine=key.machine, threads=key.threads, dtype=key.dtype, versions=dict(key.versions)),
        backend=key.backend,
        confidence=profile.confidence,
        provenance=profile.provenance,
        evaluation=_records(profile.evaluation),
        blocks=_block_records(profile.blocks) if profile.blocks else None,
        dispatched=bool(profile.blocks and profile.blocks.upstream and profile.blocks.upstream.dispatched),
        item_bytes=profile.blocks.item_bytes if profile.blocks else 4,
        validation=_validation_record(profile.validation) if profile.validation else None,
        observations=profile.observations,
        diagnostics=_diagnostics(profile),
    )


def from_document(document: ProfileDocument) -> Profile:
    """Return the profile that `document` describes; raises ValueError when a constant it needs is missing or odd."""
    env = document.env
    return Profile(
        document.name,
        ProfileKey(env.machine, document.backend, env.threads, env.dtype, env.versions),
        document.confidence,
        document.provenance,
        _constants(document.evaluation),
        _blocks(document) if document.blocks is not None else None,
        _validation(document.validation) if document.validation else None,
        document.observations,
    )


def _record(constant: Constant) -> ConstantRecord:
    return ConstantRecord(
        value=constant.value,
        low=constant.low,
        high=constant.high,
        unit=constant.unit,
        identified=constant.identified,
        source=constant.source,
    )


def _records(constants: Mapping[str, Constant]) -> dict[str, ConstantRecord]:
    return {name: _record(constant) for name, constant in constants.items()}


def _constants(records: Mapping[str, ConstantRecord]) -> dict[str, Constant]:
    return {name: Constant(**record.model_dump()) for name, record in records.items()}


def _block_records(blocks: BlockConstants) -> dict[str, ConstantRecord]:
    chosen = {
        name: Constant(float(getattr(blocks.thresholds, name)), None, None, unit, True, _THRESHOLD_SOURCE)
        for name, unit in THRESHOLD_UNITS.items()
    }
    upstream = {name: getattr(blocks.upstream, name) for name in UPSTREAM_UNITS} if blocks.upstream else {}
    return _records({**blocks.prices, **chosen, **upstream})


def _blocks(document: ProfileDocument) -> BlockConstants:
    constants = _constants(document.blocks or {})
    needed = [*UNITS, *THRESHOLD_UNITS]
    missing = [name for name in needed if name not in constants]
    if missing:
        raise ValueError(f"blocks lacks {', '.join(missing)}")
    return BlockConstants(
        {name: constants[name] for name in UNITS},
        Thresholds(**{name: constants[name].value for name in THRESHOLD_UNITS}),
        _upstream(constants, document.dispatched),
        document.item_bytes,
    )


def _upstream(constants: Mapping[str, Constant], dispatched: bool) -> UpstreamConstants | None:
    if not constants.keys() >= UPSTREAM_UNITS.keys():
        return None
    return UpstreamConstants(**{name: constants[name] for name in UPSTREAM_UNITS}, dispatched=dispatched)


def _validation_record(validation: Validation) -> ValidationRecord:
    return ValidationRecord.model_validate(
        {name: getattr(validation, name) for name in ValidationRecord.model_fields}, from_attributes=True
    )


def _validation(record: ValidationRecord) -> Validation:
    return Validation(**record.model_dump() | {"misses": tuple(record.misses)})


def _diagnostics(profile: Profile) -> list[DiagnosticRecord]:
    found = []
    if profile.validation and not profile.validation.passed:
        text = f"choices are to be measured, not predicted: {'; '.join(profile.validation.misses)}"
        found.append(DiagnosticRecord(level="warning", code="fit-missed-gate", text=text))
    undetermined = profile.blocks.undetermined if profile.blocks else ()
    if undetermined:
        text = f"the timings did not determine {', '.join(undetermined)}"
        found.append(DiagnosticRecord(level="info", code="not-identified", text=text))
    return found
