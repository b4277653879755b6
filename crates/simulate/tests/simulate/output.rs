//! What is printed, as text and as JSON: counts, steps, help, and the page that shows them.

use std::io::Read;
use std::process::Stdio;

use serde_json::json;

use super::*;

#[test]
fn what_the_kernel_prints_is_printed() {
    let line = format!("{KERNELS} --kernel hello --grid 1 --block 2 --arg i32:-3");
    let text = run(&line).exits(0).stdout();
    let said = "thread 0 of 2 says -3\nthread 1 of 2 says -3\n";
    assert!(text.starts_with(&format!("printed by the kernel:\n{said}\n")), "{text}");
    assert_eq!(run(&format!("{line} --json")).exits(0).json()["printed"], said);
}

#[test]
fn the_counters_are_one_report() {
    let counters = |stride: u32| {
        let args = format!("buf:i32:iota*1024 buf:i32:uninit*32 u32:{stride}");
        kernel("strided", 32, &args).exits(0).json()["counters"].clone()
    };
    // One request; this many sectors; the fewest that would do. Stride 0: all ask for the same 4 bytes.
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
    run(&format!("{line} --checks off")).refuses(&["steps are recorded only with checks"]);
}

#[test]
fn help_teaches_by_example() {
    let text = run("--help").exits(0).stdout();
    for part in
        ["buf:u8:uninit*64", "Exit status: 0", "// Missing: __syncthreads()", "//@ launch sum<<<1, 64>>>"]
    {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    // The kernel of the help and of the fixture are one.
    let fixture =
        std::fs::read_to_string(root().join("crates/simulate/tests/simulate/missing_barrier.cu")).unwrap();
    let kernel = fixture.split("ANCHOR: sum\n").nth(1).unwrap().split("// ANCHOR_END").next().unwrap();
    for line in kernel.lines().map(str::trim).filter(|line| !line.is_empty()) {
        assert!(text.contains(line), "not in --help: {line}");
    }
}

/// The book shows the very output.
#[test]
fn the_output_in_the_book_is_renewed_by_a_run() {
    const EXAMPLE: &str =
        "cargo run --example simulate -- crates/simulate/tests/simulate/missing_barrier.ptx";
    let path = "book/src/appendix_simulate.md";
    let page = std::fs::read_to_string(root().join(path)).unwrap();
    let block = |start: &str| {
        let from = page.find(start).unwrap_or_else(|| panic!("no {start:?} on the page")) + start.len();
        from..from + page[from..].find("```\n").unwrap()
    };
    let args = page[block(&format!("```sh\n{EXAMPLE}"))].replace("\\\n", " ");
    let printed = run(&format!("{SUM}{}", args.trim_end())).exits(1).stdout();
    let shown = block("```text\n");
    testing::renew::committed(path, format!("{}{printed}{}", &page[..shown.start], &page[shown.end..]));
}

/// The findings come out even where nothing ran that a figure could show.
#[test]
fn a_launch_that_makes_no_step_has_no_figure_and_keeps_its_findings() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-step.html");
    let _ = std::fs::remove_file(&file);
    let arguments = "--grid 1 --block 64 --shared 300000 --arg buf:i32:iota*64 --arg buf:i32:0";
    let run = run(&format!("{SUM} {arguments} --figure {}", file.display())).exits(2);
    assert!(run.stderr().contains("error[launch-limit]: 300256 bytes"), "{}", run.stderr());
    assert!(run.stderr().contains("there are no steps to show"), "{}", run.stderr());
    assert!(!file.exists());
}
