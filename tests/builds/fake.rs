//! An nvcc that is a shell script, and a repository with a kernel that it has built.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use testing::example;
use workbook::kernel_compiler::compiler::Compiler;
use workbook::kernel_compiler::{hash, prebuilt};

use crate::{scratch, write};

/// The repository's kernel.
pub const KERNEL: &str = "kernels/ch9_fake.cu";

pub fn script(path: &Path, body: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    example::script(path, &format!("#!/bin/sh\n{body}\n"));
}

/// Answers `--version`, and compiles to a few lines that hold what nvcc's would: its own options and paths,
/// and the hash before the file's name. A source with an `error` in it is refused in three lines.
pub fn fake(path: &Path, version: &str) {
    let body = format!(
        r#"if [ "$1" = --version ]; then echo "Cuda compilation tools, release 1.2, V{version}"; exit; fi
[ "$1" = -E ] && exit
options=
while [ $# -gt 0 ]; do
    case "$1" in -o) out=$2; shift ;; -Xcompiler) shift ;; -*) options="$options $1" ;; *) source=$1 ;; esac
    shift
done
if grep -q error "$source"; then
    printf '%s(3): error: expected a ";"\n      sum = 1\n             ^\n' "$source" >&2; exit 2
fi
printf '// %s\n.func _ZN_INTERNAL_0123abcd_11_ch9_fake_cu_f()\n' "$options" > "$out"
printf '.file 1 "%s/%s"\n.file 2 "/opt/cuda/bin/..//include/crt/math.hpp"\n' "$PWD" "$source" >> "$out"
printf '.b8 95,48,49,50,51\n' >> "$out"
printf '.b8 97,98,99,100,95,49,49,95,99,104,57,95,102,97,107,101,95,99,117,95,0\n' >> "$out""#
    );
    script(path, &body);
}

/// The same for clang: a program that is called `clang`, or one that has a part of that name.
pub fn fake_clang(path: &Path, version: &str, is_zig: bool) {
    let part = if is_zig { "[ \"$1\" = clang ] || exit 1; shift" } else { ":" };
    let body = format!(
        r#"{part}
if [ "$1" = --version ]; then echo "Some clang version {version}"; exit; fi
if [ "$1" = --print-targets ]; then echo "    nvptx64 - NVIDIA PTX 64-bit"; exit; fi
options=
while [ $# -gt 0 ]; do
    case "$1" in
        -o) out=$2; shift ;;
        -include|-isystem|-x) shift ;;
        -*) options="$options $1" ;;
        *) source=$1 ;;
    esac
    shift
done
printf '// %s\n.file 1 "%s/%s"\n' "$options" "$PWD" "$source" > "$out""#
    );
    script(path, &body);
}

pub fn find(root: &Path, variables: &[(&str, &Path)]) -> anyhow::Result<Option<Compiler>> {
    Compiler::find_with(root, |name| {
        variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
    })
}

/// A repository with the kernel `ch9_fake`, built and committed by a fake nvcc 1.2.3.
pub fn repository(name: &str) -> (PathBuf, Compiler) {
    let root = scratch(name);
    std::fs::create_dir_all(root.join(prebuilt::LEGACY)).unwrap();
    write(&root.join(KERNEL), "int sum;\n");
    let nvcc = with_nvcc(&root, "1.2.3");
    let kernel = prebuilt::kernel(&root, KERNEL, Some(&nvcc)).unwrap();
    let directory = root.join(prebuilt::DIRECTORY);
    write(&directory.join("ch9_fake.ptx"), &kernel.ptx);
    std::fs::write(directory.join("ch9_fake.fatbin"), &kernel.fatbin).unwrap();
    let manifest = serde_json::json!({ "ch9_fake": {
        "source_hash": hash::source_hash("int sum;\n"),
        "code_hash": kernel.code_hash, "compiler": kernel.compiler, "flags": [],
        "fatbin_bytes": kernel.fatbin.len(), "fatbin_hash": hash::hash(&kernel.fatbin),
    }});
    write(&directory.join("manifest.json"), &manifest.to_string());
    (root, nvcc)
}

pub fn with_nvcc(root: &Path, version: &str) -> Compiler {
    let path = root.join(format!("nvcc-{version}"));
    fake(&path, version);
    find(root, &[("NVCC", &path)]).unwrap().unwrap()
}
