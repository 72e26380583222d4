"""Found by every Python process of a traced program before its own code: it begins to record, and steps aside."""

import importlib.util
import os
import sys
from importlib.machinery import PathFinder

HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - nothing is imported that is not needed
FOLDER, ROOT = "PLACEMENT_TRACE", "PLACEMENT_TRACE_ROOT"


def begin() -> None:
    """Begin to record, if this process is one of a traced program."""
    folder, root = os.environ.get(FOLDER), os.environ.get(ROOT)
    sys.path[:] = [each for each in sys.path if os.path.abspath(each or ".") != HERE]  # noqa: PTH100 - as above
    if not folder:
        return
    if root:
        sys.path.append(root)
    try:
        from placement_cli.tracing.starting import start

        start(folder)
    except Exception as error:  # noqa: BLE001 - the program must run, traced or not
        sys.stderr.write(f"placement: this process is not traced ({error}).\n")
    finally:
        if root:
            sys.path.remove(root)


def go_on() -> None:
    """Run the sitecustomize that would have been found without this one, if there is one."""
    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


begin()
go_on()
