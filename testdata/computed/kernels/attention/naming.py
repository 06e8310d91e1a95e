"""Kernel names that say what a profiler's user wants to know."""


def kernel_name(kind, **shape):
    parts = [kind, *(f"{key}{value}" for key, value in sorted(shape.items()))]
    return "_".join(parts)
