//! clang: where it is looked for, what it is asked for, and what it makes of the kernels.

use std::path::Path;

use workbook::kernel_compiler::clang::HEADERS;
use workbook::kernel_compiler::compiler::{Compiler, Maker};
use workbook::kernel_compiler::prebuilt::{self, LEGACY};
use workbook::kernel_compiler::program;
use workbook::kernel_compiler::staging::Given;

use crate::{is_pinned, read, root, scratch, write};

/// The chapters that need more of CUDA than `kernels/clang` declares, and a header that is missing.
const NVCC_ALONE: [(&str, &str); 1] = [("ch7_libraries", "cub/block/block_reduce.cuh")];

/// The clang that `kernels/requirements.txt` pins, in the wheel that has its version's number of zig.
fn pinned_clang() -> Compiler {
    let clang = Compiler::of(Maker::Clang, root()).unwrap().expect("a clang in CLANG: .ci/run says how");
    assert_eq!(clang.name(), "clang 22.1.8", "{}", clang.path.display());
    let requirements = read(&root().join("kernels/requirements.txt"));
    assert!(requirements.lines().any(|line| is_pinned(line, "ziglang==0.17.1")), "{requirements}");
    clang
}

#[test]
#[ignore = "needs clang of the version in kernels/requirements.txt"]
fn clang_compiles_every_chapter_or_says_what_it_lacks() {
    let clang = pinned_clang();
    for path in prebuilt::sources(root()).unwrap().iter().filter(|path| !path.starts_with(LEGACY)) {
        let compiled = clang.ptx(&root().join(path));
        match NVCC_ALONE.iter().find(|(stem, _)| path.ends_with(&format!("/{stem}.cu"))) {
            None => {
                let ptx = compiled.unwrap_or_else(|error| panic!("{error:#}"));
                assert_eq!(ptx.warnings, "", "{path}");
                let entries = ptx.text.lines().filter(|line| line.trim_start().starts_with(".file"));
                for entry in entries {
                    assert!(entry.contains("\"kernels/"), "{path}: {entry}");
                }
            }
            Some((_, header)) => {
                let said = format!("{:#}", compiled.unwrap_err());
                assert!(said.contains(&format!("<{header}> belongs to NVIDIA's CUB")), "{said}");
                assert!(said.contains("compile this file with nvcc"), "{said}");
            }
        }
    }
}

/// The headers in `folder` and its folders but `host`, as a source includes them.
fn headers(folder: &Path) -> Vec<String> {
    let mut headers = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(one) = folders.pop() {
        for entry in std::fs::read_dir(&one).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                headers.push(path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/"));
            } else if !path.ends_with("host") {
                folders.push(path);
            }
        }
    }
    headers
}

#[test]
#[ignore = "needs clang"]
fn each_header_compiles_alone_for_old_and_new_gpus_in_kernels_and_in_programs() {
    let directory = scratch("clang-headers");
    let source = directory.join("mine.cu");
    let clang = pinned_clang().run_in(&directory);
    let with = |header: &str, main: &str| {
        write(&source, &format!("#include <{header}>\n__global__ void k(int *p) {{ *p = 1; }}\n{main}"));
    };
    let folder = root().join(HEADERS);
    for (header, capability) in headers(&folder).iter().flat_map(|header| [(header, "75"), (header, "80")]) {
        with(header, "");
        let ptx = clang.ptx_with(&source, Some(capability), Given::default());
        assert_eq!(ptx.unwrap_or_else(|error| panic!("{header}: {error:#}")).warnings, "", "{header}");
    }
    for header in headers(&folder.join("host/cuda")) {
        with(&header, "int main() { return 0; }\n");
        let made =
            program::compile(&clang, std::slice::from_ref(&source), "80", &Given::default(), &directory);
        assert_eq!(made.unwrap_or_else(|error| panic!("{header}: {error:#}")).said, "", "{header}");
    }
}

#[test]
#[ignore = "needs clang"]
fn what_clang_lacks_and_what_is_wrong_is_said_in_nvccs_form() {
    let directory = scratch("clang-says");
    let kernel = |body: &str| {
        let source = directory.join("mine.cu");
        write(&source, &format!("extern \"C\" __global__ void k(unsigned *p)\n{{\n    {body}\n}}\n"));
        let clang = pinned_clang().run_in(&directory);
        format!("{:#}", clang.ptx(&source).expect_err(body))
    };
    let lacking = "p[0] = __vadd4(p[1], p[2]);";
    let said = kernel(lacking);
    assert!(said.contains("mine.cu(3): error: use of undeclared identifier '__vadd4'"), "{said}");
    assert!(said.contains(&format!("\n    {lacking}\n")) && said.contains("If __vadd4 is CUDA's"), "{said}");
    // A slip of the pen is no lack, and no header is quoted.
    for (body, message) in [
        ("p[0] = treadIdx.x;", "mine.cu(3): error: use of undeclared identifier 'treadIdx'"),
        ("atomicAdd(p);", "mine.cu(3): error: atomicAdd takes an address and a value: atomicAdd(p, 1)"),
        ("__ldg(p, 1, 2);", "mine.cu(3): error: no matching function for call to '__ldg'"),
        ("p[0] = 1", "mine.cu(3): error: expected ';' after expression"),
    ] {
        let said = kernel(body);
        assert!(said.contains(message) && !said.contains("CUDA's") && !said.contains("cuda.h"), "{said}");
        assert!(said.contains(&format!("\n    {body}\n")) && !said.contains("generated"), "{said}");
    }
}

