"""Reading and keeping profiles: one file a backend, thread count and element type, refused when it no longer fits."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from placement_cli.errors import NothingComparable, UnreadableInput, UsageError
from placement_cli.profile.conversion import from_document, to_document
from placement_cli.profile.document import PROFILE_SCHEMA, PROFILE_VERSION, ProfileDocument

if TYPE_CHECKING:
    from placement_cli.profile.key import ProfileKey
    from placement_cli.profile.profile import Profile

_AGAIN = "Fit again with `placement fit-costs`."


def save_profile(profile: Profile, directory: Path, tool_version: str) -> Path:
    """Write `profile` into `directory` under its key's name and return the path; a reader never sees half a file.

    Replaces what was there. Raises UsageError when it cannot be written.
    """
    path = directory / profile.key.file_name
    text = to_document(profile, tool_version).to_json()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=directory, prefix=".saving-") as folder:
            whole = Path(folder) / path.name
            whole.write_text(text, encoding="utf-8")
            whole.replace(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}).") from None
    return path


def load_profile(path: Path, key: ProfileKey | None = None) -> Profile:
    """Return the profile kept at `path`.

    Raises UnreadableInput when it cannot be read, and with a `key` NothingComparable when it was measured on
    another set-up, saying what differs.
    """
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise UnreadableInput(f"{path}: cannot be read ({error.strerror}).") from None
    except (ValueError, RecursionError) as error:
        raise UnreadableInput(f"{path}: this is no JSON ({error}).") from None
    profile = parse_profile(data, str(path))
    reasons = profile.key.stale_reasons(key) if key else ()
    if reasons:
        raise NothingComparable(f"{path}: the profile is stale: {'; '.join(reasons)}. {_AGAIN}")
    return profile


def find_profile(directory: Path, key: ProfileKey) -> Profile | None:
    """Return the profile in `directory` that is valid for `key`, None when none was saved for its backend.

    Raises as `load_profile` does, so a stale profile is never passed over in silence.
    """
    path = directory / key.file_name
    return load_profile(path, key) if path.exists() else None


def parse_profile(data: Any, where: str) -> Profile:
    """Return the profile in the JSON value `data`; `where` names the file in errors.

    Raises UnreadableInput when it is damaged, of another kind, or of a newer major version.
    """
    _check_version(data, where)
    try:
        return from_document(ProfileDocument.model_validate(data))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UnreadableInput(f"{where}: {place}: {first['msg']}. {_AGAIN}") from None
    except ValueError as error:
        raise UnreadableInput(f"{where}: {error}. {_AGAIN}") from None


def _check_version(data: Any, where: str) -> None:
    if not isinstance(data, dict) or data.get("schema") != PROFILE_SCHEMA:
        raise UnreadableInput(f"{where}: this is no document of a placement profile.")
    version = str(data.get("schema_version", ""))
    major = version.partition(".")[0]
    if not (major.isascii() and major.isdigit()):
        raise UnreadableInput(f"{where}: schema_version {version!r} is no version.")
    if int(major) > int(PROFILE_VERSION.partition(".")[0]):
        raise UnreadableInput(
            f"{where}: schema {version} is newer than this placement reads ({PROFILE_VERSION}). Update."
        )
