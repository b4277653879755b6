//! The directives, through the program that mdBook calls, over a book of one page in a temporary directory.
//!
//! The simplest to copy: `a_listing_comes_from_its_anchor`.

#[path = "../../tests/fixtures/mod.rs"]
mod fixtures;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use mdbook_preprocessor::PreprocessorContext;
use mdbook_preprocessor::book::{Book, BookItem, Chapter};
use mdbook_preprocessor::config::Config;
use workbook::record::{DeviceKind, Record};

/// A repository with a book: `kernels/k.cu`, `examples/ch1_serial.rs`, and records for chapters 1, 3 and 4.
struct Repository {
    root: PathBuf,
}

const KERNEL: &str = "// about it\n\
    // ANCHOR: sum\n\
    __global__ void sum(int *data)\n\
    {\n\
    \x20   // ANCHOR: body\n\
    \x20   data[0] += data[1];\n\
    \n\
    \x20   data[0] += data[2];\n\
    \x20   // ANCHOR_END: body\n\
    }\n\
    // ANCHOR_END: sum\n\
    // ANCHOR: less\n\
    __global__ void sum(int *data)\n\
    {\n\
    \x20       data[0] += data[1];\n\
    }\n\
    // ANCHOR_END: less\n\
    // ANCHOR: open\n\
    // ANCHOR: empty\n\
    // ANCHOR_END: empty\n";

const GLOSSARY: &str = "# Glossary\n\n## Warp\n\nUp to 32 threads; see [`lane`](#lane).\n\nMore.\n\n\
    ## Compute capability\n\nWhat a GPU can do.\n";

const EXAMPLE: &str = "fn main() {}\n";

const EXERCISE: &str = "// 3.1 Add them up\n\
    //\n\
    // All **three** of them.\n\
    //\n\
    //@ learn to add up\n\
    //@ minutes 10\n\
    //@ launch sum(data, out, n) grid=1\n\
    //@ result out\n\
    //@ goal barriers <= 0 n=96 block=96\n\
    //@ hint Which one is missing?\n\
    //@ why Why up?\n\
    //@ because Down is subtraction.\n\
    \n\
    void sum(int *data)\n\
    {\n\
    \x20   //@ begin\n\
    \x20   data[0] += data[2];\n\
    \x20   //@ stub\n\
    \x20   //| // Here.\n\
    \x20   //@ end\n\
    }\n";

