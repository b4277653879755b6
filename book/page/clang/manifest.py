"""Writes clang.json beside the packed compiler: what the page and the tests ask about it.

    manifest.py PRODUCT VERSION MADE
"""

import json
import os
import sys

product, version, made = sys.argv[1:]
with open(os.path.join(product, "clang.wasm.zst"), "rb") as file:
    packed = file.read()
# FNV-1a, as `hash` in crates/kernel-compiler/src/hash.rs.
hashed = 0xCBF29CE484222325
for byte in packed:
    hashed = (hashed ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
about = {
    "version": version,
    "hash": f"{hashed:016x}",
    "bytes": len(packed),
    "made": made,
}
with open(os.path.join(product, "clang.json"), "w") as file:
    file.write(json.dumps(about, indent=2) + "\n")
