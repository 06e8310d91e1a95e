"""What a capture adds to FlyDSL: each specialization gets its own dump directory, and every compile is
told to the journal that `isadiff capture` reads.

FlyDSL reads FLYDSL_DUMP_DIR at every compile, so setting it around one compile leads that compile's
dump. Nothing here changes what is compiled. Names of FlyDSL 0.3 to 0.5 that this hooks into:
MlirCompiler.compile (one compile), JitFunction (a launcher) with __init__, _compile_or_execute or __call__
(one launch) and its two caches; each is used only where it exists.
"""

import contextlib
import dataclasses
import enum
import functools
import hashlib
import importlib.util
import inspect
import json
import os
import pathlib
import re
import sys
import threading
import time
import weakref

OUT = os.environ.get("ISADIFF_CAPTURE_OUT", "")
JOURNAL = os.environ.get("ISADIFF_CAPTURE_JOURNAL", "")
ROOT = os.environ.get("ISADIFF_CAPTURE_ROOT", "")
FOREIGN = os.environ.get("ISADIFF_CAPTURE_FOREIGN", "")
MODULE = "flydsl.compiler.jit_function"
ORIGIN = "00_origin.mlir"
STAGE = "final_isa.s"
SHORT = {
    "float64": "f64", "double": "f64", "float32": "f32", "float": "f32", "float16": "f16", "half": "f16",
    "bfloat16": "bf16", "int64": "i64", "long": "i64", "int32": "i32", "int": "i32", "int16": "i16",
    "int8": "i8", "uint8": "u8",
}


class Journal:
    """One file of JSON lines for each process, so that no two ever write into one."""

    def __init__(self):
        self.lock = threading.Lock()
        self.pid = None
        self.file = None

    def note(self, event, **values):
        if not JOURNAL:
            return
        line = json.dumps({"event": event, "pid": os.getpid(), **values}) + "\n"
        try:
            with self.lock:
                if self.pid != os.getpid():  # also after a fork
                    name = f"{os.getpid()}-{time.time_ns()}.jsonl"
                    self.file = open(os.path.join(JOURNAL, name), "a", encoding="utf-8", buffering=1)
                    self.pid = os.getpid()
                self.file.write(line)
        except OSError:
            pass  # a full disk; the missing end of a compile tells


journal = Journal()
state = threading.local()  # .launch: the launch that this thread is in
compiling = threading.RLock()  # FLYDSL_DUMP_DIR belongs to the process
launchers = weakref.WeakSet()
launched = weakref.WeakSet()  # those of which a launch that compiled nothing was told
kept = []  # compiled code that the program would have kept
current = {"test": False, "values": [], "compiles": 0, "failed": 0}  # whether a test runs, its parameters, what it compiled, and its launches that failed before


