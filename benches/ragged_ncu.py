"""What Nsight Compute counts for the last rung of chapter 4.3 on each kind of rows:

    python3 benches/ragged_ncu.py PROGRAM BENCH

PROGRAM is the built example, target/release/examples/ch4_ragged, and BENCH the built benchmark,
target/release/deps/ragged-…. Needs a GPU, ncu and its permission to read the counters. Prints a table, which is
benches/ragged_ncu.txt.
"""

import csv
import subprocess
import sys
import time

LOG = 28
TILE = 512
KINDS = ["equal", "power", "giant", "empty"]
# The large arrays of BENCH, in its order; the last one is as empty as that of PROGRAM.
LARGE = ["equal, 3", "power, sorted"]
SHARE = "avg.pct_of_peak_sustained_elapsed"
TIME = "gpu__time_duration.sum"
INSTRUCTIONS = "smsp__inst_executed.sum"
# Column -> metric, in per cent.
SHARES = {
    "memory busy": f"dram__throughput.{SHARE}",
    "loads, stores, shuffles": f"l1tex__data_pipe_lsu_wavefronts.{SHARE}",
    "issue slots": f"smsp__inst_issued.{SHARE}",
}
# Cycles of a warp per instruction that it issues: all, and those in which it waits for this.
WAITS = {
    "cycles of a warp": "smsp__average_warp_latency_per_inst_issued.ratio",
    "wait for memory": "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
    "for shared memory": "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
}


def counted(run):
    """Metric -> number, of the first launch of a command."""
    metrics = [TIME, INSTRUCTIONS, *SHARES.values(), *WAITS.values()]
    command = ["ncu", "--kill", "yes", "--clock-control", "none", "--page", "raw", "--csv", "--print-units", "base"]
    command += ["--kernel-name", "regex:^flattened", "--launch-count", "1", "--metrics", ",".join(metrics)]
    printed = subprocess.run(command + run, stdout=subprocess.PIPE, text=True).stdout
    table = list(csv.reader(line for line in printed.splitlines() if line.startswith('"')))
    if len(table) != 3:
        sys.exit(f"ncu gave no report of one launch:\n{printed}")
    found = dict(zip(table[0], table[2]))
    return {metric: float(found[metric].replace(",", "")) for metric in metrics}


def main():
    program, bench = sys.argv[1:]
    one = [program, "--device", "gpu", "--n", f"2^{LOG}", "--no-sweep", "--kernel"]
    runs = {kind: one + [f"flattened_{kind}"] for kind in KINDS}
    runs |= {name: [bench, "--large", str(place)] for place, name in enumerate(LARGE)}
    ask = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    name = subprocess.run(ask, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    print(f"// Printed on an {name} on {time.strftime('%Y-%m-%d', time.gmtime())} by benches/ragged_ncu.py")
    print("// ANCHOR: table")
    titles = ["instructions per tile", *SHARES, *WAITS]
    print("".join([f"{'rows':<14}", f"{'µs':>7}", *(f"{title:>{len(title) + 2}}" for title in titles)]))
    for kind, run in runs.items():
        found = counted(run)
        tiles = (1 << LOG) / TILE
        cells = [f"{found[INSTRUCTIONS] / tiles:.0f}"]
        cells += [f"{found[metric]:.0f} %" for metric in SHARES.values()]
        cells += [f"{found[metric]:.1f}" for metric in WAITS.values()]
        wide = "".join(f"{cell:>{len(title) + 2}}" for cell, title in zip(cells, titles))
        print(f"{kind:<14}{found[TIME] / 1e3:>7.0f}{wide}", flush=True)
    print("// ANCHOR_END: table")


main()
