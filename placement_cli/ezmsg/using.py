"""Using profiles in ezmsg-sigproc as it runs, without touching its source."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from placement_cli.ezmsg.installed import PLAN, PLANNER, planner_module
from placement_cli.ezmsg.overlay import OVERLAY, Layer
from placement_cli.ezmsg.planning import planner_over
from placement_cli.ezmsg.settings import profiles_of, settings_of, upstream_of

if TYPE_CHECKING:
    from types import ModuleType

    from placement_cli.ezmsg.settings import ProfileSource
    from placement_cli.profile.profile import Profile


@dataclass(frozen=True, slots=True, eq=False)
class Restore(AbstractContextManager["Restore"]):
    """Profiles in use; `restore`, or leaving the context, puts back what there was before.

    Other profiles that came into use since stay in use.
    """

    profiles: tuple[Profile, ...]
    _module: ModuleType = field(repr=False)
    _layer: Layer = field(repr=False)

    def restore(self) -> None:
        """Put back what there was before; doing so again changes nothing."""
        OVERLAY.remove(self._module, self._layer)

    def __exit__(self, *_: object) -> None:
        self.restore()


def use_profile(*profiles: ProfileSource, planner: bool = False) -> Restore:
    """Have ezmsg-sigproc plan its block products by `profiles` in this process, until the result is restored.

        with use_profile("numpy-1-thread-float32.json"):
            ...  # the pipeline
        in_use = use_profile(numpy_profile, mlx_profile, planner=True)
        in_use.restore()

    Args:
        profiles: profiles or paths of them, one for NumPy, one for a backend that dispatches kernels (MLX), or
            both. Without any: the profile for NumPy with one thread that is shipped, measured on another machine
            (`Restore.profiles` tells its provenance). A file is taken as it is: whether it fits this machine is
            for `placement_cli.profile.saved.load_profile` with a key to say.
        planner: also plan by the prices of the profiles, of which upstream's constants are a coarse image, and
            look for structure where upstream does not. Its executor runs the plans. A backend without a
            profile keeps the planner that is there.

    Upstream's constants are WEIGHT_LOAD_SAMPLES and GATHER_COST_MACS, which all backends share, and
    CALL_COST_MACS or CALL_COST_MACS_DISPATCHED, each in multiply-accumulates of one backend. So a profile for one
    backend also moves the decisions for others. Of two profiles the first gives the shared constants, each its own
    call cost. The second one's is not rescaled: upstream weighs calls * call cost against
    (samples + weight load) * weights, so with a foreign weight load L' in place of L calls seem to cost
    (samples + L) / (samples + L') times what they do. That fades with the length of a chunk, and no one factor
    undoes it at every length. Its gathers are priced by the first one's. List the backend first that matters
    more, or use `planner=True`, which plans each by its own profile.

    Transformers plan when their first message arrives and keep that plan, so profiles must be in use by then and
    in the process that runs them. Processes that are spawned (the default on macOS) start with what
    ezmsg-sigproc ships: call this where the module that defines the units is imported.

    Raises UsageError without a usable ezmsg-sigproc, for a profile without upstream's constants and for two
    profiles of one kind of backend; UnreadableInput for a file that is no profile.
    """
    used = profiles_of(profiles)
    constants = {setting.name: setting.constant.value for setting in settings_of(used)}
    module = planner_module(names=[*constants, *((PLANNER, PLAN) if planner else ())])
    replaced = None
    if planner:
        prices = {upstream_of(profile).dispatched: profile.price for profile in used}
        replaced = partial(planner_over, prices=prices, plan_class=getattr(module, PLAN))
    layer = Layer(constants, replaced)
    OVERLAY.add(module, layer)
    return Restore(used, module, layer)
