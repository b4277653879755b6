"""Compiles the museum's kernel to PTX with NVRTC 12.9, and notes in manifest.json what was made from what.

    python3 -m venv target/museum && target/museum/bin/pip install -r kernels/museum/requirements.txt
    target/museum/bin/python kernels/museum/build.py [DIRECTORY]

Without a directory, museum_nested.ptx and manifest.json are written beside this file. It calls the library of the wheel
through NVRTC's C API. It needs no GPU, no driver and no CUDA toolkit, and installs nothing.
"""

import ctypes
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
STEM = "museum_nested"
# As diagnostics quote it: from the root of the repository.
NAME = f"kernels/museum/{STEM}.cu"
# The architecture of the other kernels' PTX. The macro brings back what device code has lost with CUDA 12.
FLAGS = ["-arch=compute_75", "-rdc=true", "-lineinfo", "-DCUDA_FORCE_CDP1_IF_SUPPORTED"]


def library():
    """The wheel's NVRTC, where pip has put it for this Python."""
    places = [Path(place) / "nvidia" / "cuda_nvrtc" for place in sys.path]
    files = [place / name for place in places for name in ("lib/libnvrtc.so.12", "bin/nvrtc64_120_0.dll")]
    for file in filter(Path.is_file, files):
        return ctypes.CDLL(str(file))
    sys.exit("there is no NVRTC for this Python; pip install -r kernels/museum/requirements.txt")


def compile_to_ptx(source):
    """The PTX of `source`; warnings go to stderr."""
    nvrtc = library()
    nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
    program = ctypes.c_void_p()

    def check(error):
        if error != 0:
            sys.exit(nvrtc.nvrtcGetErrorString(error).decode())

    def text(get_size, get):
        size = ctypes.c_size_t()
        check(get_size(program, ctypes.byref(size)))
        buffer = ctypes.create_string_buffer(size.value)
        check(get(program, buffer))
        return buffer.value.decode()

    check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), NAME.encode(), 0, None, None))
    flags = (ctypes.c_char_p * len(FLAGS))(*[flag.encode() for flag in FLAGS])
    error = nvrtc.nvrtcCompileProgram(program, len(FLAGS), flags)
    sys.stderr.write(text(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog))
    check(error)
    ptx = text(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX)
    # NVRTC puts the working directory before the name.
    return re.sub(r'(\.file\s+1\s+)".*"', rf'\1"{NAME}"', ptx).rstrip("\n") + "\n"


def fnv_1a(text):
    """The hash of src/prebuilt.rs."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def main():
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    source = (HERE / f"{STEM}.cu").read_text(encoding="utf-8")
    ptx = compile_to_ptx(source)
    compiler = "NVRTC " + re.search(r"^// Cuda compilation tools, .* V([\d.]+)$", ptx, re.MULTILINE).group(1)
    entry = {"source_hash": fnv_1a(source), "ptx_hash": fnv_1a(ptx), "compiler": compiler, "flags": FLAGS}
    for name, text in [(f"{STEM}.ptx", ptx), ("manifest.json", json.dumps({STEM: entry}, indent=2) + "\n")]:
        (directory / name).write_text(text, encoding="utf-8", newline="\n")


main()
