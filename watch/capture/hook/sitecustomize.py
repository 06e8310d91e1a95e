"""Loaded by every Python that a capture starts, as its folder comes first on PYTHONPATH.

It must never be the reason why a program fails: whatever goes wrong here is noted in the capture's
journal and the program runs as without it.
"""


def _hidden():
    """Run the sitecustomize that this one hides, if there is one."""
    import importlib.machinery
    import importlib.util
    import os
    import sys

    here = os.path.realpath(os.path.dirname(__file__))
    others = [p for p in sys.path if os.path.realpath(p or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


try:
    import isadiff_capture

    isadiff_capture.install()
except Exception:  # noqa: BLE001
    pass  # the program runs as without it, and the capture says that it has no journal
finally:
    _hidden()
