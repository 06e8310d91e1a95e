"""A pytest plugin: every test dumps into a directory of its own.

The directory is named after the test's node id, which is the same in every run and, with pytest-xdist,
in every worker; but its file is named from the project's root on, as pytest's own root depends on the
command line and on files outside the project.
"""

import os

import isadiff_capture
import pytest


begun = set()  # tests
stops = []  # why the run was stopped: pytest.exit, whose exit status may be 0, or Ctrl-C


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
    begun.add(item.nodeid)
    with isadiff_capture.test(node(item), values):
        yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.failed and report.when != "teardown":
        isadiff_capture.test_failed(node(item), reason(call.excinfo))


@pytest.hookimpl
def pytest_collectreport(report):
    if report.failed:
        isadiff_capture.journal.note("test-failed", name=report.nodeid, error="it cannot be collected")


@pytest.hookimpl
def pytest_keyboard_interrupt(excinfo):
    stops.append(reason(excinfo))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session, exitstatus):
    if stops:
        isadiff_capture.journal.note("tests-stopped", name="pytest", error="it was stopped and did not run all tests: " + stops[0])
        return
    # A worker of pytest-xdist runs some of the tests; what stops the run stops its controller.
    left = not os.environ.get("PYTEST_XDIST_WORKER") and len(getattr(session, "items", ())) > len(begun)
    if exitstatus not in (0, 1) or left or session.shouldfail or session.shouldstop:
        isadiff_capture.journal.note("test-failed", name="pytest", error="it did not run all tests")


def reason(info):
    lines = str(getattr(info, "value", "")).splitlines()
    return f"{info.typename}: {lines[0]}" if info is not None and lines else getattr(info, "typename", "")
