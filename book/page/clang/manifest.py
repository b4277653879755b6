"""Writes clang.json beside the packed compiler: what the page and the tests ask about it.

    manifest.py PRODUCT WASM VERSION MADE

`bytes` and `hash` are of the packed compiler. `wasm` is what unpacking it gives, which the page looks at before it starts it.
"""

import hashlib
import json
import os
import sys

product, wasm, version, made = sys.argv[1:]
with open(os.path.join(product, "clang.wasm.zst"), "rb") as file:
    packed = file.read()
with open(wasm, "rb") as file:
    unpacked = file.read()
# FNV-1a, as `hash` in crates/kernel-compiler/src/hash.rs.
hashed = 0xCBF29CE484222325
for byte in packed:
    hashed = (hashed ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
about = {
    "version": version,
    "hash": f"{hashed:016x}",
    "bytes": len(packed),
    "wasm": {"bytes": len(unpacked), "sha256": hashlib.sha256(unpacked).hexdigest()},
    "made": made,
}
with open(os.path.join(product, "clang.json"), "w") as file:
    file.write(json.dumps(about, indent=2) + "\n")
