//! Kernels of the reader's own: the page's `simulate` says what the terminal's says.

use serde_json::Value;

use super::page::{Page, Ran};
use super::terminal::program;
use super::text;

/// Where the files lie in the repository; in a page, in `/`.
const FOLDER: &str = "crates/simulate/tests/simulate/";
const STEM: &str = "missing_barrier";

/// Runs the page's program on a file with this text, compiled to the PTX of [`STEM`].
fn run(source: &str, options: &[&str]) -> Ran {
    let file = format!("{STEM}.cu");
    let ptx = format!("{STEM}.ptx");
    let words = [&["simulate", &*file], options].concat();
    let page = Page::committed();
    let built = text(&format!("{FOLDER}{ptx}")).replace(FOLDER, "");
    page.run_with(&words, &[(&file, source), (&ptx, &built)]).unwrap()
}

/// Its last line is `//@ launch …`.
fn source() -> String {
    text(&format!("{FOLDER}{STEM}.cu")).replace("// ANCHOR_END: sum\n", "")
}

#[test]
#[ignore = "needs node"]
fn it_prints_what_the_terminal_prints() {
    let ran = run(&source(), &[]);
    let file = format!("{FOLDER}{STEM}.ptx");
    let launch = "--grid 1 --block 64 --arg buf:i32:iota*64 --arg buf:i32:uninit*1";
    let words: Vec<&str> = ["simulate", &*file].into_iter().chain(launch.split(' ')).collect();
    let said = program(&words);
    assert_eq!(ran.stdout, String::from_utf8(said.stdout).unwrap().replace(FOLDER, ""));
    assert_eq!((ran.stderr.as_str(), ran.status), ("", said.status.code().unwrap()));
    let shown = ran.shown.unwrap();
    assert_eq!(shown["verdict"], "1 error");
    assert!(ran.stdout.contains(shown["messages"][0].as_str().unwrap()), "{shown}");
    let lines = |found: &Value| [found["line"].clone(), found["related"][0]["line"].clone()];
    assert_eq!(lines(&shown["diagnostics"][0]), [8, 12]);
    let buffers = shown["buffers"].as_array().unwrap();
    assert_eq!(buffers[0]["title"], "argument 0: 64 elements of i32");
    assert!(buffers[0]["table"].as_str().unwrap().contains("<td class=\"number\">63</td>"), "{}", buffers[0]);
    assert!(buffers[0]["plot"].as_str().unwrap().contains("from 0 to 63") && buffers[1]["plot"].is_null());
    assert!(shown["film"].as_str().unwrap().contains("<figure class=\"film\""));
}

#[test]
#[ignore = "needs node"]
fn what_cannot_be_launched_is_said_at_its_line() {
    let number = source().lines().count();
    let at = |launch: &str, says: &str| {
        let ran =
            run(&source().replace("launch sum<<<1, 64>>> buf:i32:iota*64", launch), &["--memory", "2^30"]);
        assert_eq!((ran.status, ran.shown), (2, None), "{launch}");
        assert!(ran.stderr.contains(says), "{launch}: {}", ran.stderr);
        ran.stderr.starts_with(&format!("error: {STEM}.cu:{number}: "))
    };
    assert!(at("lanch sum<<<1, 64>>> buf:i32:iota*64", "`lanch` is not a step; write launch"));
    assert!(at("launch sum<<<1>>> buf:i32:iota*64", "the threads per block are missing; write <<<1, 256>>>"));
    assert!(at("launch sum<<<1, 64>>> buf:i32:file=in.bin", "in.bin"));
    assert!(!at("launch sum<<<1, 64>>> buf:i32:zeros*2^28", "and --memory allows 1,073,741,824"));
    assert!(at("launch add<<<1, 64>>> buf:i32:iota*64", "no kernel is named add; there are: sum"));
}

#[test]
#[ignore = "needs node"]
fn a_kernel_that_goes_on_is_stopped() {
    let ran = run(&source(), &["--steps-limit", "100"]);
    let found = ran.shown.unwrap()["diagnostics"].clone();
    let last = found.as_array().and_then(|found| found.last()).unwrap();
    assert_eq!((ran.status, &last["kind"]), (1, &Value::from("step-limit")));
}

/// Without PTX: nothing is compiled for it.
#[test]
#[ignore = "needs node"]
fn a_cell_is_exported_as_the_terminal_exports_it() {
    let folder = format!("{FOLDER}export/");
    let source = text(&format!("{folder}two_launches.cu"));
    let words = ["simulate", "two_launches.cu", "--cell", "2", "--export"];
    let ran = Page::committed().run_with(&words, &[("two_launches.cu", &source)]).unwrap();
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert_eq!(ran.stdout, text(&format!("{folder}two_launches_cell2.cu")));
}
