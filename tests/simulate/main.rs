//! `cargo run --example simulate` as a reader uses it: every form of an argument, every exit status, the text
//! and the JSON. The kernels lie in tests/simulate/, compiled;
//! `WORKBOOK_BLESS=1 cargo test --test simulate -- --ignored` compiles them again.

mod plans;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use workbook::build::nvcc::Nvcc;

const KERNELS: &str = "tests/simulate/kernels.ptx";
const SUM: &str = "tests/simulate/missing_barrier.ptx";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The example's program, run from the repository root.
fn simulate() -> Command {
    // target/<profile>/deps/simulate-… -> target/<profile>/examples/simulate
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let example = profile.join("examples").join(format!("simulate{}", std::env::consts::EXE_SUFFIX));
    assert!(example.exists(), "{} is not built; run `cargo test`, which builds it", example.display());
    let mut command = Command::new(example);
    command.current_dir(root());
    command
}

struct Run {
    line: String,
    output: Output,
}

/// Runs it with the words of `line`.
fn run(line: &str) -> Run {
    Run { line: line.to_string(), output: simulate().args(line.split_whitespace()).output().unwrap() }
}

/// Runs `kernel` of [`KERNELS`] in one block of `block` threads.
fn kernel(kernel: &str, block: u32, args: &str) -> Run {
    let args: String = args.split_whitespace().map(|spec| format!(" --arg {spec}")).collect();
    run(&format!("{KERNELS} --kernel {kernel} --grid 1 --block {block} --json{args}"))
}

impl Run {
    fn stdout(&self) -> String {
        String::from_utf8(self.output.stdout.clone()).unwrap()
    }
    fn stderr(&self) -> String {
        String::from_utf8(self.output.stderr.clone()).unwrap()
    }
    #[track_caller]
    fn exits(self, status: i32) -> Run {
        let Run { line, output } = &self;
        assert_eq!(output.status.code(), Some(status), "{line}\n{}{}", self.stdout(), self.stderr());
        self
    }
    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout()).unwrap_or_else(|error| panic!("{error}\n{}", self.stdout()))
    }
    /// Exit status 2, nothing on stdout, and every one of `parts` on stderr.
    #[track_caller]
    fn refuses(self, parts: &[&str]) {
        let run = self.exits(2);
        assert_eq!(run.stdout(), "", "{}", run.line);
        for part in parts {
            assert!(run.stderr().contains(part), "{}: no {part:?} in\n{}", run.line, run.stderr());
        }
    }
}

#[test]
fn numbers_of_every_type_arrive() {
    let run = kernel(
        "numbers",
        1,
        "i8:-128 u8:0xff i16:-0x8000 u16:65535 i32:-5 u32:2^31 i64:-9223372036854775808 u64:1_000 f32:-1.5 \
         f64:1e300 buf:i64:uninit*8 buf:f64:uninit*2",
    )
    .exits(0);
    let json = run.json();
    assert_eq!((&json["ok"], &json["kernel"]), (&json!(true), &json!("numbers")));
    assert_eq!(
        json["buffers"],
        json!([
            {"arg": 10, "type": "i64", "values": [-128, 255, -32768, 65535, -5, 1u64 << 31, i64::MIN, 1000]},
            {"arg": 11, "type": "f64", "values": [-1.5, 1e300]},
        ])
    );
    assert_eq!((&json["diagnostics"], &json["printed"]), (&json!([]), &json!("")));
    assert!(run.stderr().is_empty(), "{}", run.stderr());
}

/// What the `values` of a JSON object spell, as an argument: the way back.
fn as_list(values: &Value) -> String {
    let spelled = |value: &Value| match value.as_str() {
        Some(special) => special.to_lowercase().replace("infinity", "inf"),
        None => value.to_string(),
    };
    values.as_array().unwrap().iter().map(spelled).collect::<Vec<_>>().join(",")
}

