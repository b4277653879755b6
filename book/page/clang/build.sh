#!/usr/bin/env bash
# The page's compiler: clang's CUDA front end and LLVM's NVPTX back end as one WebAssembly program (WASI preview 1).
#
#     book/page/clang/build.sh [WORK]
#
# Runs on Debian with npm, and takes an hour or more on two cores. WORK (target/clang if it is not given) holds the
# sources and what was made of them, 3 GB; where it was broken off, it goes on. JOBS says how many compile at once.
# Nothing of LLVM is patched. The product is book/src/live/clang/clang.wasm.zst.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=$(realpath -m "${1:-$root/target/clang}")
version=22.1.8
binaryen=132.0.0
# Of llvm-toolchain-22_22.1.8.orig.tar.xz, which is the same in every suite of Debian.
sha256=b49b9277aef97616320b2da259e1f8174c65b0ce2fbe2e8629644a97693402fe
packages=(clang-22 lld-22 llvm-22 clang-tools-22 libc++-22-dev-wasm32 libc++abi-22-dev-wasm32
    libclang-rt-22-dev-wasm32 wasi-libc cmake ninja-build zstd)
export LLVM=/usr/lib/llvm-22
mkdir -p "$work"
cd "$work"
export WORK=$work JOBS=${JOBS:-$(nproc)}

section() { printf '\n==== %s (after %s s)\n' "$1" "$SECONDS"; }

section "Packages"
if ! dpkg --status "${packages[@]}" > /dev/null 2>&1; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" > apt.log
fi

section "LLVM's source"
archive=llvm-toolchain-22_$version.orig.tar.xz
source=$work/llvm-toolchain-22_$version
if [[ ! -d $source/llvm ]]; then
    # A suite may list a version whose packaging is gone; the archive comes with any of them.
    if [[ ! -f $archive ]]; then
        apt-cache showsrc llvm-toolchain-22 | sed -n 's/^Version: //p' | sort --unique | while read -r packaged; do
            [[ -f $archive ]] || apt-get source --download-only "llvm-toolchain-22=$packaged" || true
        done
    fi
    if [[ ! -f $archive ]]; then
        echo "there is no $archive: add a line with deb-src for Debian's sid, and run apt-get update"
        exit 1
    fi
    echo "$sha256  $archive" | sha256sum --check
    parts=(llvm clang cmake third-party libc libcxx/src libcxx/include libcxxabi/include)
    tar --extract --xz --file "$archive" --exclude '*/unittests/*' --exclude '*/docs/*' \
        "${parts[@]/#/llvm-toolchain-22_$version/}"
fi

section "Configuration"
mkdir -p native sysroot/include sysroot/lib
for tool in llvm-tblgen llvm-min-tblgen; do ln -sfn $LLVM/bin/llvm-tblgen native/$tool; done
ln -sfn $LLVM/bin/clang-tblgen native/clang-tblgen
export SYSROOT=$work/sysroot
ln -sfn /usr/include/wasm32-wasi sysroot/include/wasm32-wasi
ln -sfn /usr/lib/wasm32-wasi sysroot/lib/wasm32-wasi
emulated=(MMAN SIGNAL PROCESS_CLOCKS GETPID)
flags="--sysroot=$SYSROOT ${emulated[*]/#/-D_WASI_EMULATED_} -mbulk-memory -mnontrapping-fptoint -msign-ext"
flags+=" -Wno-deprecated -ffile-prefix-map=$work=."
export CFLAGS_WASI="$flags -isystem $here/overlay/include"
export CXXFLAGS_WASI="$flags -nostdinc++ -isystem $here/overlay/cxx -isystem $LLVM/include/wasm32-wasi/c++/v1"
CXXFLAGS_WASI+=" -isystem $here/overlay/include"
libraries="-lwasi-emulated-mman -lwasi-emulated-signal -lwasi-emulated-process-clocks -lwasi-emulated-getpid"
export LDFLAGS_WASI=$libraries
options=(
    -DCMAKE_BUILD_TYPE=MinSizeRel -DCMAKE_CXX_FLAGS_MINSIZEREL="-Os -DNDEBUG" -DCMAKE_C_FLAGS_MINSIZEREL="-Os -DNDEBUG"
    -DLLVM_TARGETS_TO_BUILD=NVPTX -DLLVM_DEFAULT_TARGET_TRIPLE=nvptx64-nvidia-cuda -DLLVM_HOST_TRIPLE=wasm32-wasip1
    -DLLVM_ENABLE_PROJECTS=clang -DLLVM_NATIVE_TOOL_DIR="$work/native" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
)
off=(
    ENABLE_{ASSERTIONS,THREADS,PIC,ZLIB,ZSTD,LIBXML2,LIBEDIT,LIBPFM,CURL,HTTPLIB,Z3_SOLVER,BACKTRACES,CRASH_OVERRIDES}
    ENABLE_{PLUGINS,RTTI,EH,UNWIND_TABLES,WARNINGS,ONDISK_CAS} APPEND_VC_REV
    INCLUDE_{TESTS,BENCHMARKS,EXAMPLES,DOCS,UTILS,RUNTIMES} BUILD_{TOOLS,UTILS}
)
clang_off=(ENABLE_{STATIC_ANALYZER,ARCMT,OBJC_REWRITER} PLUGIN_SUPPORT INCLUDE_{TESTS,DOCS} BUILD_{TOOLS,EXAMPLES})
for name in "${off[@]}"; do options+=("-DLLVM_$name=OFF"); done
for name in "${clang_off[@]}"; do options+=("-DCLANG_$name=OFF"); done
if [[ ! -f build/build.ninja ]]; then
    cmake -G Ninja -S "$source/llvm" -B build -DCMAKE_TOOLCHAIN_FILE="$here/overlay/cmake/wasi.cmake" \
        "${options[@]}" > cmake.log
