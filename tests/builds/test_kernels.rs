//! The kernels of tests and benches: the PTX beside each is what its source gives.

use std::path::Path;

use testing::renew::{committed, is_wanted};
use workbook::kernel_compiler::compiler::{Compiler, Maker};

use crate::{pinned_nvcc, root};

/// Folders with such kernels, each with the one that its paths begin in.
const FOLDERS: [(&str, &str); 5] = [
    ("crates/ptx-simulator", "tests/kernels"),
    ("", "crates/simulate/tests/simulate"),
    ("", "chapters/tests/traces"),
    ("", "tests/simulator/ncu"),
    ("", "benches"),
];

/// Compiles the source `path` in `directory`, and proves that `ptx`, from the repository's root, is that.
fn gives(compiler: &Compiler, directory: &str, path: &Path, ptx: &Path) {
    let home = root().join(directory);
    let made = compiler.clone().run_in(&home).ptx(&home.join(path));
    let made = made.unwrap_or_else(|error| panic!("{}: {error:#}", path.display()));
    committed(ptx, made.text);
}

#[test]
#[ignore = "needs nvcc of the version in kernels/requirements.txt"]
fn the_tests_kernels_are_renewed_by_nvcc() {
    let nvcc = pinned_nvcc();
    for (home, folder) in FOLDERS {
        let directory = Path::new(home).join(folder);
        let files = std::fs::read_dir(root().join(&directory)).unwrap().map(|file| file.unwrap().path());
        for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "cu")) {
            if !is_wanted(&file.file_stem().unwrap().to_string_lossy()) {
                continue;
            }
            let name = Path::new(file.file_name().unwrap());
            gives(&nvcc, home, &Path::new(folder).join(name), &directory.join(name).with_extension("ptx"));
        }
    }
}

/// Device launches look otherwise there.
#[test]
#[ignore = "needs clang of the version in kernels/requirements.txt"]
fn the_nested_kernels_of_the_simulators_tests_are_renewed_by_clang() {
    let clang = Compiler::of(Maker::Clang, root()).unwrap().expect("a clang in CLANG: .ci/run says how");
    let home = "crates/ptx-simulator";
    let source = Path::new("tests/kernels/nested.cu");
    gives(&clang, home, source, &Path::new(home).join(source).with_extension("clang.ptx"));
}