#[test]
fn elements_of_every_type_go_in_and_come_out() {
    for (kind, elements, expected) in [
        ("i8", "-128,127", "[-128,127]"),
        ("u8", "0,0xff", "[0,255]"),
        ("i16", "-32768,32767", "[-32768,32767]"),
        ("u16", "iota*4", "[0,1,2,3]"),
        ("i32", "1,-2,3", "[1,-2,3]"),
        ("i32", "-1*3", "[-1,-1,-1]"),
        ("u32", "4294967295", "[4294967295]"),
        ("i64", "-9223372036854775808,1", "[-9223372036854775808,1]"),
        ("u64", "18446744073709551615", "[18446744073709551615]"),
        ("f32", "zeros*2", "[0.0,0.0]"),
        ("f32", "nan,inf,-inf,-0,1e-45,0.1", "[\"NaN\",\"Infinity\",\"-Infinity\",-0.0,1e-45,0.1]"),
        ("f64", "nan,inf,-inf,-0,5e-324,0.1", "[\"NaN\",\"Infinity\",\"-Infinity\",-0.0,5e-324,0.1]"),
        ("f64", "iota*3", "[0.0,1.0,2.0]"),
    ] {
        let len = expected.split(',').count();
        let width = kind[1..].parse::<usize>().unwrap() / 8;
        let args = |elements: &str| format!("buf:{kind}:{elements} buf:{kind}:uninit*{len}");
        let run = kernel("copy", (len * width) as u32, &args(elements)).exits(0);
        for arg in [0, 1] {
            let held = format!("{{\"arg\":{arg},\"type\":\"{kind}\",\"values\":{expected}}}");
            assert!(run.stdout().contains(&held), "no {held} in\n{}", run.stdout());
        }
        // What was printed, given again, gives the same.
        let list = as_list(&run.json()["buffers"][1]["values"]);
        let again = kernel("copy", (len * width) as u32, &args(&list)).exits(0);
        assert_eq!(again.json()["buffers"].to_string(), run.json()["buffers"].to_string(), "{list}");
    }
}

#[test]
fn a_buffer_may_be_empty_and_stays_whole_in_json() {
    let json = kernel("copy", 1, "buf:u8:7 buf:u8:0").exits(0).json();
    assert_eq!(json["buffers"][1]["values"], json!([7]));
    let empty = kernel("hello", 1, "i32:0").exits(0).json();
    assert_eq!(empty["buffers"], json!([]));
    for empty in ["buf:i32:", "buf:i32:zeros*0"] {
        let json = kernel("beyond", 1, empty).exits(1).json();
        assert_eq!(json["buffers"], json!([{"arg": 0, "type": "i32", "values": []}]));
    }
    let line =
        format!("{KERNELS} --kernel copy --grid 40 --block 25 --arg buf:u8:3*1000 --arg buf:u8:uninit*1000");
    let whole = run(&format!("{line} --json")).exits(0).json();
    assert_eq!(whole["buffers"][1]["values"], json!(vec![3; 1000]));
    let text = run(&line).exits(0).stdout();
    assert!(
        text.contains("argument 1: 1,000 elements of u8") && text.contains("… 936 more; --json"),
        "{text}"
    );
}

#[test]
fn the_launch_is_the_one_asked_for() {
    let line = "--kernel shape --grid 2,3,4 --block 2^3,2 --shared 1_024 --arg buf:u32:uninit*7 --checks off";
    let json = run(&format!("{KERNELS} {line} --json")).exits(0).json();
    assert_eq!(json["buffers"][0]["values"], json!([2, 3, 4, 8, 2, 1, 1024]));
    let shuffled = run(&format!("{KERNELS} {line} --schedule 7 --json")).exits(0).json();
    assert_eq!(shuffled["buffers"], json["buffers"]);
}

#[test]
fn what_the_kernel_prints_is_printed() {
    let line = format!("{KERNELS} --kernel hello --grid 1 --block 2 --arg i32:-3");
    let text = run(&line).exits(0).stdout();
    let said = "thread 0 of 2 says -3\nthread 1 of 2 says -3\n";
    assert!(text.starts_with(&format!("printed by the kernel:\n{said}\n")), "{text}");
    assert_eq!(run(&format!("{line} --json")).exits(0).json()["printed"], said);
}

