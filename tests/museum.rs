//! The museum as a reader visits it (`ch4_nested --museum`): the posts' nested kernel beside its port, right where it
//! is right and named where it is wrong; and its committed PTX.
//!
//! Two tests need compilers and are ignored by default; `.ci/run` brings both and runs them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use workbook::build::kernels;
use workbook::build::nvcc::Nvcc;
use workbook::build::prebuilt::{self, State};
use workbook::chapters::legacy;
use workbook::record::{DeviceKind, Record};
use workbook::reduction::data;
use workbook::reduction::serial;

const SOURCE: &str = "kernels/museum/museum_nested.cu";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("museum").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// `ch4_nested --museum` with the arguments of `line`.
fn visit(line: &str) -> Output {
    // target/<profile>/deps/museum-… -> target/<profile>/examples/ch4_nested
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let example = profile.join("examples").join(format!("ch4_nested{}", std::env::consts::EXE_SUFFIX));
    assert!(example.exists(), "{} is not built; run `cargo test`, which builds it", example.display());
    Command::new(example)
        .arg("--museum")
        .args(line.split_whitespace())
        .env("WORKBOOK_RECORDS_DIR", scratch(&line.replace(' ', "_")))
        .output()
        .unwrap()
}

/// What `--json` says of a visit that ends with `status`.
fn json(line: &str, status: i32) -> Value {
    let output = visit(&format!("{line} --json"));
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(status), "{line}\n{err}");
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{line}: {error}\n{out}"))
}

/// The line of the museum's kernel that holds `text`; from 1.
fn line_of(text: &str) -> u64 {
    let source = std::fs::read_to_string(root().join(SOURCE)).unwrap();
    source.lines().position(|line| line.contains(text)).unwrap() as u64 + 1
}

#[test]
fn full_blocks_of_a_power_of_two_are_right_and_launch_a_level_less_than_the_port() {
    for (n, block) in [(2, 2), (4, 4), (32, 32), (96, 32), (2048, 512), (4096, 1024)] {
        let json = json(&format!("--n {n} --block {block} --grid {}", n / block), 0);
        let expected = serial::recursive_reduce(&mut data::numbers(n, 1));
        let levels = u64::from(block.ilog2());
        for (run, launches) in json["runs"].as_array().unwrap().iter().zip([levels - 1, levels]) {
            assert_eq!((&run["ok"], &run["sum"]), (&true.into(), &expected.into()), "{n}, {block}: {run}");
            assert!(run["teaches"].is_null(), "{run}");
            assert_eq!(run["counters"]["device_launches"], launches * (n / block) as u64);
            assert_eq!(run["counters"]["dropped_launches"], 0);
        }
        assert_eq!(json["runs"][0]["kernel"], "museum/gpuRecursiveReduce");
        assert_eq!(json["runs"][1]["kernel"], "gpuRecursiveReduce");
    }
}

/// The post's recursion on the host: the sum, or why the device does not come to it.
fn post(data: &[i32], block: usize) -> Result<i32, &'static str> {
    let grid = data.len().div_ceil(block).max(1);
    let sums: Vec<_> = (0..grid).map(|b| post_block(data.get(b * block..).unwrap_or(&[]), block)).collect();
    // What stops the kernel comes before what is only refused.
    match sums.iter().find(|sum| **sum == Err("out-of-bounds")) {
        Some(out_of_bounds) => *out_of_bounds,
        None => sums.into_iter().try_fold(0, |sum: i32, block| Ok(sum.wrapping_add(block?))),
    }
}

fn post_block(data: &[i32], size: usize) -> Result<i32, &'static str> {
    let element = |i: usize| data.get(i).copied().ok_or("out-of-bounds");
    match size {
        0 | 1 => Err("launch-limit"), // a child of no threads
        2 => Ok(element(0)?.wrapping_add(element(1)?)),
        3 => post_block(data, 1),
        _ => {
            let half = size / 2;
            let added: Result<Vec<_>, _> =
                (0..half).map(|i| Ok(element(i)?.wrapping_add(element(i + half)?))).collect();
            post_block(&added?, half)
        }
    }
}

