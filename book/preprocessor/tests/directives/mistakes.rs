//! What is wrong, and what is left as it is.

use std::fs;
use std::process::{Command, Stdio};

use super::*;

/// No other preprocessor runs, which could do that.
#[test]
fn an_escaped_directive_is_shown_without_its_backslash() {
    let page = Repository::new().page("`\\{{#cell ch9}}` and \\{{#include /etc/passwd}}\n");
    assert_eq!(page, "`{{#cell ch9}}` and {{#include /etc/passwd}}\n");
}

/// mdBook's own preprocessors would run after this one, and obey what stands in a listing.
#[test]
fn what_a_listing_says_is_never_expanded() {
    let repository = Repository::new();
    let file = repository.root.join("kernels/k.cu");
    let comments = "// {{#include /etc/passwd}}\n// {{#playground x.rs}}\n// \\{{#cell ch9}}\n";
    let code = fs::read_to_string(&file).unwrap();
    let anchor = "// ANCHOR: sum\n";
    assert!(code.contains(anchor), "{code}");
    fs::write(file, code.replacen(anchor, &format!("{anchor}{comments}"), 1)).unwrap();
    let page = repository.page("{{#code kernels/k.cu sum}}\n");
    assert!(page.contains(comments), "{page}");
    let settings = fs::read_to_string(workbook::root().unwrap().join("book/book.toml")).unwrap();
    let preprocessors = settings.lines().filter(|line| line.starts_with("[preprocessor."));
    assert_eq!(preprocessors.collect::<Vec<_>>(), ["[preprocessor.workbook]"]);
    assert!(settings.lines().any(|line| line == "use-default-preprocessors = false"), "{settings}");
}

