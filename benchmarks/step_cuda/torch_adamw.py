# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
"""Times PyTorch's fused AdamW at the sizes of step_cuda, in the same way: events, the shortest of 7 times 5 steps."""
import sys

import torch


def milliseconds(optimizer):
    shortest = float("inf")
    for _ in range(7):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(5):
            optimizer.step()
        end.record()
        end.synchronize()
        shortest = min(shortest, begin.elapsed_time(end) / 5)
    return shortest


def measure(name, dtype, tensors, size):
    params = [torch.zeros(size, dtype=dtype, device="cuda", requires_grad=True) for _ in range(tensors)]
    for param in params:
        param.grad = torch.zeros_like(param)
    optimizer = torch.optim.AdamW(params, fused=True)
    optimizer.step()
    time = milliseconds(optimizer)
    print(f"{name:8} {tensors * size:11}  {time:9.3f}  {time * 1e6 / (tensors * size):8.4f}  {dtype}")


def main():
    if not torch.cuda.is_available():
        print("no CUDA device here: skipped")
        return 77
    print("torch", torch.__version__)
    print("list      elements    step ms  ns/param  dtype of weights, gradients and moments")
    for dtype, bytes_per_param in ((torch.float32, 16), (torch.bfloat16, 8)):
        for size in (1_000_000, 10_000_000, 100_000_000, 1_000_000_000):
            if bytes_per_param * size < 0.9 * torch.cuda.mem_get_info()[0]:
                measure("single", dtype, 1, size)
                torch.cuda.empty_cache()
        measure("small", dtype, 1000, 1000)
    return 0


if __name__ == "__main__":
    sys.exit(main())
