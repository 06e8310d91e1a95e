import inspect
import os
from pathlib import Path


class Constexpr:
    @staticmethod
    def is_constexpr_annotation(annotation):
        return annotation is Constexpr


class Kernel:
    """What a launcher returns: the assembly that its compile is to make, and how the compile ends."""

    def __init__(self, assembly, symbol="window_filter_0", stage="22", fails=""):
        self.assembly, self.symbol, self.stage, self.fails = assembly, symbol, stage, fails


class MlirCompiler:
    @classmethod
    def compile(cls, module, *, arch="", func_name="", link_libs=None):
        kernel, func = module
        if kernel.fails == "verify":
            raise ValueError("MLIR verification failed")
        if os.environ.get("FLYDSL_DUMP_IR") != "1":
            return module
        directory = Path(os.environ["FLYDSL_DUMP_DIR"]).resolve() / kernel.symbol
        directory.mkdir(parents=True, exist_ok=True)
        code = func.__code__
        (directory / "00_origin.mlir").write_text(
            f"module {{\n  gpu.module @kernels {{\n    gpu.func @{kernel.symbol}() kernel {{\n      gpu.return\n"
            f'    }} loc(#loc1)\n  }}\n}}\n#loc1 = loc("{code.co_filename}":{code.co_firstlineno}:0)\n'
        )
        if kernel.fails == "pass":
            raise RuntimeError("a pass failed\nnote: more about it")
        if kernel.fails == "abort":
            print("LLVM ERROR: Cannot select: intrinsic", flush=True)
            os.abort()
        if kernel.fails == "quietly":
            return module
        out = directory / f"{kernel.stage}_final_isa.s"
        out.write_text(Path(os.environ["FAKE_ASSEMBLY"], kernel.assembly + ".s").read_text())
        print(f"[flydsl.compile] dump {kernel.stage}_final_isa -> {out}")
        return module


class JitFunction:
    def __init__(self, func):
        self.func = func
        self._mem_cache = {}
        self._sig = inspect.signature(func)
        self.compile_hints = {}

    def __call__(self, *args, **kwargs):
        return self._compile_or_execute(args, kwargs, execute=True)

    def _compile_or_execute(self, args, kwargs, *, execute):
        bound = self._sig.bind(*args, **kwargs)
        bound.apply_defaults()
        key = str([(n, v) for n, v in bound.arguments.items()])
        if key in self._mem_cache:
            return
        cache = os.environ.get("FAKE_CACHE")
        if cache and os.environ.get("FLYDSL_RUNTIME_ENABLE_CACHE", "1") != "0":
            entry = Path(cache, self.func.__name__)
            if entry.exists():
                return
            entry.touch()
        self._mem_cache[key] = self._trace_and_compile(None, self._sig, bound, None, execute=execute)

    def _trace_and_compile(self, ctx, sig, bound, bound_self, *, execute):
        kernel = self.func(*bound.args, **bound.kwargs)
        return MlirCompiler.compile((kernel, self.func), arch="gfx942", func_name=self.func.__name__)


def jit(func):
    return JitFunction(func)
