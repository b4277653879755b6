//! The kernels' builds: the committed ones belong to their sources, edits are noticed, and nvcc is found.
//!
//! The ignored tests need nvcc, clang or NVRTC; those that end with `renewed_by_…` make the committed builds.

mod clang;
#[cfg(unix)]
mod fake;
mod guides;
mod legacy;
mod nvcc;
mod prebuilt;
mod test_kernels;
mod what_ifs;

use std::path::{Path, PathBuf};

use testing::renew::committed;
use workbook::kernel_compiler::compiler::{Compiler, HOW_TO_GET_NVCC, Maker};

fn root() -> &'static Path {
    workbook::root().unwrap()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// An empty directory of one test's own.
fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("builds").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// The nvcc that `kernels/requirements.txt` pins.
fn pinned_nvcc() -> Compiler {
    let nvcc = Compiler::of(Maker::Nvcc, root())
        .unwrap()
        .unwrap_or_else(|| panic!("no nvcc was found.\n{HOW_TO_GET_NVCC}"));
    let pinned = format!("nvidia-cuda-nvcc=={}", nvcc.version);
    assert!(
        read(&root().join("kernels/requirements.txt")).lines().any(|line| is_pinned(line, &pinned)),
        "{} has version {}; the committed builds are made by the one that kernels/requirements.txt pins.\n{}",
        nvcc.path.display(),
        nvcc.version,
        HOW_TO_GET_NVCC
    );
    nvcc
}

/// Whether a line of requirements is `wanted`, on whatever platform.
fn is_pinned(line: &str, wanted: &str) -> bool {
    line.split(';').next().is_some_and(|package| package.trim_matches([' ', '\\']) == wanted)
}

/// What pip installs is what was looked at here, whoever serves it.
#[test]
fn every_wheel_is_pinned_by_its_hash() {
    for file in ["kernels/requirements.txt", "kernels/legacy/requirements.txt"] {
        let text = read(&root().join(file)).replace("\\\n", "");
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (package, hashes) = line.split_once(" --hash=").unwrap_or((line, ""));
            assert!(package.contains("=="), "{file}: {package}");
            let hashes: Vec<_> = hashes.split("--hash=").map(str::trim).collect();
            // Linux on x86-64 and on Arm and Windows at least; or both kinds of Mac.
            assert!(hashes.len() >= 3, "{file}: {package}: pip hash says them");
            for hash in hashes {
                let digits = hash.strip_prefix("sha256:").unwrap_or_default();
                assert!(
                    digits.len() == 64 && digits.chars().all(|c| c.is_ascii_hexdigit()),
                    "{file}: {hash}"
                );
            }
        }
    }
}

/// [`committed`] for the manifest of a directory.
fn committed_manifest(directory: &str, manifest: &workbook::kernel_compiler::prebuilt::Manifest) {
    let text = serde_json::to_string_pretty(manifest).unwrap() + "\n";
    committed(format!("{directory}/manifest.json"), text);
}
