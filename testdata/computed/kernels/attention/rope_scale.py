"""Kernels whose names a helper computes."""

import torch

import flydsl.compiler as flyc
import flydsl.expr as fx

from naming import kernel_name

THREADS = 256


def tagged(kind, **shape):
    """The project's own decorator: a kernel with the name of its shape."""
    return flyc.kernel(name=kernel_name(kind, **shape), known_block_size=[THREADS, 1, 1])


def build_scale(width):
    parts = kernel_name("rope_scale", w=width)

    @flyc.kernel(name=parts, known_block_size=[THREADS, 1, 1])
    def kernel(X: fx.Tensor, Y: fx.Tensor):
        first = fx.block_idx.x * THREADS + fx.thread_idx.x
        Y[first] = X[first] * float(width)

    @flyc.jit
    def launch(X: fx.Tensor, Y: fx.Tensor, blocks: fx.Int32, stream: fx.Stream = fx.Stream(None)):
        kernel(X, Y).launch(grid=(blocks, 1, 1), block=(THREADS, 1, 1), stream=stream)

    return launch


def build_shift(width):
    @tagged("shifted", w=width)
    def kernel(X: fx.Tensor, Y: fx.Tensor):
        first = fx.block_idx.x * THREADS + fx.thread_idx.x
        Y[first] = X[first] + float(width)

    @flyc.jit
    def launch(X: fx.Tensor, Y: fx.Tensor, blocks: fx.Int32, stream: fx.Stream = fx.Stream(None)):
        kernel(X, Y).launch(grid=(blocks, 1, 1), block=(THREADS, 1, 1), stream=stream)

    return launch


def build_square(width):
    def square(X: fx.Tensor, Y: fx.Tensor):
        first = fx.block_idx.x * THREADS + fx.thread_idx.x
        Y[first] = X[first] * X[first]

    kernel = flyc.kernel(square, name=kernel_name("sq", w=width))

    @flyc.jit
    def launch(X: fx.Tensor, Y: fx.Tensor, blocks: fx.Int32, stream: fx.Stream = fx.Stream(None)):
        kernel(X, Y).launch(grid=(blocks, 1, 1), block=(THREADS, 1, 1), stream=stream)

    return launch


def main(size=1 << 16):
    x = torch.randn(size)
    for build in (build_scale, build_shift, build_square):
        for width in (2, 3):
            build(width)(x, torch.empty_like(x), size // THREADS)


if __name__ == "__main__":
    main()
