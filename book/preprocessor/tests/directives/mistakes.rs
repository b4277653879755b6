//! What is wrong, and what is left as it is.

use std::fs;
use std::process::{Command, Stdio};

use super::*;

#[test]
fn escaped_directives_and_mdbooks_title_are_left() {
    let page = "{{#title A title}}\n`\\{{#cell ch9}}`\n";
    assert_eq!(Repository::new().page(page), page);
}

/// Each: the page; where it is wrong; what is said to be missing; what is said to be there, or to do.
#[test]
fn whatever_is_missing_is_named() {
    let repository = Repository::new();
    let value = "{{#value ch4_nested.gpu gpuRecursiveReduce";
    for (page, place, missing, there_is) in [
        (
            "\n{{#code kernels/k.cu summ}}",
            "page.md:2: {{#code kernels/k.cu summ}}",
            "in kernels/k.cu: no anchor `summ`",
            "sum, body, less, open, empty",
        ),
        ("{{#code kernels/k.cu open}}", "page.md:1:", "the anchor `open` has no end", "ANCHOR_END: open"),
        ("{{#code kernels/k.cu empty}}", "page.md:1:", "the anchor `empty` is empty", ""),
        ("{{#code kernels/x.cu sum}}", "page.md:1:", "cannot read kernels/x.cu", ""),
        ("{{#exercise 3.2}}", "page.md:1: {{#exercise 3.2}}", "there is no exercise 3.2", "there are: 3.1"),
        ("{{#exercise three}}", "page.md:1:", "`three` is no number", "write it like 3.1"),
        ("{{#exercise}}", "page.md:1:", "wants arguments", "{{#exercise 3.1}}"),
        ("{{#code kernels/k.cu}}", "page.md:1:", "wants arguments", "{{#code FILE ANCHOR [against="),
        ("{{#cell}}", "page.md:1:", "wants arguments", "{{#cell STEM [kernel=A,B]"),
        ("{{#cell ch3_blocks krnl=a}}", "page.md:1:", "no option `krnl`", "kernel, n, block, on, chart"),
        ("{{#cell ch3_blocks sim}}", "page.md:1:", "`sim` is no option", "key=value"),
        ("{{#cell ch3_blocks n=1 n=2}}", "page.md:1:", "`n` is given twice", "separated by commas"),
        ("{{#cell ch3_blocks on=cpu}}", "page.md:1:", "no ch3_blocks.cpu.json", "ch3_blocks.gpu"),
        ("{{#cell ch3_blocks on=tpu}}", "page.md:1:", "no kind of device `tpu`", "gpu, sim, cpu"),
        (
            "{{#cell ch3_blocks kernel=x}}",
            "page.md:1:",
            "`ch3_blocks` has no kernel `x`",
            "reduceNeighbored, ",
        ),
        ("{{#cell ch3_blocks columns=x}}", "page.md:1:", "no column `x`", "time, gbps, warp-inst"),
        (
            "{{#cell ch3_blocks chart=x on=sim}}",
            "page.md:1:",
            "has a chart `x`",
            "divergence, sectors, block",
        ),
        ("{{#cell ch3_blocks chart=time scale=wide}}", "page.md:1:", "no scale `wide`", "linear, log"),
        (
            "{{#cell ch3_blocks kernel=reduceNeighbored n=7}}",
            "page.md:1:",
            "in ch3_blocks.gpu (another kind of record may have it: on=gpu, on=sim)",
            "no run at n = 7; there are: ",
        ),
        ("{{#table ch3_blocks.gpu}}", "page.md:1:", "names no field", "for one: time"),
        ("{{#table ch3_blocks.gpu against=me}}", "page.md:1:", "no such rival", "cub, not-guaranteed"),
        ("{{#table}}", "page.md:1:", "wants arguments", "{{#table STEM.KIND [FIELD,FIELD]"),
        ("{{#value ch4_nested.gpu time n=2^20}}", "page.md:1:", "a number of the device has no options", ""),
        ("{{#kernels all}}", "page.md:1:", "wants no more than {{#kernels}}", ""),
        ("{{#table ch3_blocks.gpu time,gbps n=1,2}}", "page.md:1:", "has several of fields, sizes", ""),
        ("{{#table ch3_blocks.gpu tme}}", "page.md:1:", "no field `tme`", "time, gbps"),
        ("{{#table ch3_blocks.gpu time kernel=x}}", "page.md:1:", "no kernel `x`", "reduceNeighbored"),
        ("{{#record ch9}}", "page.md:1:", "no record of `ch9`", "cargo run --example ch9 -- --record"),
        ("text {{#code kernels/k.cu sum}}", "page.md:1:", "has to stand alone", ""),
        (
            "```\n{{#code kernels/k.cu sum}}\n```",
            "page.md:2:",
            "stands in a code block",
            "take away the fence",
        ),
        (
            "{{#cell ch9_new}}",
            "page.md:1: {{#cell ch9_new}}",
            "no record of `ch9_new`",
            "ch1_serial.cpu, ch3_blocks.gpu, ch3_blocks.sim, ch4_nested.gpu\n  make it: cargo run --example \
             ch9_new -- --record",
        ),
        (
            "{{#chart ch4_nested.sim time}}",
            "page.md:1:",
            "no ch4_nested.sim.json",
            "make it: cargo run --example ch4_nested -- --device sim --record",
        ),
        ("{{#chart ch4_nested time}}", "page.md:1:", "`ch4_nested` names no record", "ch4_nested.gpu"),
        ("{{#chart ch3_blocks.sim time}}", "page.md:1:", "no chart `time`", "divergence, sectors, block"),
        (
            &format!("{value}r n=2^20 time}}}}"),
            "page.md:1:",
            "no kernel `gpuRecursiveReducer`",
            "gpuRecursiveReduceGridWide, gpuRecursiveReducePasses, recursiveReduceAnyLength",
        ),
        (&format!("{value} n=2^21 time}}}}"), "page.md:1:", "no run at n = 2097152", "524288"),
        (
            &format!("{value} n=2^20 block=96 time}}}}"),
            "page.md:1:",
            "with 96 threads per block",
            "512, 32, 64, 128, 256, 1024",
        ),
        (&format!("{value} n=many time}}}}"), "page.md:1:", "`many` is no number", "1024 or 2^10"),
        (
            &format!("{value} time}}}}"),
            "page.md:1:",
            "names no size (n=N)",
            "no memory space `gpuRecursiveReduce`",
        ),
        (
            &format!("{value} n=2^20 tme}}}}"),
            "page.md:1:",
            "no field `tme`",
            "time, gbps, sum, expected, error, bound, grid, dropped, atomics",
        ),
        (&format!("{value} n=2^20 barriers}}}}"), "page.md:1:", "has no counts in this record", ""),
        (&format!("{value} n=2^20 time/0}}}}"), "page.md:1:", "no share of 0 parts", "time/18432"),
        (
            "{{#value ch3_blocks.sim reduceNeighbored n=2^16 time}}",
            "page.md:1:",
            "has no time in this record",
            "",
        ),
        (
            "{{#value ch3_blocks.sim reduceNeighbored over=reduceInterleaved n=2^16 divergent_branches}}",
            "page.md:1:",
            "divergent_branches of reduceInterleaved is 0",
            "",
        ),
        (
            "{{#value ch3_blocks.sim reduceNeighbored over=other n=2^16 barriers}}",
            "page.md:1:",
            "no kernel `other`",
            "reduceInterleaved",
        ),
        (
            "{{#include ../../kernels/k.cu:sum}}",
            "page.md:1:",
            "mdBook's own includes are not used",
            "{{#code FILE ANCHOR}}",
        ),
        ("```rust\n{{ #rustdoc_include x.rs}}\n```", "page.md:2:", "mdBook's own includes are not used", ""),
        ("{{#playground x.rs}}", "page.md:1:", "mdBook's own includes are not used", ""),
        (
            "{{#cells ch4_nested}}",
            "page.md:1:",
            "no such directive",
            "cell, table, chart, figure, record, kernels, code, exercise, value, term",
        ),
        ("{{#cell ch4_nested", "page.md:1: {{#cell ch4_nested", "`}}` is missing", ""),
    ] {
        let error = repository.error(page);
        for piece in [&format!("error: book/src/{place}")[..], missing, there_is] {
            assert!(error.contains(piece), "{page}\nshould say: {piece}\nsays: {error}");
        }
    }
}

