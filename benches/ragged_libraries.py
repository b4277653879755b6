"""Sums of ragged rows by what a Python user calls, beside chapter 4.3's: python3 benches/ragged_libraries.py

Needs a GPU, PyTorch and CuPy (which brings cuSPARSE to Python). On the same rows, in one process and in turns:
`rowSums` of chapter 4.3 from the committed PTX, cuSPARSE's product of a CSR matrix of those values with a vector of
ones, `torch.segment_reduce`, and on rows of equal lengths `torch.sum(dim=1)`. Every sum is compared with the others'.

cuSPARSE and PyTorch have no such sum of integers, so all add `float`s: multiples of 0.5 of both signs, whose sums stay
small enough never to round.
cuSPARSE reads a column index beside each value: 8 bytes per element where the others read 4. So the table gives its
time, and its time per byte. What is printed is benches/ragged_libraries.txt.
"""

import pathlib
import re
import statistics
import time

import cupy
import torch
from cupyx import cusparse
import cupyx.scipy.sparse as sparse

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = [24, 28]
KINDS = ["equal, 64", "equal, 1,024", "equal, 65,536", "power law", "one giant", "mostly empty"]
SAMPLES = 15
FLUSH = 256 << 20
CHOICE = (ROOT / "chapters/src/ch4_ragged/choice.rs").read_text()


def constant(name):
    """A number of the chapter's host code."""
    return int(re.search(rf"const {name}: \w+ = ([\d_]+);", CHOICE)[1])


RESIDENT = constant("RESIDENT")
TILE = constant("LEAST_SHARE")
END_STEPS = constant("END_STEPS")
WHOLE = constant("WHOLE")
SHARE_WARPS = constant("SHARE_WARPS")


