//! Which orders of a launch's operations are tried, what is said of them, and how one is kept and run again.

use serde_json::json;

use super::*;

/// Four blocks take a ticket each, and the last one adds up.
const IN_ORDER: &str = "tests/corpus/order-dependent/float_sum_in_order.ptx --grid 4 --block 32 \
    --arg buf:f32:random*128 --arg buf:f32:zeros*4 --arg buf:u32:0 --arg buf:f32:0";
/// Three blocks write their numbers to one word.
const LAST_WRITER: &str = "tests/corpus/order-dependent/last_writer.ptx --grid 3 --block 32 --arg buf:u32:0";
/// Each of two blocks takes the two locks in its own order.
const LOCKS: &str = "tests/corpus/deadlock/locks_in_two_orders.ptx --grid 2 --block 32 \
    --arg buf:i32:0 --arg buf:i32:0 --arg buf:i32:0";

#[test]
fn a_verdict_says_on_how_many_orders_it_rests() {
    let said = |args: &str, verdict: &str| {
        let text = run(&format!("{IN_ORDER}{args}")).exits(0).stdout();
        assert_eq!(text.lines().last(), Some(verdict), "{args}");
    };
    let of = "of its 4 atomic or volatile operations";
    said("", &format!("ok: nothing is wrong (all 24 orders {of}: the same result)"));
    said(" --orders all", &format!("ok: nothing is wrong (all 24 orders {of}: the same result)"));
    let more = "there are more, and --orders all tries them";
    said(" --orders 5", &format!("ok: nothing is wrong (5 orders {of}; {more}: the same result)"));
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
    let command = "tests/corpus/order-dependent/last_writer.ptx --grid 3 --block 32 --arg";
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
