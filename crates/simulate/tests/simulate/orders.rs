//! Which orders of a launch's operations are tried, what is said of them, and how one is kept and run again.

use serde_json::json;

use super::*;

/// Four blocks take a ticket each, and the last one adds up.
const IN_ORDER: &str = "crates/launch/tests/corpus/order-dependent/float_sum_in_order.ptx \
    --grid 4 --block 32 --arg buf:f32:random*128 --arg buf:f32:zeros*4 --arg buf:u32:0 --arg buf:f32:0";
/// Three blocks write their numbers to one word.
const LAST_WRITER: &str = "crates/launch/tests/corpus/order-dependent/last_writer.ptx \
    --grid 3 --block 32 --arg buf:u32:0";
/// Each of two blocks takes the two locks in its own order.
const LOCKS: &str = "crates/launch/tests/corpus/deadlock/locks_in_two_orders.ptx --grid 2 --block 32 \
    --arg buf:i32:0 --arg buf:i32:0 --arg buf:i32:0";
/// Two blocks write their numbers and take a ticket; block 1 waits for ever if it is the first.
const WAITS: &str = "crates/launch/tests/corpus/deadlock/first_of_two.ptx --grid 2 --block 32 \
    --arg buf:u32:0 --arg buf:u32:0 --arg buf:u32:0";
/// All threads write to one word. Of three, the one in the middle writes a 9 and the others a 7.
const LANES: &str = "crates/launch/tests/corpus/order-dependent/middle_lane.ptx";

#[test]
fn a_verdict_says_on_how_many_orders_it_rests() {
    let said = |args: &str, verdict: &str| {
        let text = run(&format!("{IN_ORDER}{args}")).exits(0).stdout();
        assert_eq!(text.lines().last(), Some(verdict), "{args}");
    };
    let of = "of its 4 atomic or volatile operations";
    said("", &format!("ok: nothing is wrong (all 24 orders {of}: the same result)"));
    said(" --orders all", &format!("ok: nothing is wrong (all 24 orders {of}: the same result)"));
    let more = "there are more orders than were tried, and --orders all tries them";
    said(" --orders 5", &format!("{more}: nothing is wrong in 5 orders {of}, and the result is the same"));
    said(" --schedule 2", "ok: nothing is wrong");

    let json = run(&format!("{IN_ORDER} --json")).exits(0).json();
    let orders = json!([{ "tried": 24, "operations": 4, "cut": null, "failing": null }]);
    assert_eq!(json["orders"], orders);
    assert_eq!(run(&format!("{IN_ORDER} --schedule 0 --json")).exits(0).json()["orders"], json!(null));
}