def lengths(kind, n):
    """Row lengths of a kind; the rows that are drawn differ from the example's, their distribution does not."""
    draw = cupy.random.default_rng(4)
    if kind.startswith("equal"):
        length = int(kind.removeprefix("equal, ").replace(",", ""))
        return cupy.full(n // length, length, cupy.int64)
    if kind == "one giant":
        rows = cupy.full(n // 32 + 1, 16, cupy.int64)
        rows[n // 64] = n // 2
        return rows
    if kind == "mostly empty":
        rows = 40 * (draw.integers(0, 10, n // 3) == 0)
    else:
        least = 2 << cupy.minimum(draw.geometric(0.5, n // 8) - 1, 22)
        rows = least + (draw.random(n // 8) * least).astype(cupy.int64)
    ends = cupy.minimum(cupy.cumsum(rows.astype(cupy.int64)), n)
    first = int(cupy.searchsorted(ends, n)) + 1
    return cupy.diff(ends[:first], prepend=0)


def row_sums(module, values, offsets, sums):
    """The launch of chapter 4.3's `rowSumsF32`: `Way::of` of choice.rs, for arrays that have elements and rows."""
    n, m = len(values), len(sums)
    multiprocessors = cupy.cuda.Device().attributes["MultiProcessorCount"]
    if m <= constant("FEW") * multiprocessors + n // constant("PER_ROW"):
        room = constant("FULL") * multiprocessors
        times = constant("MANY_TIMES")
        large = constant("LARGE_BLOCK") if m <= times * room // 2 else constant("LARGE_BLOCK_OF_MANY")
        warps = constant("MANY_WARPS") if m <= room // 2 or n >= large * m else constant("FEW_WARPS")
        times = times if n // m >= constant("OWN_BLOCK_OF_FEW") else 1
        rows = 1 if n // m >= constant("OWN_BLOCK") else min(-(-m // (times * room)), constant("FEW_WARPS"))
        part = n // (constant("SHARING_WARPS") * multiprocessors)
        most = warps * max(part, constant("LONG_TURNS") * constant("CHUNK"))
        piece = max(constant("MANY_WARPS") * constant("CHUNK"), n // (constant("PIECES") * multiprocessors))
        pieces = n // piece
        blocks = -(-m // rows)
        room = constant("FULL") * constant("FEW_WARPS") // warps * multiprocessors
        helpers = min(pieces, max(room - blocks, room // 2)) if n > most else 0
        parts = cupy.empty(2 * (pieces + 1), cupy.float32)
        arrived = cupy.zeros(pieces + 1, cupy.uint32)
        kernel = module.get_function("chunkedF32")
        numbers = [cupy.uint32(number) for number in (m, rows, most, piece, pieces, helpers)]
        arguments = (values, offsets, sums, *numbers, parts, arrived)
        return lambda: kernel((helpers + blocks,), (32 * warps,), arguments)
    steps = n + END_STEPS * m
    grid = min(-(-steps // (TILE * SHARE_WARPS)), RESIDENT * multiprocessors)
    share = -(-steps // (grid * SHARE_WARPS))
    kernel = module.get_function("flattenedF32")
    parts = cupy.empty(2 * grid * SHARE_WARPS, cupy.float32)
    arrived = cupy.zeros(grid * SHARE_WARPS, cupy.uint32)
    numbers = [cupy.uint32(number) for number in (n, m, share, WHOLE)]
    return lambda: kernel((grid,), (32 * SHARE_WARPS,), (values, offsets, sums, *numbers, parts, arrived))


def contenders(module, kind, values, ends):
    """Name -> (launch, result)."""
    m = len(ends) - 1
    offsets = ends.astype(cupy.uint32)
    sums = cupy.empty(m, cupy.float32)
    found = {"rowSums": (row_sums(module, values, offsets, sums), lambda: sums)}

    columns = cupy.arange(len(values), dtype=cupy.int32) % 1024
    width = max(1024, int(cupy.diff(ends).max()))
    matrix = sparse.csr_matrix((values, columns, ends.astype(cupy.int32)), shape=(m, width))
    matrix.has_canonical_format = True  # it is not, where a row has a column twice; a product does not mind
    ones = cupy.ones(width, cupy.float32)
    product = cupy.empty(m, cupy.float32)
    found["cuSPARSE"] = (lambda: cusparse.spmv(matrix, ones, product), lambda: product)

    data = torch.as_tensor(values, device="cuda")
    bounds = torch.as_tensor(ends, device="cuda")
    kept = {}

    def segments():
        kept["segments"] = torch.segment_reduce(data, "sum", offsets=bounds, unsafe=True)

    found["segment_reduce"] = (segments, lambda: cupy.asarray(kept["segments"]))
    if kind.startswith("equal"):
        table = data.view(m, -1)

        def rows():
            kept["rows"] = table.sum(dim=1)

        found["sum(dim=1)"] = (rows, lambda: cupy.asarray(kept["rows"]))
    return found


def timed(launch, flush):
    """Microseconds of one call after the caches were filled with other data, by events around it."""
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    # Several times, to keep the GPU busy while the host puts the call into the stream: that time is not counted.
    for _ in range(10):
        cupy.cuda.runtime.memsetAsync(flush.data.ptr, 1, FLUSH, cupy.cuda.get_current_stream().ptr)
    begin.record()
    launch()
    end.record()
    end.synchronize()
    return 1e3 * cupy.cuda.get_elapsed_time(begin, end)


def main():
    module = cupy.RawModule(path=str(ROOT / "kernels/prebuilt/ch4_ragged.fatbin"))
    flush = cupy.zeros(FLUSH, cupy.uint8)
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    sparse_version = cupy.cuda.cusparse.getVersion(cupy.cuda.device.get_cusparse_handle())
    print(f"// Printed on an {name} on {time.strftime('%Y-%m-%d', time.gmtime())} by benches/ragged_libraries.py,")
    print(f"// with PyTorch {torch.__version__}, CuPy {cupy.__version__} and cuSPARSE {sparse_version}")
    for log in SIZES:
        n = 1 << log
        print(f"// ANCHOR: n{log}")
        print("time of one call over that of rowSums; for cuSPARSE also per byte that it has to read")
        print(f"{'rows':<14}{'m':>12}{'rowSums µs':>24}{'cuSPARSE':>10}{'per byte':>10}", end="")
        print(f"{'segment_reduce':>16}{'sum(dim=1)':>12}")
        for kind in KINDS:
            mixed = cupy.arange(n, dtype=cupy.uint32) * cupy.uint32(2654435761)
            values = (mixed >> 30).astype(cupy.float32) - 1.5
            del mixed
            ends = cupy.concatenate([cupy.zeros(1, cupy.int64), cupy.cumsum(lengths(kind, n))])
            values = values[: int(ends[-1])]
            found = contenders(module, kind, values, ends)
            stream = cupy.cuda.Stream(non_blocking=True)
            cupy.cuda.Device().synchronize()
            with stream, torch.cuda.stream(torch.cuda.ExternalStream(stream.ptr)):
                for launch, _ in found.values():
                    launch()
                expected = found["rowSums"][1]()
                for other, (_, result) in found.items():
                    wrong = int((result() != expected).sum())
                    if wrong:
                        print(f"{other}: {wrong} of {len(expected)} sums differ from rowSums'")
                times = {other: [] for other in found}
                for _ in range(SAMPLES):
                    for other, (launch, _) in found.items():
                        times[other].append(timed(launch, flush))
            median = {other: statistics.median(samples) for other, samples in times.items()}
            ours, m = times["rowSums"], len(expected)
            over = lambda other: f"{median[other] / median['rowSums']:.2f}" if other in median else "-"
            bytes_ratio = (8 * len(values) + 8 * m) / (4 * len(values) + 8 * m)
            span = f"{median['rowSums']:.1f} ({min(ours):.1f}-{max(ours):.1f})"
            print(f"{kind:<14}{m:>12,}{span:>24}{over('cuSPARSE'):>10}", end="")
            print(f"{median['cuSPARSE'] / median['rowSums'] / bytes_ratio:>10.2f}", end="")
            print(f"{over('segment_reduce'):>16}{over('sum(dim=1)'):>12}", flush=True)
            del found, values
            cupy.get_default_memory_pool().free_all_blocks()
            torch.cuda.empty_cache()
        print(f"// ANCHOR_END: n{log}")


main()
