"""The machine code that pages show: python3 benches/sass.py

ptxas compiles the committed PTX of the kernels below for compute capability 9.0, nvdisasm lists the result, and what
pages show of it goes into benches/sass.txt. Needs no GPU, but both tools on the PATH: nvdisasm comes with the CUDA
toolkit, or by `pip install nvidia-cuda-nvdisasm`.
"""

import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Of each kernel, the lines from the first that contains one text to the next that contains the other.
PARTS = {
    "ch3_blocks": {
        "reduceNeighbored": ("USHF", "@P0 BRA"),
        "reduceNeighboredMask": ("USHF", "@P0 BRA"),
    },
    "ch6_operators": {
        "reduceAtomicThreads_sum_i32": ("LDG", "EXIT"),
        "reduceAtomicThreads_sum_f32": ("LDG", "EXIT"),
        "reduceSingleLaunch_sum_i32": ("MEMBAR", "BAR.SYNC"),
        "reduceAcquireRelease_sum_i32": ("MEMBAR", "BAR.SYNC"),
    },
}


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def version(tool):
    return f"{tool} {re.search(r'V([0-9.]+)', run(tool, '--version'))[1]}"


def listing(code, kernel, start, end):
    """Without the labels and the addresses of the instructions."""
    lines = code.split(f"\n.text.{kernel}:\n")[1].splitlines()
    instructions = [line.split("*/", 1)[1].strip() for line in lines if "*/ " in line]
    first = next(i for i, line in enumerate(instructions) if start in line)
    last = next(i for i, line in enumerate(instructions) if i > first and end in line)
    # An instruction with a condition, @P0, begins further left in the listing; so it does here.
    return [line if line.startswith("@") else "    " + line for line in instructions[first : last + 1]]


def main():
    tools = f"// sm_90, {version('ptxas')} -O3, {version('nvdisasm')}"
    text = [f"{tools}; made by python3 benches/sass.py"]
    for stem, parts in PARTS.items():
        with tempfile.TemporaryDirectory() as directory:
            cubin = pathlib.Path(directory, "cubin")
            run("ptxas", "-arch=sm_90", "-O3", ROOT / f"kernels/prebuilt/{stem}.ptx", "-o", cubin)
            code = run("nvdisasm", "-c", cubin)
        for kernel, (start, end) in parts.items():
            text += [f"// ANCHOR: {kernel}", tools, *listing(code, kernel, start, end), f"// ANCHOR_END: {kernel}"]
    (ROOT / "benches/sass.txt").write_text("\n".join(text) + "\n")


main()
