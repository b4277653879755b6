"""Builds each program of this folder as its first lines say, and runs it: python3 kernels/programs/on_a_gpu.py

Needs nvcc and a GPU. What is printed is kernels/programs/on_a_gpu.txt.
"""

import pathlib
import re
import shutil
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).parent


def printed(command, folder):
    """What a shell command prints; it has to succeed."""
    run = subprocess.run(command, shell=True, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    return run.stdout


def main():
    ask = "nvidia-smi --query-gpu=name --format=csv,noheader --id=0"
    name = printed(ask, HERE).strip()
    print(f"// Printed on an {name} on {time.strftime('%Y-%m-%d', time.gmtime())} by kernels/programs/on_a_gpu.py")
    for source in sorted(HERE.glob("*.cu")):
        command = re.search(r"^//     (nvcc .*)$", source.read_text(), re.MULTILINE).group(1)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(source, folder)
            output = printed(command, folder)
        print(f"// ANCHOR: {source.stem}\n{output}// ANCHOR_END: {source.stem}", flush=True)


main()
