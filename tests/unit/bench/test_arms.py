"""The grammar of arms."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.bench.arms import EVERY_NODE, MAX_WINDOW, SITE_WORDS, TAIL, ArmSpec, parse_arm
from placement_cli.errors import UsageError
from placement_cli.measure.specs import ArmMode

NODE_NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,10}", fullmatch=True).filter(
    lambda name: name not in SITE_WORDS
)
SITES = st.lists(NODE_NAMES | st.sampled_from([TAIL, EVERY_NODE]), min_size=1, max_size=4, unique=True)


@st.composite
def arm_specs(draw: st.DrawFn) -> ArmSpec:
    """Draw any arm that the grammar can write."""
    mode = draw(st.sampled_from(ArmMode))
    depth = draw(st.integers(1, MAX_WINDOW)) if mode in (ArmMode.WINDOW, ArmMode.EVERY) else 0
    if mode is ArmMode.OFF:
        return ArmSpec(mode, values=draw(st.booleans()))
    return ArmSpec(mode, depth, tuple(draw(SITES)), draw(st.booleans()), draw(st.booleans()))


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("off", ArmSpec(ArmMode.OFF)),
        ("off+values", ArmSpec(ArmMode.OFF, values=True)),
        ("async", ArmSpec(ArmMode.ASYNC)),
        ("async@tail", ArmSpec(ArmMode.ASYNC)),
        (" sync@every-node ", ArmSpec(ArmMode.SYNC, sites=("every-node",))),
        ("async@a+b.1+state", ArmSpec(ArmMode.ASYNC, sites=("a", "b.1"), state=True)),
        ("async+state+values", ArmSpec(ArmMode.ASYNC, state=True, values=True)),
        ("async+values+state", ArmSpec(ArmMode.ASYNC, state=True, values=True)),
        ("window:4", ArmSpec(ArmMode.WINDOW, 4)),
        ("window:2@a+values", ArmSpec(ArmMode.WINDOW, 2, ("a",), values=True)),
        ("every:10@every-node", ArmSpec(ArmMode.EVERY, 10, ("every-node",))),
    ],
)
def test_arms_are_read(text: str, spec: ArmSpec) -> None:
    """Every part of the grammar has its meaning, and the tail is the default site."""
    assert parse_arm(text) == spec


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a mode"),
        ("asinc", "'asinc' is not a mode. Did you mean 'async'?"),
        ("ASYNC", "'ASYNC' is not a mode"),
        ("async:4", "async takes no number"),
        ("window", "window needs a number from 1 to 1024, such as window:4"),
        ("window:", "window needs a number"),
        ("window:0", "window needs a number"),
        ("window:9999", "window needs a number"),
        ("window:x", "window needs a number"),
        ("every:-1", "every needs a number"),
        ("async@", "'' is not a site"),
        ("async@a+", "'' is not a site"),
        ("async@state", "'state' is not a site"),
        ("async@a+state+b", "'state' is not a site"),
        ("async@a b", "'a b' is not a site"),
        ("async@a+a", "site 'a' is given twice"),
        ("async@a@b", "'a@b' is not a site"),
        ("async+states", "'states' is neither +state nor +values"),
        ("async+state+state", "+state is given twice"),
        ("async@a+state+state", "+state is given twice"),
        ("async+state@a", "+state and +values come after the sites"),
        ("off@a", "off evaluates nothing"),
        ("off@tail", "off evaluates nothing"),
        ("off+state", "off evaluates nothing"),
    ],
)
def test_what_is_no_arm_is_refused(text: str, message: str) -> None:
    """The mistake is named, and what is allowed follows."""
    with pytest.raises(UsageError) as raised:
        parse_arm(text)

    assert str(raised.value).startswith(f"arm {text!r}: {message}")
    assert str(raised.value).endswith("then @SITE+SITE, +state, +values as needed)")


@settings(deadline=None)
@given(arm_specs())
def test_an_arm_that_is_printed_is_read_back(spec: ArmSpec) -> None:
    """Printing and reading are inverse."""
    assert parse_arm(str(spec)) == spec


@settings(deadline=None)
@given(st.text(max_size=30) | st.text(alphabet="asyncofwindevryt:@+-1. ", max_size=30))
def test_any_text_is_an_arm_or_a_usage_error(text: str) -> None:
    """No text makes the grammar raise anything but a usage error; what it reads has one form."""
    try:
        spec = parse_arm(text)
    except UsageError:
        return
    assert parse_arm(str(spec)) == spec


def test_the_order_of_sites_has_no_meaning() -> None:
    """Arms that evaluate at the same nodes mean the same."""
    assert parse_arm("sync@a+b").meaning == parse_arm("sync@b+a").meaning
    assert parse_arm("sync@a+b").meaning != parse_arm("sync@a").meaning
