from collections.abc import Callable
from typing import Any

import pytest

from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.diagnose.probes.transforms import TRANSFORMS

BY_ID = {probe.id: probe for probe in TRANSFORMS}
Check = Callable[[Observed], None]
ChangeMlx = Callable[..., Rig]


def run(name: str, rig: Rig) -> Observed:
    """Execute the probe of that name."""
    return BY_ID[f"transforms.{name}"].run(rig)


@pytest.mark.parametrize("probe", TRANSFORMS, ids=BY_ID)
def test_the_claim_holds_on_the_cpu_build(probe: Probe, rig: Rig, check_held: Check) -> None:
    """On MLX's CPU backend the claim holds, and the numbers say so."""
    check_held(probe.run(rig))


def test_the_probes_can_be_told_apart_and_shown() -> None:
    """Each has an id of its own in the group and says in one sentence what it claims and what was measured before."""
    assert len(BY_ID) == len(TRANSFORMS)
    assert {probe.group for probe in TRANSFORMS} == {"transforms"}
    for probe in TRANSFORMS:
        assert probe.claim.endswith(".")
        assert ". " not in probe.claim
        assert probe.reference
        assert probe.symptoms


@pytest.mark.parametrize("name", ["compile-eval", "vmap-eval"])
def test_an_eval_that_is_let_through_fails(name: str, change_mlx: ChangeMlx) -> None:
    """When evaluating a traced array raises nothing, the claim that it raises fails, and names the call."""
    observed = run(name, change_mlx(eval=lambda *_: None))
    assert not observed.held
    assert observed.numbers["eval_error"] == "none"
    assert observed.numbers["item_error"] == "ValueError"
    assert observed.differs is not None


def test_an_async_eval_that_is_let_through_fails(change_mlx: ChangeMlx) -> None:
    """When async_eval of a traced array raises nothing, the claims about grad and checkpoint fail."""
    silent = change_mlx(async_eval=lambda *_: None)
    assert not run("grad-async", silent).held
    assert not run("checkpoint", silent).held


def test_an_eval_that_raises_inside_grad_fails(rig: Rig, change_mlx: ChangeMlx) -> None:
    """When eval cannot be used inside grad, the claim that it can fails, and names the error."""

    def refuse(*_: Any) -> None:
        raise ValueError

    observed = run("grad-eval", change_mlx(eval=refuse))
    assert not observed.held
    assert observed.numbers["eval_error"] == "ValueError"


@pytest.mark.parametrize("name", ["compile-eval", "compile-lazy", "compile-state"])
def test_without_tracing_it_is_not_run(name: str, change_mlx: ChangeMlx) -> None:
    """Where mx.compile gives the function back as it is, nothing can be learned about compiled functions."""
    observed = run(name, change_mlx(compile=lambda function, **_: function))
    assert observed.not_run is not None
    assert "does not trace" in observed.not_run


def test_a_compiled_function_that_evaluates_fails(rig: Rig, change_mlx: ChangeMlx) -> None:
    """When a call of a compiled function evaluates its result and state, the claims that it is lazy and grows fail."""

    def eager(function: Callable[..., Any], outputs: Any = None, **captured: Any) -> Callable[..., Any]:
        compiled = rig.mx.compile(function, outputs=outputs, **captured)

        def call(*arguments: Any) -> Any:
            result = compiled(*arguments)
            rig.mx.eval(result, outputs)
            return result

        return call

    observed = run("compile-lazy", change_mlx(compile=eager))
    assert not observed.held
    assert observed.numbers["after_nodes"] == 0
    assert run("compile-state", change_mlx(compile=eager)).numbers["per_call_nodes"] == 0
    assert not run("compile-state", change_mlx(compile=eager)).held
