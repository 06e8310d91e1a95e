"""Triton kernels that the tests compile for AMD processors, without a GPU."""

import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask), mask=mask)


@triton.jit
def largest(a, b):
    return tl.maximum(a, b)


@triton.jit
def softmax_rows(x, out, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n
    values = tl.load(x + row * stride + columns, mask=mask, other=-float("inf")).to(tl.float32)
    values = tl.exp(values - tl.reduce(values, 0, largest))
    values = values / tl.sum(values, 0)
    tl.store(out + row * stride + columns, values.to(out.dtype.element_ty), mask=mask)


@triton.jit
def rms_norm(x, weight, out, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        values = tl.load(x + row * stride + columns, mask=columns < n, other=0.0).to(tl.float32)
        squares += values * values
    scale = 1.0 / tl.sqrt(tl.sum(squares, 0) / n + eps)
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        mask = columns < n
        values = tl.load(x + row * stride + columns, mask=mask, other=0.0).to(tl.float32)
        weights = tl.load(weight + columns, mask=mask, other=0.0).to(tl.float32)
        tl.store(out + row * stride + columns, (values * scale * weights).to(out.dtype.element_ty), mask=mask)


@triton.autotune(
    configs=[
        triton.Config({"M": 32, "N": 32, "K": 32}, num_warps=2, num_stages=1),
        triton.Config({"M": 64, "N": 64, "K": 32}, num_warps=4, num_stages=2),
        triton.Config({"M": 128, "N": 64, "K": 32}, num_warps=4, num_stages=2),
    ],
    key=["k"],
)
@triton.jit
def matmul(a, b, c, k, stride, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    depth = tl.arange(0, K)
    sums = tl.zeros((M, N), dtype=tl.float32)
    for start in range(0, k, K):
        left = tl.load(a + rows[:, None] * stride + (start + depth)[None, :])
        right = tl.load(b + (start + depth)[:, None] * stride + columns[None, :])
        sums += tl.dot(left, right)
    tl.store(c + rows[:, None] * stride + columns[None, :], sums.to(tl.float16))
