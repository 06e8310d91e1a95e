"""A pytest plugin: every test dumps into a directory of its own.

The directory is named after the test's node id, which is the same in every run and, with pytest-xdist,
in every worker; but its file is named from the project's root on, as pytest's own root depends on the
command line and on files outside the project.
"""

import os

import isadiff_capture
import pytest


def node(item):
    path = str(getattr(item, "path", None) or getattr(item, "fspath", ""))
    root = os.environ.get("ISADIFF_CAPTURE_ROOT", "")
    for above in (root, os.path.realpath(root)) if root else ():
        if isadiff_capture.inside(path, above):
            _, separator, rest = item.nodeid.partition("::")
            return os.path.relpath(path, above).replace(os.sep, "/") + separator + rest
    return item.nodeid


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    spec = getattr(item, "callspec", None)
    values = list(spec.params.values()) if spec is not None else []
    with isadiff_capture.test(node(item), values):
        yield
