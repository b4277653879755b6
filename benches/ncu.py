"""What Nsight Compute counts for fourteen kernels: python3 benches/ncu.py

Profiles one launch of each kernel at 2^24 elements with `ncu` and keeps, of some 2,000 metrics, those that the page
"Looking inside with ncu" shows, in benches/ncu.json. Needs a GPU, ncu and its permission to read the counters, and the
built examples: cargo build --example ch3_blocks --example ch7_limit

The whole reports stay in target/ncu, and one that is there is not made again.
"""

import csv
import json
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
REPORTS = ROOT / "target" / "ncu"
N = 1 << 24
KERNELS = {
    "ch3_blocks": ["reduceNeighbored", "reduceNeighboredMask", "reduceNeighboredLess", "reduceInterleaved"],
    "ch7_limit": [
        "reduceSharedTree", "reduceSequential", "reduceFirstAdd", "reduceInFlight",
        "reduceShuffle", "reduceVector", "reduceSinglePass", "reduceOneAtomic", "reduceFourLoads", "reduceLimit",
    ],
}
METRICS = {
    "time_us": ("gpu__time_duration.sum", 1e-3),
    "warp_instructions": ("smsp__inst_executed.sum", 1),
    "issue_slots_used": ("smsp__issue_active.avg.pct_of_peak_sustained_active", 0.01),
    "occupancy": ("sm__warps_active.avg.pct_of_peak_sustained_active", 0.01),
    "memory_bytes_read": ("dram__bytes_read.sum", 1),
    "memory_bytes_written": ("dram__bytes_write.sum", 1),
}
# Of the warps that are there, how many are in this state per instruction issued.
STATE = re.compile(r"smsp__average_warps_issue_stalled_(\w+)_per_issue_active\.ratio")


def report(stem, kernel):
    """The report of one launch: metric -> text."""
    path = REPORTS / f"{kernel}.csv"
    if not path.exists():
        # The clocks stay as they are: a record is of the card as its owner runs it.
        command = ["ncu", "--kill", "yes", "--clock-control", "none", "--set", "full", "--page", "raw", "--csv"]
        command += ["--kernel-name", f"regex:^{kernel}$", "--launch-count", "1"]
        command += [ROOT / "target/debug/examples" / stem, "--device", "gpu", "--kernel", kernel, "--n", str(N)]
        path.write_bytes(subprocess.run(command, stdout=subprocess.PIPE).stdout)
    # What the example and ncu say stands before the table. Its second row holds units, the third the launch.
    table = list(csv.reader(line for line in path.read_text().splitlines() if line.startswith('"')))
    if len(table) != 3:
        sys.exit(f"{path} holds no report of one launch; read it, delete it, and run this again")
    return dict(zip(table[0], table[2]))


def number(text):
    return float(text.replace(",", ""))


def whole(value):
    return int(value) if value == int(value) else round(value, 4)


def kernel(stem, name):
    found = report(stem, name)
    metrics = {short: whole(number(found[long]) * scale) for short, (long, scale) in METRICS.items()}
    states = {STATE.fullmatch(key)[1]: number(found[key]) for key in found if STATE.fullmatch(key)}
    size = lambda text: int(re.match(r"\((\d+), 1, 1\)", text)[1])
    return {
        "stem": stem,
        "kernel": name,
        "block": size(found["Block Size"]),
        "grid": size(found["Grid Size"]),
        **metrics,
        "states": {state: warps for state, warps in sorted(states.items()) if warps},
    }


def main():
    REPORTS.mkdir(parents=True, exist_ok=True)
    versions = REPORTS / "version.txt"
    if not versions.exists():
        ask = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        versions.write_bytes(
            subprocess.run(["ncu", "--version"], stdout=subprocess.PIPE, check=True).stdout
            + subprocess.run(ask, stdout=subprocess.PIPE, check=True).stdout
        )
    device, driver = versions.read_text().splitlines()[-1].split(", ")
    builds = json.loads((ROOT / "kernels/prebuilt/manifest.json").read_text())
    record = {
        "date": time.strftime("%Y-%m-%d", time.gmtime(versions.stat().st_mtime)),
        "device": device,
        "driver": driver,
        "ncu": re.search(r"Version (\S+)", versions.read_text())[1],
        "n": N,
        "code": {stem: builds[stem]["code_hash"] for stem in KERNELS},
        "kernels": [kernel(stem, name) for stem, names in KERNELS.items() for name in names],
    }
    (ROOT / "benches/ncu.json").write_text(json.dumps(record, indent=1) + "\n")


main()
