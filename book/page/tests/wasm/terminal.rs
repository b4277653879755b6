//! Every chapter and every edit: text, record, diagnostics, table and chart are those of the terminal's
//! program.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Mutex;

use serde_json::{Value, json};
use workbook::kernel_compiler::build::Build;
use workbook::kernels;
use workbook::record::Record;
use workbook::record::chart::Vertical;
use workbook::record::table::shown_columns;
use workbook::text::columns::html_table;
use workbook::what_if::{self, Edit};

use super::page::{Page, Ran};
use super::{root, text};

/// Runs the terminal's program of the chapter `words[0]`.
pub fn program(words: &[&str]) -> Output {
    let records = format!("live-{:?}", std::thread::current().id());
    let records = Path::new(env!("CARGO_TARGET_TMPDIR")).join(records);
    let _ = std::fs::remove_dir_all(&records);
    Command::new(testing::example::program(words[0]))
        .args(&words[1..])
        .current_dir(root())
        .env("WORKBOOK_RECORDS_DIR", records)
        .output()
        .unwrap()
}

/// What the terminal prints without the lines on the record, which a page doesn't write.
fn without_record(stdout: &str) -> String {
    match stdout.split_once("\nrecord  ") {
        Some((before, rest)) => {
            let after = rest.lines().skip(1).skip_while(|line| line.starts_with("charts  "));
            before.to_string() + &after.map(|line| format!("{line}\n")).collect::<String>()
        }
        None => stdout.to_string(),
    }
}

fn utf8(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// What the terminal points to, and a page has not.
const HELP: &str = "\nFor more information, try '--help'.\n";

/// Runs the program of a chapter in the page and in the terminal, and compares what they say.
fn compare(page: &Page, line: &str, build: &str, show: &Value) -> Ran {
    let words: Vec<&str> = line.split(' ').chain(["--device", "sim"]).collect();
    let ran = page.run(&words, build, show).unwrap();
    let said = program(&words);
    assert_eq!(ran.stdout, without_record(&utf8(said.stdout)), "{line}");
    assert_eq!(ran.stderr, utf8(said.stderr).replace(HELP, ""), "{line}");
    assert_eq!(ran.status, said.status.code().unwrap(), "{line}");
    let Some(shown) = &ran.shown else { return ran };
    let json = utf8(program(&[&words[..], &["--json"]].concat()).stdout);
    let mut json: Value = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{line}: {error}"));
    let fields = json.as_object_mut().unwrap();
    assert_eq!(shown["diagnostics"], fields.remove("diagnostics").unwrap(), "{line}");
    fields.remove("steps"); // of which a page makes figures
    fields["date"] = shown["record"]["date"].clone();
    assert_eq!(shown["record"], json, "{line}");
    let record: Record = serde_json::from_value(json).unwrap();
    assert_eq!(shown["table"], html_table(&shown_columns(&record, &[])), "{line}");
    if let Some(name) = show["chart"].as_str() {
        let charts = chapters::charts(&record, Vertical::Logarithmic).unwrap();
        let chart = charts.into_iter().find(|chart| chart.name == name).map(|chart| chart.html());
        assert!(shown["chart"] == json!(chart), "{line}: {}", shown["chart"]);
    }
    ran
}

/// The build of a chapter's kernels, edited or not, as a page fetches it.
fn build(stem: &str, edit: Option<&str>) -> String {
    match edit {
        Some(name) => text(&what_if::path(stem, name).display().to_string()),
        None => serde_json::to_string(&kernels::get(stem).unwrap()).unwrap(),
    }
}

/// The size at which a chapter is compared, mostly no power of two.
fn size(stem: &str) -> u64 {
    match stem {
        "ch2_parallel" => 100,
        "ch4_quadrature" => 3, // teeth, not elements
        _ => 1000,
    }
}

/// Does `work` for all of `items`, on all cores.
fn for_all<T: Send>(items: Vec<T>, work: impl Fn(T) + Sync) {
    let items = &Mutex::new(items);
    let work = &work;
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from).min(8) {
            scope.spawn(move || {
                loop {
                    let Some(item) = items.lock().unwrap().pop() else { break };
                    work(item);
                }
            });
        }
    });
}

