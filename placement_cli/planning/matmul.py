"""The planner as a pipeline calls it: by the costs of the machine it runs on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from placement_cli.blocks import lengths as block_lengths
from placement_cli.blocks import planner
from placement_cli.blocks.finding import find_structure
from placement_cli.planning.prices import PlanPrice, price_of_profile, saved_price
from placement_cli.planning.setting import Setting, setting_of
from placement_cli.planning.timing import TIMED, fastest
from placement_cli.profile.profile import Profile
from placement_cli.profile.saved import load_profile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from placement_cli.blocks.lengths import LengthRange
    from placement_cli.blocks.plan import BlockPlan
    from placement_cli.blocks.planner import Choice

Rigor = Literal["estimate", "measure"]
ProfileLike = Profile | Path | str


def plan_block_matmul(
    weights: Any,
    n_samples: float,
    *,
    force: bool = False,
    dispatched: bool = False,
    profile: ProfileLike | None = None,
    rigor: Rigor | None = None,
    tolerance: float = 0.0,
    tiling_only: bool = False,
) -> BlockPlan | None:
    """Return the fastest plan for `x @ weights`, or None for the dense product.

    A drop-in for `ezmsg.sigproc.util.blockdiag.plan_block_matmul`, planned by the costs of this machine.

    Args:
        weights: inputs x outputs; NumPy, SciPy sparse or MLX. Weights without two axes are left to the dense
            product, as are empty ones.
        n_samples: samples a message (everything but the channels), 1 or more; below 1 counts as 1.
        force: return the finest block structure there is, whatever it costs.
        dispatched: plan for MLX. Weights of MLX imply it.
        profile: a profile or the path of one. None: the one that `placement fit-costs` saved for this set-up,
            else shipped costs of another machine, which the notes of the plan say.
        rigor: "estimate" goes by the profile alone; "measure" times the best three here (some 50 ms) and keeps
            the fastest. None: measure when the profile missed its gate, else estimate.
        tolerance: weights up to this share of the largest count as zero.
        tiling_only: keep to plans that ezmsg-sigproc's own executor can run.

    Raises UnusableWeights for what holds no numbers, ValueError for a number of samples that is none or another
    `rigor`, UnreadableInput for a damaged profile, UsageError for one of another backend.
    """
    if rigor not in (None, "estimate", "measure"):
        raise ValueError(f"rigor is {rigor!r}; it is 'estimate', 'measure' or None")
    setting = setting_of(weights, dispatched=dispatched)
    price = _price(profile, setting)
    options: dict[str, Any] = {"tolerance": tolerance, "tiling_only": tiling_only}
    measures = rigor == "measure" or (rigor is None and not price.trusted)
    if measures and not force and _is_matrix(weights):
        plan = _measured(weights, n_samples, price, setting, options)
    else:
        plan = planner.plan_block_matmul(
            weights, n_samples, force=force, dispatched=setting.on_mlx, profile=price.price, **options
        )
    return plan and replace(plan, notes=(*plan.notes, price.provenance))


def plan_for_lengths(
    weights: Any,
    lengths: Iterable[float],
    *,
    dispatched: bool = False,
    profile: ProfileLike | None = None,
    tolerance: float = 0.0,
) -> list[LengthRange]:
    """Return a table of plans for `x @ weights` over the length of a chunk, from the shortest of `lengths` on.

    A plan frozen on the first chunk cost up to 2.3 times the best where lengths vary. `profile` is as for
    `plan_block_matmul`. Raises ValueError when no length is given, UnusableWeights as `find_structure` does.
    """
    setting = setting_of(weights, dispatched=dispatched)
    price = _price(profile, setting)
    backend = planner_backend(setting)
    return block_lengths.plan_for_lengths(weights, lengths, price.price, backend=backend, tolerance=tolerance)


def planner_backend(setting: Setting) -> planner.Backend:
    """Return what the planner calls the library of a setting."""
    return "mlx" if setting.on_mlx else "numpy"


def _price(profile: ProfileLike | None, setting: Setting) -> PlanPrice:
    if profile is None:
        return saved_price(setting.backend, setting.threads, setting.dtype)
    loaded = profile if isinstance(profile, Profile) else load_profile(Path(profile))
    return price_of_profile(loaded, setting.backend)


def _is_matrix(weights: Any) -> bool:
    shape = getattr(weights, "shape", ())
    return len(shape) == 2 and 0 not in shape


def _measured(
    weights: Any, n_samples: float, price: PlanPrice, setting: Setting, options: dict[str, Any]
) -> BlockPlan | None:
    """Time the best plans by price and return the fastest, None when that is the dense product.

    Weights of a type that is not timed, such as integers, go by the price.
    """
    samples = planner.whole_samples(n_samples)
    structure = find_structure(weights, options["tolerance"])
    choices = planner.choose(
        structure, samples, price.price, backend=planner_backend(setting), tiling_only=options["tiling_only"]
    )
    best = choices[:TIMED]
    if len(best) > 1 and str(weights.dtype).rpartition(".")[2] == setting.dtype:
        kept = fastest([choice.plan for choice in best], weights, samples, setting.backend, setting.dtype)
        best = [choice for choice in best if choice.plan == kept]
    return _or_none(best[0])


def _or_none(choice: Choice) -> BlockPlan | None:
    return None if choice.is_dense else choice.plan