/// Each: the page, and what is said of it: what is missing, and maybe what is there, or to do.
const MISTAKES: &str = "\
\\n{{#code kernels/k.cu summ}} | in kernels/k.cu: no anchor `summ` | sum, body, less, open, empty
{{#code kernels/k.cu open}} | the anchor `open` has no end | ANCHOR_END: open
{{#code kernels/k.cu empty}} | the anchor `empty` is empty
{{#code kernels/x.cu sum}} | cannot read kernels/x.cu
{{#exercise 3.2}} | there is no exercise 3.2 | there are: 3.1
{{#exercise three}} | `three` is not an exercise's number | write it like 3.1
{{#exercise}} | wants arguments | {{#exercise 3.1}}
{{#code kernels/k.cu}} | wants arguments | {{#code FILE ANCHOR [against=
{{#cell}} | wants arguments | {{#cell STEM [kernel=A,B]
{{#cell ch3_blocks krnl=a}} | no option `krnl` | kernel, n, block, on, chart
{{#cell ch3_blocks sim}} | `sim` is not an option | key=value
{{#cell ch3_blocks n=1 n=2}} | `n` is given twice | separated by commas
{{#cell ch3_blocks on=cpu}} | no ch3_blocks.cpu.json | ch3_blocks.gpu
{{#cell ch3_blocks on=tpu}} | no kind of device `tpu` | gpu, sim, cpu
{{#cell ch3_blocks kernel=x}} | `ch3_blocks` has no kernel `x` | reduceNeighbored,
{{#cell ch3_blocks columns=x}} | no column `x` | time, gbps, warp-inst
{{#cell ch3_blocks chart=x on=sim}} | has a chart `x` | divergence, sectors,
{{#cell ch3_blocks chart=time scale=wide}} | no scale `wide` | linear, log
{{#cell ch3_blocks kernel=reduceNeighbored n=7}} | in ch3_blocks.gpu (another kind of record may have it: \
    on=gpu, on=sim) | no run at n = 7; there are:
{{#table ch3_blocks.gpu}} | names no field | for one: time
{{#table ch3_blocks.gpu against=me}} | no such rival | cub, not-guaranteed
{{#table}} | wants arguments | {{#table STEM.KIND [FIELD,FIELD]
{{#value ch4_nested.gpu time n=2^20}} | a number of the device has no options
{{#kernels all}} | wants no more than {{#kernels}}
{{#table ch3_blocks.gpu time,gbps n=1,2}} | has several of fields, sizes
{{#table ch3_blocks.gpu tme}} | no field `tme` | time, gbps
{{#table ch3_blocks.gpu time kernel=x}} | no kernel `x` | reduceNeighbored
{{#record ch9}} | no record of `ch9` | cargo run --example ch9 -- --record
text {{#code kernels/k.cu sum}} | has to stand alone
{{#cell ch9_new}} | no record of `ch9_new` | ch1_serial.cpu, ch3_blocks.gpu, ch3_blocks.sim, \
    ch4_nested.gpu\\n  make it: cargo run --example ch9_new -- --record
{{#chart ch4_nested.sim time}} | no ch4_nested.sim.json | make it: cargo run --example ch4_nested -- \
    --device sim --record
{{#chart ch4_nested time}} | `ch4_nested` names no record | ch4_nested.gpu
{{#chart ch3_blocks.sim time}} | no chart `time` | divergence, sectors,
{{#value ch4_nested.gpu gpuRecursiveReducer n=2^20 time}} | no kernel `gpuRecursiveReducer` | \
    gpuRecursiveReduceGridWide, gpuRecursiveReducePasses, recursiveReduceAnyLength
{{#value ch4_nested.gpu gpuRecursiveReduce n=2^21 time}} | no run at n = 2097152 | 524288
{{#value ch4_nested.gpu gpuRecursiveReduce n=2^20 block=96 time}} | with 96 threads per block | 512, 32, \
    64, 128, 256, 1024
{{#value ch4_nested.gpu gpuRecursiveReduce n=many time}} | `many` is not a number | 1024 or 2^10
{{#value ch4_nested.gpu gpuRecursiveReduce time}} | names no size (n=N) | no memory space \
    `gpuRecursiveReduce`
{{#value ch4_nested.gpu gpuRecursiveReduce n=2^20 tme}} | no field `tme` | time, gbps, sum, expected, \
    error, bound, grid, dropped, atomics
{{#value ch4_nested.gpu gpuRecursiveReduce n=2^20 barriers}} | has no counts in this record
{{#value ch4_nested.gpu gpuRecursiveReduce n=2^20 time/0}} | no share of 0 parts | time/18432
{{#value ch3_blocks.sim reduceNeighbored n=2^16 time}} | has no time in this record
{{#value ch3_blocks.sim reduceNeighbored over=reduceInterleaved n=2^16 divergent_branches}} | \
    divergent_branches of reduceInterleaved is 0
{{#value ch3_blocks.sim reduceNeighbored over=other n=2^16 barriers}} | no kernel `other` | \
    reduceInterleaved
{{#include ../../kernels/k.cu:sum}} | this book doesn't use mdBook's own includes | {{#code FILE ANCHOR}}
```rust\\n{{ #rustdoc_include x.rs}}\\n``` | this book doesn't use mdBook's own includes
{{#playground x.rs}} | this book doesn't use mdBook's own includes
{{#program kernels/programs/none.cu}} | cannot read | kernels/programs/none.cu
{{#program kernels/k.cu}} | has no comment `//     nvcc …` that builds it
{{#title A title}} | no such directive
{{#cells ch4_nested}} | no such directive | cell, table, chart, figure, record, kernels, code, program, \
    exercise, exercises, verdict, value, minutes, repository, term
{{#cell ch4_nested | `}}` is missing";

#[test]
fn whatever_is_missing_is_named() {
    let repository = Repository::new();
    for mistake in MISTAKES.lines() {
        let mistake = mistake.replace("\\n", "\n");
        let (page, said) = mistake.split_once(" | ").unwrap();
        let (before, directive) = page.split_at(page.find("{{").unwrap());
        let directive = directive.split_inclusive("}}").next().unwrap();
        let place = format!("error: book/src/page.md:{}: {directive}", before.matches('\n').count() + 1);
        let error = repository.error(page);
        for piece in said.split(" | ").chain([&*place]) {
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
    let record = Path::new("local").join("ch4_nested.gpu.json");
    assert!(error.contains(&format!("{} is not a record", record.display())), "{error}");
    assert!(error.contains("delete it, or run the chapter again"), "{error}");

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