def guarded(function):
    """Run our own bookkeeping, and never let it fail the program."""

    @functools.wraps(function)
    def run(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001
            journal.note("hook-error", where=function.__name__, error=f"{type(error).__name__}: {error}")
            return None

    return run


# Names of directories


def component(text):
    """A text as the name of a directory: readable, and different for different texts."""
    name = re.sub(r'[^\w.,=+\-\[\]]+', "_", text, flags=re.ASCII).strip(" ")
    if name in ("", ".", ".."):
        name = "_"
    if name != text or len(name) > 100:
        name = name[:100] + "~" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return name


def node_directory(nodeid):
    """tests/test_a.py::TestB::test_c[x/y] -> tests/test_a.py/TestB/test_c[x_y]~…"""
    head, bracket, values = nodeid.partition("[")
    parts = [p for p in re.split(r"/|::", head) if p]
    parts[-1:] = [(parts[-1] if parts else "") + bracket + values]
    return os.path.join(*(component(p) for p in parts))


DEEPEST = 6  # objects within objects
LONGEST = 1000  # values of a list


def plain(value, depth=0):
    """A value of a specialization as text, the same in every process and on every machine; None if it has
    no such text. An object of configuration is its fields: `repr` may hold an address."""
    if depth > DEEPEST:
        return None
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name or value.value}"
    if isinstance(value, (str, pathlib.PurePath)):
        text = portable(str(value))
        # What could be taken for other fields is told from them by its quotes.
        return repr(text) if text and re.search(r"[,=\[\]]" if depth else "=", text) else SHORT.get(text, text)
    if isinstance(value, (bool, int, float, complex)) or value is None:
        return str(value)
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()[:12]
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        parts = [plain(v, depth + 1) for v in value] if len(value) <= LONGEST else [None]
        return None if None in parts else "x".join(parts)
    if isinstance(value, (set, frozenset)):
        parts = [plain(v, depth + 1) for v in value] if len(value) <= LONGEST else [None]
        return None if None in parts else "[" + ",".join(sorted(parts)) + "]"
    if isinstance(value, dict):
        items = [(plain(k, depth + 1), v) for k, v in value.items()] if len(value) <= LONGEST else []
        return "[" + listed(sorted(((k, v) for k, v in items if k is not None), key=lambda i: i[0]), depth) + "]"
    name = dtype_name(value)
    if name:
        return name
    if isinstance(value, type):
        return SHORT.get(value.__name__.lower(), value.__name__)
    if isinstance(value, functools.partial):
        given = [(str(i), v) for i, v in enumerate(value.args)] + sorted(value.keywords.items())
        return f"{plain(value.func, depth + 1)}[{listed(given, depth)}]"
    if inspect.isroutine(value) and hasattr(value, "__qualname__"):
        within = listed(closed_over(value), depth)
        return value.__qualname__ + (f"[{within}]" if within else "")
    found = fields(value)
    if found is None and in_project(type(value)):
        found = [(n, v) for n, v in attributes(value) if not n.startswith("_")]
    return None if found is None else f"{type(value).__name__}[{listed(found, depth)}]"


def portable(text):
    """A path within the project from its root on; None for another absolute path, which is this machine's."""
    if not os.path.isabs(text):
        return text
    return os.path.relpath(text, ROOT).replace(os.sep, "/") if inside(text, ROOT) else None


def listed(items, depth):
    texts = [(n, plain(v, depth + 1)) for n, v in items]
    return ",".join(f"{n}={t}" for n, t in texts if t is not None)


def closed_over(function):
    """What a function took from the one that made it."""
    cells = getattr(function, "__closure__", None) or ()
    found = []
    for name, cell in zip(function.__code__.co_freevars if cells else (), cells):
        with contextlib.suppress(ValueError):  # not set yet
            if cell.cell_contents is not function:
                found.append((name, cell.cell_contents))
    return found


def fields(value):
    """The fields of an object that says itself what it is made of, but those that equal their default; None
    for any other object."""
    if dataclasses.is_dataclass(value):
        found = [(f.name, default_of(f)) for f in dataclasses.fields(value) if f.compare]
    elif hasattr(type(value), "__attrs_attrs__"):
        found = [(a.name, lambda a=a: a.default) for a in type(value).__attrs_attrs__ if a.eq]
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        defaults = getattr(value, "_field_defaults", {})
        found = [(n, lambda n=n: defaults.get(n, NOTHING)) for n in value._fields]
    elif isinstance(getattr(type(value), "model_fields", None), dict):  # pydantic
        found = [(n, lambda f=f: f.default) for n, f in type(value).model_fields.items()]
    elif type(value).__name__ in ("SimpleNamespace", "Namespace"):
        return attributes(value)
    else:
        return None
    return [(n, v) for n, v, d in ((n, getattr(value, n, NOTHING), default()) for n, default in found) if v is not NOTHING and not same(d, v)]


NOTHING = object()


def default_of(field):
    if field.default is not dataclasses.MISSING:
        return lambda: field.default
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory
    return lambda: NOTHING


def attributes(value):
    """What an object holds, by name."""
    found = dict(getattr(value, "__dict__", {}))
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, name) and not name.startswith("__"):
                found[name] = getattr(value, name)
    return sorted(found.items())


