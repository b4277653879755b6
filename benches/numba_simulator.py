"""Chapter 3's reduceNeighbored on numba's CUDA simulator: numba_simulator.py N BLOCK REPEATS

Prints the seconds of each launch as JSON. `cargo bench` calls it, see benches/simulator.rs. The kernel is
kernels/ch3_blocks.cu line for line; N is small, since numba makes a Python thread of every CUDA thread.
"""

import json
import os
import platform
import sys
import time

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"  # before numba is imported

import numba
import numpy
from numba import cuda


@cuda.jit
def reduceNeighbored(g_idata, g_odata, size):
    tid = cuda.threadIdx.x
    first = cuda.blockIdx.x * cuda.blockDim.x
    count = min(cuda.blockDim.x, size - first) if first < size else 0
    stride = 1
    while stride < count:
        if tid % (2 * stride) == 0 and tid + stride < count:
            g_idata[first + tid] += g_idata[first + tid + stride]
        cuda.syncthreads()
        stride *= 2
    if tid == 0:
        g_odata[cuda.blockIdx.x] = g_idata[first] if count > 0 else 0


def launch(size, block):
    """Seconds of one launch; fails if the sum is wrong."""
    grid = (size + block - 1) // block
    # Small numbers: numpy warns where a sum of 32 bits wraps.
    g_idata = numpy.arange(size, dtype=numpy.int32) % 1000
    g_odata = numpy.zeros(grid, dtype=numpy.int32)
    expected = g_idata.sum()
    start = time.perf_counter()
    reduceNeighbored[grid, block](g_idata, g_odata, size)
    seconds = time.perf_counter() - start
    if g_odata.sum() != expected:
        sys.exit(f"the sum is {g_odata.sum()}, not {expected}")
    return seconds


size, block, repeats = map(int, sys.argv[1:])
launch(block, block)  # warm-up
seconds = [launch(size, block) for _ in range(repeats)]
print(json.dumps({"numba": numba.__version__, "python": platform.python_version(), "seconds": seconds}))