#[test]
fn where_the_old_kernel_is_wrong_it_says_how_and_the_port_is_right() {
    let shapes = (1..=13).flat_map(|block| [1, 2 * block - 1, 2 * block].map(|n| (n, block)));
    for (n, block) in shapes.chain([(0, 8), (0, 1), (4, 5), (1000, 512), (960, 96), (33, 33)]) {
        let json = json(&format!("--n {n} --block {block}"), 0);
        let (old, new) = (&json["runs"][0], &json["runs"][1]);
        let numbers = data::numbers(n, 1);
        let right = serial::recursive_reduce(&mut numbers.clone());
        assert_eq!((&new["ok"], &new["sum"]), (&true.into(), &right.into()), "{n}, {block}: {new}");
        let found = old["found"].as_array().cloned().unwrap_or_default();
        match post(&numbers, block) {
            Ok(sum) => {
                assert_eq!((&old["sum"], found), (&sum.into(), vec![]), "{n}, {block}: {old}");
                assert_eq!(old["ok"], sum == right, "{n}, {block}: {old}");
                let lost = if block.is_power_of_two() { Value::Null } else { "drops-odd-element".into() };
                assert_eq!(old["teaches"], lost, "{n}, {block}");
            }
            Err(why) => {
                assert_eq!(
                    (&old["ok"], &old["teaches"]),
                    (&false.into(), &why.into()),
                    "{n}, {block}: {old}"
                );
                assert_eq!(found, [why], "{n}, {block}");
            }
        }
    }
}

#[test]
fn what_the_checks_find_stands_at_its_line() {
    let found = |line: &str| -> Vec<(String, String, u64)> {
        let json = json(line, 0);
        let found = json["diagnostics"].as_array().unwrap().iter().map(|found| {
            assert_eq!(found["file"], SOURCE);
            let word = |name: &str| found[name].as_str().unwrap().to_string();
            (word("kind"), word("severity"), found["line"].as_u64().unwrap())
        });
        found.collect()
    };
    let at = |kind: &str, severity: &str, text| (kind.to_string(), severity.to_string(), line_of(text));
    let too_deep = at("launch-limit", "warning", "cudaDeviceSynchronize();");
    // Two levels of grids may wait: the third would be the first to be refused, and launches none at 8 threads.
    assert_eq!(found("--n 8 --block 8"), []);
    assert_eq!(found("--n 16 --block 16"), std::slice::from_ref(&too_deep));
    assert_eq!(found("--n 10 --block 10"), [], "the lost element breaks no rule of CUDA");
    assert_eq!(found("--n 3 --block 3"), [at("launch-limit", "error", "<<<1, iStride>>>")]);
    assert_eq!(found("--n 1000"), [at("out-of-bounds", "error", "idata[tid] += idata[tid + iStride];")]);
}

#[test]
fn the_old_kernel_loses_no_launch_where_its_port_does() {
    let json = json("--pending-launches 64", 1);
    let (old, new) = (&json["runs"][0], &json["runs"][1]);
    assert_eq!((&old["ok"], &old["counters"]["dropped_launches"]), (&true.into(), &0.into()));
    assert_eq!(new["ok"], false);
    assert_eq!(new["dropped"]["name"], "cudaErrorLaunchPendingCountExceeded");
}

#[test]
fn the_museum_is_on_the_simulator_and_says_why() {
    let output = visit("--n 64 --block 32");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("On the simulator: no GPU of compute capability 9.0 or newer"), "{text}");
    let refused = visit("--device gpu");
    let text = String::from_utf8(refused.stderr).unwrap();
    assert_eq!((refused.status.code(), refused.stdout.is_empty()), (Some(2), true));
    assert!(text.contains("cudaDeviceSynchronize") && text.contains("leave --device gpu out"), "{text}");
}

#[test]
fn the_committed_counts_are_what_the_simulator_gives() {
    let committed = root().join("book/records").join(Record::file_name(legacy::STEM, DeviceKind::Sim));
    let committed = Record::read(&committed).unwrap();
    let now: Record = serde_json::from_value(json("", 0)).unwrap();
    let again = format!("make it anew: {}", legacy::command(legacy::STEM, "--record"));
    assert_eq!((now.runs, now.sweep), (committed.runs, committed.sweep), "{again}");
    assert_eq!(now.source_hash, committed.source_hash, "{again}");
    assert_eq!(committed.command, legacy::command(legacy::STEM, ""));
}