def in_project(kind):
    """Whether a class is the project's own: those of libraries hold what one run needs."""
    path = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
    return any(inside(p, r) for p in (os.path.abspath(path), os.path.realpath(path)) for r in (ROOT, os.path.realpath(ROOT)) if path and ROOT)


def own_fields(value):
    """What tells the objects of a class apart whose method builds or launches: its fields, or what its
    constructor was called with, where it kept that under the same name. Other attributes may count and cache."""
    found = fields(value)
    if found is not None or not in_project(type(value)):
        return found or []
    with contextlib.suppress(TypeError, ValueError):
        parameters = inspect.signature(type(value).__init__).parameters
        held = dict(attributes(value))
        for name, parameter in parameters.items():
            for attribute in (name, "_" + name):
                if attribute in held and not same(parameter.default, held[attribute]):
                    found = (found or []) + [(name, held[attribute])]
                    break
    return found or []


def dtype_name(value):
    """The short name of a torch or numpy dtype; None for anything else."""
    kind = type(value)
    if kind.__name__ == "dtype" or kind.__module__.startswith("numpy.dtype"):
        text = str(value).rpartition(".")[2]
        return SHORT.get(text, text)
    return None


# Launchers


def home(func):
    """Where a launcher is defined, as a path of directories: its file within the project, else its module."""
    file = getattr(getattr(func, "__code__", None), "co_filename", "")
    for path, root in ((os.path.abspath(file), ROOT), (os.path.realpath(file), os.path.realpath(ROOT))):
        if file and ROOT and inside(path, root):
            return os.path.join(*(component(p) for p in os.path.relpath(path, root).split(os.sep)))
    return component(getattr(func, "__module__", "") or "_")


@guarded
def builder_arguments(launcher, func):
    """Note what the functions around a launcher were called with: build_softmax(cols=4096) makes another
    kernel than build_softmax(cols=8192) does, of the same name. Values equal to the default are left out."""
    launcher._isadiff_home = home(func)
    outer = getattr(func, "__qualname__", "").split(".<locals>.")[:-1]
    wanted = {name.rpartition(".")[2] for name in outer}
    found = []
    frame = sys._getframe(2)
    while frame is not None and wanted:
        code = frame.f_code
        if code.co_name in wanted and frame.f_globals is getattr(func, "__globals__", None):
            wanted.discard(code.co_name)
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            defaults = defaults_of(frame, code)
            values = []
            for name in names:
                if name not in frame.f_locals or name == "cls":
                    continue
                value = frame.f_locals[name]
                if name == "self":
                    values += own_fields(value)
                    continue
                if name in defaults and same(defaults[name], value):
                    continue
                values.append((name, value))
            found = values + found
        frame = frame.f_back
    launcher._isadiff_arguments = found


def defaults_of(frame, code):
    """The default values of the function that a frame runs, found by its code."""
    candidates = [frame.f_globals.get(code.co_name)]
    if frame.f_back is not None:
        candidates.append(frame.f_back.f_locals.get(code.co_name))
    for candidate in candidates:
        candidate = inspect.unwrap(candidate) if callable(candidate) else candidate
        if getattr(candidate, "__code__", None) is code:
            parameters = inspect.signature(candidate).parameters.values()
            return {p.name: p.default for p in parameters if p.default is not p.empty}
    return {}


def same(a, b):
    try:
        return type(a) is type(b) and bool(a == b)
    except Exception:  # noqa: BLE001
        return False


def constants(module, launch):
    """The compile-time arguments of a launch that differ from their defaults."""
    launcher = launch.get("launcher")
    signature = getattr(launcher, "_sig", None)
    is_constant = getattr(getattr(module, "Constexpr", None), "is_constexpr_annotation", None)
    is_type = getattr(module, "is_type_param_annotation", None)
    found = []
    if signature is not None and is_constant is not None:
        for name, value in bound(signature, launch["args"], launch["kwargs"]):
            parameter = signature.parameters[name]
            if parameter.annotation is inspect.Parameter.empty:
                continue
            if not is_constant(parameter.annotation) and not (is_type and is_type(parameter.annotation)):
                continue
            if parameter.default is inspect.Parameter.empty or not same(parameter.default, value):
                found.append((name, value))
    hints = getattr(launcher, "compile_hints", None)
    if isinstance(hints, dict):
        found += sorted(hints.items())
    return found