#[test]
#[ignore = "needs node"]
fn every_chapter_says_what_the_terminal_says() {
    let manifest: Value = serde_json::from_str(&text("book/src/live/manifest.json")).unwrap();
    let stems: Vec<&str> =
        manifest["chapters"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let stems: Vec<&str> = stems.into_iter().filter(|stem| *stem != "ch1_serial").collect(); // which is timed
    assert!(stems.len() >= 9, "{stems:?}");
    let page = Page::committed();
    for_all(stems, |stem| {
        let line = format!("{stem} --kernel all --n {} --no-sweep --seed 5 --schedule 7", size(stem));
        let ran = compare(&page, &line, &build(stem, None), &json!({}));
        assert!(ran.shown.is_some(), "{}", ran.stderr);
    });
}

/// Chapter 1 needs no build, and its sums need no clock.
#[test]
#[ignore = "needs node"]
fn the_sums_of_the_cpu_are_those_of_the_terminal() {
    let words = ["ch1_serial", "--kernel", "all", "--n", "1023", "--seed", "5", "--no-sweep"];
    let ran =
        Page::committed().run_with(&words, &[("show.json", r#"{"columns": ["sum", "check"]}"#)]).unwrap();
    let shown = ran.shown.expect(&ran.stderr);
    let json: Value = serde_json::from_slice(&program(&[&words[..], &["--json"]].concat()).stdout).unwrap();
    let sums = |runs: &Value| -> Vec<_> {
        let runs = runs.as_array().unwrap().iter();
        runs.map(|run| (run["kernel"].clone(), run["sum"].clone(), run["ok"].clone())).collect()
    };
    assert_eq!(sums(&shown["record"]["runs"]), sums(&json["runs"]));
    let ok: Vec<_> = json["runs"].as_array().unwrap().iter().map(|run| &run["ok"]).collect();
    assert_eq!(ok, [true, false, true, true, true], "an odd element is lost on the way");
    assert_eq!(shown["record"]["runs"][0]["time_us"], Value::Null, "a page times nothing");
    let table = shown["table"].as_str().unwrap();
    assert_eq!((table.matches("ok").count(), table.matches("WRONG").count()), (4, 1), "{table}");
}

#[test]
#[ignore = "needs node"]
fn every_edit_says_what_the_terminal_says() {
    let page = Page::committed();
    for_all(what_if::all(&root()).unwrap(), |Edit { stem, name, kernels, .. }| {
        let kernels: String = kernels.iter().map(|kernel| format!(" --kernel {kernel}")).collect();
        let line = format!("{stem}{kernels} --n {} --no-sweep --schedule 1 --what-if {name}", size(&stem));
        compare(&page, &line, &build(&stem, Some(&name)), &json!({}));
    });
}

#[test]
#[ignore = "needs node"]
fn options_charts_and_refusals_are_those_of_the_terminal() {
    let page = Page::committed();
    for (line, says) in [
        ("ch3_blocks --n 1024 --block 32", ""),
        ("ch3_blocks --n 1000 --grid 2 --no-sweep", ""),
        ("ch3_blocks --n 64 --block 32 --no-sweep --steps", ""),
        ("ch3_blocks --n 0 --no-sweep", ""),
        ("ch4_nested --n 1000 --no-sweep --block 8 --pending-launches 16", ""),
        ("ch3_blocks --n 2^27", "2^26"),
        ("ch2_parallel --n 1025", "do not fit one block"),
        ("ch2_parallel --kernel sum", "invalid value 'sum'"),
        ("ch2_parallel --block 2000", "1 to 1024 threads"),
        ("ch2_parallel --pending-launches 1", "unexpected argument"),
    ] {
        let build = build(line.split(' ').next().unwrap(), None);
        let ran = compare(&page, line, &build, &json!({"chart": "sectors"}));
        assert_eq!(ran.status == 2, !says.is_empty(), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains(says), "{line}: {}", ran.stderr);
    }
}

#[test]
#[ignore = "needs node"]
fn what_the_page_gets_wrong_is_said_in_a_sentence() {
    let page = Page::committed();
    let chapter_2 = &build("ch2_parallel", None);
    for (stem, build, show, says) in [
        ("ch3_blocks", chapter_2, json!({}), "build.json is the build of ch2_parallel, not of ch3_blocks"),
        ("ch2_parallel", &"{}".to_string(), json!({}), "build.json is not a build of a kernel"),
        ("ch2_parallel", chapter_2, json!("all"), "show.json is not what is to be shown"),
    ] {
        let ran = page.run(&[stem, "--device", "sim"], build, &show).unwrap();
        assert_eq!((ran.status, ran.shown), (2, None), "{}", ran.stderr);
        assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains(says), "{}", ran.stderr);
    }
}

/// What a compiler in the page makes of an edited source runs in place of the chapter's build; diagnostics
/// quote and number the lines of the edited source.
#[test]
#[ignore = "needs node"]
fn an_edited_source_runs_in_place_of_the_printed_one() {
    let page = Page::committed();
    let words = ["ch2_parallel", "--device", "sim", "--no-sweep", "--kernel", "reduceNeighbored"];
    let [printed, what_if] = [None, Some("warp-barrier")].map(|name| build("ch2_parallel", name));
    let made: Build = serde_json::from_str(&what_if).unwrap();
    // Two lines more at the top of the source, which the compiler counts too.
    let source = format!("// mine\n\n{}", made.source);
    let moved = |line: &str| match line.trim_start().strip_prefix(".loc") {
        Some(rest) => {
            let mut numbers: Vec<String> = rest.split_whitespace().map(str::to_string).collect();
            numbers[1] = (numbers[1].parse::<usize>().unwrap() + 2).to_string();
            format!(".loc {}\n", numbers.join(" "))
        }
        None => format!("{line}\n"),
    };
    let ptx: String = made.ptx.lines().map(moved).collect();
    let run = |edited: &Value| {
        page.run_with(
            &words,
            &[("build.json", &printed), ("edited.json", &edited.to_string()), ("show.json", "{}")],
        )
        .unwrap()
    };
    let ran = run(&json!({"source": source, "ptx": ptx, "newer": "", "compiler": "clang 22.1.8"}));
    let theirs = page.run(&words, &what_if, &json!({})).unwrap().shown.unwrap();
    let shown = ran.shown.unwrap();
    assert_eq!(shown["table"], theirs["table"]);
    let line = |shown: &Value| shown["diagnostics"][0]["line"].as_u64().unwrap();
    assert_eq!(line(&shown), line(&theirs) + 2);
    assert_eq!(shown["diagnostics"][0]["file"], "kernels/ch2_parallel.cu");
    assert_eq!(shown["diagnostics"][0]["kind"], "data-race");
    let number = line(&shown) as usize;
    let quoted = format!("{number} | {}", source.lines().nth(number - 1).unwrap());
    let said = shown["record"]["runs"][0]["message"].as_str().unwrap();
    assert!(said.contains(&quoted), "{said}");

    let ran = run(&json!({"source": source}));
    assert_eq!((ran.status, ran.shown), (2, None));
    assert!(ran.stderr.starts_with("error: this is not an edited source with its PTX"), "{}", ran.stderr);
}

/// The 32-bit addresses of WebAssembly once made element 0 of a store 4 GiB past a buffer.
#[test]
#[ignore = "needs node"]
fn a_store_4_gib_past_a_buffer_is_reported_here_too() {
    let mut build: Build = serde_json::from_str(&build("ch2_parallel", None)).unwrap();
    let head = build.ptx.split(".visible .entry").next().unwrap();
    build.ptx = format!(
        "{head}\n.visible .entry reduceNeighbored(\n.param .u64 p_0,\n.param .u64 p_1,\n.param .u32 \
         p_2\n)\n{{\n\
         .reg .b64 %rd<4>;\n.reg .b32 %r<2>;\n\
         ld.param.u64 %rd1, [p_0];\ncvta.to.global.u64 %rd2, %rd1;\n\
         add.s64 %rd3, %rd2, 4294967296;\nmov.u32 %r1, 1;\nst.global.u32 [%rd3], %r1;\nret;\n}}\n"
    )
    .into();
    let words = ["ch2_parallel", "--device", "sim", "--no-sweep", "--kernel", "reduceNeighbored"];
    let ran = Page::committed().run(&words, &serde_json::to_string(&build).unwrap(), &json!({})).unwrap();
    let diagnostic = &ran.shown.unwrap()["diagnostics"][0];
    assert_eq!(diagnostic["kind"], "out-of-bounds", "{diagnostic}");
    let message = diagnostic["message"].as_str().unwrap();
    assert!(message.contains("`g_data[1073741824]`"), "{message}");
}

/// A bar moves within a launch, with each block that ends, and with the children of a nested kernel.
#[test]
#[ignore = "needs node"]
fn a_run_tells_how_far_it_is_within_its_launch() {
    let page = Page::committed();
    for (stem, kernel) in [("ch3_blocks", "reduceInterleaved"), ("ch4_nested", "gpuRecursiveReduce")] {
        let words =
            [stem, "--no-sweep", "--device", "sim", "--kernel", kernel, "--n", "1024", "--block", "32"];
        let progress = page.run(&words, &build(stem, None), &json!({})).unwrap().progress;
        assert!(progress.is_sorted() && progress.iter().all(|percent| *percent <= 100), "{progress:?}");
        assert!(progress.len() >= 30, "{stem}: {progress:?}");
    }
}