// ---- the committed PTX --------------------------------------------------------------------------------

#[test]
fn the_ptx_belongs_to_the_source_and_names_no_machine() {
    let build = kernels::get(legacy::STEM).unwrap();
    assert_eq!(
        (build.state, build.source_path),
        (State::Prebuilt, SOURCE),
        "{}",
        prebuilt::stale(SOURCE, false)
    );
    let files: Vec<_> = build.ptx.lines().filter(|line| line.trim_start().starts_with(".file")).collect();
    assert_eq!(files, [format!("\t.file\t1 \"{SOURCE}\"")]);
    for call in ["cudaGetParameterBufferV2", "cudaLaunchDeviceV2", "cudaDeviceSynchronize"] {
        assert!(build.ptx.contains(&format!("{call}, \n")), "the calls of before CUDA 12: {call}");
    }
}

#[test]
fn an_edit_and_a_damage_are_noticed() {
    let root = scratch("edited");
    let museum = root.join(prebuilt::MUSEUM);
    std::fs::create_dir_all(&museum).unwrap();
    for file in ["museum_nested.cu", "museum_nested.ptx", "manifest.json"] {
        std::fs::copy(self::root().join(prebuilt::MUSEUM).join(file), museum.join(file)).unwrap();
    }
    let kernel = || Ok::<_, anyhow::Error>(prebuilt::museum(&root)?.remove(0));
    assert_eq!(kernel().unwrap().state, State::Prebuilt);
    let append = |file: &str, text: &str| {
        let old = std::fs::read_to_string(museum.join(file)).unwrap();
        std::fs::write(museum.join(file), old + text).unwrap();
    };
    append("museum_nested.cu", "// an edit\n");
    let edited = kernel().unwrap();
    assert_eq!(edited.state, State::Stale);
    assert!(edited.warnings.contains("kernels/museum/build.py"), "{}", edited.warnings);
    append("museum_nested.ptx", "// a damage\n");
    let error = format!("{:#}", kernel().unwrap_err());
    assert!(error.contains("museum_nested.ptx") && error.contains("git checkout kernels/museum"), "{error}");
}

#[test]
#[ignore = "needs NVRTC: pip install --target target/nvrtc -r kernels/museum/requirements.txt, PYTHONPATH=target/nvrtc"]
fn nvrtc_gives_the_committed_ptx() {
    let made = scratch("made");
    let output = Command::new("python3")
        .arg(root().join("kernels/museum/build.py"))
        .arg(&made)
        .current_dir(root())
        .output()
        .expect("python3");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for file in ["museum_nested.ptx", "manifest.json"] {
        let read = |directory: &Path| std::fs::read_to_string(directory.join(file)).unwrap();
        assert_eq!(read(&made), read(&root().join(prebuilt::MUSEUM)), "{file}");
    }
}

/// What chapter 4 says of today's compiler.
#[test]
#[ignore = "needs nvcc of the version in kernels/requirements.txt"]
fn nvcc_13_gives_the_same_code_up_to_8_9_and_refuses_9_0() {
    let nvcc =
        Nvcc::find(root()).unwrap().unwrap_or_else(|| panic!("{}", workbook::build::nvcc::HOW_TO_GET_NVCC));
    let ptx = scratch("nvcc").join("museum.ptx");
    let compile = |options: &str| {
        let mut command = Command::new(&nvcc.path);
        command.current_dir(root()).args("-ptx -O3 -lineinfo -rdc=true".split(' '));
        command.args(options.split(' ')).arg(SOURCE).arg("-o").arg(&ptx).output().unwrap()
    };
    const OLD: &str = "-DCUDA_FORCE_CDP1_IF_SUPPORTED";
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
    let code = prebuilt::code_hash(&std::fs::read_to_string(&ptx).unwrap());
    assert_eq!(code, kernels::get(legacy::STEM).unwrap().code_hash);
    refused("-arch=compute_75");
    refused(&format!("-arch=compute_90 {OLD}"));
}
