"""What a scenario document may say, and where its mistakes are."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.bench.scenario_file import load_scenario, parse_scenario
from placement_cli.bench.scenario_schema import MAX_AXES, MAX_TEXT
from placement_cli.errors import UsageError
from placement_cli.measure.specs import Reading

SCENARIO = """\
version: 1
name: mine
question: What is it?
reading: stream
source: {chunk: $chunk}
axes:
  chunk: [8x4, 16x4]
  kind: [add]
arms: [async, off, sync]
base: async
control: {chunk: 16x4}
quick: {chunk: 8x4, arms: [false]}
nodes:
  left:  {op: abs, inputs: source}
  right: {op: scale, params: {gain: 2}, inputs: source}
  both:  {op: join, params: {kind: $kind}, inputs: [left, right], repeat: 1}
"""


def test_a_scenario_is_read_with_its_defaults() -> None:
    """Keys that are not given have their defaults, the rest is as written, in the order of the file."""
    document = parse_scenario(SCENARIO, "f").document

    assert document.name == "mine"
    assert document.reading is Reading.STREAM
    assert document.source.dtype == "float32"
    assert document.messages is None
    assert list(document.nodes) == ["left", "right", "both"]
    assert document.nodes["left"].inputs == ("source",)
    assert document.nodes["both"].inputs == ("left", "right")
    assert document.nodes["left"].repeat is None


def test_a_scalar_is_a_list_of_one() -> None:
    """Arms, values of axes and inputs may be written without brackets."""
    document = parse_scenario(SCENARIO.replace("[async, off, sync]", "async"), "f").document

    assert document.arms == ("async",)


def test_yamls_false_is_off() -> None:
    """Writers of YAML 1.1 spell the mode off as false."""
    document = parse_scenario(SCENARIO.replace("[async, off, sync]", "[async, false]"), "f").document

    assert document.arms == ("async", "off")
    assert document.quick["arms"] == ("off",)


ERRORS = [
    ("version: 1", "version: 2", "1:10: version: version 2 is newer than this program reads; expected 1"),
    ("version: 1", "version: true", "1:10: version: expected 1"),
    ("version: 1", "version: '1'", "1:10: version: expected 1"),
    ("version: 1\n", "", "1:1: the scenario needs the key 'version'"),
    ("version: 1", "verson: 1", "1:1: the scenario needs the key 'version'"),
    ("name: mine\n", "", "1:1: the scenario needs the key 'name'"),
    ("name: mine", "name: '[red]mine'", "2:7: name: '[red]mine' is not a name; expected up to 64 letters"),
    ("name: mine", "name: ../x", "2:7: name: '../x' is not a name"),
    ("name: mine", "name: " + "x" * 65, "2:7: name: 'xxxx"),
    ("What is it?", "''", "3:11: question: expected one line of text"),
    ("What is it?", "3", "3:11: question: expected one line of text"),
    ("What is it?", '"a\\nb"', "3:11: question: expected one line of text"),
    ("What is it?", "x" * 201, "3:11: question: expected one line of text, at most 200 characters"),
    ("reading: stream", "reading: steam", "4:10: reading: 'steam' is not a reading. Did you mean 'stream'?"),
    ("reading: stream", "reading: [stream]", "4:10: reading: "),
    ("reading: stream", "reading: paced", "4:10: reading paced needs the key 'rate'"),
    ("reading: stream", "reading: queue", "4:10: reading queue needs the key 'messages'"),
    ("reading: stream", "reading: pending", "4:10: reading pending needs the key 'messages'"),
    ("reading: stream", "reading: stream\nrate: 3", "5:1: reading stream takes no rate"),
    ("reading: stream", "reading: burst\nduration: 3", "5:1: reading burst takes no duration"),
    ("reading: stream", "reading: paced\nrate: 3\nduration: 1\nmessages: 3", "7:1: reading paced takes no messages"),
    ("source: {chunk: $chunk}", "source: {}", "5:9: source needs the key 'chunk'"),
    ("source: {chunk: $chunk}", "source: 8x4", "5:9: source: expected a mapping, not '8x4'"),
    ("{chunk: $chunk}", "{chunk: $chunk, dtpe: x}", "5:25: 'dtpe' is no key of source. Did you mean 'dtype'?"),
    ("{chunk: $chunk}", "{chunk: $chnk}", "5:17: '$chnk' is no axis of this scenario. Did you mean 'chunk'?"),
    ("{chunk: $chunk}", "{chunk: [1x1]}", "5:17: source.chunk: expected a number, a word or $AXIS, not a list"),
    ("{chunk: $chunk}", "{chunk: null}", "5:17: source.chunk: expected a number, a word or $AXIS, not nothing"),
    ("axes:", "axs:", "6:1: 'axs' is no key of the scenario. Did you mean 'axes'?"),
    ("[8x4, 16x4]", "[]", "7:10: axes.chunk: is empty"),
    ("[8x4, 16x4]", "[{a: 1}]", "7:10: axes.chunk: expected a number, a word or $AXIS, not a mapping"),
    ("[8x4, 16x4]", "''", "7:10: axes.chunk: expected a word, not ''"),
    ("[8x4, 16x4]", "x" * (MAX_TEXT + 1), "7:10: axes.chunk: 'xxxx"),
    ("  kind: [add]", "  kind: [add]\n  spare: 1", "9:3: axis 'spare' is never used; write $spare somewhere"),
    ("  kind: [add]", "  kind: [add]\n  arms: 1", "9:3: axes.arms: 'arms' is a key of the scenario"),
    ("  kind: [add]", "  kind: [add]\n  a b: 1", "9:3: axes.a b: 'a b' is not a name"),
    (
        "  kind: [add]",
        "\n".join(["  kind: [add]", *(f"  a{number}: 1" for number in range(MAX_AXES))]),
        f"7:3: axes: holds too many; expected at most {MAX_AXES}",
    ),
    ("[async, off, sync]", "[]", "9:7: arms: is empty"),
    ("[async, off, sync]", "[async, 3]", "9:7: arms: expected a word, not '3'"),
    ("base: async", "base: [async]", "10:7: base: expected a word, not a list"),
    ("control: {chunk: 16x4}", "control: 3", "11:10: control: expected a mapping, not '3'"),
    ("control: {chunk: 16x4}", "control: {chunk: [1]}", "11:18: control.chunk: expected a number"),
    ("quick: {chunk: 8x4", "quick: {a b: 8x4", "12:9: quick.a b: 'a b' is not a name"),
    ("left:  {op: abs, ", "left:  {", "14:10: node 'left' needs the key 'op'"),
    ("left:  {op: abs", "left:  {op: 3", "14:15: node 'left'.op: expected a word, not '3'"),
    ("left:  {op: abs", "left:  {opp: abs", "14:11: 'opp' is no key of node 'left'. Did you mean 'op'?"),
    ("  left: ", "  'le ft': ", "14:3: node 'le ft': 'le ft' is not a name"),
    ("  left: ", "  source: ", "14:3: node 'source': 'source' is a word of the scenario language"),
    ("  left: ", "  tail: ", "14:3: node 'tail': 'tail' is a word of the scenario language"),
    ("  left: ", "  right: ", "15:3: key 'right' is given twice (first in line 14)"),
    ("params: {gain: 2}", "params: [2]", "15:30: node 'right'.params: expected a mapping, not '[2]'"),
    ("params: {gain: 2}", "params: {gain: true}", "15:37: node 'right'.params.gain: expected a number"),
    ("params: {gain: 2}", "params: {gain: $gian}", "15:37: '$gian' is no axis of this scenario"),
    ("params: {gain: 2}", "params: {gain: $messages}", "15:37: '$messages' is no axis of this scenario"),
    ("[left, right]", "[]", "16:52: node 'both'.inputs: is empty"),
    ("[left, right]", "[left, 3]", "16:52: node 'both'.inputs: expected a word, not '3'"),
    ("repeat: 1", "repeat: [1]", "16:75: node 'both'.repeat: expected a number"),
    ("repeat: 1", "repeat: $many", "16:75: '$many' is no axis of this scenario"),
]


@pytest.mark.parametrize(("old", "new", "message"), ERRORS)
def test_each_mistake_is_named_with_file_line_and_column(old: str, new: str, message: str) -> None:
    """One sentence says where, what, and what would be right."""
    assert old in SCENARIO
    with pytest.raises(UsageError) as raised:
        parse_scenario(SCENARIO.replace(old, new, 1), "f.yaml")

    assert str(raised.value).startswith(f"f.yaml:{message}")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("text", ["null", "3", "[1]", "text"])
def test_a_document_must_be_a_mapping(text: str) -> None:
    """Anything else is no scenario."""
    with pytest.raises(UsageError, match="f:1:1: expected a mapping"):
        parse_scenario(text, "f")


@pytest.mark.parametrize("nodes", ["{}", "[]", "3"])
def test_a_scenario_has_nodes(nodes: str) -> None:
    """An empty pipeline cannot be measured."""
    text = SCENARIO[: SCENARIO.index("nodes:")] + f"nodes: {nodes}\n"

    with pytest.raises(UsageError, match="f:13:8: nodes: "):
        parse_scenario(text, "f")


def test_the_first_mistake_of_the_file_is_reported() -> None:
    """Of several mistakes the one that stands first is named."""
    text = SCENARIO.replace("base: async", "bse: async").replace("reading: stream", "reading: steam")

    with pytest.raises(UsageError, match="f:4:10: reading"):
        parse_scenario(text, "f")


def test_a_newer_version_is_named_before_any_other_mistake() -> None:
    """What a newer version adds is not called a mistake."""
    text = SCENARIO.replace("version: 1\n", "novelty: 1\n") + "version: 2\n"

    with pytest.raises(UsageError, match="f:17:10: version: version 2 is newer"):
        parse_scenario(text, "f")


def test_settings_may_follow_an_axis_and_be_referred_to() -> None:
    """`messages: $n` follows an axis; `$messages` stands for a setting where no axis has that name."""
    follows = SCENARIO.replace("kind: [add]", "kind: [add]\n  n: [1]").replace("base:", "messages: $n\nbase:")
    referred = SCENARIO.replace("base:", "messages: 4\nbase:").replace("gain: 2", "gain: $messages")

    assert parse_scenario(follows, "f").document.messages == "$n"
    assert parse_scenario(referred, "f").document.messages == 4


def test_a_setting_cannot_follow_a_setting() -> None:
    """A setting refers to axes alone, so that nothing runs in circles."""
    text = SCENARIO.replace("base:", "messages: $messages\nbase:")

    with pytest.raises(UsageError, match=r"f:10:11: '\$messages' is no axis"):
        parse_scenario(text, "f")


def test_a_file_is_called_by_its_path(tmp_path: Path) -> None:
    """Errors name the path as it was given, with nothing in it that a terminal would obey."""
    path = tmp_path / "a\x1b[31m.yaml"
    path.write_text("version: 3\n")

    with pytest.raises(UsageError) as raised:
        load_scenario(path)

    assert str(raised.value).startswith(f"{tmp_path}/a?[31m.yaml:1:10: version")


def test_a_file_is_read(tmp_path: Path) -> None:
    """A file holds the same document as its text."""
    path = tmp_path / "mine.yaml"
    path.write_text(SCENARIO)

    file = load_scenario(path)

    assert file.document == parse_scenario(SCENARIO, "f").document
    assert file.origin == str(path)


@settings(deadline=None)
@given(st.integers(0, len(SCENARIO)), st.integers(0, 12), st.text(alphabet="a1:{}[]$,-@ \n'x", max_size=4))
def test_a_damaged_scenario_is_read_or_refused(start: int, length: int, text: str) -> None:
    """Whatever is cut out of a scenario and put in its place, nothing but a usage error comes of it."""
    damaged = SCENARIO[:start] + text + SCENARIO[start + length :]
    with suppress(UsageError):
        assert parse_scenario(damaged, "f").document.version == 1
