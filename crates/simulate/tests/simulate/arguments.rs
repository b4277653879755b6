//! Every form of an argument goes in and comes out.

use serde_json::{Value, json};

use super::*;

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
fn what_nobody_has_written_is_no_number() {
    let args = "--kernel beyond --grid 1 --block 2 --arg buf:i32:uninit*4";
    let json = run(&format!("{KERNELS} {args} --json")).exits(0).json();
    assert_eq!(json["buffers"][0]["values"], json!([null, 7, 7, null]));
    let text = run(&format!("{KERNELS} {args}")).exits(0).stdout();
    assert!(text.contains("2 never written (?)\n  [0]  ? 7 7 ?\n"), "{text}");
}

#[test]
fn the_only_kernel_need_not_be_named_and_cpp_names_may_be_short() {
    let json = run(&format!("{SUM} --grid 1 --block 1 --checks off --arg buf:i32:9 --arg buf:i32:0 --json"));
    assert_eq!(json.exits(0).json()["kernel"], "sum");
    assert_eq!(kernel("plain", 1, "buf:i32:0").exits(0).json()["kernel"], "_Z5plainPi");
    assert_eq!(kernel("_Z5twicePi", 1, "buf:i32:0").exits(0).json()["buffers"][0]["values"], json!([2]));
    kernel("twice", 1, "buf:i32:0").refuses(&["several kernels are named twice", "_Z5twicePf (twice)"]);
}
