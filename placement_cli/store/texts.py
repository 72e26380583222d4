"""Texts of documents that come from names of files, which need not be UTF-8."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator


def encodable(text: str) -> str:
    """Return `text` with what JSON cannot hold escaped: bytes of a path, which Python keeps as lone surrogates."""
    return text.encode("utf-8", "backslashreplace").decode()


FileText = Annotated[str, BeforeValidator(lambda value: encodable(value) if isinstance(value, str) else value)]
"""A text with the name of a file in it."""
