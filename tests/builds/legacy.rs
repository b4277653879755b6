//! The kernel of 2020: its committed PTX, and which compilers still take its source.

use std::process::Command;

use testing::renew::committed;
use workbook::kernel_compiler::build::State;
use workbook::kernel_compiler::hash;
use workbook::kernel_compiler::prebuilt::{self, Entry, LEGACY, Manifest};
use workbook::kernels;

use crate::{committed_manifest, pinned_nvcc, read, root, scratch, write};

const SOURCE: &str = "kernels/legacy/ch4_legacy.cu";

/// The architecture of the other kernels' PTX. The macro brings back what device code lost with CUDA 12.
const FLAGS: [&str; 4] = ["-arch=compute_75", "-rdc=true", "-lineinfo", OLD];
const OLD: &str = "-DCUDA_FORCE_CDP1_IF_SUPPORTED";

#[test]
fn the_ptx_belongs_to_the_source_and_names_no_machine() {
    let build = kernels::get("ch4_legacy").unwrap();
    assert_eq!((build.state, &*build.source_path), (State::Prebuilt, SOURCE));
    let files: Vec<_> = build.ptx.lines().filter(|line| line.trim_start().starts_with(".file")).collect();
    assert_eq!(files, [format!("\t.file\t1 \"{SOURCE}\"")]);
    for call in ["cudaGetParameterBufferV2", "cudaLaunchDeviceV2", "cudaDeviceSynchronize"] {
        assert!(build.ptx.contains(&format!("{call}, \n")), "the calls of before CUDA 12: {call}");
    }
}

#[test]
fn an_edit_and_a_damage_are_noticed() {
    let root = scratch("edited");
    for path in [SOURCE, "kernels/legacy/ch4_legacy.ptx", "kernels/legacy/manifest.json"] {
        write(&root.join(path), &read(&crate::root().join(path)));
    }
    let kernel = || prebuilt::kernel(&root, SOURCE, None);
    assert_eq!(kernel().unwrap().state, State::Prebuilt);
    let append = |path: &str, text: &str| write(&root.join(path), &(read(&root.join(path)) + text));
    append(SOURCE, "// an edit\n");
    let edited = kernel().unwrap();
    assert_eq!(edited.state, State::Stale);
    assert!(edited.warnings.contains("cargo xtask renew nvrtc"), "{}", edited.warnings);
    append("kernels/legacy/ch4_legacy.ptx", "ret;\n");
    let error = format!("{:#}", kernel().unwrap_err());
    assert!(error.contains("ch4_legacy") && error.contains("git checkout kernels/legacy"), "{error}");
}

#[test]
#[ignore = "needs NVRTC; kernels/legacy/build.py says how"]
fn the_ptx_is_renewed_by_nvrtc() {
    let build = root().join(LEGACY).join("build.py");
    let output = Command::new("python3").arg(build).args(FLAGS).output().expect("python3");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let ptx = String::from_utf8(output.stdout).unwrap();
    committed("kernels/legacy/ch4_legacy.ptx", &ptx);
    let version =
        ptx.lines().find_map(|line| line.strip_prefix("// Cuda compilation tools")?.split_once(", V"));
    let entry = Entry {
        source_hash: hash::source_hash(&read(&root().join(SOURCE))),
        code_hash: hash::code_hash(&ptx),
        compiler: format!("NVRTC {}", version.expect("the version of NVRTC").1),
        flags: vec![FLAGS.join(" ")],
        fatbin_bytes: 0,
        fatbin_hash: hash::hash(b""),
        registers: Default::default(),
        newer_hash: String::new(),
    };
    committed_manifest(LEGACY, &Manifest::from([("ch4_legacy".to_owned(), entry)]));
}

/// What chapter 4 says of today's compiler.
#[test]
#[ignore = "needs nvcc of the version in kernels/requirements.txt"]
fn nvcc_13_gives_the_same_code_up_to_8_9_and_refuses_9_0() {
    let nvcc = pinned_nvcc();
    let ptx = scratch("nvcc").join("legacy.ptx");
    let compile = |options: &str| {
        let mut command = Command::new(&nvcc.path);
        command.current_dir(root()).args("-ptx -O3 -lineinfo -rdc=true".split(' '));
        command.args(options.split(' ')).arg(SOURCE).arg("-o").arg(&ptx).output().unwrap()
    };
    let refused = |options: &str| {
        let output = compile(options);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && text.contains("\"cudaDeviceSynchronize\" is undefined"),
            "{text}"
        );
    };
    for capability in [89, 75] {
        let output = compile(&format!("-arch=compute_{capability} {OLD}"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stderr).contains("deprecated"));
    }
    let code = hash::code_hash(&std::fs::read_to_string(&ptx).unwrap());
    let committed = prebuilt::manifest(root(), LEGACY).unwrap()["ch4_legacy"].code_hash.clone();
    assert_eq!(code, committed);
    refused("-arch=compute_75");
    refused(&format!("-arch=compute_90 {OLD}"));
}
