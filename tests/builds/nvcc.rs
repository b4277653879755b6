//! Where nvcc is looked for, and how it is called.

use std::path::Path;

use workbook::kernel_compiler::compiler::{Compiler, Maker};

use crate::{root, scratch, write};

#[test]
#[ignore = "needs nvcc"]
fn ptx_does_not_depend_on_where_the_repository_lies() {
    let nvcc = |root: &Path| {
        let real = Compiler::of(Maker::Nvcc, self::root()).unwrap().expect("an nvcc");
        let here = move |name: &str| (name == "NVCC").then(|| real.path.clone().into());
        Compiler::find_with(root, here).unwrap().unwrap()
    };
    // A static function that stays a function, and a header: both carry paths.
    let source = "static __device__ __noinline__ int twice(int x) { return 2 * x; }\n\
                  extern \"C\" __global__ void k(int *p) { atomicAdd(p, twice(*p)); }\n";
    let [near, far] = ["near", "far/away"].map(|place| {
        let root = scratch("place").join(place);
        write(&root.join("kernels/ch9_place.cu"), source);
        nvcc(&root).ptx(&root.join("kernels/ch9_place.cu")).unwrap().text
    });
    assert!(near.contains("_00000000_12_ch9_place_cu_"), "{near}");
    assert!(
        near.contains("\"kernels/ch9_place.cu\"") && near.contains("\"include/device_atomic_functions.hpp\""),
        "{near}"
    );
    assert_eq!(near, far);
}

/// Sums of a warp in one instruction exist from 8.0 on, with and without the device runtime.
#[test]
#[ignore = "needs nvcc"]
fn a_warp_s_sum_in_one_instruction_has_machine_code() {
    let nvcc = Compiler::of(Maker::Nvcc, root()).unwrap().expect("an nvcc");
    let kernel = "extern \"C\" __global__ void k(int *p) { *p = __reduce_add_sync(~0u, *p); }\n";
    let parent = "extern \"C\" __global__ void parent(int *p) { k<<<1, 32>>>(p); }\n";
    for (name, source) in [("plain", kernel.to_string()), ("nested", format!("{kernel}{parent}"))] {
        let path = scratch("warp_sum").join(format!("{name}.cu"));
        write(&path, &source);
        let fatbin = nvcc.fatbin(&path).unwrap();
        assert!(
            !fatbin.code.is_empty() && fatbin.registers.iter().any(|(kernel, _)| &**kernel == "k"),
            "{name}"
        );
    }
}

#[cfg(unix)]
mod with_a_fake_one {
    use super::*;
    use crate::fake::{KERNEL, fake, fake_clang, find, repository, script, with_nvcc};
    use std::path::PathBuf;
    use workbook::kernel_compiler::compiler::{HOW_TO_GET_A_COMPILER, how_to_get_a_compiler_with};

    #[test]
    fn nvcc_is_looked_for_in_order() {
        let root = scratch("order");
        assert!(find(&root, &[]).unwrap().is_none());

        let wheel = "lib/python3.12/site-packages/nvidia/cu13/bin/nvcc";
        let places = [
            ("VIRTUAL_ENV", "active", "active".to_owned() + "/" + wheel),
            ("", "", ".venv/".to_owned() + wheel),
            ("PATH", "bin", "bin/nvcc".to_owned()),
            ("CUDA_PATH", "cuda-path", "cuda-path/bin/nvcc".to_owned()),
            ("CUDA_HOME", "cuda-home", "cuda-home/bin/nvcc".to_owned()),
            ("NVCC", "my nvcc", "my nvcc".to_owned()),
        ];
        // From the last place to look at to the first: each hides those before it.
        let mut variables: Vec<(&str, PathBuf)> = Vec::new();
        for (variable, value, program) in &places {
            fake(&root.join(program), "1.2.3");
            variables.push((variable, root.join(value)));
            let variables: Vec<_> = variables.iter().map(|(name, value)| (*name, value.as_path())).collect();
            let found = find(&root, &variables).unwrap().unwrap();
            assert_eq!(
                (found.path.as_path(), found.name().as_str()),
                (root.join(program).as_path(), "nvcc 1.2.3"),
                "{variable}"
            );
        }
    }

    #[test]
    fn an_nvcc_that_does_not_run_is_an_error_only_where_it_was_asked_for() {
        let root = scratch("broken");
        script(&root.join("broken/nvcc"), "echo no; exit 1");
        fake(&root.join(".venv/lib/python3.9/site-packages/nvidia/cu13/bin/nvcc"), "1.2.3");
        let found = find(&root, &[("PATH", &root.join("broken"))]).unwrap().unwrap();
        assert!(found.path.starts_with(root.join(".venv")));
        assert!(find(&root, &[("NVCC", Path::new(""))]).unwrap().is_some());

        for path in ["broken/nvcc", "absent/nvcc", "nvcc-99"] {
            let error = find(&root, &[("NVCC", Path::new(path))]).unwrap_err();
            assert!(format!("{error:#}").contains(&format!("NVCC is set to {path}, which does not run")));
        }
        // A bare name is looked for in PATH.
        let found = find(&root, &[("NVCC", Path::new("nvcc-1")), ("PATH", &root.join("bin"))]);
        assert!(found.is_err());
        fake(&root.join("bin/nvcc-1"), "1.0.0");
        let found = find(&root, &[("NVCC", Path::new("nvcc-1")), ("PATH", &root.join("bin"))]);
        assert_eq!(found.unwrap().unwrap().name(), "nvcc 1.0.0");
    }