def bound(signature, args, kwargs):
    """The arguments of a call by name; that of a method may have its object in front."""
    for start in (0, 1):
        with contextlib.suppress(TypeError):
            return list(signature.bind(*args[start:], **kwargs).arguments.items())
    return []


def label(module, launch):
    """The directory that tells a specialization from all others, "" if there is nothing to tell. It is a
    function of this specialization alone, never of what else was compiled."""
    known = {plain(v) for v in current["values"] if names_itself(v)}
    items = []
    if launch.get("args") and next(iter(getattr(getattr(launch.get("launcher"), "_sig", None), "parameters", ())), "") == "self":
        items += [(name, plain(value)) for name, value in own_fields(launch["args"][0])]
    for name, value in getattr(launch.get("launcher"), "_isadiff_arguments", None) or []:
        items.append((name, plain(value)))
    items += [(name, plain(value)) for name, value in constants(module, launch)]
    items = [(n, v) for n, v in items if v is not None]
    text = [f"{n}={v}" for n, v in items if v not in known]
    known |= {v for _, v in items} | {"f32"}
    types = []
    for value in (*launch.get("args", ()), *launch.get("kwargs", {}).values()):
        name = dtype_name(getattr(value, "dtype", None))
        if name and name not in known and name not in types:
            types.append(name)
    name = component(",".join(text + types)) if text or types else ""
    if current["test"]:
        return name  # the test's directory names the file
    return os.path.join(getattr(launch.get("launcher"), "_isadiff_home", ""), name)


def names_itself(value):
    """Whether pytest names a test after this parameter: it numbers other ones (cfg0, shape1, dtype2), and
    another parameter in front would give the name to another test."""
    return isinstance(value, (str, bool, int, float, type, enum.Enum)) or value is None


# Compiles


def outputs(directory):
    """The state of each compile's directory right below one: which files it holds, and when written."""
    found = {}
    try:
        entries = list(os.scandir(directory))
    except OSError:
        return found
    for entry in entries:
        if not entry.is_dir():
            continue
        files = {}
        with contextlib.suppress(OSError):
            for file in os.scandir(entry.path):
                if file.name == ORIGIN or file.name.endswith(STAGE):
                    info = file.stat()
                    files[file.name] = (info.st_mtime_ns, info.st_size)
        if files:
            found[entry.name] = files
    return found


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


def written(directory, before):
    """What one compile wrote: its directory, the name and digest of its assembly."""
    result = []
    for name, files in outputs(directory).items():
        old = before.get(name, {})
        new = [f for f, stamp in files.items() if old.get(f) != stamp]
        if not new:
            continue
        stages = sorted((f for f in new if f.endswith(STAGE)), key=lambda f: (len(f), f))
        item = {"dir": os.path.join(directory, name), "stage": stages[-1] if stages else ""}
        if stages:
            item["digest"] = digest(os.path.join(directory, name, stages[-1]))
        result.append(item)
    return result


def truthy(name):
    return os.environ.get(name, "").lower() in ("1", "true", "yes", "on")


def inside(path, root):
    return bool(root) and (path == root or path.startswith(root.rstrip(os.sep) + os.sep))


