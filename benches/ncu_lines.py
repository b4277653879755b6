"""What Nsight Compute counts for each line of one exercise's kernel: python3 benches/ncu_lines.py

Profiles exercise 7.5 at 2^24 elements with `ncu`, as it is given and with its slow line mended, and keeps what the
exercise shows in benches/ncu_lines.json. Needs a GPU, nvcc, ncu and its permission to read the counters.
"""

import json
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "kernels/exercises/7_5_the_slow_line.cu"
N, BLOCK, PIECE = 1 << 24, 256, 64
# Lane t takes every blockDim.x-th number of the block, beginning with the t-th.
MENDED = [
    ("(blockIdx.x * blockDim.x + tid) * 64", "blockIdx.x * blockDim.x * 64 + tid"),
    ("first + k < size ? g_idata[first + k]", "first + k * blockDim.x < size ? g_idata[first + k * blockDim.x]"),
]
HOST = f"""
int main()
{{
    unsigned int *numbers, *partials;
    cudaMalloc(&numbers, {N} * 4);
    cudaMalloc(&partials, {N // PIECE // BLOCK} * 4);
    cudaMemset(numbers, 1, {N} * 4);
    reducePieces<<<{N // PIECE // BLOCK}, {BLOCK}>>>(numbers, partials, {N});
    return cudaDeviceSynchronize();
}}
"""
# What a warp waits for, and what ncu calls it (Nsight Compute documentation, "Warp Scheduler States").
WAITS = {
    "global memory": ["long_sb"],
    "the queue to memory": ["lg", "mio"],
    "the barrier": ["barrier"],
    "shared memory": ["short_sb"],
}


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def profiled(text, directory):
    """The report of one launch of the kernel of `text`."""
    program, report = directory / "kernel.cu", directory / "report.ncu-rep"
    program.write_text(text + HOST)
    run("nvcc", "-O3", "-lineinfo", "-arch=native", "-o", directory / "kernel", program)
    # The clocks stay as they are: a record is of the card as its owner runs it.
    run("ncu", "--clock-control", "none", "--set", "full", "--import-source", "yes", "-f", "-o", report, directory / "kernel")
    return report


def microseconds(report):
    raw = run("ncu", "-i", report, "--page", "raw", "--csv", "--print-units", "base", "--metrics", "gpu__time_duration.sum")
    return float(re.findall(r'"([^"]*)"', raw.splitlines()[-1])[-1].replace(",", "")) / 1e3


def lines(report, text):
    """A record of each line that has instructions. Quotes within the source are not escaped, so cells are counted
    from the right."""
    rows = run("ncu", "-i", report, "--page", "source", "--csv", "--print-source", "cuda,sass").splitlines()
    names = re.findall(r'"([^"]*)"', next(row for row in rows if row.startswith('"Line No"')))[4:]
    first = next(n for n, line in enumerate(text.splitlines(), 1) if line.startswith('extern "C"'))
    found = []
    for row in rows:
        cells = dict(zip(names, re.findall(r'"([^"]*)"', row)[-len(names):]))
        start = re.match(r'"(\d+)","', row)
        if start:
            count = lambda name: int(cells[name])
            samples = count("# Samples")
            waits = {words: sum(count("stall_" + state) for state in states) for words, states in WAITS.items()}
            most = max(waits, key=waits.get)
            found.append({
                "line": int(start[1]) - first,
                "code": text.splitlines()[int(start[1]) - 1].strip(),
                "samples": samples,
                "waits_for": most if 2 * waits[most] > samples else "",
                "requests": 0,
                "sectors": count("L2 Theoretical Sectors Global"),
            })
        elif found and re.search(r"\b(LDG|STG)\b", row):
            found[-1]["requests"] += int(cells["Instructions Executed"])
    total = sum(line["samples"] for line in found)
    # Braces, and what hardly ever runs, are left out.
    return [line for line in found if 1000 * line["samples"] >= total or line["requests"]]


def main():
    text = SOURCE.read_text()
    mended = text
    for old, new in MENDED:
        assert mended.count(old) == 1, old
        mended = mended.replace(old, new)
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        fast = microseconds(profiled(mended, directory))
        report = profiled(text, directory)
        ask = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        device, driver = run(*ask).strip().splitlines()[0].split(", ")
        record = {
            "device": device,
            "driver": driver,
            "ncu": re.search(r"Version (\S+)", run("ncu", "--version"))[1],
            "n": N,
            "block": BLOCK,
            "time_us": microseconds(report),
            "mended_us": fast,
            "lines": lines(report, text),
        }
    (ROOT / "benches/ncu_lines.json").write_text(json.dumps(record, indent=1) + "\n")


main()