#[test]
fn an_error_is_shown_with_its_source_line() {
    let source = std::fs::read_to_string(root().join("tests/simulate/kernels.cu")).unwrap();
    let line = 1 + source.lines().position(|line| line.contains("threadIdx.x + 1")).unwrap();
    let run = kernel("beyond", 4, "buf:i32:zeros*4").exits(1);
    let json = run.json();
    assert_eq!(json["ok"], false);
    let found = &json["diagnostics"][0];
    assert_eq!((&found["kind"], &found["severity"]), (&json!("out-of-bounds"), &json!("error")));
    assert_eq!((&found["file"], &found["line"]), (&json!("tests/simulate/kernels.cu"), &json!(line)));
    assert_eq!(found["thread"], json!([3, 0, 0]));
    assert!(!found["message"].as_str().unwrap().is_empty() && !found["help"].as_str().unwrap().is_empty());

    let text = self::run(&format!("{KERNELS} --kernel beyond --grid 1 --block 4 --arg buf:i32:zeros*4"));
    let text = text.exits(1).stdout();
    for part in [
        "error[out-of-bounds]: ",
        &format!("--> tests/simulate/kernels.cu:{line}:5"),
        "data[threadIdx.x + 1] = 7;",
        "thread (3, 0, 0)",
        "help: ",
        "\n1 error; the launch was stopped, and the buffers are as it left them\n",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    // Off are only the checks that a kernel can go on without.
    let unchecked =
        format!("{KERNELS} --kernel beyond --grid 1 --block 4 --arg buf:i32:zeros*4 --checks off --json");
    assert_eq!(self::run(&unchecked).exits(1).json()["diagnostics"][0]["kind"], "out-of-bounds");
}

#[test]
fn names_are_those_of_the_source() {
    let json =
        run(&format!("{KERNELS} --kernel plain --grid 1 --block 2 --arg buf:i32: --json")).exits(1).json();
    assert_eq!(json["diagnostics"][0]["kernel"], json!("plain"));
    let said = json["diagnostics"][0]["message"].as_str().unwrap().to_string();
    assert_eq!(said, "a store of 4 bytes at byte 0 of argument 0, which has 0 bytes: element 0 of 0");
}

#[test]
fn what_one_schedule_hides_is_found_under_several() {
    let args =
        "--kernel orderedByChance --grid 2 --block 1 --arg buf:i32:0 --arg buf:i32:0 --arg buf:i32:0 --json";
    let one = run(&format!("{KERNELS} {args}")).exits(0).json();
    assert_eq!(one["diagnostics"], json!([]));
    let several = run(&format!("{KERNELS} {args} --schedules 16")).exits(1).json();
    let found = several["diagnostics"].as_array().unwrap();
    assert_eq!((found.len(), &found[0]["kind"]), (1, &json!("data-race")), "{found:?}");
    assert!(found[0]["message"].as_str().unwrap().contains(" (under schedule "), "{found:?}");
    assert_eq!(several["buffers"], one["buffers"], "of the first");
    run(&format!("{KERNELS} {args} --schedules 0")).refuses(&["--schedules"]);
}

#[test]
fn a_missing_barrier_is_found_in_every_schedule_and_its_look_alike_is_clean() {
    let source = std::fs::read_to_string(root().join(SUM.replace(".ptx", ".cu"))).unwrap();
    let line = |part: &str| 1 + source.lines().position(|line| line.contains(part)).unwrap();
    let args = "--grid 1 --block 64 --arg buf:i32:iota*64 --arg buf:i32:uninit*1 --json --schedule";
    for seed in 0..8 {
        let json = run(&format!("{SUM} {args} {seed}")).exits(1).json();
        let mut found = json["diagnostics"].as_array().unwrap().iter();
        let race = found.find(|found| found["kind"] == "data-race").unwrap_or_else(|| panic!("{json}"));
        let mut lines =
            [&race["line"], &race["related"][0]["line"]].map(|line| line.as_u64().unwrap() as usize);
        lines.sort();
        assert_eq!(lines, [line("partial[t] = in[t];"), line("partial[t] += partial")]);
        let clean = run(&format!("{KERNELS} --kernel sum {args} {seed}")).exits(0).json();
        assert_eq!((&clean["ok"], &clean["diagnostics"]), (&json!(true), &json!([])));
        assert_eq!(clean["buffers"][1]["values"], json!([2016]));
    }
    let unchecked = run(&format!("{SUM} {args} 0 --checks off")).exits(0);
    assert_eq!(unchecked.json()["diagnostics"], json!([]));
    let text = run(&format!("{KERNELS} --kernel sum {args} 0").replace(" --json", "")).exits(0).stdout();
    assert!(text.ends_with("\nok: nothing is wrong\n"), "{text}");
}

#[test]
fn what_nobody_has_written_is_no_number() {
    let args = "--kernel beyond --grid 1 --block 2 --arg buf:i32:uninit*4";
    let json = run(&format!("{KERNELS} {args} --json")).exits(0).json();
    assert_eq!(json["buffers"][0]["values"], json!([null, 7, 7, null]));
    let text = run(&format!("{KERNELS} {args}")).exits(0).stdout();
    assert!(text.contains("nobody has written 2 (?)\n  [0]  ? 7 7 ?\n"), "{text}");
}

#[test]
fn source_lines_are_found_beside_the_ptx_too() {
    let directory = scratch("beside");
    std::fs::create_dir_all(directory.join("tests/simulate")).unwrap();
    std::fs::copy(root().join(KERNELS), directory.join("kernels.ptx")).unwrap();
    let line = |file: &Path| {
        let args = "--kernel beyond --grid 1 --block 4 --arg buf:i32:zeros*4";
        let mut command = simulate();
        command.current_dir(std::env::temp_dir()).arg(file).args(args.split_whitespace());
        Run { line: args.into(), output: command.output().unwrap() }.exits(1).stdout()
    };
    let without = line(&directory.join("kernels.ptx"));
    assert!(
        without.contains("tests/simulate/kernels.cu:") && !without.contains("data[threadIdx"),
        "{without}"
    );
    std::fs::copy(root().join("tests/simulate/kernels.cu"), directory.join("tests/simulate/kernels.cu"))
        .unwrap();
    let with = line(&directory.join("kernels.ptx"));
    assert!(with.contains("data[threadIdx.x + 1] = 7;"), "{with}");
}

#[test]
fn the_counters_are_one_report() {
    let counters = |stride: u32| {
        let args = format!("buf:i32:iota*1024 buf:i32:uninit*32 u32:{stride}");
        kernel("strided", 32, &args).exits(0).json()["counters"].clone()
    };
    // One request; so many sectors; the fewest that would do. Stride 0: all ask for the same 4 bytes.
    for (stride, sectors, ideal) in [(1, 4, 4), (8, 32, 4), (2, 8, 4), (0, 1, 1)] {
        let c = counters(stride);
        let loads = ["global_load_requests", "global_load_sectors", "global_load_sectors_ideal"];
        assert_eq!(loads.map(|name| c[name].as_u64().unwrap()), [1, sectors, ideal], "stride {stride}");
        let stores = ["global_store_requests", "global_store_sectors", "global_store_sectors_ideal"];
        assert_eq!(stores.map(|name| c[name].as_u64().unwrap()), [1, 4, 4], "stride {stride}");
        assert_eq!(c["average_active_lanes"], 32.0);
    }
    let text = run(&format!("{SUM} --grid 1 --block 64 --checks off --arg buf:i32:iota*64 --arg buf:i32:0"));
    let text = text.exits(0).stdout();
    let row = |name: &str| {
        let line =
            text.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_else(|| panic!("{text}"));
        line.split_whitespace().map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(row("global load sectors")[3..], ["8", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]);
    assert_eq!(row("ideal")[1..], ["8"]);
    // Two warps, six steps; one of the two always has to wait.
    assert_eq!(
        (&row("barriers, by warp")[3..], &row("stalls")[3..]),
        (&["12".into()][..], &["6".into()][..])
    );
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn device_launches_are_counted_and_limited() {
    let run = |limit: u32| {
        let line = "kernels/prebuilt/ch4_nested.ptx --kernel gpuRecursiveReduce --grid 64 --block 4 --json \
                    --arg buf:i32:iota*256 --arg buf:i32:zeros*64 --arg u32:256 --arg buf:u32:zeros*2";
        self::run(&format!("{line} --checks off --pending-launches {limit}")).exits(0).json()
    };
    let all = run(2048);
    assert_eq!(
        (&all["counters"]["launch_depth"], &all["counters"]["dropped_launches"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(all["counters"]["device_launches"], 128);
    let few = run(8);
    assert_eq!(few["buffers"][2]["values"], json!([69, few["counters"]["dropped_launches"]]));
    assert!(few["counters"]["dropped_launches"].as_u64() > Some(0));
}

#[test]
fn the_only_kernel_need_not_be_named_and_cpp_names_may_be_short() {
    let json = run(&format!("{SUM} --grid 1 --block 1 --checks off --arg buf:i32:9 --arg buf:i32:0 --json"));
    assert_eq!(json.exits(0).json()["kernel"], "sum");
    assert_eq!(kernel("plain", 1, "buf:i32:0").exits(0).json()["kernel"], "_Z5plainPi");
    assert_eq!(kernel("_Z5twicePi", 1, "buf:i32:0").exits(0).json()["buffers"][0]["values"], json!([2]));
    kernel("twice", 1, "buf:i32:0").refuses(&["several kernels are named twice", "_Z5twicePf (twice)"]);
}

#[test]
fn a_wrong_command_line_is_refused_with_what_would_be_right() {
    let rest = "--grid 1 --block 1";
    run("").refuses(&["required", "<FILE>", "--grid", "--block"]);
    run(SUM).refuses(&["--grid", "--block"]);
    run(&format!("{SUM} {rest} --frobnicate")).refuses(&["--frobnicate"]);
    run(&format!("{SUM} {rest} --checks perhaps")).refuses(&["perhaps", "on, off"]);
    run(&format!("{SUM} {rest} --schedule x")).refuses(&["--schedule"]);
    run(&format!("{SUM} {rest} --pending-launches -1"))
        .refuses(&["--pending-launches", "a number of launches"]);
    run(&format!("{SUM} {rest} --shared -1")).refuses(&["--shared", "a number of bytes"]);
    for wrong in ["0", "-1", "1,2,3,4", "x", "4294967296"] {
        run(&format!("{SUM} --grid {wrong} --block 1")).refuses(&["--grid", "X[,Y[,Z]]"]);
        run(&format!("{SUM} --grid 1 --block {wrong}")).refuses(&["--block", "X[,Y[,Z]]"]);
    }
    for wrong in ["i32", "i32:x", "i33:1", "i8:128", "buf:i32:1,x", "buf:i32:zeros*2^40", "buf:u8:iota*300"] {
        run(&format!("{SUM} {rest} --arg {wrong}")).refuses(&["--arg", wrong]);
    }
    let args = "--arg buf:i32:1 --arg buf:i32:1";
    run(&format!("{SUM} --grid 1 --block 1025 {args}")).refuses(&["at most 1024"]);
    run(&format!("{SUM} --grid 1,65536 --block 1 {args}")).refuses(&["65535"]);
    run(&format!("{SUM} {rest} --shared 2^20 {args}")).refuses(&["1048832 bytes of shared memory", "232448"]);
    let large = "--arg buf:i32:zeros*2^30 --arg buf:i32:1";
    run(&format!("{SUM} {rest} {large}")).refuses(&["4,294,967,300 bytes together", "allows 4,294,967,296"]);
}

#[test]
fn a_launch_that_needs_more_memory_than_it_may_have_ends_with_a_sentence() {
    let line =
        format!("{KERNELS} --kernel copy --grid 2000 --block 500 --arg buf:u8:3*1e6 --arg buf:u8:0*1e6");
    run(&format!("{line} --memory 1e7")).refuses(&[
        "memory-limit",
        "10,000,000 bytes: 2,000,0",
        "what the checks remember",
        "--checks off",
    ]);
    run(&format!("{line} --memory 1e7 --checks off --json")).exits(0);
    run(&format!("{line} --memory 2^24 --json")).exits(0);
}

#[test]
fn a_kernel_or_an_argument_that_is_not_there_is_refused_with_the_list() {
    kernel("nothing", 1, "")
        .refuses(&["no kernel is named nothing; there are: numbers, copy", "_Z5plainPi (plain)"]);
    run(&format!("{KERNELS} --grid 1 --block 1")).refuses(&["give --kernel one of: numbers, copy, strided"]);
    kernel("strided", 1, "buf:i32:1 buf:i32:1").refuses(&[
        "strided takes 3 arguments, 2 were given",
        "0  strided_param_0, .u64 (8 bytes: i64, u64 or a buffer); given: buf:i32:1",
        "2  strided_param_2, .u32 (4 bytes: i32 or u32); nothing was given",
    ]);
    kernel("hello", 1, "i32:1 buf:i32:1")
        .refuses(&["hello takes 1 argument, 2 were given", "1  no parameter; given: buf:i32:1"]);
    kernel("hello", 1, "").refuses(&["hello takes 1 argument, 0 were given"]);
    kernel("hello", 1, "i64:1")
        .refuses(&["argument 0 of hello does not fit, i64:1: the parameter has 4 bytes, it has 8"]);
    kernel("hello", 1, "buf:i32:1").refuses(&["the address of a buffer has 8", "hello_param_0"]);
    kernel("hello", 1, "f32:1").refuses(&["the parameter is a whole number (.u32), it is a float"]);
    kernel("structure", 1, "i32:1 buf:i32:1")
        .refuses(&["has 12 bytes, it has 4; give a structure", "structure_param_0"]);
}

#[test]
fn a_file_that_cannot_be_taken_is_refused_by_name() {
    let rest = "--grid 1 --block 1";
    run(&format!("tests/simulate/absent.ptx {rest}")).refuses(&["cannot read tests/simulate/absent.ptx"]);
    // By its name alone: this one has no end.
    #[cfg(unix)]
    run(&format!("/dev/zero {rest}")).refuses(&["/dev/zero is neither PTX (.ptx) nor CUDA C++ (.cu)"]);
    run(&format!("tests/simulate {rest}")).refuses(&["tests/simulate"]);
    run(&format!("Cargo.toml {rest}")).refuses(&["Cargo.toml is neither PTX (.ptx) nor CUDA C++ (.cu)"]);
    let directory = scratch("files");
    let file = |name: &str, bytes: &[u8]| {
        let path = directory.join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    run(&format!("{} {rest}", file("empty.ptx", b""))).refuses(&["empty.ptx"]);
    run(&format!("{} {rest}", file("bytes.ptx", &[0xff, 0xfe]))).refuses(&["cannot read", "bytes.ptx"]);
    let broken = file("broken.ptx", b".version 9.0\n.target sm_75\n\n.visible .entry k( {\n");
    let said = run(&format!("{broken} {rest}"));
    said.refuses(&["broken.ptx:4", ".visible .entry k( {"]);
}

#[test]
fn an_instruction_that_the_simulator_does_not_know_is_named_with_its_line() {
    let line = |kernel: &str| format!("tests/simulate/unsupported.ptx --kernel {kernel} --grid 1 --block 1");
    run(&line("known")).exits(0);
    let unknown = format!("{} --arg buf:i32:1", line("unknown"));
    run(&unknown).refuses(&[
        "error[unsupported-instruction]",
        "frobnicate.sync.u32",
        "tests/simulate/unsupported.ptx:16",
        "the simulator cannot run this",
    ]);
    let json = run(&format!("{unknown} --json")).exits(2).json();
    assert_eq!(json["ok"], false);
    let found = &json["diagnostics"][0];
    assert_eq!((&found["kind"], &found["line"]), (&json!("unsupported-instruction"), &json!(16)));
}

#[test]
fn nobody_has_to_read_the_output() {
    let line = format!("{KERNELS} --kernel copy --grid 256 --block 1024 --json");
    let mut child = simulate()
        .args(line.split_whitespace())
        .args(["--arg", "buf:u8:zeros*2^18", "--arg", "buf:u8:zeros*2^18"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take()); // `| head -0`
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""));
}

/// The table of steps, and a page that plays them and asks for nothing else.
#[test]
fn the_steps_of_a_launch_are_shown() {
    let scratch = tempfile::tempdir().unwrap();
    let figure = scratch.path().join("sum.html");
    let line = format!(
        "{SUM} --grid 1 --block 64 --arg buf:i32:iota*64 --arg buf:i32:0 --steps --figure {}",
        figure.display()
    );
    let text = run(&line).exits(1).stdout();
    for row in [
        "step block warp  line  lanes",
        "   0     0    1     8  0-31                 read  argument 0[32-63]: 32 33 34 35 36 37 … 63",
        "arrive at the barrier",
        "the barrier opens",
    ] {
        assert!(text.contains(row), "no {row:?} in\n{text}");
    }
    let page = std::fs::read_to_string(&figure).unwrap();
    assert!(page.contains("<figure class=\"film\"") && page.contains("nothing orders the two"));
    let asks: Vec<&str> =
        page.lines().filter(|line| line.contains("src=") || line.contains("href=")).collect();
    assert!(asks.is_empty(), "{asks:?}");
    // Without checks nobody listens.
    run(&format!("{line} --checks off")).refuses(&["steps are remembered under checks"]);
}

#[test]
fn help_teaches_by_example() {
    let text = run("--help").exits(0).stdout();
    for part in ["buf:u8:uninit*64", "Exit status: 0", "// Missing: __syncthreads()", "--arg buf:i32:iota*64"]
    {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    // The kernel of the help, of the example's head and of the fixture are one.
    let fixture = std::fs::read_to_string(root().join("tests/simulate/missing_barrier.cu")).unwrap();
    let head = std::fs::read_to_string(root().join("examples/simulate.rs")).unwrap();
    let kernel = fixture.split("ANCHOR: sum\n").nth(1).unwrap().split("// ANCHOR_END").next().unwrap();
    for line in kernel.lines().map(str::trim).filter(|line| !line.is_empty()) {
        assert!(text.contains(line), "not in --help: {line}");
        assert!(head.contains(line), "not in examples/simulate.rs: {line}");
    }
}

/// The book shows the very output. `WORKBOOK_BLESS=1` writes it there.
#[test]
fn the_book_shows_what_is_printed() {
    const EXAMPLE: &str = "cargo run --example simulate -- tests/simulate/missing_barrier.ptx";
    let path = root().join("book/src/appendix_simulate.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let block = |start: &str| {
        let from = page.find(start).unwrap_or_else(|| panic!("no {start:?} on the page")) + start.len();
        from..from + page[from..].find("```\n").unwrap()
    };
    let args = page[block(&format!("```sh\n{EXAMPLE}"))].replace("\\\n", " ");
    let printed = run(&format!("{SUM}{}", args.trim_end())).exits(1).stdout();
    let shown = block("```text\n");
    if std::env::var_os("WORKBOOK_BLESS").is_some() {
        let page = format!("{}{printed}{}", &page[..shown.start], &page[shown.end..]);
        std::fs::write(&path, page).unwrap();
        return;
    }
    assert_eq!(&page[shown], printed, "run with WORKBOOK_BLESS=1");
}

fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("simulate").join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// A stand-in for nvcc, so that no test needs the real one.
#[cfg(unix)]
mod with_a_fake_nvcc {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// Runs it on `mine.cu` with an nvcc that does as `body` says.
    fn with_nvcc(name: &str, body: &str) -> Run {
        let directory = scratch(name);
        let nvcc = directory.join("nvcc");
        let version = "Cuda compilation tools, release 13.0, V13.0.88";
        let script = format!("#!/bin/sh\ncase $* in *--version*) echo '{version}'; exit;; esac\n{body}\n");
        std::fs::write(&nvcc, script).unwrap();
        std::fs::set_permissions(&nvcc, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::copy(root().join("tests/simulate/kernels.cu"), directory.join("mine.cu")).unwrap();
        let line = "mine.cu --kernel beyond --grid 1 --block 4 --arg buf:i32:zeros*4 --arch 90 -Ihere -DN=4";
        let mut command = simulate();
        command.current_dir(&directory).env("NVCC", &nvcc).args(line.split_whitespace());
        Run { line: line.into(), output: command.output().unwrap() }
    }

    #[test]
    fn cuda_is_compiled_and_its_lines_are_shown() {
        let ptx = root().join(KERNELS);
        let body = format!(
            "case \"$*\" in *-arch=compute_90*-Ihere*-DN=4*) ;; *) exit 7;; esac\n\
             while [ \"$1\" != -o ]; do shift; done\n\
             sed \"s|tests/simulate/kernels.cu|$PWD/mine.cu|\" {} > \"$2\"\necho 'mine.cu: warning: unused'",
            ptx.display()
        );
        let run = with_nvcc("compiled", &body).exits(1);
        let text = run.stdout();
        assert!(text.contains("--> mine.cu:") && text.contains("data[threadIdx.x + 1] = 7;"), "{text}");
        assert!(run.stderr().contains("mine.cu: warning: unused"), "{}", run.stderr());
    }

    #[test]
    fn errors_of_nvcc_are_shown_whole() {
        let said = "mine.cu(3): error: expected a \";\"\n    x\n    ^";
        with_nvcc("error", &format!("printf '%s\\n' '{said}' >&2\nexit 1"))
            .refuses(&[said, "could not compile mine.cu"]);
        let absent = format!("{SUM} --grid 1 --block 1").replace(".ptx", ".cu");
        let mut command = simulate();
        command.env("NVCC", "/nowhere/nvcc").args(absent.split_whitespace());
        let run = Run { line: absent, output: command.output().unwrap() };
        run.refuses(&["NVCC is set to /nowhere/nvcc, which does not run as nvcc"]);
    }
}

/// With nvcc 13.0.88: the committed PTX is what the sources give, and a `.cu` runs as its PTX does.
#[test]
#[ignore = "needs nvcc 13.0.88"]
fn the_committed_ptx_is_what_the_sources_give() {
    let nvcc = Nvcc::find(root()).unwrap().expect("no nvcc");
    for stem in [
        "tests/simulate/kernels",
        "tests/simulate/missing_barrier",
        "tests/simulate/programs",
        "benches/kernels",
    ] {
        let source = root().join(format!("{stem}.cu"));
        let ptx = nvcc.ptx(&source, &scratch(stem)).unwrap();
        assert_eq!(ptx.warnings, "");
        let committed = source.with_extension("ptx");
        if std::env::var_os("WORKBOOK_BLESS").is_some() {
            std::fs::write(&committed, &ptx.text).unwrap();
        }
        assert_eq!(
            std::fs::read_to_string(&committed).unwrap(),
            ptx.text,
            "{stem}: run with WORKBOOK_BLESS=1"
        );
    }
    let rest = "--grid 1 --block 64 --checks off --json --arg buf:i32:iota*64 --arg buf:i32:0";
    let compiled = run(&format!("{} {rest}", SUM.replace(".ptx", ".cu"))).exits(0);
    assert_eq!(compiled.json(), run(&format!("{SUM} {rest}")).json());
}
