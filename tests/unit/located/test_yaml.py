"""Reading YAML from strangers: plain values, each with its line and column, within limits."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.errors import UsageError
from placement_cli.located.yaml import YamlLimits, read_yaml, read_yaml_file

LIMITS = YamlLimits("a scenario", max_bytes=256 * 1024, max_depth=8, max_values=4096)


def test_values_come_out_plain() -> None:
    """Numbers, booleans, null and text have their YAML 1.2 meaning; off and yes are text."""
    data, _ = read_yaml("{a: 1, b: 2.5, c: true, d: null, e: off, f: yes, g: '3', h: 1e3, i: [x], j: 010}", "f", LIMITS)

    assert data == {
        "a": 1,
        "b": 2.5,
        "c": True,
        "d": None,
        "e": "off",
        "f": "yes",
        "g": "3",
        "h": 1000.0,
        "i": ["x"],
        "j": 10,
    }


def test_what_looks_like_a_date_stays_text() -> None:
    """No value becomes anything but a number, a boolean, null or text."""
    assert read_yaml("{a: 2020-01-01, b: =}", "f", LIMITS)[0] == {"a": "2020-01-01", "b": "="}


def test_keys_are_text_as_written() -> None:
    """A node may be called 1 or off."""
    assert read_yaml("{1: a, off: b, 2.0: c}", "f", LIMITS)[0] == {"1": "a", "off": "b", "2.0": "c"}


def test_every_key_and_value_has_its_line_and_column() -> None:
    """Places count lines and columns from 1, in block and in flow style."""
    _, places = read_yaml("a:\n  b: [1,\n      2]\nc: x\n", "f", LIMITS)

    assert places.of_key("a", "b") == "f:2:3"
    assert places.of("a", "b") == "f:2:6"
    assert places.of("a", "b", 1) == "f:3:7"
    assert places.of("c") == "f:4:4"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f: is empty"),
        ("# a remark", "f: is empty"),
        ("a: 1\na: 2", "f:2:1: key 'a' is given twice (first in line 1)"),
        ("a: {b: 1,\n b: 2}", "f:2:2: key 'b' is given twice (first in line 1)"),
        ("a: &x 1", "f:1:4: anchors (&) and aliases (*) are not taken"),
        ("a: *x", "f:1:4: anchors (&) and aliases (*) are not taken"),
        ("a: !!str 1", "f:1:4: tags (!) are not taken"),
        ("a: !!python/object/apply:os.system [x]", "f:1:4: tags (!) are not taken"),
        ("a: !x {}", "f:1:4: tags (!) are not taken"),
        ("a: 1\n---\nb: 2", "f:2:1: a second document begins here"),
        ("%YAML 1.1\n---\na: no", "f:2:1: directives"),
        ("a: b: c", "f:1:5: is not YAML: mapping values are not allowed here"),
        ("a: [1", "f:1:6: is not YAML"),
        ("a: 1\nb: \tx", "f:2:4: is not YAML"),
        ("a: 1\nb: x\x07y", "f:2:5: holds a character that YAML does not allow"),
        ("? [a]\n: 1", "f:1:3: a key must be a name"),
        ("'': 1", "f:1:1: a key must be a name"),
        ("a: .inf", "f:1:4: '.inf' is not a plain decimal number"),
        ("a: .nan", "f:1:4: '.nan' is not a plain decimal number"),
        ("a: 1e999", "f:1:4: '1e999' is not a plain decimal number"),
        ("a: 0x1f", "f:1:4: '0x1f' is not a plain decimal number"),
        ("a: 1_000", "f:1:4: '1_000' is not a plain decimal number"),
        ("a: " + "9" * 5000, "f:1:4: '9999"),
    ],
)
def test_what_is_refused_is_named_with_its_place(text: str, message: str) -> None:
    """Everything a scenario does not need is one sentence with line and column."""
    with pytest.raises(UsageError) as raised:
        read_yaml(text, "f", LIMITS)

    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_deep_nesting_is_refused_before_it_is_read(opening: str) -> None:
    """A quarter megabyte of brackets is refused at the first that is too deep."""
    with pytest.raises(UsageError, match=f"nested deeper than {LIMITS.max_depth} levels"):
        read_yaml(opening * 20_000, "f", LIMITS)


def test_as_deep_as_allowed_is_read() -> None:
    """The limit itself is allowed."""
    text = "[" * LIMITS.max_depth + "]" * LIMITS.max_depth

    assert read_yaml(text, "f", LIMITS)[0] is not None


def test_too_many_values_are_refused() -> None:
    """A document of thousands of values is no scenario."""
    with pytest.raises(UsageError, match=f"more than {LIMITS.max_values} keys and values"):
        read_yaml("[" + "1," * LIMITS.max_values + "]", "f", LIMITS)


def test_a_file_is_read_with_its_name(tmp_path: Path) -> None:
    """A byte order mark is no part of the document."""
    path = tmp_path / "s.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\n")

    data, places = read_yaml_file(path, "s.yaml", LIMITS)

    assert data == {"a": 1}
    assert places.of("a") == "s.yaml:1:4"


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    """No more than the limit is ever read."""
    path = tmp_path / "s.yaml"
    path.write_bytes(b"#" * (LIMITS.max_bytes + 1))

    with pytest.raises(UsageError, match=r"s.yaml: is larger than 256 KiB"):
        read_yaml_file(path, "s.yaml", LIMITS)


def test_bytes_that_are_no_text_are_refused_with_their_place(tmp_path: Path) -> None:
    """The line and column of the first byte that is not UTF-8 are named."""
    path = tmp_path / "s.yaml"
    path.write_bytes(b"a: 1\nb: \xff\n")

    with pytest.raises(UsageError, match=r"s.yaml:2:4: is not UTF-8 text"):
        read_yaml_file(path, "s.yaml", LIMITS)


@pytest.mark.parametrize("name", ["absent.yaml", ".", "nul\0byte.yaml"])
def test_what_cannot_be_opened_is_said_in_one_sentence(tmp_path: Path, name: str) -> None:
    """A missing file, a folder and an impossible name are mistakes of the user, not of the program."""
    with pytest.raises(UsageError, match=r"^s: cannot be read: "):
        read_yaml_file(tmp_path / name, "s", LIMITS)


def refusal(text: str) -> str:
    """Return what the reader says of a text, nothing when it reads it."""
    try:
        read_yaml(text, "f", LIMITS)
    except UsageError as error:
        return str(error)
    return ""


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text makes the reader raise anything but a usage error."""
    assert refusal(text)[:1] in ("", "f")


@settings(deadline=None)
@given(st.text(alphabet="ab:{}[]-,&*!%'\"|>? \n\t#0.", max_size=60))
def test_any_yaml_like_text_is_read_or_refused(text: str) -> None:
    """The same for text made of the characters that YAML gives a meaning."""
    assert refusal(text)[:1] in ("", "f")
