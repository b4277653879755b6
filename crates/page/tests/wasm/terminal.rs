//! Every chapter and every edit: text, record, diagnostics, table and chart are those of the terminal's
//! program.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Mutex;

use serde_json::{Value, json};
use workbook::build::kernels::BuildFile;
use workbook::build::what_if::{self, Edit};
use workbook::record::Record;
use workbook::record::columns::html_table;
use workbook::record::table::shown_columns;

use super::page::Page;
use super::{read, root, text};

/// Runs the command of a page, with `more` options.
fn program(command: &str, more: &[&str]) -> Output {
    let words: Vec<&str> = command.strip_prefix("cargo run --example ").unwrap().split(' ').collect();
    assert_eq!(words[1], "--");
    // target/<profile>/deps/wasm-… -> target/<profile>/examples/<stem>
    let test = std::env::current_exe().unwrap();
    let example = test.parent().and_then(Path::parent).unwrap().join("examples").join(words[0]);
    let example = example.with_extension(std::env::consts::EXE_EXTENSION);
    assert!(example.exists(), "{} is not built; run `cargo test`, which builds it", example.display());
    let records = format!("live-{:?}", std::thread::current().id());
    let records = Path::new(env!("CARGO_TARGET_TMPDIR")).join(records);
    let _ = std::fs::remove_dir_all(&records);
    let mut program = Command::new(example);
    program.args(&words[2..]).args(more).env("WORKBOOK_RECORDS_DIR", records).output().unwrap()
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

/// Makes the run of `request` in the page and in the terminal, and compares them.
fn compare(page: &mut Page, request: &Value) {
    let answer = page.run(request).unwrap_or_else(|error| panic!("{request}: {error:#}"));
    let command = answer["command"].as_str().unwrap_or_else(|| panic!("{request}: {answer}"));
    let said = program(command, &[]);
    let utf8 = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    assert_eq!(answer["stdout"], without_record(&utf8(said.stdout)), "{command}");
    assert_eq!(answer["stderr"], utf8(said.stderr).replace("not recorded, since not every run is ok\n", ""));
    assert_eq!(answer["status"], said.status.code().unwrap(), "{command}");
    if answer["error"].is_string() {
        return;
    }
    let json = utf8(program(command, &["--json"]).stdout);
    let mut json: Value = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{command}: {error}"));
    let fields = json.as_object_mut().unwrap();
    let diagnostics = fields.remove("diagnostics").unwrap();
    fields["date"] = json!("");
    assert_eq!(answer["record"], json, "{command}");
    assert_eq!(answer["diagnostics"], diagnostics, "{command}");
    let record: Record = serde_json::from_value(json).unwrap();
    assert_eq!(answer["table"], html_table(&shown_columns(&record, &[])), "{command}");
    if let Some(name) = request["chart"].as_str() {
        let charts = chapters::charts(&record, workbook::record::chart::Vertical::Logarithmic);
        let chart = charts.unwrap().into_iter().find(|chart| chart.name == name).map(|chart| chart.html());
        assert_eq!(answer["chart"], json!(chart), "{command}");
    }
}

/// A page with the chapter's build, edited or not.
fn page(stem: &str, edit: Option<&str>) -> Page {
    let mut page = Page::new(&read("book/src/live/workbook.wasm")).unwrap();
    page.load(&text(&what_if::path(stem, edit).display().to_string())).unwrap();
    page
}

/// The sizes at which a chapter is compared: a power of two, and none. Small, since a kernel is interpreted
/// by what is interpreted itself.
fn sizes(stem: &str) -> [u64; 2] {
    match stem {
        "ch2_parallel" => [64, 100],
        "ch4_quadrature" => [1, 3], // teeth, not elements
        _ => [64, 1000],
    }
}

/// The kernels that are run in other orders of turns: the story, but for one that has 5,000 blocks at any
/// size and would take half a minute here.
fn story(stem: &str) -> Value {
    match stem {
        "ch4_quadrature" => json!(["depthFirst", "divideLevel", "gpuRecursiveDivide"]),
        _ => json!([]),
    }
}

/// The chapters that a page has.
fn stems() -> Vec<String> {
    let manifest: Value = serde_json::from_str(&text("book/src/live/manifest.json")).unwrap();
    manifest["chapters"].as_object().unwrap().keys().cloned().collect()
}

/// Does `work` for all of `items`, on all cores.
fn for_all<T: Send>(items: Vec<T>, work: impl Fn(T) + Sync) {
    let (items, work) = (&Mutex::new(items), &work);
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
fn every_chapter_says_what_the_terminal_says() {
    let stems = stems();
    assert!(stems.len() >= 9, "{stems:?}");
    for_all(stems, |stem| {
        let page = &mut page(&stem, None);
        let [even, odd] = sizes(&stem);
        let all = if stem == "ch4_quadrature" { story(&stem) } else { json!(["all"]) };
        compare(page, &json!({"stem": stem, "kernels": all, "n": even}));
        compare(page, &json!({"stem": stem, "kernels": story(&stem), "n": odd, "seed": 5}));
        for schedule in [1, 7] {
            let kernels = story(&stem);
            compare(page, &json!({"stem": stem, "kernels": kernels, "n": even, "schedule": schedule}));
        }
    });
}

#[test]
fn every_edit_says_what_the_terminal_says() {
    for_all(what_if::all(&root()).unwrap(), |Edit { stem, name, kernels, .. }| {
        let page = &mut page(&stem, Some(&name));
        let [even, odd] = sizes(&stem);
        for (n, schedule) in [(odd, 0), (even, 1), (even, 7)] {
            compare(page, &json!({"stem": stem, "kernels": kernels, "n": n, "schedule": schedule}));
        }
    });
}

#[test]
fn options_and_charts_are_those_of_the_terminal() {
    let page = &mut page("ch3_blocks", None);
    for request in [
        json!({"stem": "ch3_blocks", "n": 1024, "chart": "sectors", "block": 32}),
        json!({"stem": "ch3_blocks", "n": 1000, "grid": 2}),
        json!({"stem": "ch3_blocks", "n": 1000, "grid": 2, "block": 32}),
        json!({"stem": "ch3_blocks", "n": 1 << 27}),
        json!({"stem": "ch3_blocks", "n": 0}),
    ] {
        compare(page, &request);
    }
    let build = text(&what_if::path("ch4_nested", None).display().to_string());
    page.load(&build).unwrap();
    compare(page, &json!({"stem": "ch4_nested", "n": 1000, "block": 8, "pending_launches": 16}));
}

#[test]
fn another_build_takes_the_place_of_the_one_before() {
    let page = &mut page("ch2_parallel", Some("barrier-inside"));
    let request = json!({"stem": "ch2_parallel", "kernels": ["reduceNeighbored"]});
    assert_eq!(page.run(&request).unwrap()["diagnostics"][0]["kind"], "barrier-divergence");
    for (edit, status) in [(None, 0), (Some("warp-barrier"), 1), (None, 0), (Some("barrier-inside"), 1)] {
        page.load(&text(&what_if::path("ch2_parallel", edit).display().to_string())).unwrap();
        assert_eq!(page.run(&request).unwrap()["status"], status, "{edit:?}");
    }
}

#[test]
fn a_wrong_request_is_answered_with_a_sentence() {
    let page = &mut page("ch2_parallel", None);
    for (request, says) in [
        (json!({"stem": "ch2_parallel", "n": 1025}), "do not fit one block"),
        (json!({"stem": "ch2_parallel", "kernels": ["sum"]}), "ch2_parallel has no kernel sum"),
        (json!({"stem": "ch2_parallel", "block": 2000}), "1 to 1024 threads"),
        (json!({"stem": "ch2_parallel", "pending_launches": 1}), "launches nothing"),
        (json!({"stem": "ch3_blocks"}), "no kernel named ch3_blocks"),
        (json!({"stem": "ch0"}), "no chapter ch0"),
        (json!("all"), "no request"),
    ] {
        let answer = page.run(&request).unwrap();
        assert_eq!(answer["status"], 2, "{request}: {answer}");
        let error = answer["error"].as_str().unwrap();
        assert!(error.contains(says) && !error.starts_with("error"), "{request}: {error}");
    }
    assert!(page.load("{}").is_err());
}

/// The 32-bit addresses of WebAssembly once made element 0 of a store 4 GiB past a buffer.
#[test]
fn a_store_4_gib_past_a_buffer_is_reported_here_too() {
    let build = text(&what_if::path("ch2_parallel", None).display().to_string());
    let mut build: BuildFile = serde_json::from_str(&build).unwrap();
    let head = build.ptx.split(".visible .entry").next().unwrap();
    build.ptx = format!(
        "{head}\n.visible .entry reduceNeighbored(\n.param .u64 p_0,\n.param .u64 p_1,\n.param .u32 \
         p_2\n)\n{{\n\
         .reg .b64 %rd<4>;\n.reg .b32 %r<2>;\n\
         ld.param.u64 %rd1, [p_0];\ncvta.to.global.u64 %rd2, %rd1;\n\
         add.s64 %rd3, %rd2, 4294967296;\nmov.u32 %r1, 1;\nst.global.u32 [%rd3], %r1;\nret;\n}}\n"
    );
    let page = &mut page("ch2_parallel", None);
    page.load(&serde_json::to_string(&build).unwrap()).unwrap();
    let answer = page.run(&json!({"stem": "ch2_parallel", "kernels": ["reduceNeighbored"]})).unwrap();
    assert_eq!(answer["diagnostics"][0]["kind"], "out-of-bounds", "{answer}");
    let message = answer["diagnostics"][0]["message"].as_str().unwrap();
    assert!(message.contains("4294967296") || message.contains("4,294,967,296"), "{message}");
}

/// A bar moves within a launch, with each block that ends, and with the children of a nested kernel.
#[test]
fn a_run_tells_how_far_it_is_within_its_launch() {
    for (stem, kernel) in [("ch3_blocks", "reduceInterleaved"), ("ch4_nested", "gpuRecursiveReduce")] {
        let page = &mut page(stem, None);
        page.run(&json!({"stem": stem, "kernels": [kernel], "n": 1024, "block": 32})).unwrap();
        let within = page.progress().iter().filter(|(done, all)| *done > 0.0 && done < all).count();
        assert!(within >= 30, "{stem}: {:?}", page.progress());
    }
}
