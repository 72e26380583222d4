"""What is put around MLX's functions and the methods of its arrays."""

from __future__ import annotations

from typing import Any

from placement_cli.tracing.build_hooks import compile_hook, operation_hook, transform_hook
from placement_cli.tracing.patches import Patches
from placement_cli.tracing.point_hooks import point_hook
from placement_cli.tracing.recorder import Recorder
from placement_cli.tracing.stream_hooks import hook_streams

READING_METHODS = {
    "item": "item",
    "tolist": "tolist",
    "__bool__": "bool",
    "__float__": "number",
    "__int__": "number",
    "__complex__": "number",
    "__index__": "number",
    "__repr__": "print",
    "__str__": "print",
    "__format__": "print",
    "__array__": "numpy",
    "__bytes__": "numpy",
    "__dlpack__": "dlpack",
    "__getstate__": "save",
}
"""Methods of arrays that wait for values, and the kind of point that each is."""
SAVING = ("save", "savez", "savez_compressed", "save_safetensors", "save_gguf")
MEMORY = ("clear_cache", "set_cache_limit", "set_memory_limit", "set_wired_limit", "reset_peak_memory")
TRANSFORMS = ("grad", "value_and_grad", "jvp", "vjp", "vmap", "checkpoint")
"""Functions that trace the function they are given."""
GENERATORS = ("normal", "uniform", "randint", "bernoulli", "truncated_normal", "gumbel", "laplace")
"""Random arrays out of nothing but a shape; with an array among the arguments they depend on something."""
NOT_BUILDING = frozenset(
    {
        *("async_eval", "eval", "synchronize", *SAVING, *MEMORY, "load", "import_function", "get_memory_limit"),
        *("compile", "checkpoint", "grad", "value_and_grad", "jvp", "vjp", "vmap", "export_function", "exporter"),
        *("export_to_dot", "disable_compile", "enable_compile", "clear_streams", "stream", "new_stream"),
        *("new_thread_local_stream", "new_thread_unsafe_stream", "set_default_device", "set_default_stream"),
        *("default_device", "default_stream", "device_count", "device_info", "is_available", "can_cast"),
        *("get_active_memory", "get_array_buffer_size", "get_cache_memory", "get_peak_memory", "get_printoptions"),
        *("printoptions", "set_printoptions", "isdtype", "issubdtype", "result_type", "broadcast_shapes"),
        *("einsum_path", "seed", "metal_kernel", "cuda_kernel", "precompiled_cuda_kernel", "init", "finfo", "iinfo"),
    }
)
"""Functions of MLX that build no array."""
NOT_OPERATORS = frozenset(
    {"__init__", "__new__", "__getattribute__", "__setattr__", "__delattr__", "__class__", "__len__", "__hash__"}
    | {"__copy__", "__deepcopy__", "__dir__", "__doc__", "__iter__", "__setstate__", "__array_namespace__"}
    | {"__dlpack_device__", "__reduce__", "__reduce_ex__", "__sizeof__", "__subclasshook__", "__init_subclass__"}
    | READING_METHODS.keys()
)


def hook_mlx(core: Any, recorder: Recorder, patches: Patches) -> None:
    """Put hooks around all functions of `core` that build, schedule, wait or read."""
    recorder.found_mlx(core)
    for name in ("eval", "async_eval"):
        patches.replace(core, name, point_hook(recorder, name, f"mx.{name}"))
    for name in SAVING:
        patches.replace(core, name, point_hook(recorder, "save", f"mx.{name}"))
    for name, kind in READING_METHODS.items():
        if name in vars(core.array):
            patches.replace(core.array, name, point_hook(recorder, kind, f"array.{name}", first_only=True))
    for name in MEMORY:
        patches.replace(core, name, point_hook(recorder, "memory", f"mx.{name}"))
    hook_streams(core, recorder, patches)
    patches.replace(core, "compile", compile_hook(recorder))
    for name in TRANSFORMS:
        patches.replace(core, name, transform_hook(recorder))
    _hook_operations(core, recorder, patches)


def _hook_operations(core: Any, recorder: Recorder, patches: Patches) -> None:
    builder = type(core.abs)
    for module in (core, core.linalg, core.fft, core.fast, core.random):
        for name, value in list(vars(module).items()):
            # A module has functions of its own beside those, such as the one that answers for names it lacks.
            if type(value) is builder and name not in NOT_BUILDING and not name.startswith("_"):
                generator = module is core.random and name in GENERATORS
                patches.replace(module, name, operation_hook(recorder, name, generator=generator))
    method = type(vars(core.array).get("__add__", core.abs))
    for name, value in list(vars(core.array).items()):
        if isinstance(value, method) and name not in NOT_OPERATORS and name not in READING_METHODS:
            patches.replace(core.array, name, operation_hook(recorder, name))
