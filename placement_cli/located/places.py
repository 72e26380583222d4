"""Where a value was given: a line of a document, or an option of the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from placement_cli.errors import UsageError

Path = tuple[str | int, ...]
"""The way to a value in a document: keys of mappings and positions in lists."""
Scalar = int | float | str
"""A single value."""
Mark = tuple[int, int]
"""Line and column, both counted from 1."""
NOWHERE: Mark = (0, 0)
"""The mark of what stands in no document."""


@dataclass(frozen=True, slots=True)
class Given:
    """A value and the place it was given at, as people read it (`FILE:LINE:COLUMN` or `--set KEY`)."""

    value: Scalar
    place: str

    def error(self, message: str) -> UsageError:
        """Return the error that says `message` about this value."""
        return UsageError(f"{self.place}: {message}")


@dataclass(frozen=True, slots=True)
class Places:
    """Where the keys and values of one document stand; `origin` is how the document is called."""

    origin: str
    values: Mapping[Path, Mark]
    keys: Mapping[Path, Mark]

    def of(self, *path: str | int) -> str:
        """Return the place of the value at `path`, or of the nearest one around it that exists."""
        return self._text(self.mark(*path))

    def of_key(self, *path: str | int) -> str:
        """Return the place of the key that ends `path`, or of the nearest value around it."""
        return self._text(self.key_mark(*path))

    def mark(self, *path: str | int) -> Mark:
        """Return line and column of the value at `path`, or of the nearest one around it; `NOWHERE` without any."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.values:
                return self.values[path[:length]]
        return NOWHERE

    def key_mark(self, *path: str | int) -> Mark:
        """Return line and column of the key that ends `path`, or of the nearest value around it."""
        return self.keys.get(path) or self.mark(*path)

    def error(self, path: Path, message: str) -> UsageError:
        """Return the error that says `message` about the value at `path`."""
        return UsageError(f"{self.of(*path)}: {message}")

    def _text(self, mark: Mark) -> str:
        return self.origin if mark == NOWHERE else f"{self.origin}:{mark[0]}:{mark[1]}"


@contextmanager
def at(place: str) -> Iterator[None]:
    """Put `place` in front of every usage error raised inside."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from None


def shown_path(path: object) -> str:
    """Return the path of a file for messages, with what cannot be printed as question marks."""
    return "".join(character if character.isprintable() else "?" for character in str(path))


QUOTED_CHARACTERS = 60


def quoted(text: object) -> str:
    """Return `text` for a message: in quotes, with control characters written out, and never long."""
    shown = str(text)
    if len(shown) > QUOTED_CHARACTERS:
        shown = shown[: QUOTED_CHARACTERS - 1] + "…"
    return repr(shown)
