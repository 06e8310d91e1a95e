"""A stand-in for FlyDSL in tests: it "compiles" by copying assembly that FlyDSL once made.

It dumps as FlyDSL 0.4 does: the environment is read at every compile, files are written in place, a
directory is named after the kernel alone, and one process dumps one key once. With FAKE_CACHE set it
also has the disk cache of FlyDSL before 0.4, which dumps nothing on a hit.
"""

from .jit_function import Kernel, jit

kernel = jit  # what is compiled is found by its definition too

__all__ = ["Kernel", "jit", "kernel"]