#[test]
#[ignore = "needs clang"]
fn clangs_ptx_does_not_depend_on_where_the_repository_lies() {
    let source = "__device__ __noinline__ int twice(int x) { return 2 * x; }\nstatic __device__ int calls;\n\
                  __global__ void child(int *p) { atomicAdd(p, twice(*p)); calls++; }\n\
                  extern \"C\" __global__ void k(int *p) { child<<<1, 1>>>(p); }\n";
    let [near, far] = ["near", "far/away"].map(|place| {
        let directory = scratch("clang-place").join(place);
        let file = directory.join("kernels/ch9_place.cu");
        write(&file, source);
        pinned_clang().run_in(&directory).ptx(&file).unwrap().text
    });
    assert!(near.contains("\"kernels/ch9_place.cu\"") && near.contains("cudaLaunchDevice"), "{near}");
    assert_eq!(near, far);
}

#[cfg(unix)]
mod with_a_fake_one {
    use super::*;
    use crate::fake::{KERNEL, fake, fake_clang, find, repository, with_nvcc};
    use std::path::{Path, PathBuf};
    use workbook::kernel_compiler::build::State;

    #[test]
    fn clang_is_looked_for_in_order_and_after_nvcc() {
        let root = scratch("clang-order");
        let wheel = "lib/python3.12/site-packages/ziglang/zig";
        let places = [
            ("VIRTUAL_ENV", "active", "active/".to_owned() + wheel),
            ("", "", ".venv/".to_owned() + wheel),
            ("PATH", "bin", "bin/clang".to_owned()),
            ("CLANG", "my clang", "my clang".to_owned()),
        ];
        let mut variables: Vec<(&str, PathBuf)> = Vec::new();
        for (variable, value, program) in &places {
            fake_clang(&root.join(program), "22.1.8", program.ends_with("zig"));
            variables.push((variable, root.join(value)));
            let variables: Vec<_> = variables.iter().map(|(name, value)| (*name, value.as_path())).collect();
            let found = find(&root, &variables).unwrap().unwrap();
            assert_eq!(
                (found.path.as_path(), found.name()),
                (root.join(program).as_path(), "clang 22.1.8".into())
            );
        }
        fake(&root.join(".venv/lib/python3.12/site-packages/nvidia/cu13/bin/nvcc"), "1.2.3");
        assert_eq!(find(&root, &[]).unwrap().unwrap().name(), "nvcc 1.2.3");
        // What a variable names is wanted, whatever else is there.
        let my_clang = root.join("my clang");
        let my_nvcc = root.join("my nvcc");
        fake(&my_nvcc, "4.5.6");
        let found = find(&root, &[("CLANG", &my_clang)]).unwrap().unwrap();
        assert_eq!((found.name(), found.path.as_path()), ("clang 22.1.8".into(), my_clang.as_path()));
        let found = find(&root, &[("CLANG", &my_clang), ("NVCC", &my_nvcc)]).unwrap().unwrap();
        assert_eq!(found.name(), "nvcc 4.5.6");
        assert_eq!(find(&root, &[("CLANG", Path::new(""))]).unwrap().unwrap().name(), "nvcc 1.2.3");
    }

    #[test]
    fn a_clang_that_is_too_old_is_an_error_only_where_it_was_asked_for() {
        let root = scratch("clang-old");
        fake_clang(&root.join("bin/clang"), "21.1.0", false);
        assert!(find(&root, &[("PATH", &root.join("bin"))]).unwrap().is_none());
        let error = format!("{:#}", find(&root, &[("CLANG", Path::new("bin/clang"))]).unwrap_err());
        assert!(error.contains("CLANG is set to bin/clang, which does not run as clang"), "{error}");
        assert!(
            error.contains("it is clang 21.1.0; kernels that launch kernels need 22 or newer"),
            "{error}"
        );
    }

    #[test]
    fn clang_builds_what_was_edited_for_the_simulator_and_leaves_the_rest() {
        let (root, _) = repository("clang-edited");
        fake_clang(&root.join("clang"), "22.1.8", false);
        let clang = find(&root, &[("CLANG", &root.join("clang"))]).unwrap().unwrap();
        let kernel = || prebuilt::kernel(&root, KERNEL, Some(&clang)).unwrap();
        assert_eq!((kernel().state, &*kernel().compiler), (State::Prebuilt, "nvcc 1.2.3"));
        write(&root.join(KERNEL), "int sum = 1;\n");
        let built = kernel();
        assert_eq!((built.state, &*built.compiler), (State::Built, "clang 22.1.8"));
        assert!(built.fatbin.is_empty() && built.ptx.contains("\"kernels/ch9_fake.cu\""), "{}", built.ptx);
        assert!(built.ptx.contains("--cuda-gpu-arch=sm_75 -O2"), "{}", built.ptx);
        assert!(!built.ptx.contains("-fgpu-rdc"), "{}", built.ptx);
        write(&root.join(KERNEL), "child<<<1, 1>>>();\n");
        assert!(kernel().ptx.contains("-fgpu-rdc"));
        let nvcc = with_nvcc(&root, "1.2.3");
        assert_eq!(prebuilt::kernel(&root, KERNEL, Some(&nvcc)).unwrap().compiler, "nvcc 1.2.3");
    }
}