fi
# What is generated: tables and headers.
ninja -C build -t targets all |
    sed -nE 's/^((tools\/clang\/)?(include|lib\/(AST|Basic|Sema|Target))\/[^:]*\.(inc|h)): CUSTOM_COMMAND$/\1/p' |
    sort --unique > generated
ninja -C build -j "$JOBS" $(< generated) > ninja.log

section "Units"
python3 "$here/compile.py" "$work" "$here/units"

section "What Debian's libc++ lacks, and the program"
mkdir -p program
compile() { "$LLVM/bin/clang++" --target=wasm32-wasi $CXXFLAGS_WASI -Os -DNDEBUG -fno-exceptions -fno-rtti \
    -ffunction-sections -fdata-sections "$@"; }
# Debian's has no threads; the overlay's has those that do nothing, and some of the sources then matter.
for unit in mutex mutex_destructor condition_variable condition_variable_destructor thread future shared_mutex call_once; do
    [[ -f program/$unit.o ]] || compile -w -std=c++23 -D_LIBCPP_BUILDING_LIBRARY -DLIBCXX_BUILDING_LIBCXXABI \
        -I"$source/libcxx/src" -I"$source/libcxxabi/include" -I"$source/libc" \
        -c "$source/libcxx/src/$unit.cpp" -o program/$unit.o
done
compile -w -std=c++17 -DCLANG_BUILD_STATIC -I"$source/llvm/include" -Ibuild/include -I"$source/clang/include" \
    -Ibuild/tools/clang/include -c "$here/main.cpp" -o program/main.o
compile -c "$here/stubs.cpp" -o program/stubs.o

section "Link"
# `units` lists what CUDA C++ reaches. Left out are other targets, object files, sanitizers, optimisation at the link,
# modules, and debuggers' formats. A pass that is left out registers nothing; anything else that still refers to what is
# left out would trap.
sed 's|^|build/|' "$here/units" > objects
rm -f units.a
"$LLVM/bin/llvm-ar" rcST units.a @objects
"$LLVM/bin/llvm-ranlib" units.a
"$LLVM/bin/llvm-nm" --defined-only --format=just-symbols --quiet units.a | sort --unique > defined
"$LLVM/bin/llvm-nm" --undefined-only --format=just-symbols --quiet units.a | sort --unique > wanted
comm -13 defined wanted | sed -nE 's/^_ZN4llvm[0-9]+initialize\w+ERNS_12PassRegistryE$/void &(void *registry) {}/p' > left_out.c
"$LLVM/bin/clang" --target=wasm32-wasi -Os -c left_out.c -o program/left_out.o
"$LLVM/bin/clang++" --target=wasm32-wasi --sysroot="$SYSROOT" -nostdlib++ program/*.o units.a -L"$LLVM/lib/wasm32-wasi" \
    -lc++ -lc++abi $libraries -Wl,--gc-sections,-O2,-z,stack-size=8388608,--stack-first,--strip-debug \
    -Wl,--unresolved-symbols=ignore-all,--initial-memory=67108864,--max-memory=4294967296,-Map=map -o linked.wasm

section "Functions that are the same become one"
# A sixth of what templates make, and what a linker for wasm leaves.
npm install --silent --prefix npm "binaryen@$binaryen" > npm.log
node --stack-size=60000 npm/node_modules/binaryen/bin/wasm-opt linked.wasm --duplicate-function-elimination \
    --remove-unused-module-elements --vacuum -o clang.wasm
if grep --quiet --text --fixed-strings -e "$work" -e "$root" clang.wasm; then
    echo "clang.wasm names a folder of this machine"
    exit 1
fi

section "Product"
product=$root/book/src/live/clang
mkdir -p "$product"
zstd --quiet --force --ultra -22 --long=27 clang.wasm -o "$product/clang.wasm.zst"
{
    cat "$source/llvm/LICENSE.TXT" "$source/llvm/lib/Support/COPYRIGHT.regex"
    printf '\n==== Of the C library, wasi-libc\n\n'
    cat /usr/share/doc/wasi-libc/copyright
} > "$product/LICENSE.txt"
versions=$(dpkg-query --show --showformat '${Package} ${Version}, ' "${packages[@]}")
python3 "$here/manifest.py" "$product" clang.wasm "$version" \
    "book/page/clang/build.sh: LLVM $version (${sha256:0:16}), ${versions}binaryen $binaryen"
ls -l linked.wasm clang.wasm "$product"
cat "$product/clang.json"
"$here/record"
