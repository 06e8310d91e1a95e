"""Compiles the kernels of a file for processors, without a GPU.

usage: compile.py KERNELS.py gfx942[,gfx1201] [KERNEL…]

Triton writes into its cache, $TRITON_CACHE_DIR.
"""

import importlib.util
import sys
import warnings

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

VECTOR = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}
ROWS = {"x": "*fp16", "out": "*fp16", "stride": "i32", "n": "i32"}
NORM = {"x": "*fp16", "weight": "*fp16", "out": "*fp16", "stride": "i32", "n": "i32", "eps": "fp32"}
MATRIX = {"a": "*fp16", "b": "*fp16", "c": "*fp16", "k": "i32", "stride": "i32"}

# The specializations of each kernel: arguments, constants, options. Those of an
# autotuned kernel are its configurations.
SPECIALIZATIONS = {
    "add": [(VECTOR, {"BLOCK": 1024}, {"num_warps": 4})],
    "softmax_rows": [(ROWS, {"BLOCK": 1024}, {"num_warps": 4}), (ROWS, {"BLOCK": 4096}, {"num_warps": 8})],
    "rms_norm": [(NORM, {"BLOCK": 2048}, {"num_warps": 4})],
    "matmul": [(MATRIX, None, None)],
}


def compiles(name, function):
    for arguments, constants, options in SPECIALIZATIONS[name]:
        if constants is not None:
            yield function, arguments, constants, options
            continue
        for config in function.configs:
            yield function.fn, arguments, config.kwargs, {"num_warps": config.num_warps, "num_stages": config.num_stages}


def main(path, archs, names):
    warnings.simplefilter("ignore")
    spec = importlib.util.spec_from_file_location("kernels", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for arch in archs.split(","):
        target = GPUTarget("hip", arch, 64 if arch.startswith("gfx9") else 32)
        for name in names or SPECIALIZATIONS:
            for function, arguments, constants, options in compiles(name, getattr(module, name)):
                signature = arguments | {constant: "constexpr" for constant in constants}
                pointers = {(i,): [["tt.divisibility", 16]] for i, kind in enumerate(arguments.values()) if kind[0] == "*"}
                source = ASTSource(fn=function, signature=signature, constexprs=constants, attrs=pointers)
                triton.compile(source, target=target, options=options)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