impl Repository {
    fn new() -> Repository {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("workbook-book-{}-{number}", std::process::id()));
        for directory in ["kernels/exercises/solutions", "examples", "book/src", "book/records"] {
            fs::create_dir_all(root.join(directory)).unwrap();
        }
        fs::write(root.join("kernels/k.cu"), KERNEL).unwrap();
        fs::write(root.join("kernels/exercises/solutions/3_1_add.cu"), EXERCISE).unwrap();
        fs::write(root.join("examples/ch1_serial.rs"), EXAMPLE).unwrap();
        fs::write(root.join("book/src/glossary.md"), GLOSSARY).unwrap();
        let repository = Repository { root };
        for record in [
            fixtures::serial_on_cpu(),
            fixtures::blocks_on_gpu(),
            fixtures::blocks_on_simulator(),
            fixtures::nested_on_gpu(),
        ] {
            repository.add(&record, "book/records");
        }
        repository
    }

    /// Writes `record` as if it had been made with the present code.
    fn add(&self, record: &Record, directory: &str) {
        let kernels = workbook::build::kernels::all();
        let kernel = kernels.iter().find(|build| build.stem == record.stem);
        let source_hash = match kernel {
            Some(build) => build.code_hash.to_string(),
            None => workbook::build::prebuilt::source_hash(EXAMPLE),
        };
        Record { source_hash, ..record.clone() }.write(&self.root.join(directory)).unwrap();
    }

    /// Runs the preprocessor over a book with this one page: exit status, the page it made, standard error.
    fn run(&self, page: &str) -> (i32, String, String) {
        let chapter = Chapter::new("A page", page.to_string(), "page.md", Vec::new());
        let book = Book::new_with_items(vec![BookItem::Chapter(chapter)]);
        let context = PreprocessorContext::new(self.root.join("book"), Config::default(), "html".to_string());
        let mut program = Command::new(env!("CARGO_BIN_EXE_mdbook-workbook"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = serde_json::to_vec(&(context, book)).unwrap();
        program.stdin.take().unwrap().write_all(&input).unwrap();
        let output = program.wait_with_output().unwrap();
        let content = serde_json::from_slice::<Book>(&output.stdout)
            .ok()
            .and_then(|book| book.chapters().next().map(|chapter| chapter.content.clone()));
        (
            output.status.code().unwrap(),
            content.unwrap_or_default(),
            String::from_utf8(output.stderr).unwrap(),
        )
    }

    /// What `page` becomes.
    fn page(&self, page: &str) -> String {
        let (status, content, errors) = self.run(page);
        assert_eq!((status, errors.as_str()), (0, ""), "{page}");
        content
    }

    /// What is said of `page`, which cannot be built.
    fn error(&self, page: &str) -> String {
        let (status, content, errors) = self.run(page);
        assert_eq!(status, 2, "{page}\n{errors}");
        assert_eq!(content, "", "no page comes out of a failed build");
        errors
    }
}

impl Drop for Repository {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

#[test]
fn a_listing_comes_from_its_anchor() {
    let page = Repository::new().page("before\n{{#code kernels/k.cu sum}}\nafter\n");
    assert_eq!(
        page,
        "before\n\n```cpp\n__global__ void sum(int *data)\n{\n    data[0] += data[1];\n\n    data[0] += \
         data[2];\n}\n```\n\n<p class=\"listing\" data-lines=\"3+2,6+3,10+1\"><code>kernels/k.cu</code></p>\n\n\n\
         after\n"
    );
}

#[test]
fn an_exercise_is_a_card_with_its_task_its_code_hints_a_solution_and_a_question() {
    let page = Repository::new().page("{{#exercise 3.1}}\n");
    let places: Vec<_> = [
        "<details class=\"exercise-card\" id=\"exercise-3-1\">\n<summary>Exercise 3.1 · Add them up · 10 \
         min</summary>\n\n*You learn to add up.*\n\n",
        "All **three** of them.\n\n",
        "- The host launches `sum(data, out, n)` with one block.\n",
        "- Goal: no barrier arrivals at n = 96, 96 threads per block.\n",
        "```sh\ncargo run --example exercise -- 3.1\n```",
        "<code>kernels/exercises/3_1_add.cu</code>",
        "<summary>The code, as it is given</summary>\n\n```cpp\nvoid sum(int *data)\n{\n    // Here.\n}\n\
         ```\n\n</details>",
        "<summary>Hint 1</summary>\n\nWhich one is missing?\n\n</details>",
        "<summary>A solution</summary>\n\n```cpp\nvoid sum(int *data)\n{\n    data[0] += data[2];\n}\n```\n\n\
         </details>",
        "<summary>Can you explain it?</summary>\n\nWhy up?\n\n<details class=\"exercise\">\n\
         <summary>An answer</summary>\n\nDown is subtraction.\n\n</details>\n\n</details>",
    ]
    .map(|part| page.find(part).unwrap_or_else(|| panic!("no {part:?} in\n{page}")))
    .into();
    assert!(places.is_sorted(), "{page}");
    assert!(!page.lines().any(|line| line.starts_with('#')), "a heading: {page}");
}

#[test]
fn a_listing_from_within_a_function_is_moved_left() {
    let page = Repository::new().page("{{#code kernels/k.cu body}}\n");
    assert!(page.contains("```cpp\ndata[0] += data[1];\n\ndata[0] += data[2];\n```"), "{page}");
    assert!(page.contains("data-lines=\"6+3\" data-indent=\"4\""), "{page}");
}

/// The places of `pieces` on `page`, which stand there in this order.
fn in_order(page: &str, pieces: &[&str]) {
    let mut from = 0;
    for piece in pieces {
        match page[from..].find(piece) {
            Some(at) => from += at,
            None => panic!("not on the page after what comes before: {piece}\n{page}"),
        }
    }
}

#[test]
fn lines_that_another_listing_lacks_are_marked() {
    let page = Repository::new().page("{{#code kernels/k.cu sum against=less}}\n");
    in_order(
        &page,
        &[
            "<div class=\"listing-marked\" style=\"--marks: linear-gradient(transparent 0, transparent 3lh, \
             var(--mark-bar) 3lh 5lh, transparent 5lh); --tint: ",
            "\n\n```cpp\n__global__ void sum(int *data)",
            "</div>",
            "changed: lines 4–5 against <code>less</code>",
            "<code>kernels/k.cu</code>",
        ],
    );
    let same = Repository::new().error("{{#code kernels/k.cu sum against=sum}}\n");
    assert!(same.contains("is the same as that of sum"), "{same}");
    let missing = Repository::new().error("{{#code kernels/k.cu sum against=kernels/k.cu:more}}\n");
    assert!(missing.contains("against=: in kernels/k.cu: no anchor `more`"), "{missing}");
}

#[test]
fn a_term_is_explained_where_it_is_used() {
    let repository = Repository::new();
    let page =
        repository.page("All {{#term warp whole warps}} and a {{#term compute-capability capability}}.\n");
    assert!(
        page.starts_with(
            "All <span class=\"term\"><a href=\"glossary.md#warp\" aria-describedby=\"term-page-1\">whole \
             warps</a><span class=\"term-definition\" role=\"tooltip\" id=\"term-page-1\">Up to 32 threads; see \
             lane.</span></span> and a "
        ),
        "{page}"
    );
    assert!(page.contains("id=\"term-page-2\">What a GPU can do.<"), "{page}");
    for (directive, said) in [
        ("{{#term lane lanes}}", "no heading for `lane`; there are: warp, compute-capability"),
        ("{{#term warp}}", "wants the words to show"),
        ("{{#term}}", "{{#term SLUG shown words}}"),
    ] {
        let error = repository.error(directive);
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn a_cell_of_a_whole_chapter_has_the_command_and_each_record() {
    let page = Repository::new().page("{{#cell ch3_blocks}}\n");
    in_order(
        &page,
        &[
            "<div class=\"cell\" id=\"cell-1\">\n<p class=\"cell-label\">In [1]</p>\n\n```sh\ncargo run --example \
             ch3_blocks\n```\n",
            "<figure class=\"cell-out recorded\" data-kind=\"gpu\">",
            "Out [1]</span> <strong>Recorded on Fixture GPU</strong> · 1,048,576 elements, 512 threads per \
             block",
            "<div class=\"table-frame\" tabindex=\"0\" role=\"group\" aria-label=\"Out [1] on Fixture GPU\">",
            "<th scope=\"row\">reduce<wbr>Neighbored</th>",
            "aria-label=\"Time against n, ",
            "aria-label=\"Bandwidth against n, ",
            "aria-label=\"Time against block size, ",
            "<figcaption>Fixture GPU · <time>2026-02-03</time> · source <code>",
            "<strong>Recorded on the simulator</strong>",
            "aria-label=\"Divergent branches against n, ",
            "aria-label=\"Global memory traffic against n, ",
            "aria-label=\"Instructions against block size, ",
            "<figcaption>workbook simulator 0.1.0 · <time>2026-02-03</time> · exact counts, no times · source \
             <code>",
        ],
    );
    assert!(!page.contains("Your own run") && !page.contains("has changed"), "{page}");
}

#[test]
fn a_small_cell_has_its_kernels_its_size_its_columns_and_one_chart() {
    let repository = Repository::new();
    let page = repository.page(
        "{{#cell ch1_serial}}\n{{#cell ch3_blocks kernel=reduceInterleaved,reduceNeighbored n=2^18 chart=divergence \
         columns=sum,divergent on=sim}}\n",
    );
    let cell = &page[page.find("id=\"cell-2\"").expect("the second cell of the page")..];
    in_order(
        cell,
        &[
            "cargo run --example ch3_blocks -- --kernel reduceInterleaved --kernel reduceNeighbored --n 2^18 \
             --device sim\n",
            "262,144 elements",
            "<th scope=\"col\">kernel</th><th scope=\"col\" class=\"number\">sum</th><th scope=\"col\" \
             class=\"number\">divergent</th></tr>",
            "<th scope=\"row\">reduce<wbr>Interleaved</th>",
            "<td class=\"number\">0</td>",
            "<th scope=\"row\">reduce<wbr>Neighbored</th>",
            "aria-label=\"Divergent branches against n, ",
        ],
    );
    assert!(!cell.contains("Fixture GPU") && !cell.contains("NeighboredLess"), "{cell}");
    assert_eq!(cell.matches("<svg").count(), 2, "one chart: for a page and for a phone");

    // The serial recursion is in the record of the GPU alone.
    let page = repository.page("{{#cell ch3_blocks kernel=reduceNeighbored,recursiveReduceAnyLength}}\n");
    assert_eq!(page.matches("<th scope=\"row\">").count(), 3, "{page}");
    assert!(page.contains("--kernel recursiveReduceAnyLength\n"), "{page}");
    // What has nothing to say has no column.
    assert!(!page.contains(">atomics<") && !page.contains(">grid<"), "{page}");
}

#[test]
fn what_the_simulator_says_stands_below_the_table() {
    let repository = Repository::new();
    let mut record = fixtures::blocks_on_simulator();
    record.runs[1].message = Some("error[data-race]: here\n --> kernels/k.cu:2\n".into());
    repository.add(&record, "book/records");
    let page = repository.page("{{#cell ch3_blocks on=sim kernel=reduceNeighbored,reduceNeighboredLess}}\n");
    in_order(
        &page,
        &[
            "</table>",
            "The simulator says of <code>reduceNeighboredLess</code>:</p>\n\n```text\nerror[data-race]: here\n --> \
             kernels/k.cu:2\n```\n\n",
            "<figcaption>",
        ],
    );
    for without in ["kernel=reduceNeighbored", "kernel=reduceNeighboredLess message=no"] {
        let page = repository.page(&format!("{{{{#cell ch3_blocks on=sim {without}}}}}\n"));
        assert!(!page.contains("data-race"), "{page}");
    }
}

#[test]
fn a_cell_that_the_page_can_run_says_what_is_needed_for_it() {
    let repository = Repository::new();
    let cells = "{{#cell ch3_blocks}}\n{{#cell ch3_blocks kernel=reduceNeighbored n=2^10 on=sim \
                 columns=sum,divergent}}\n{{#cell ch3_blocks kernel=reduceInterleaved n=2^10 on=gpu \
                 columns=time}}\n{{#cell ch1_serial}}\n{{#cell ch4_nested}}\n";
    assert!(!repository.page(cells).contains("data-live"), "nothing is built for it");
    let manifest = r#"{"chapters":
        {"ch3_blocks": {"place": "many-blocks", "most_n": 67108864, "pending_launches": false},
         "ch4_nested": {"place": "many-blocks", "most_n": 67108864, "pending_launches": true}},
        "what_ifs": {"ch3_blocks": [{"name": "no-barrier", "label": "there's no barrier",
            "kernels": ["reduceNeighbored"], "lines": [{"line": 7, "text": "// no barrier"}]}]}}"#;
    let path = repository.root.join("book/src/live/manifest.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, manifest).unwrap();
    let page = repository.page(cells);
    let live: Vec<&str> = page.lines().filter(|line| line.contains("data-live")).collect();
    let [whole, small, gpu] = live[..] else { panic!("neither the CPU's nor one without counts: {live:?}") };
    in_order(
        whole,
        &[
            "id=\"cell-1\" data-live='{\"stem\":\"ch3_blocks\",\"kernels\":[],\"n\":65536,\"block\":512,",
            "\"most\":262144,",
            "\"file\":\"kernels/ch3_blocks.cu\"",
            "\"label\":\"there&#39;s no barrier\",\"lines\":[{\"line\":7,\"text\":\"// no barrier\"}]",
        ],
    );
    in_order(small, &["\"n\":1024,", "\"asks_n\":true", "\"columns\":[\"sum\",\"divergent\"]", "no-barrier"]);
    in_order(gpu, &["[\"reduceInterleaved\"]", "\"n\":65536,", "\"columns\":[]", "\"what_ifs\":[]"]);
    fs::write(&path, "{}").unwrap();
    let error = repository.error("{{#cell ch3_blocks}}\n");
    assert!(error.contains("book/src/live/manifest.json: build it again"), "{error}");
}

#[test]
fn a_table_has_kernels_by_sizes_blocks_or_fields() {
    let repository = Repository::new();
    let rows = |page: &str| -> Vec<Vec<String>> {
        let text = |cell: &str| {
            let pieces = cell.split('<').map(|piece| piece.split_once('>').map_or("", |(_, text)| text));
            pieces.collect::<String>().replace('\u{a0}', " ")
        };
        let rows = page.lines().filter(|line| line.starts_with("<tr>"));
        rows.map(|row| row.replace("</td>", "|").replace("</th>", "|"))
            .map(|row| row.split_terminator('|').map(text).filter(|cell| !cell.is_empty()).collect())
            .collect()
    };
    let page = repository.page(
        "{{#table ch4_nested.gpu time kernel=gpuRecursiveReduce,gpuRecursiveReducePasses n=2^10,2^20,2^26}}\n",
    );
    assert_eq!(
        rows(&page),
        [
            vec!["kernel", "1,024", "2²⁰", "2²⁶"],
            vec!["gpuRecursiveReduce", "877 µs", "449 ms", "-"],
            vec!["gpuRecursiveReducePasses", "10.1 µs", "23.1 µs", "38.0 µs"],
        ]
    );
    assert!(page.contains("<p class=\"cell-head\">time · by n</p>"), "{page}");
    let page = repository.page("{{#table ch4_nested.gpu time,gbps,ratio kernel=gpuRecursiveReduce,ch3_blocks.gpu/reduceNeighbored n=2^20}}\n");
    let found = rows(&page);
    assert_eq!(found[0], ["kernel", "time", "GB/s", "times as fast as the first"]);
    assert_eq!((found[1][3].as_str(), found[2][0].as_str()), ("1.0×", "reduceNeighbored"));
    let page = repository.page("{{#table ch4_nested.gpu time kernel=gpuRecursiveReduce block=32,1024}}\n");
    assert_eq!(rows(&page), [vec!["kernel", "32", "1,024"], vec!["gpuRecursiveReduce", "175 ms", "225 ms"]]);
}

#[test]
fn a_whole_record_is_folded() {
    let repository = Repository::new();
    repository.add(&fixtures::shared_on_gpu(), "book/records");
    let page = repository.page("{{#record ch5_shared}}\n");
    in_order(
        &page,
        &[
            "<details class=\"record\">\n<summary>The whole record: <code>ch5_shared</code></summary>",
            "<strong>Fixture GPU</strong> · ",
            "memory space</th>",
            "max_<wbr>threads_<wbr>per_<wbr>block</th>",
            "aria-label=\"Error against n, ",
            "Fixture GPU · driver 580.0.1 · CUDA 13.0 · 132 multiprocessors at up to 1,980 MHz",
            "</details>",
        ],
    );
}

/// Markdown ends an HTML block at a blank line, so a drawing must not have one.
#[test]
fn drawings_stay_in_one_html_block() {
    let page = Repository::new().page("{{#chart ch4_nested.gpu time}}\n");
    let (start, end) = (page.find("<figure").unwrap(), page.find("</figure>").unwrap());
    assert!(page[start..end].lines().all(|line| !line.trim().is_empty()));
}

/// At its own size if it has not that of the cell, and only if it has the cell's kernels.
#[test]
fn the_readers_own_run_stands_beside_the_recorded_one() {
    let repository = Repository::new();
    let mut own = fixtures::single(&fixtures::nested_on_gpu());
    own.device.name = "GeForce <1>".to_string();
    own.n = 1000;
    for run in &mut own.runs {
        run.n = 1000;
    }
    own.runs.retain(|run| run.kernel != "gpuRecursiveReducePasses");
    repository.add(&own, "book/records/local");
    for directive in [
        "{{#cell ch4_nested}}\n",
        "{{#cell ch4_nested kernel=gpuRecursiveReduce,gpuRecursiveReducePasses}}\n",
        "{{#cell ch4_nested kernel=gpuRecursiveReduce n=2^20 chart=block columns=time}}\n",
    ] {
        let page = repository.page(directive);
        in_order(
            &page,
            &[
                "<strong>Recorded on Fixture GPU</strong>",
                "<figure class=\"cell-out local\" data-kind=\"gpu\">",
                "<strong>Your own run on GeForce &lt;1&gt;</strong> · 1,000 elements",
            ],
        );
    }
    let page = repository.page("{{#cell ch4_nested kernel=gpuRecursiveReducePasses}}\n");
    assert!(!page.contains("Your own run"), "{page}");
}

#[test]
fn a_record_older_than_the_code_is_marked() {
    let repository = Repository::new();
    let marked = "<p class=\"changed\" role=\"note\"><code>kernels/ch4_nested.cu</code> has changed since \
                  this record was made";
    assert!(!repository.page("{{#cell ch4_nested}}\n").contains(marked));
    fixtures::nested_on_gpu().write(&repository.root.join("book/records")).unwrap();
    assert!(repository.page("{{#cell ch4_nested}}\n").contains(marked));
    assert!(repository.page("{{#chart ch4_nested.gpu time}}\n").contains(marked));

    fs::write(repository.root.join("examples/ch1_serial.rs"), "fn main() { edited() }\n").unwrap();
    let page = repository.page("{{#cell ch1_serial}}\n");
    assert!(page.contains("<code>examples/ch1_serial.rs</code> has changed since"), "{page}");
}

#[test]
fn the_speed_is_that_of_the_recorded_bench() {
    let repository = Repository::new();
    let root = repository.root.join("benches");
    let missing = repository.error("{{#speed}}\n");
    assert!(
        missing.contains("page.md:1: {{#speed}}") && missing.contains("cargo bench -- --record"),
        "{missing}"
    );

    let timing = workbook::record::Timing { median: 100.0, min: 50.0, max: 200.0, repeats: 3 };
    let case = workbook::record::speed::Case {
        kernel: "reduceNeighbored".into(),
        n: 1 << 20,
        block: 512,
        thread_instructions: 100_000,
        unchecked: timing,
        checked: timing,
    };
    let hash = workbook::build::kernels::get("ch3_blocks").unwrap().code_hash;
    let speed = |source_hash: &str| workbook::record::speed::Speed {
        schema: workbook::record::speed::SCHEMA,
        date: "2026-02-03T04:05:06Z".into(),
        cpu: "Fixture CPU".into(),
        rustc: "rustc 1.90.0".into(),
        source_hash: source_hash.into(),
        compiler: "nvcc 13.0.88".into(),
        kernels: vec![case.clone()],
        accesses: Vec::new(),
        numba: None,
    };
    fs::create_dir_all(&root).unwrap();
    speed(hash).write(&root.join("simulator.json")).unwrap();
    let page = repository.page("{{#speed}}\n");
    assert!(
        page.contains("| `reduceNeighbored` |") && page.contains("1,000 million [500 .. 2,000] |"),
        "{page}"
    );
    assert!(page.contains("Fixture CPU") && !page.contains("has changed since"), "{page}");
    speed("another").write(&root.join("simulator.json")).unwrap();
    assert!(repository.page("{{#speed}}\n").contains("<code>kernels/ch3_blocks.cu</code> has changed since"));
}

#[test]
fn the_sweep_is_the_recorded_one() {
    let repository = Repository::new();
    let root = repository.root.join("benches");
    let missing = repository.error("{{#sweep f32}}\n");
    assert!(
        missing.contains("page.md:1: {{#sweep f32}}") && missing.contains("cargo bench --bench limit"),
        "{missing}"
    );

    let contender = workbook::chapters::ch7_limit::sweep::Contender {
        kernel: "float_128_4_ReadOnly_InDigits_1".into(),
        way: Some(workbook::chapters::ch7_limit::sweep::WAYS[1].0),
        block: 128,
        grid: 16,
        alone: 1.87,
        cold: 5.0,
        warm: 4.0,
    };
    let size = workbook::chapters::ch7_limit::sweep::Size {
        element: "f32".into(),
        n: 1 << 14,
        tried: 321,
        contenders: vec![contender],
    };
    let sweep = |source_hash: String| workbook::chapters::ch7_limit::sweep::Sweep {
        schema: workbook::chapters::ch7_limit::sweep::SCHEMA,
        date: "2026-02-03T04:05:06Z".into(),
        device: fixtures::contest_on_gpu().device,
        source_hash,
        sizes: vec![size.clone()],
    };
    fs::create_dir_all(&root).unwrap();
    sweep(workbook::chapters::ch7_limit::sweep::source_hash()).write(&root.join("limit.json")).unwrap();
    let page = repository.page("{{#sweep f32}}\n");
    let has = |row: [&str; 2]| {
        let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_string()).collect::<Vec<_>>();
        page.lines().any(|line| cells(line).get(1..3) == Some(&row.map(str::to_string)[..]))
    };
    assert!(has(["digits", "**1.87**"]) && has(["its blocks", "16"]), "{page}");
    assert!(page.contains("Fixture GPU") && !page.contains("have changed since"), "{page}");
    let none = repository.error("{{#sweep i64}}\n");
    assert!(none.contains("no sizes of i64"), "{none}");
    sweep("another".into()).write(&root.join("limit.json")).unwrap();
    assert!(repository.page("{{#sweep f32}}\n").contains("have changed since"));
}

#[test]
fn one_chart_alone_with_its_provenance() {
    let page = Repository::new().page("{{#chart ch3_blocks.sim sectors}}\n");
    assert_eq!(page.matches("<svg").count(), 2, "for a page and for a phone");
    assert!(page.contains("aria-label=\"Global memory traffic against n, "), "{page}");
    assert!(page.contains("<figcaption>workbook simulator 0.1.0 · <time>2026-02-03</time>"), "{page}");
}

#[test]
fn numbers_of_a_record_in_prose() {
    let repository = Repository::new();
    for (directive, text) in [
        ("value ch4_nested.gpu gpuRecursiveReduce n=2^20 time", "449\u{a0}ms"),
        ("value ch4_nested.gpu gpuRecursiveReduce n=1048576 block=512 time", "449\u{a0}ms"),
        ("value ch4_nested.gpu gpuRecursiveReduce n=2^20 time/18432", "24.4\u{a0}µs"),
        ("value ch4_nested.gpu gpuRecursiveReduce n=2^20 block=32 dropped", "92,166"),
        ("value ch4_nested.gpu gpuRecursiveReduce n=2^20 block=32 sum", "8,350,141"),
        ("value ch4_nested.gpu gpuRecursiveReduce n=2^20 expected", "133,693,243"),
        ("value ch4_nested.gpu gpuRecursiveReducePasses n=2^20 gbps", "182\u{a0}GB/s"),
        ("value ch4_nested.gpu recursiveReduceAnyLength n=2^20 time", "629\u{a0}µs"),
        ("value ch3_blocks.sim reduceNeighbored n=2^16 divergent_branches", "320"),
        ("ratio ch4_nested.gpu gpuRecursiveReduce gpuRecursiveReducePasses n=2^20 time", "19,000"),
        ("ratio ch4_nested.gpu recursiveReduceAnyLength gpuRecursiveReducePasses n=2^20 time", "27"),
        ("ratio ch3_blocks.sim reduceNeighboredLess reduceNeighbored n=2^16 divergent_branches", "0.40"),
    ] {
        assert_eq!(repository.page(&format!("It is {{{{#{directive}}}}}.")), format!("It is {text}."));
    }
}

#[test]
fn a_contest_in_prose() {
    let repository = Repository::new();
    repository.add(&fixtures::contest_on_gpu(), "book/records");
    for (directive, text) in [
        ("value ch7_limit.gpu reduceLimit n=2^20 alone", "2.00\u{a0}µs"),
        ("value ch7_limit.gpu cub n=2^20 cold", "7.00\u{a0}µs"),
        ("value ch7_limit.gpu reduceLimit n=2^30 alone-gbps", "4,295\u{a0}GB/s"),
        ("value ch7_limit.gpu cub n=2^30 alone-best", "98.0%"),
        ("value ch7_limit.gpu reduceLimit n=2^20 time", "5.00\u{a0}µs"),
        ("ratio ch7_limit.gpu cub reduceLimit n=2^20 warm", "1.20"),
        ("ratio ch7_limit.gpu cub reduceLimit n=all alone", "1.237"),
        // An empty kernel's 0.5 µs and the array's 4 MB at the best rate of the record.
        ("ratio ch7_limit.gpu cub perfect n=2^20 alone", "2.03"),
        ("ratio ch7_limit.gpu cub reduceLimit n=least alone", "1.020"),
    ] {
        assert_eq!(repository.page(&format!("It is {{{{#{directive}}}}}.")), format!("It is {text}."));
    }
    for (directive, missing) in [
        ("value ch7_limit.gpu cub n=2^24 alone", "no alone of cub at n = 16777216"),
        ("value ch7_limit.gpu cub n=2^20 alone-share", "alone-gbps, alone-datasheet, alone-best"),
        (
            "ratio ch7_limit.gpu thrust reduceLimit n=all alone",
            "no alone of both thrust and reduceLimit at n=all",
        ),
    ] {
        let error = repository.error(&format!("{{{{#{directive}}}}}\n"));
        assert!(error.contains(missing), "{error}");
    }
}

#[test]
fn errors_memory_spaces_and_limits_in_prose() {
    let repository = Repository::new();
    repository.add(&fixtures::shared_on_gpu(), "book/records");
    for (directive, text) in [
        ("value ch5_shared.gpu dotLoop n=2^20 error", "1.0·10⁻⁴"),
        ("value ch5_shared.gpu dot n=2^20 error", "0"),
        ("value ch5_shared.gpu dot n=33792 bound", "3.4·10¹"),
        ("value ch5_shared.gpu dot n=33792 grid", "132"),
        ("ratio ch5_shared.gpu dotLoop dot n=33792 error", "10"),
        ("space ch5_shared.gpu shared clocks", "23.0"),
        ("space ch5_shared.gpu global gbps", "4,211\u{a0}GB/s"),
        // 612.3 clocks at 1,980 MHz; 4,917 GB/s over 132 multiprocessors.
        ("space ch5_shared.gpu global ns", "309\u{a0}ns"),
        ("space ch5_shared.gpu global in-flight", "11,500\u{a0}bytes"),
        ("space ch5_shared.gpu global rate/65536", "212\u{a0}GB/s"),
        ("space ch5_shared.gpu global share/2^16", "4.3%"),
        ("limit ch5_shared.gpu max_threads_per_block", "1,024"),
        ("limit ch5_shared.gpu multiprocessors", "132"),
        ("limit ch5_shared.gpu sm_clock_mhz", "1,980\u{a0}MHz"),
        ("limit ch5_shared.gpu datasheet", "4,917\u{a0}GB/s"),
    ] {
        assert_eq!(repository.page(&format!("It is {{{{#{directive}}}}}.")), format!("It is {text}."));
    }
    for (directive, missing) in [
        ("space ch5_shared.gpu local clocks", "no memory space `local`; there are: shared, global"),
        ("space ch5_shared.gpu shared time", "no field `time`; there are: clocks, gbps"),
        ("space ch5_shared.gpu shared rate/many", "wants bytes after the slash"),
        ("space ch5_shared.gpu shared", "wants three arguments"),
        ("limit ch5_shared.gpu max_grid", "no limit `max_grid`; there are: max_threads_per_block"),
        ("limit ch5_shared.gpu", "wants two arguments"),
        ("value ch5_shared.gpu dotBarriersMispaired n=33792 error", "no error of a right result"),
    ] {
        let error = repository.error(&format!("{{{{#{directive}}}}}\n"));
        assert!(error.contains(missing), "{error}");
    }
}

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
        ("{{#exercise}}", "page.md:1:", "wants one argument", "{{#exercise 3.1}}"),
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
        ("{{#table ch3_blocks.gpu}}", "page.md:1:", "wants arguments", "{{#table STEM.KIND FIELD"),
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
            "wants",
            "{{#value STEM.KIND KERNEL n=N [block=B] FIELD}}",
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
            "{{#ratio ch3_blocks.sim reduceNeighbored reduceInterleaved n=2^16 divergent_branches}}",
            "page.md:1:",
            "divergent_branches of reduceInterleaved is 0",
            "",
        ),
        (
            "{{#ratio ch3_blocks.sim reduceNeighbored other n=2^16 barriers}}",
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
            "cell, table, chart, code, record, kernels, exercise,",
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

/// A chapter on each device kind, so that no kind is forgotten in a cell.
#[test]
fn a_chapter_without_kernels_has_a_cell() {
    let page = Repository::new().page("{{#cell ch1_serial}}\n");
    assert!(page.contains("<strong>Recorded on Fixture CPU</strong>"), "{page}");
    assert!(page.contains("<figcaption>Fixture CPU · <time>2026-02-03</time>"), "{page}");
    assert_eq!(fixtures::serial_on_cpu().device.kind, DeviceKind::Cpu);
}