#[test]
fn what_depends_on_the_order_is_named_with_both_results_and_both_operations() {
    let text = run(LAST_WRITER).exits(0).stdout();
    for part in [
        "warning[order-dependent]: `word[0]` ends as 3 or as 2, depending on which comes first: \
         the atomic by thread 0 of block 2, or the atomic by thread 0 of block 1\n",
        "\n1 warning (all 6 orders of its 3 atomic or volatile operations; --save-order FILE keeps this",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

/// The same bits as another type.
#[test]
fn results_are_shown_in_the_type_of_their_buffer() {
    let command = "crates/launch/tests/corpus/order-dependent/last_writer.ptx --grid 3 --block 32 --arg";
    for (buffer, values) in [("buf:u32:0", "3 or as 2"), ("buf:f32:0", "4e-45 or as 3e-45")] {
        let text = run(&format!("{command} {buffer}")).exits(0).stdout();
        assert!(text.contains(&format!("ends as {values}, depending")), "{text}");
    }
}

#[test]
fn an_order_that_fails_is_kept_and_runs_again() {
    let order = scratch("orders").join("order.json");
    let order = order.display();
    let first = run(&format!("{LOCKS} --save-order {order}")).exits(1).stdout();
    assert!(first.contains("[deadlock]"), "{first}");
    assert!(first.contains("found in an order in which the atomic by thread 0 of block 1 (line "), "{first}");
    // The plain order goes well.
    run(&format!("{LOCKS} --schedule 0")).exits(0);
    let again = run(&format!("{LOCKS} --order {order}")).exits(1).stdout();
    assert!(again.contains("[deadlock]"), "{again}");
    // What is shown step by step is that order.
    let of_blocks = |args: &str| {
        let steps = run(&format!("{LOCKS} --json --steps {args}")).json()["steps"]["events"].clone();
        let events = steps.as_array().unwrap().iter();
        let atomics = events.filter(|event| event["do"] == "atomic").map(|event| event["block"].clone());
        atomics.take(4).collect::<Vec<_>>()
    };
    assert_eq!(of_blocks("--schedule 0"), [0, 0, 0, 0]);
    assert_eq!(of_blocks(""), of_blocks(&format!("--order {order}")));
    assert_ne!(of_blocks(""), of_blocks("--schedule 0"));
}

#[test]
fn what_is_no_order_is_refused() {
    let folder = scratch("no_orders");
    let file = folder.join("order.json");
    let show = file.display();
    run(&format!("{LAST_WRITER} --order {show}")).refuses(&["cannot read", "order.json"]);
    std::fs::write(&file, "{}").unwrap();
    run(&format!("{LAST_WRITER} --order {show}"))
        .refuses(&["order.json is not an order", "--save-order FILE"]);
    std::fs::write(&file, r#"{"launch":0,"turns":[[0,7,0,0]]}"#).unwrap();
    run(&format!("{LAST_WRITER} --order {show}"))
        .refuses(&["names an operation that this launch does not have"]);
    run(&format!("{LAST_WRITER} --orders none")).refuses(&["`all`, or a number of orders"]);
    run(&format!("{LAST_WRITER} --orders 0")).refuses(&["`all`, or a number of orders"]);
}

#[test]
fn the_order_that_is_kept_shows_the_error_and_not_an_earlier_warning() {
    let order = scratch("worst_order").join("order.json");
    let order = order.display();
    let first = run(&format!("{WAITS} --save-order {order}")).exits(1).stdout();
    let place = |kind: &str| first.find(kind).unwrap_or_else(|| panic!("no {kind} in\n{first}"));
    assert!(place("error[deadlock]") < place("warning[order-dependent]"), "{first}");
    let again = run(&format!("{WAITS} --order {order}")).exits(1).stdout();
    assert!(again.contains("error[deadlock]"), "{again}");
}

#[test]
fn each_lane_that_meets_others_comes_last_once() {
    let text = run(&format!("{LANES} --grid 1 --block 3 --arg buf:u32:0")).exits(0).stdout();
    for part in [
        "`word[0]` ends as 7 or as 9, depending on which comes first: the atomic by thread 2 of block 0, \
         or the atomic by thread 1 of block 0\n",
        "\n1 warning (1 order of its 1 atomic or volatile operation, and 4 of the lanes that meet in one; ",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    let text = run(&format!("{LANES} --grid 1 --block 1 --arg buf:u32:0")).exits(0).stdout();
    let verdict = "ok: nothing is wrong (every order of its 1 atomic or volatile operation gives the same)";
    assert_eq!(text.lines().last(), Some(verdict));
}

#[test]
fn an_order_of_lanes_is_kept_and_runs_again() {
    let order = scratch("lanes").join("order.json");
    let order = order.display();
    let lanes = format!("{LANES} --grid 1 --block 3 --arg buf:u32:0");
    run(&format!("{lanes} --save-order {order}")).exits(0);
    let word = |args: &str| {
        run(&format!("{lanes} --json {args}")).exits(0).json()["buffers"][0]["values"][0].clone()
    };
    assert_eq!((word(""), word(&format!("--order {order}"))), (json!(7), json!(9)));
}

#[test]
fn elements_in_another_order_are_called_that() {
    let text = run("crates/launch/tests/corpus/order-dependent/compaction.ptx --grid 2 --block 32 \
        --arg buf:i32:iota*64 --arg buf:u32:0 --arg buf:i32:zeros*64")
    .exits(0)
    .stdout();
    for part in [
        "`out[0]` ends as 0 or as 33: the same elements in another order, depending on which comes first",
        "help: this is right where the order of the elements does not matter",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn the_first_order_of_a_search_counts_as_the_others_do() {
    let text = run("crates/launch/tests/corpus/order-dependent/first_result.ptx --grid 1 --block 64 \
        --arg buf:u32:0 --arg buf:u32:zeros*2")
    .exits(0)
    .stdout();
    let part = "`out[0]` ends as 1 or as 0, depending on which comes first: the atomic by thread 0 of block \
                0, or the atomic by thread 32 of block 0\n";
    assert!(text.contains(part), "no {part:?} in\n{text}");
}

#[test]
fn a_long_search_tries_early_decisions_too() {
    let run_of = |name: &str| {
        run(&format!(
            "crates/launch/tests/corpus/deadlock/{name}.ptx --grid 16 --block 32 \
        --arg buf:u32:zeros*16 --arg buf:u32:zeros*16"
        ))
    };
    let text = run_of("philosophers").exits(1).stdout();
    assert!(text.contains("error[deadlock]"), "{text}");
    let text = run_of("philosophers_in_order").exits(0).stdout();
    assert!(text.contains("there are more orders than were tried"), "{text}");
}

/// Whether a process has a handler for SIGINT.
#[cfg(target_os = "linux")]
fn hears_of_interrupts(process: u32) -> bool {
    const SIGINT: u64 = 2;
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() >> (SIGINT - 1) & 1 == 1
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_prints_what_is_known() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let args = "crates/launch/tests/corpus/deadlock/philosophers_in_order.ptx --orders all \
        --grid 16 --block 32 --arg buf:u32:zeros*16 --arg buf:u32:zeros*16";
    let child = super::simulate().args(args.split_whitespace()).stdout(Stdio::piped()).spawn().unwrap();
    let process = child.id();
    let started = Instant::now();
    while !hears_of_interrupts(process) {
        assert!(started.elapsed() < Duration::from_secs(60), "it does not listen");
        std::thread::sleep(Duration::from_millis(5));
    }
    // The launch itself takes a few milliseconds, all its orders take hours.
    std::thread::sleep(Duration::from_secs(1));
    assert!(Command::new("kill").args(["-s", "INT", &process.to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("\nstopped before all orders were tried: nothing is wrong in "), "{text}");
}

#[test]
fn warps_come_to_a_barrier_that_counts_some_of_them_in_several_schedules() {
    let pairs = "crates/launch/tests/corpus/deadlock/pairs_as_they_come.ptx \
        --grid 1 --block 96 --arg buf:i32:zeros*96";
    let order = scratch("schedules").join("order.json");
    let order = order.display();
    let text = run(&format!("{pairs} --save-order {order}")).exits(1).stdout();
    assert!(
        text.contains("error[deadlock]") && text.contains(" schedules of its counted barriers"),
        "{text}"
    );
    run(&format!("{pairs} --schedule 0")).exits(0);
    let again = run(&format!("{pairs} --order {order}")).exits(1).stdout();
    assert!(again.contains("error[deadlock]"), "{again}");
}

#[test]
fn what_was_not_tried_is_said_before_what_is_right() {
    let large = run(&format!("{LANES} --grid 1 --block 1 --arg buf:u32:zeros*5000000")).exits(0).stdout();
    let verdict = "other orders were not tried, since the launch is too large: nothing is wrong in this one";
    assert_eq!(large.lines().last(), Some(verdict));
}

/// The script of a launch whose result depends on the order, with what follows it.
fn followed_by(name: &str, steps: &str) -> String {
    let script = scratch(name).join("steps.txt");
    let first = "buffer last = u32:0\nbuffer out = i32:zeros*2\nlaunch lastBlock<<<3, 32>>> @last\n";
    std::fs::write(&script, format!("{first}{steps}")).unwrap();
    format!("{KERNELS} --script {}", script.display())
}

#[test]
fn a_later_launch_runs_on_the_results_of_other_orders_too() {
    let script = followed_by("later_launch", "launch atLast<<<1, 32>>> @last @out\n");
    let order = scratch("later_order").join("order.json");
    let order = order.display();
    let text = run(&format!("{script} --save-order {order}")).exits(1).stdout();
    assert!(text.contains("warning[order-dependent]: `last[0]` ends as 2 or as 1"), "{text}");
    assert!(text.contains("error[out-of-bounds]"), "{text}");
    run(&format!("{script} --schedule 0")).exits(0);
    let again = run(&format!("{script} --order {order}")).exits(1).stdout();
    assert!(again.contains("error[out-of-bounds]"), "{again}");
}

#[test]
fn what_is_expected_is_expected_of_every_order() {
    let script = followed_by("expected_of_all", "expect last = u32:2\n");
    let text = run(&script).exits(1).stdout();
    let said = "steps.txt:4: @last holds 1 in element 0, where 2 is expected; 1 of 1 are wrong; \
                in the plain order it is as expected\n";
    assert!(text.contains(said), "{text}");
    assert!(text.contains("\nthe results are not as expected; 1 warning ("), "{text}");
    let none = followed_by("expected_of_none", "expect last = u32:7\n");
    let text = run(&none).exits(1).stdout();
    assert_eq!(text.matches("not as expected: ").count(), 1, "{text}");
}