@contextlib.contextmanager
def one_compile(module, name):
    launch = getattr(state, "launch", None) or {}
    launch["compiles"] = launch.get("compiles", 0) + 1
    current["compiles"] += 1
    with compiling:
        base = os.path.abspath(os.environ.get("FLYDSL_DUMP_DIR", ""))
        directory = base
        if inside(base, OUT):
            text = guarded(label)(module, launch)
            if text:
                directory = os.path.normpath(os.path.join(base, text))
        where = {"name": name, "dir": directory, "dump": truthy("FLYDSL_DUMP_IR")}
        before = outputs(directory)
        journal.note("begin", **where)
        set_directory(base, directory)
        error = ""
        try:
            yield
        except BaseException as failure:
            error = f"{type(failure).__name__}: {failure}"
            raise
        finally:
            set_directory(directory, base)
            journal.note("end", error=error, written=guarded(written)(directory, before) or [], **where)
            imported_modules()


def set_directory(old, new):
    if old != new:
        os.environ["FLYDSL_DUMP_DIR"] = new


def import_root(name, path):
    """The folder on sys.path that a module came from."""
    parts = name.count(".") + 1 + (os.path.basename(path) == "__init__.py")
    for _ in range(parts):
        path = os.path.dirname(path)
    return path


told = set()
LIBRARIES = re.compile(r"[/\\\\](site|dist)-packages[/\\\\]|[/\\\\]lib[/\\\\]python[0-9.]+[/\\\\]")


@guarded
def imported_modules():
    """Tell which modules come from the folder that this run must not import from, and which from outside of
    the project and of the installed packages: the result depends on those too."""
    foreign, external, above = [], [], set()
    roots = {ROOT, os.path.realpath(ROOT)} - {""}
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if not isinstance(path, str) or path in told:
            continue
        told.add(path)
        spellings = {os.path.abspath(path), os.path.realpath(path)}
        if any(inside(p, FOREIGN) for p in spellings):
            foreign.append(os.path.abspath(path))
            if module.__name__ != "__main__":
                above.add(import_root(module.__name__, os.path.abspath(path)))
        elif not any(inside(p, r) for p in spellings for r in roots) and not LIBRARIES.search(path):
            with contextlib.suppress(OSError):
                info = os.stat(path)
                external.append(f"{path} {info.st_size} {info.st_mtime_ns}")
    if foreign:
        journal.note("foreign", files=foreign, roots=sorted(above))
    if external:
        journal.note("external", files=external)


# Tests


@contextlib.contextmanager
def test(nodeid, values):
    """Lead the dumps of one test into its own directory."""
    before = os.environ.get("FLYDSL_DUMP_DIR")
    enter_test(nodeid, values)
    try:
        yield
    finally:
        current.update(test=False, values=[])
        if before is None:
            os.environ.pop("FLYDSL_DUMP_DIR", None)
        else:
            os.environ["FLYDSL_DUMP_DIR"] = before


def test_failed(nodeid, error):
    """Tell of a test that failed before it compiled all its kernels, as far as is known."""
    if current["failed"] or not current["compiles"]:
        journal.note("test-failed", name=nodeid, error=error)


@guarded
def enter_test(nodeid, values):
    if OUT:
        os.environ["FLYDSL_DUMP_DIR"] = os.path.join(OUT, node_directory(nodeid))
    current.update(test=True, values=list(values), compiles=0, failed=0)
    # What an earlier test of this process compiled is in that test's directory
    # alone, and which test that was depends on the order: compile it again.
    for launcher in list(launchers):
        for cache in ("_mem_cache", "_call_state_cache"):
            entries = getattr(launcher, cache, None)
            if isinstance(entries, dict) and entries:
                kept.append(dict(entries))
                entries.clear()


# Hooks


def wrap(owner, name, make):
    original = owner.__dict__.get(name)
    if not callable(original):
        return False
    setattr(owner, name, functools.wraps(original)(make(original)))
    return True


