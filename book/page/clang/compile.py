"""Compiles the units that the file `units` lists, by the commands that CMake wrote, with precompiled headers where a
library has them (pch/): that takes a third of the time. What is there already is left as it is.

    compile.py WORK UNITS
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))

# Which libraries share a precompiled header, and a unit whose options are theirs.
SHARED = {
    "clang": (
        r"/obj\.clang(Lex|Basic|Options|Sema|AST|Parse|Analysis\w*|Serialization|Frontend|ASTMatchers|Edit|APNotes)\.dir",
        "/clang/lib/Sema/SemaStmt.cpp",
    ),
    "clang_codegen": (r"/obj\.clangCodeGen\.dir", "/clang/lib/CodeGen/CGStmt.cpp"),
    "codegen": (
        r"/LLVM(CodeGen|SelectionDAG|GlobalISel|AsmPrinter|NVPTXCodeGen)\.dir",
        "/llvm/lib/CodeGen/MachineSink.cpp",
    ),
    "ir": (
        r"/LLVM(Analysis|Core|TransformUtils|ScalarOpts|ipo|Vectorize|InstCombine|AggressiveInstCombine|Passes"
        r"|Instrumentation|Coroutines|ObjCARCOpts|Linker|LTO|IRPrinter|BitReader|BitWriter|AsmParser|FrontendOpenMP"
        r"|FrontendHLSL|FrontendOffloading|Target|CFGuard|CGData)\.dir",
        "/llvm/lib/Transforms/InstCombine/InstCombineAddSub.cpp",
    ),
    "mc": (
        r"/LLVM(MC|MCParser|Object|NVPTXDesc|ProfileData|DebugInfo\w+|TargetParser|Remarks|BinaryFormat|TextAPI)\.dir",
        "/llvm/lib/MC/MCStreamer.cpp",
    ),
}


def run(command, build):
    """None, or what the compiler says."""
    ran = subprocess.run(shlex.split(command), cwd=build, capture_output=True, text=True)
    return ran.stderr if ran.returncode else None


def main(work, units):
    build = os.path.join(work, "build")
    commands = {}
    for entry in json.load(open(os.path.join(build, "compile_commands.json"))):
        command = entry["command"]
        if "/clang/" in entry["file"]:
            # clang's headers ask for __WASM__, which nobody defines.
            command = command.replace(" -o ", " -DCLANG_BUILD_STATIC -o ", 1)
        if "/llvm/lib/Support/" in entry["file"] and not entry["file"].endswith(".c"):
            command = command.replace(" -o ", " -include posix_stubs.h -o ", 1)
        commands[re.search(r" -o (\S+\.o) ", command).group(1)] = (entry["file"], command)

    precompiled = {}
    os.makedirs(os.path.join(work, "pch"), exist_ok=True)
    for name, (_, sample) in SHARED.items():
        command = next(command for file, command in commands.values() if file.endswith(sample))
        product = os.path.join(work, "pch", name + ".pch")
        if not os.path.exists(product):
            options = re.sub(r" -o \S+\.o -c \S+$", "", command)
            options += " -x c++-header -Xclang -fno-pch-timestamp -fpch-instantiate-templates"
            began = time.time()
            said = run(f"{options} {HERE}/pch/{name}.h -o {product}.part", build)
            if said:
                sys.exit(f"the header of {name} does not compile:\n{said}")
            os.rename(product + ".part", product)
            print(f"pch/{name}.h in {time.time() - began:.0f} s", flush=True)
        precompiled[name] = product

    wanted = open(units).read().split()
    unknown = [unit for unit in wanted if unit not in commands]
    if unknown:
        sys.exit(f"CMake knows nothing of {' '.join(unknown)}")
    missing = [unit for unit in wanted if not os.path.exists(os.path.join(build, unit))]

    def compile_unit(unit):
        _, command = commands[unit]
        command = command.replace(f" -o {unit} ", f" -o {unit}.part ", 1)
        shared = next((name for name, (pattern, _) in SHARED.items() if re.search(pattern, unit)), None)
        said = "" if shared is None else run(
            command.replace(" -c ", f" -include-pch {precompiled[shared]} -c ", 1), build
        )
        if said is not None:
            # Some units define macros before they include; they do without.
            said = run(command, build)
        if said is None:
            os.rename(os.path.join(build, unit + ".part"), os.path.join(build, unit))
        return unit, said

    failed = 0
    began = time.time()
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        for number, (unit, said) in enumerate(pool.map(compile_unit, missing), 1):
            if said is not None:
                failed += 1
                print(f"{unit} does not compile:\n{said}", flush=True)
            elif number % 20 == 0 or number == len(missing):
                print(f"{number} of {len(missing)} units, {time.time() - began:.0f} s", flush=True)
    sys.exit(f"{failed} units do not compile" if failed else 0)


main(*map(os.path.abspath, sys.argv[1:]))
