//! What is wrong with a kernel, and where.

use std::path::Path;

use serde_json::{Value, json};

use super::*;

#[test]
fn an_error_is_shown_with_its_source_line() {
    let source = std::fs::read_to_string(root().join("crates/simulate/tests/simulate/kernels.cu")).unwrap();
    let line = 1 + source.lines().position(|line| line.contains("threadIdx.x + 1")).unwrap();
    let run = kernel("beyond", 4, "buf:i32:zeros*4").exits(1);
    let json = run.json();
    assert_eq!(json["ok"], false);
    let found = &json["diagnostics"][0];
    assert_eq!((&found["kind"], &found["severity"]), (&json!("out-of-bounds"), &json!("error")));
    assert_eq!(
        (&found["file"], &found["line"]),
        (&json!("crates/simulate/tests/simulate/kernels.cu"), &json!(line))
    );
    assert_eq!(found["thread"], json!([3, 0, 0]));
    assert!(!found["message"].as_str().unwrap().is_empty() && !found["help"].as_str().unwrap().is_empty());

    let text = self::run(&format!("{KERNELS} --kernel beyond --grid 1 --block 4 --arg buf:i32:zeros*4"));
    let text = text.exits(1).stdout();
    for part in [
        "error[out-of-bounds]: ",
        &format!("--> crates/simulate/tests/simulate/kernels.cu:{line}:5"),
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
    assert_eq!(said, "a store of 4 bytes at `out[0]`, and `out` has 0 elements");
}

/// The first finding of a block of 32 threads, each of which loads, stores or adds at `tile[row][column]`.
fn of_the_tile(does: char, row: u32, column: u32) -> Value {
    let arguments =
        format!("--arg buf:i32:zeros*32 --arg i32:{row} --arg i32:{column} --arg i32:{}", does as u32);
    let run = run(&format!("{KERNELS} --kernel tiled --grid 1 --block 32 {arguments} --json"));
    run.exits(1).json()["diagnostics"][0].clone()
}

#[test]
fn an_element_of_several_dimensions_has_all_its_indices() {
    let outside = of_the_tile('l', 4, 1);
    assert_eq!(outside["message"], "a load of 4 bytes at `tile[4][1]`, and `tile` has 4 × 3 elements");
    let race = of_the_tile('s', 1, 2);
    assert!(race["message"].as_str().unwrap().contains(" writes `tile[1][2]`, which thread "), "{race}");
}

#[test]
fn the_lines_of_a_volatile_tree_are_one_finding() {
    let tree =
        "crates/launch/tests/corpus/data-race/warp_tree_volatile.ptx --kernel reduce --grid 1 --block 32";
    let json = run(&format!("{tree} --arg buf:i32:iota*32 --arg buf:i32:zeros*1 --json")).exits(1).json();
    let found = json["diagnostics"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{found:#?}");
    let related = found[0]["related"].as_array().unwrap().iter().map(|site| site["line"].as_u64());
    let lines: Vec<_> = related.chain([found[0]["line"].as_u64()]).flatten().collect();
    assert!((10..=13).all(|line| lines.contains(&line)), "{lines:?}");
    assert!(found[0]["help"].as_str().unwrap().contains("__syncwarp()"), "{}", found[0]["help"]);
}

#[test]
fn a_wait_that_leaves_a_copy_out_is_named_and_what_is_unwritten_by_that_is_not() {
    let folder = "crates/simulate/tests/simulate";
    let source = std::fs::read_to_string(root().join(folder).join("copies.cu")).unwrap();
    let buffers = "--grid 1 --block 64 --arg buf:i32:iota*512 --arg buf:i32:zeros*64";
    for (kernel, arguments, waits, help) in [
        ("noCommit", "", "leaves the copy out, since it is not committed yet", "put the commit ("),
        (
            "commitAfterWait",
            "--arg i32:6",
            "leaves out the newest group, and the copy with it",
            "commit before",
        ),
    ] {
        let command = format!("{folder}/copies.ptx --kernel {kernel} {buffers} {arguments} --json");
        let json = run(&command).exits(1).json();
        let wait = source.lines().position(|line| line.ends_with(&format!("// {kernel}"))).unwrap() + 1;
        for found in json["diagnostics"].as_array().unwrap() {
            let message = found["message"].as_str().unwrap();
            assert_eq!(found["kind"], "data-race", "{found}");
            assert!(message.ends_with(&format!(", and the wait in line {wait} {waits}")), "{message}");
            assert!(found["help"].as_str().unwrap().contains(help), "{found}");
        }
    }
}

#[test]
fn a_result_need_not_be_asked_for_as_a_whole() {
    for length in [33, 44, 63] {
        let arguments = format!("--arg buf:i32:1*{length} --arg buf:i32:uninit*{length} --arg i32:{length}");
        let expected = format!("--expect 1=i32:iota:1*{length}");
        let command =
            format!("{KERNELS} --kernel scanOfSome --grid 1 --block 64 {arguments} {expected} --json");
        let json = run(&command).exits(0).json();
        assert_eq!(json["diagnostics"], json!([]), "{length}");
    }
}

#[test]
fn what_is_only_in_a_header_is_ok() {
    let kernel = "crates/launch/tests/corpus/data-race/reduce_of_several_warps.ptx --kernel sum \
        --grid 1 --block 128";
    let command = format!("{kernel} --arg buf:i32:iota*128 --arg buf:i32:uninit*128");
    let text = run(&command).exits(0).stdout();
    let notes = text.matches("\nnote[data-race]: ").count();
    assert_eq!(text.matches("; both are in NVIDIA's <cooperative_groups/details/").count(), notes, "{text}");
    let notes = if notes == 1 { "1 note".to_string() } else { format!("{notes} notes") };
    let verdict = text.lines().last().unwrap();
    assert!(verdict.contains("nothing is wrong"), "{verdict}");
    assert!(verdict.ends_with(&format!("; {notes} on NVIDIA's headers")), "{verdict}");
    // An error is no less one beside that.
    let text = run(&command.replace("uninit*128", "uninit*4")).exits(1).stdout();
    assert!(text.contains("\n1 error, ") && !text.contains("on NVIDIA's headers"), "{text}");
}

/// Runs a kernel of [`KERNELS`], without `--json`; what it says.
fn said(kernel: &str, grid: u32, block: &str, args: &str, status: i32) -> String {
    let args: String = args.split_whitespace().map(|spec| format!(" --arg {spec}")).collect();
    run(&format!("{KERNELS} --kernel {kernel} --grid {grid} --block {block}{args}")).exits(status).stdout()
}

#[test]
fn the_index_of_a_thread_among_all_is_said_and_what_is_left_is_counted() {
    let text = said("sameInEveryBlock", 4, "64", "buf:i32:uninit*256", 1);
    assert!(text.contains("is blockIdx.x * blockDim.x + threadIdx.x, and a loop over more"), "{text}");
    assert!(text.ends_with("; 192 elements of argument 0 were never written\n"), "{text}");
}

#[test]
fn a_launch_of_one_row_says_why_the_others_are_never_written() {
    let text = said("plane", 1, "8", "buf:i32:uninit*64 i32:8", 0);
    let expected = "56 elements of argument 0 were never written: the kernel reads its index in y, and all \
                    threads are in one row; nothing else is wrong\n";
    assert!(text.ends_with(expected), "{text}");
    let expected = "32 elements of argument 0 were never written: the launch has 8 × 4 threads for 8 × 8 \
                    elements; it takes 2 blocks in y, (8 + 3) / 4; nothing else is wrong\n";
    let text = said("plane", 1, "8,4", "buf:i32:uninit*64 i32:8", 0);
    assert!(text.ends_with(expected), "{text}");
    assert!(said("plane", 1, "8,8", "buf:i32:uninit*64 i32:8", 0).ends_with("\nok: nothing is wrong\n"));
}

#[test]
fn a_shuffle_by_a_whole_warp_is_one_by_nothing() {
    let text = said("byAWarp", 1, "32", "buf:i32:uninit*32", 0);
    let expected = "a shuffle by 32: only the lowest five bits count, so it is one by 0";
    assert!(text.contains(&format!("warning[warp-collective]: {expected}")), "{text}");
}

/// What comes of it is an uninitialized value in another line, and that is not told.
#[test]
fn a_lane_that_takes_no_part_is_named_where_it_is_asked() {
    let json = kernel("sumOfLanes", 48, "buf:f32:1*48 buf:f32:uninit*1").exits(1).json();
    let found = json["diagnostics"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["kind"], "warp-collective");
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.starts_with("lane 0 reads from lane 16, which does not take part"), "{message}");
}

#[test]
fn a_finding_of_several_launches_is_told_once() {
    let directory = scratch("again");
    let script = directory.join("twice.txt");
    let launch = "launch sameInEveryBlock<<<2, 4>>> @out\n";
    std::fs::write(&script, format!("buffer out = i32:uninit*4\n{launch}{launch}{launch}")).unwrap();
    let json = run(&format!("{KERNELS} --script {} --json", script.display())).exits(1).json();
    let found = json["diagnostics"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{found:#?}");
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.ends_with("; 2 later launches show the same"), "{message}");
}

#[test]
fn what_nobody_has_written_is_named() {
    let loaded = of_the_tile('l', 1, 2);
    assert_eq!(
        loaded["message"],
        "an uninitialized value is stored to global memory: `tile[1][2]` was never written"
    );
    let here = "the value is read here, and `tile[1][2]` is uninitialized";
    assert_eq!(loaded["related"][0]["message"], here);
    let added = of_the_tile('a', 2, 0);
    assert_eq!(added["message"], "an atomic reads `tile[2][0]`, which is uninitialized");
    for found in [loaded, added] {
        assert!(found["help"].as_str().unwrap().contains("is not zero at the start"), "{found}");
    }
    // Of a buffer too.
    let copy = "--kernel copy --grid 1 --block 4 --arg buf:u8:uninit*4 --arg buf:u8:zeros*4 --json";
    let found = run(&format!("{KERNELS} {copy}")).exits(1).json()["diagnostics"][0].clone();
    assert_eq!(found["related"][0]["message"], "the value is read here, and `in[0]` is uninitialized");
    assert!(!found["help"].as_str().unwrap().contains("__shared__"), "{found}");
}

#[test]
fn what_one_order_of_turns_hides_is_found_in_another() {
    let args =
        "--kernel orderedByChance --grid 2 --block 1 --arg buf:i32:0 --arg buf:i32:0 --arg buf:i32:0 --json";
    let found = |schedule: u32| {
        run(&format!("{KERNELS} {args} --schedule {schedule}")).json()["diagnostics"][0]["kind"].clone()
    };
    assert_eq!(found(0), json!(null));
    assert!((1..16).map(found).any(|kind| kind == "data-race"));
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
fn source_lines_are_found_beside_the_ptx_too() {
    let directory = scratch("beside");
    std::fs::create_dir_all(directory.join("crates/simulate/tests/simulate")).unwrap();
    std::fs::copy(root().join(KERNELS), directory.join("kernels.ptx")).unwrap();
    let line = |file: &Path| {
        let args = "--kernel beyond --grid 1 --block 4 --arg buf:i32:zeros*4";
        let mut command = simulate();
        command.current_dir(std::env::temp_dir()).arg(file).args(args.split_whitespace());
        Run { line: args.into(), output: command.output().unwrap() }.exits(1).stdout()
    };
    let without = line(&directory.join("kernels.ptx"));
    assert!(
        without.contains("crates/simulate/tests/simulate/kernels.cu:") && !without.contains("data[threadIdx"),
        "{without}"
    );
    std::fs::copy(
        root().join("crates/simulate/tests/simulate/kernels.cu"),
        directory.join("crates/simulate/tests/simulate/kernels.cu"),
    )
    .unwrap();
    let with = line(&directory.join("kernels.ptx"));
    assert!(with.contains("data[threadIdx.x + 1] = 7;"), "{with}");
}

#[test]
fn an_instruction_that_the_simulator_does_not_know_is_named_with_its_line() {
    let line = |kernel: &str| {
        format!("crates/simulate/tests/simulate/unsupported.ptx --kernel {kernel} --grid 1 --block 1")
    };
    run(&line("known")).exits(0);
    let unknown = format!("{} --arg buf:i32:1", line("unknown"));
    run(&unknown).refuses(&[
        "error[unsupported-instruction]",
        "frobnicate.sync.u32",
        "crates/simulate/tests/simulate/unsupported.ptx:16",
        "the simulator cannot run this",
    ]);
    let json = run(&format!("{unknown} --json")).exits(2).json();
    assert_eq!(json["ok"], false);
    let found = &json["diagnostics"][0];
    assert_eq!((&found["kind"], &found["line"]), (&json!("unsupported-instruction"), &json!(16)));
}

/// 2^26 instructions are no error, and a limit is the reader's choice.
#[test]
fn a_long_run_says_how_far_it_is_and_goes_on() {
    let path = scratch("long").join("count.ptx");
    let text = ".version 8.0\n.target sm_75\n.address_size 64\n\
                .visible .entry count(.param .u64 p, .param .u32 n)\n\
                { .reg .b32 %i, %n; .reg .b64 %p; .reg .pred %more;\n ld.param.u64 %p, [p];\n \
                ld.param.u32 %n, [n];\n mov.u32 %i, 0;\nloop:\n add.u32 %i, %i, 1;\n \
                setp.lt.u32 %more, %i, %n;\n @%more bra loop;\n st.global.u32 [%p], %i;\n ret;\n}\n";
    std::fs::write(&path, text).unwrap();
    let line = format!("{} --grid 1 --block 1 --arg buf:u32:0 --arg u32:22500000", path.display());
    let ended = run(&line).exits(0);
    assert!(ended.stdout().contains("22500000"), "{}", ended.stdout());
    let said = "still running: 67,108,864 warp instructions, 0 of 1 blocks have ended (--steps-limit";
    assert!(ended.stderr().contains(said), "{}", ended.stderr());
    let stopped = run(&format!("{line} --steps-limit 1e6")).exits(1);
    let both = stopped.stdout() + &stopped.stderr();
    assert!(both.contains("executed 1,000,000 warp instructions, its limit"), "{both}");
}

/// The first threads of 41 blocks meet where 40 have room: on a T4 a multiprocessor holds one block of 1,024
/// threads, on an H200 two.
#[test]
fn which_blocks_fit_is_a_matter_of_the_gpu() {
    let path = scratch("gpu").join("meet.ptx");
    let text = ".version 8.0\n.target sm_75\n.address_size 64\n\
                .visible .entry meet(.param .u64 p, .param .u32 n)\n\
                { .reg .b32 %x, %n; .reg .b64 %p; .reg .pred %more, %other;\n mov.u32 %x, %tid.x;\n \
                setp.ne.u32 %other, %x, 0;\n @%other ret;\n ld.param.u64 %p, [p];\n \
                ld.param.u32 %n, [n];\n atom.global.add.u32 %x, [%p], 1;\nloop:\n \
                ld.volatile.global.u32 %x, [%p];\n setp.lt.u32 %more, %x, %n;\n @%more bra loop;\n ret;\n}\n";
    std::fs::write(&path, text).unwrap();
    let line = format!("{} --grid 41 --block 1024 --arg buf:u32:0 --arg u32:41", path.display());
    run(&line).exits(0);
    let stopped = run(&format!("{line} --gpu T4")).exits(1);
    let both = stopped.stdout() + &stopped.stderr();
    assert!(both.contains("error[deadlock]: a loop waits for blocks that cannot start: 40 of"), "{both}");
    assert!(
        both.contains("fit at a time on the T4 (1 on each of 40 multiprocessors, which hold 1,024"),
        "{both}"
    );
    let refused = run(&format!("{line} --gpu T5")).exits(2);
    assert!(refused.stderr().contains("unknown GPU; expected one of T4, A100"), "{}", refused.stderr());
}

/// What has no end is stopped without an option; the message names the limit, and how to raise it.
#[test]
fn a_limit_of_steps_is_there_and_says_how_to_raise_it() {
    let path = scratch("limit").join("count.ptx");
    let text = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry count(.param .u32 n)\n\
                { .reg .b32 %i, %n; .reg .pred %more;\n ld.param.u32 %n, [n];\n mov.u32 %i, 0;\nloop:\n \
                add.u32 %i, %i, 1;\n setp.lt.u32 %more, %i, %n;\n @%more bra loop;\n ret;\n}\n";
    std::fs::write(&path, text).unwrap();
    let line = format!("{} --grid 1 --block 1 --arg u32:5000", path.display());
    let stopped = run(&format!("{line} --steps-limit 2^13")).exits(1);
    let both = stopped.stdout() + &stopped.stderr();
    assert!(
        both.contains("error[step-limit]: the launch has executed 8,192 warp instructions, its limit"),
        "{both}"
    );
    assert!(both.contains("(--steps-limit N; `none` for any number)"), "{both}");
    run(&format!("{line} --steps-limit none")).exits(0);
    run(&line).exits(0);
    let help = run("--help").exits(0).stdout();
    assert!(help.contains("before it counts as endless, 2^29 without this"), "{help}");
    assert!(help.contains("all launches together, 2^26 without this"), "{help}");
    assert!(run(&format!("{line} --steps-limit many")).exits(2).stderr().contains("or `none`"));
}

/// A barrier between two threads that take a lock in turn would let them wait forever.
#[test]
fn a_lock_without_fences_is_told_where_it_is_taken() {
    let line = "crates/launch/tests/corpus/data-race/lock_no_fence.ptx --grid 4 --block 64 \
        --arg buf:i32:0 --arg buf:i32:0";
    let found = run(line).exits(1);
    let said = "the lock that is taken in line 4 orders nothing without fences: put `__threadfence();` after";
    assert!(found.stdout().contains(said), "{}", found.stdout());
}