#[test]
fn everything_wrong_is_said_at_once() {
    let error = Repository::new().error("{{#cell ch8}}\n\n{{#cell ch9}}\n");
    assert!(error.contains("page.md:1:") && error.contains("page.md:3:"), "{error}");
    assert!(error.contains("2 places in its pages"), "{error}");
}

#[test]
fn an_unreadable_record_is_named_with_what_to_do() {
    let repository = Repository::new();
    let local = repository.root.join("book/records/local/ch4_nested.gpu.json");
    fs::create_dir_all(local.parent().unwrap()).unwrap();
    fs::write(&local, "{\"schema\": 1,").unwrap();
    let error = repository.error("{{#cell ch4_nested}}");
    assert!(error.contains("local/ch4_nested.gpu.json is not a record"), "{error}");
    assert!(error.contains("delete it, or run the chapter again"), "{error}");

    fs::copy(repository.root.join("book/records/ch3_blocks.gpu.json"), &local).unwrap();
    let error = repository.error("{{#cell ch4_nested}}");
    assert!(error.contains("local/ch4_nested.gpu.json holds a record of ch3_blocks on a gpu"), "{error}");
    fs::remove_file(&local).unwrap();

    fs::write(repository.root.join("book/records/ch4_nested.gpu.json"), "{\"schema\": 1,").unwrap();
    let value = "{{#value ch4_nested.gpu gpuRecursiveReduce n=2^20 time}}";
    let error = repository.error(&format!("{{{{#cell ch4_nested}}}}\n\n{value} and {value}\n"));
    assert_eq!(error.matches("ch4_nested.gpu.json is not a record").count(), 1, "said once: {error}");
    assert!(error.contains(&format!("page.md:3: {value}")), "{error}");
    assert!(error.contains("bring it back: git restore "), "{error}");
    assert!(error.contains("cargo run --example ch4_nested -- --device gpu --record"), "{error}");
}

#[test]
fn mdbook_is_told_that_only_html_is_supported() {
    let supports = |renderer: &str| {
        let program =
            Command::new(env!("CARGO_BIN_EXE_mdbook-workbook")).args(["supports", renderer]).status();
        program.unwrap().code()
    };
    assert_eq!((supports("html"), supports("markdown")), (Some(0), Some(1)));
}

#[test]
fn a_wrong_call_says_how_it_is_called() {
    let program = Command::new(env!("CARGO_BIN_EXE_mdbook-workbook")).arg("build").output().unwrap();
    assert_eq!(program.status.code(), Some(2));
    assert!(String::from_utf8(program.stderr).unwrap().contains("mdbook build book"));

    let program = Command::new(env!("CARGO_BIN_EXE_mdbook-workbook")).stdin(Stdio::null()).output().unwrap();
    assert_eq!(program.status.code(), Some(2));
    assert!(String::from_utf8(program.stderr).unwrap().contains("cannot read what mdBook sent"));

    // An argument that is no text.
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let argument = std::ffi::OsStr::from_bytes(b"\xff");
        let program = Command::new(env!("CARGO_BIN_EXE_mdbook-workbook")).arg(argument).output().unwrap();
        assert_eq!(program.status.code(), Some(2));
    }
}
