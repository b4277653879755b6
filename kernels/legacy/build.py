"""Compiles the kernel of 2020 with NVRTC 12.9 and the options given, and prints the PTX.

    python3 -m pip install --target target/nvrtc -r kernels/legacy/requirements.txt
    cargo xtask renew nvrtc

runs it with the options in tests/builds/legacy.rs, and writes ch4_legacy.ptx and manifest.json beside this
file. It calls the library of the wheel through NVRTC's C API, and needs no GPU, driver or CUDA toolkit.
"""

import ctypes
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
STEM = "ch4_legacy"
# As diagnostics quote it: from the root of the repository.
NAME = f"kernels/legacy/{STEM}.cu"
FLAGS = sys.argv[1:]


def library():
    """The wheel's NVRTC, where pip has put it for this Python."""
    places = [Path(place) / "nvidia" / "cuda_nvrtc" for place in sys.path]
    files = [place / name for place in places for name in ("lib/libnvrtc.so.12", "bin/nvrtc64_120_0.dll")]
    for file in filter(Path.is_file, files):
        return ctypes.CDLL(str(file))
    sys.exit("there is no NVRTC for this Python; pip install -r kernels/legacy/requirements.txt")


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


source = (HERE / f"{STEM}.cu").read_text(encoding="utf-8")
sys.stdout.buffer.write(compile_to_ptx(source).encode())