def hook(module):
    compiler = getattr(module, "MlirCompiler", None)
    launcher = getattr(module, "JitFunction", None)
    original = compiler.__dict__.get("compile") if compiler is not None else None
    if not isinstance(original, classmethod):
        journal.note("hook-error", where="hook", error="this FlyDSL has no MlirCompiler.compile")
        return
    inner = original.__func__

    @functools.wraps(inner)
    def compile(cls, *args, **kwargs):
        with one_compile(module, str(kwargs.get("func_name", ""))):
            return inner(cls, *args, **kwargs)

    compiler.compile = classmethod(compile)
    if launcher is None:
        return

    def make_init(original):
        def init(self, func, *args, **kwargs):
            original(self, func, *args, **kwargs)
            builder_arguments(self, func)
            launchers.add(self)

        return init

    def launching(self, args, kwargs, run):
        outer = getattr(state, "launch", None)
        launch = {"launcher": self, "args": args, "kwargs": kwargs}
        state.launch = launch
        try:
            return run()
        except Exception as error:
            if not launch.get("compiles"):  # else the compile tells
                current["failed"] += 1
                launched.add(self)
                journal.note("launch-failed", name=getattr(getattr(self, "func", None), "__name__", ""), test=current["test"],
                             error=f"{type(error).__name__}: {error}")
            raise
        finally:
            state.launch = outer
            if not launch.get("compiles") and self not in launched:
                launched.add(self)
                journal.note("launch", name=getattr(getattr(self, "func", None), "__name__", ""))

    def make_launch(original):
        def run(self, args, kwargs, **options):
            return launching(self, args, kwargs, lambda: original(self, args, kwargs, **options))

        return run

    def make_call(original):
        def run(self, *args, **kwargs):
            return launching(self, args, kwargs, lambda: original(self, *args, **kwargs))

        return run

    wrap(launcher, "__init__", make_init)
    if not wrap(launcher, "_compile_or_execute", make_launch):  # which flyc.compile uses too
        wrap(launcher, "__call__", make_call)


@guarded
def tell_compiler(module):
    root = os.path.dirname(os.path.dirname(os.path.abspath(module.__file__)))
    stamps = hashlib.sha256()
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        for name in sorted(files):
            info = os.stat(os.path.join(folder, name))
            stamps.update(f"{os.path.relpath(folder, root)}/{name} {info.st_size} {info.st_mtime_ns}\n".encode())
    for folder in sys.path:  # whatever else is installed
        if os.path.basename(folder) in ("site-packages", "dist-packages") and os.path.isdir(folder):
            for entry in sorted(os.scandir(folder), key=lambda e: e.name):
                if entry.name.endswith((".dist-info", ".egg-info", ".egg-link", ".pth")):
                    stamps.update(f"{entry.name} {entry.stat().st_mtime_ns}\n".encode())
    version = getattr(sys.modules.get("flydsl"), "__version__", "")
    if not version:
        from importlib import metadata

        version = metadata.version("flydsl")
    journal.note("compiler", name="flydsl", version=str(version), stamp=stamps.hexdigest()[:16],
                 python=".".join(map(str, sys.version_info[:3])), executable=sys.executable)


class Loader:
    """Loads a module as its own loader does, then hooks into it."""

    def __init__(self, loader):
        self.loader = loader

    def __getattr__(self, name):
        return getattr(self.loader, name)

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        self.loader.exec_module(module)
        guarded(hook)(module)
        tell_compiler(module)


class Finder:
    """Waits on sys.meta_path for FlyDSL's compiler to be imported. It also finds the plugin of pytest where
    sys.path has lost our folder, as in a worker of pytest-xdist."""

    def find_spec(self, name, path=None, target=None):
        if name == "isadiff_pytest":
            return importlib.util.spec_from_file_location(name, os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".py"))
        if name != MODULE:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            if finder is self or find is None:
                continue
            spec = find(name, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = Loader(spec.loader)
                return spec
        return None


@guarded
def install():
    if not OUT:
        return
    sys.meta_path.insert(0, Finder())
    plugins = os.environ.get("PYTEST_PLUGINS", "").split(",")
    if "isadiff_pytest" not in plugins:
        os.environ["PYTEST_PLUGINS"] = ",".join([p for p in plugins if p] + ["isadiff_pytest"])
    journal.note("python", executable=sys.executable)
    if FOREIGN:
        import atexit

        atexit.register(imported_modules)
