"""The plugin of pytest: ``pytest --isadiff`` captures what the tests compile and compares it with the baseline.

It holds no rule. ``isadiff pytest`` runs beside the tests, and one JSON object a line goes each way: it says
what has to be set so that compiles are captured, judges each test that compiled, and gives the verdict at
the end. Without ``--isadiff`` nothing is done.

With pytest-xdist the controller talks to it. Workers only tell in which folder a test was to dump, and which
tests were left out.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile

import pytest

PROTOCOL = 1
FOLDER = "isadiff_folder"  # the attribute of a report that tells where its test dumped
INERT = ("help", "version", "markers", "showfixtures", "show_fixtures_per_test", "cacheshow", "collectonly")
REGRESSION = 1  # exit status of isadiff
NOT_TRUSTWORTHY = 2  # exit status of isadiff, and of a run whose tests passed and whose verdict it is


def pytest_addoption(parser):
    group = parser.getgroup("isadiff", "registers, spills, scratch and LDS of GPU kernels (isadiff)")
    # Two options, and not one that takes a value: `--isadiff tests` would take the path for it.
    group.addoption("--isadiff", action="store_const", const="fail", dest="isadiff", default=None,
                    help="compare the kernels that the tests compile with the baseline; a test whose kernel got worse fails")
    group.addoption("--isadiff=report", action="store_const", const="report", dest="isadiff",
                    help="the same, and only tell: no test fails, and the exit status is that of the tests")
    group.addoption("--isadiff-baseline", metavar="PATH", help="the baseline, instead of the project's (.isadiff/baseline.json)")
    group.addoption("--isadiff-update", action="store_true", help="take the baseline of this run; kernels of tests that it leaves out stay")
    group.addoption("--isadiff-why", action="store_true", help="show which code made each kernel worse")


def within_capture():
    """Whether something above this process captures already: our own run of which this is a worker, or `isadiff capture`."""
    return bool(os.environ.get("ISADIFF_CAPTURE_OUT"))


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    # Here, as a conftest may import FlyDSL.
    begin(early_config, early_config.known_args_namespace)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    begin(config, config.option)  # where the plugin is one of a conftest
    if hasattr(config, "workerinput") and getattr(config.option, "isadiff", None):
        config.pluginmanager.register(Worker(config), "isadiff-worker")


def begin(config, option):
    mode = getattr(option, "isadiff", None)
    if mode is None:
        for name in ("baseline", "update", "why"):
            if getattr(option, "isadiff_" + name, None):
                raise pytest.UsageError(f"--isadiff-{name} says how --isadiff compares: give --isadiff as well")
        return
    if within_capture() or config.pluginmanager.has_plugin("isadiff-session") or any(getattr(option, name, False) for name in INERT):
        return
    if not hasattr(pytest, "TestReport"):
        raise pytest.UsageError(f"isadiff: needs pytest 7 or newer; this is {pytest.__version__}")
    session = Session(config, option, mode)
    config.pluginmanager.register(session, "isadiff-session")
    session.install()


def pytest_report_header(config):
    if not getattr(config.option, "isadiff", None) or hasattr(config, "workerinput"):
        return None
    session = config.pluginmanager.get_plugin("isadiff-session")
    if session is not None:
        return "isadiff: " + session.hello["heading"]
    if within_capture():
        return "isadiff: left to the capture that runs this"
    return "isadiff: nothing is compiled, so nothing is compared"


def find_binary():
    """The binary that $ISADIFF names, that of this package, or the one on PATH."""
    import shutil

    from isadiff import __main__ as package

    binary = os.environ.get("ISADIFF") or package.find() or shutil.which("isadiff")
    if binary is None:
        raise pytest.UsageError("isadiff: the binary is gone; install the package again, or name it: ISADIFF=PATH")
    return binary


class Gone(Exception):
    """The binary gives no answer any more; the text is what it said last."""


class Binary:
    """`isadiff pytest`, which captures and judges."""

    def __init__(self, arguments):
        self.errors = tempfile.TemporaryFile()
        own_group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if os.name == "nt" else {"start_new_session": True}
        try:
            # In a group of its own: Ctrl-C is for pytest, which then says how it ended.
            self.process = subprocess.Popen([find_binary(), "pytest", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=self.errors, encoding="utf-8", errors="surrogateescape", **own_group)
        except OSError as error:
            raise pytest.UsageError(f"isadiff: the binary cannot be run: {error}") from None

    def ask(self, question):
        with contextlib.suppress(OSError, ValueError):  # its last words tell why
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
        return self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line.endswith("\n"):
            raise Gone(self.end())
        return json.loads(line)

    def end(self):
        """Let it end, and return what it said on stderr."""
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError, ValueError):
                stream.close()
        self.process.wait()
        if self.errors.closed:
            return ""
        self.errors.seek(0)
        text = self.errors.read().decode("utf-8", "replace").strip()
        self.errors.close()
        return text or f"isadiff ended with exit status {self.process.returncode}, without a word"


class Compiles:
    """What the process that runs tests knows of them: where each dumps, and which were left out."""

    def __init__(self, config):
        self.config = config
        self.deselected = 0
        self.uncollected = set()  # the folders of modules that were skipped or failed as a whole

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(self, collector):
        report = (yield).get_result()
        if not report.passed:
            self.uncollected.add(folder_of(collector))

    def pytest_deselected(self, items):
        self.deselected += len(items)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item):
        report = (yield).get_result()
        setattr(report, FOLDER, folder_of(item))


def folder_of(node):
    """The folder of the dumps for a test or what holds tests, in slashes."""
    import isadiff_capture
    import isadiff_pytest

    return isadiff_capture.node_directory(isadiff_pytest.node(node)).replace(os.sep, "/")


class Worker(Compiles):
    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self):
        self.config.workeroutput["isadiff_deselected"] = self.deselected
        self.config.workeroutput["isadiff_uncollected"] = sorted(self.uncollected)


class Session(Compiles):
    """A run that is captured."""

    def __init__(self, config, option, mode):
        super().__init__(config)
        self.only_tells = mode == "report"
        self.option = option
        self.tests = {}  # by folder
        self.judged = {}  # what a test had dumped when it was judged, by folder
        self.worse = {}  # the kernels that a test was failed for, by folder
        self.properties = {}  # by folder
        self.own_failures = 0
        self.lost_workers = 0
        self.gone = ""  # why the binary gives no answer
        self.verdict = None
        if "flydsl.compiler.jit_function" in sys.modules:
            raise pytest.UsageError("isadiff: a plugin has imported FlyDSL before its compiles can be captured; import it in a conftest or a test")
        arguments = []
        if getattr(option, "isadiff_baseline", None):
            arguments += ["--baseline", option.isadiff_baseline]
        if getattr(option, "isadiff_update", False):
            arguments += ["--update"]
        if getattr(option, "isadiff_why", False):
            arguments += ["--why"]
        self.binary = Binary([*arguments, "--", *map(str, config.invocation_params.args)])
        try:
            self.hello = self.binary.answer()
        except Gone as gone:
            raise pytest.UsageError(f"isadiff: {gone}") from None
        if self.hello.get("protocol") != PROTOCOL:
            self.binary.end()
            raise pytest.UsageError(f"isadiff: the binary {self.binary.process.args[0]} is of another version ({self.hello.get('version')}) than this plugin; install one package of both")

    # The capture of this process and its children

    def install(self):
        changed = {**self.hello["environment"], **dict.fromkeys(self.hello["unset"] or ())}
        if "isadiff_capture" in sys.modules:
            raise pytest.UsageError("isadiff: one process captures once; start pytest anew")
        self.before = {name: os.environ.get(name) for name in (*changed, "PYTEST_PLUGINS", "FLYDSL_DUMP_DIR")}
        set_environment(changed)
        sys.path.insert(0, self.hello["hook"])
        import isadiff_capture

        isadiff_capture.install()
        import isadiff_pytest

        self.config.pluginmanager.register(isadiff_pytest, "isadiff_pytest")

    def uninstall(self):
        set_environment(self.before)
        sys.path[:] = [p for p in sys.path if p != self.hello["hook"]]
        sys.meta_path[:] = [f for f in sys.meta_path if type(f).__module__ != "isadiff_capture"]

    def pytest_unconfigure(self):
        self.binary.end()
        self.uninstall()

    # Tests

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        told = getattr(node, "workeroutput", None)
        if told is None or "isadiff_deselected" not in told:
            self.lost_workers += 1
        else:
            self.deselected = max(self.deselected, told["isadiff_deselected"])
            self.uncollected.update(told["isadiff_uncollected"])

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report):
        report.sections = list(without_own_lines(report.sections))
        folder = getattr(report, FOLDER, None)
        if folder is not None:
            self.ran(report, folder)
        yield

    def ran(self, report, folder):
        test = self.tests.setdefault(folder, {"id": report.nodeid, "outcome": "passed"})
        if report.failed:
            test["outcome"] = "failed"
        elif report.skipped and test["outcome"] == "passed":
            test["outcome"] = "skipped"
        if report.when != "setup" and not self.option.isadiff_update:
            dumped = written(os.path.join(self.hello["dumps"], *folder.split("/")))
            if dumped != self.judged.get(folder, []):
                self.judged[folder] = dumped
                self.judge(report, folder)
        if report.when == "teardown":  # of these reports junit takes the properties
            report.user_properties = list(report.user_properties) + self.properties.pop(folder, [])

    def judge(self, report, folder):
        answer = self.ask({"test": folder})
        if not answer or not answer["kernels"]:
            return
        known = self.worse.setdefault(folder, set())
        fresh = set(answer["worse"]) - known
        known |= fresh
        properties = [("isadiff-kernels", str(answer["kernels"]))]
        if answer["worse"]:
            properties += [("isadiff-verdict", "REGRESSION"), ("isadiff-reason", answer["brief"])]
        self.properties[folder] = properties
        if fresh:
            self.fail(report, answer)

    def fail(self, report, answer):
        if self.only_tells:
            return
        text = "got worse:\n" + answer["text"].rstrip()
        if report.failed:
            report.sections.append(("isadiff", text))
            return
        self.own_failures += 1
        report.outcome = "failed"
        vars(report).pop("wasxfail", None)  # that a test is expected to fail covers no kernel
        report.longrepr = Reason("isadiff: " + text, "isadiff: got worse: " + answer["brief"], answer["file"], answer["line"])

    def ask(self, question):
        if self.gone:
            return None
        try:
            return self.binary.ask(question)
        except Gone as gone:
            self.gone = str(gone)
            return None

    # The end

    # Before junit writes, and after the hook has told how the tests ended, which is registered later.
    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session, exitstatus):
        status = int(exitstatus)
        if status == 1 and session.testsfailed <= self.own_failures:
            status = 0
        self.verdict = self.ask({"end": {"exit": status, "tests": self.tests, "limits": self.limits(session), "folders": self.folders(), "uncollected": sorted(self.uncollected)}})
        if self.verdict is None:
            self.verdict = {"verdict": "NOT TRUSTWORTHY", "exit_code": NOT_TRUSTWORTHY, "text": self.gone + "\n", "worse": [],
                            "brief": (self.gone.splitlines() or [""])[0], "properties": [["isadiff-verdict", "NOT TRUSTWORTHY"]]}
        self.binary.end()
        for plugin in self.config.pluginmanager.get_plugins():
            if hasattr(plugin, "add_global_property"):  # junit
                for name, value in self.verdict["properties"]:
                    plugin.add_global_property(name, value)
        if self.only_tells:
            return
        verdict = self.verdict["exit_code"]
        if verdict == REGRESSION:
            for row in self.verdict["worse"]:
                if row["kernel"] not in self.worse.get(row["test"], ()):
                    where = self.tests.get(row["test"], {"id": "outside of tests"})["id"]
                    self.error(f"isadiff: got worse, compiled by {where}:\n{row['text'].rstrip()}", "got worse: " + row["kernel"])
        elif verdict == NOT_TRUSTWORTHY:
            message = "NOT TRUSTWORTHY: " + self.verdict["brief"]
            self.error("isadiff: " + message, message)
        if int(session.exitstatus) in (0, 5) and verdict:  # of the tests: passed, or none collected
            session.exitstatus = verdict

    def limits(self, session):
        """What left tests out, for people; nothing if all of folders() were to run."""
        option, found = self.config.option, []
        if getattr(option, "lf", False):
            found.append("--lf")
        if getattr(option, "stepwise", False):
            found.append("--stepwise")
        if getattr(option, "ignore", None) or getattr(option, "ignore_glob", None):
            found.append("--ignore")
        if self.folders() is None:
            found.append("tests by name")
        if session.shouldfail or session.shouldstop:
            found.append("stopped early")
        if self.lost_workers:
            found.append("a worker that died")
        if self.deselected:
            selected = (("-k", getattr(option, "keyword", "")), ("-m", getattr(option, "markexpr", "")))
            named = [f"{name} {value}" for name, value in selected if value]
            found += named or ([] if found else [f"{self.deselected} deselected"])
        return found

    def folders(self):
        """The folders of the dumps whose tests were asked for, "" for all; None if tests or modules were named."""
        import isadiff_capture

        root, found = os.path.realpath(self.hello["root"]), []
        for argument in self.config.args:
            path = os.path.realpath(os.path.join(str(self.config.invocation_params.dir), str(argument)))
            if "::" in str(argument) or not os.path.exists(path):
                return None
            if isadiff_capture.inside(root, path):
                return [""]
            if isadiff_capture.inside(path, root):
                found.append("/".join(isadiff_capture.component(part) for part in os.path.relpath(path, root).split(os.sep)))
        return found

    def error(self, text, message):
        """Add an error of the session's own: it is in the terminal, in junit and in no list of failed tests."""
        report = pytest.TestReport("isadiff", ("isadiff", None, ""), {}, "failed", Reason(text, message), "teardown", duration=0)
        report.isadiff_own = ""  # no letter among those of the tests
        manager = self.config.pluginmanager
        others = [manager.get_plugin(name) for name in ("session", "lfplugin", "stepwiseplugin")] + [self]
        manager.subset_hook_caller("pytest_runtest_logreport", [p for p in others if p is not None])(report=report)
        report.isadiff_own = "ERROR"

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report):
        word = getattr(report, "isadiff_own", None)
        return None if word is None else ("error", "", word)

    def pytest_terminal_summary(self, terminalreporter):
        if self.verdict is None:
            return
        colour = {"OK": "green", "REGRESSION": "red"}.get(self.verdict["verdict"], "yellow")
        terminalreporter.write_sep("=", "isadiff")
        for line in self.verdict["text"].strip("\n").splitlines():
            terminalreporter.write_line(line)
        terminalreporter.write_line("RESULT: " + self.verdict["verdict"], bold=True, **{colour: True})


def written(folder):
    """The files below a folder with their times: whether a test has dumped anything since."""
    found = []
    for at, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(at, name)
            with contextlib.suppress(OSError):  # a child of the test is at work
                found.append((path, os.stat(path).st_mtime_ns))
    return sorted(found)


def without_own_lines(sections):
    """What a test printed, without the lines that FlyDSL prints about each of its dumps,
    which it writes for isadiff only."""
    for title, text in sections:
        if title.startswith("Captured stdout"):
            text = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("[flydsl.compile] "))
            if not text:
                continue
        yield title, text


def set_environment(values):
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


class Reason:
    """Why a test failed that passed by itself, as reporters take it: the terminal, junit, --tb=line."""

    class Place:
        def __init__(self, message, path, lineno):
            self.message, self.path, self.lineno = message, path, lineno

        def __str__(self):
            return f"{self.path}:{self.lineno}: {self.message}" if self.path else self.message

    def __init__(self, text, message, path="", lineno=0):
        self.text = text
        self.reprcrash = self.Place(message, path, lineno)

    def __str__(self):
        return self.text

    def toterminal(self, tw):
        for line in self.text.splitlines():
            tw.line(line)