    /// As on Windows outside Visual Studio's prompt: it answers, and compiles nothing.
    #[test]
    fn an_nvcc_without_a_host_compiler_makes_way_for_clang() {
        let root = scratch("no-host");
        let bin = root.join("bin");
        let answers = "if [ \"$1\" = --version ]; then echo 'Cuda compilation tools, V13.0.88'; exit; fi\n";
        // Of Windows' nvcc, on stdout.
        let fails = "echo \"nvcc fatal   : Cannot find compiler 'cl.exe' in PATH\"; exit 1";
        script(&bin.join("nvcc"), &format!("{answers}{fails}"));
        assert!(find(&root, &[("PATH", &bin)]).unwrap().is_none());
        let path = |name: &str| (name == "PATH").then(|| bin.clone().into());
        let how = how_to_get_a_compiler_with(&root, path);
        let missing = format!(
            "{} cannot be used: nvcc 13.0.88 cannot run: nvcc needs cl.exe",
            bin.join("nvcc").display()
        );
        assert!(how.contains(&missing) && how.ends_with(HOW_TO_GET_A_COMPILER), "{how}");
        fake_clang(&bin.join("clang"), "22.1.8", false);
        assert_eq!(find(&root, &[("PATH", &bin)]).unwrap().unwrap().name(), "clang 22.1.8");
        // What was asked for is wanted, and is not replaced.
        let error = format!("{:#}", find(&root, &[("PATH", &bin), ("NVCC", Path::new("nvcc"))]).unwrap_err());
        assert!(
            error.contains("NVCC is set to nvcc, which does not run") && error.contains("cl.exe"),
            "{error}"
        );
    }

    #[test]
    fn ptx_holds_no_path_of_the_machine() {
        let (root, nvcc) = repository("paths");
        let ptx = nvcc.ptx(&root.join(KERNEL)).unwrap();
        let expected = "//  -ptx -O3 -lineinfo -arch=compute_75\n\
                        .func _ZN_INTERNAL_00000000_11_ch9_fake_cu_f()\n\
                        .file 1 \"kernels/ch9_fake.cu\"\n\
                        .file 2 \"include/crt/math.hpp\"\n\
                        .b8 95,48,48,48,48\n\
                        .b8 48,48,48,48,95,49,49,95,99,104,57,95,102,97,107,101,95,99,117,95,0\n";
        assert_eq!(ptx.text, expected);
    }

    #[test]
    fn a_kernel_that_launches_kernels_is_linked_with_the_device_runtime() {
        let (root, nvcc) = repository("nested");
        let source = root.join(KERNEL);
        let options = |nvcc: &Compiler| {
            let fatbin = String::from_utf8(nvcc.fatbin(&source).unwrap().code).unwrap();
            [nvcc.ptx(&source).unwrap().text, fatbin].map(|text| text.lines().next().unwrap().to_owned())
        };
        write(&source, "// child<<<1, 1>>>(); only a comment\n");
        assert!(options(&nvcc).iter().all(|options| !options.contains("rdc")));
        write(&source, "child<<<1, 1>>>();\n");
        let [ptx, fatbin] = options(&nvcc);
        assert!(ptx.ends_with("-rdc=true"), "{ptx}");
        assert!(fatbin.ends_with("-dlink -lcudadevrt"), "{fatbin}");
        // Before CUDA 12.8 there is no --compress-mode.
        assert!(fatbin.contains("-Xfatbin=-compress-all"), "{fatbin}");
        let [_, fatbin] = options(&with_nvcc(&root, "12.8.61"));
        assert!(fatbin.contains("--compress-mode=size"), "{fatbin}");
    }
}

#[test]
fn registers_are_those_of_compute_capability_9_0() {
    let said = "ptxas info    : 0 bytes gmem\n\
                ptxas info    : Compiling entry function 'second' for 'sm_80'\n\
                ptxas info    : Used 16 registers, used 1 barriers, 372 bytes cmem[0]\n\
                ptxas info    : Compiling entry function 'second' for 'sm_90'\n\
                ptxas info    : Function properties for second\n\
                    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
                ptxas info    : Used 24 registers, used 0 barriers\n\
                ptxas info    : Compiling entry function 'first' for 'sm_90'\n\
                ptxas info    : Used 255 registers\n\
                ptxas info    : Compiling entry function 'first' for 'sm_100'\n\
                ptxas info    : Used 250 registers\n";
    let registers = workbook::kernel_compiler::nvcc::registers(said);
    let found: Vec<_> = registers.iter().map(|(kernel, count)| (&**kernel, *count)).collect();
    assert_eq!(found, [("first", 255), ("second", 24)]);
}
