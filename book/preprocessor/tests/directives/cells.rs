//! Cells: command, tables, charts, what a page needs to run them.

use std::fs;

use workbook::kernel_compiler::build::Build;
use workbook::kernels;
use workbook::text::number::size;

use super::*;

#[test]
fn a_cell_of_a_whole_chapter_has_the_command_and_each_record() {
    let page = Repository::new().page("{{#cell ch3_blocks}}\n");
    in_order(
        &page,
        &[
            "<div class=\"cell\" id=\"cell-1\">\n<p class=\"cell-label\">In [1]</p>\n\n```sh\ncargo run \
             --example ch3_blocks\n```\n",
            "<figure class=\"cell-out recorded\" data-kind=\"gpu\">",
            "Out [1]</span> <strong>Recorded on Fixture GPU</strong> · 1,048,576 elements, 512 threads per \
             block",
            "<div class=\"table-frame\" tabindex=\"0\" role=\"group\" aria-label=\"Out &#91;1&#93; on \
             Fixture GPU\">",
            "<th scope=\"row\">reduce<wbr>Neighbored</th>",
            "<figcaption>Fixture GPU · <time>2026-02-03</time> · source <code>",
            "<strong>Recorded on the simulator</strong>",
            "<figcaption>workbook simulator 0.1.0 · <time>2026-02-03</time> · \
             <a href=\"glossary.md#exact-counts\">exact counts</a>, no times · source <code>",
        ],
    );
    assert!(!page.contains("Your own run") && !page.contains("has changed"), "{page}");
}

#[test]
fn a_small_cell_has_its_kernels_its_size_its_columns_and_one_chart() {
    let repository = Repository::new();
    let page = repository.page(
        "{{#cell ch1_serial}}\n{{#cell ch3_blocks kernel=reduceInterleaved,reduceNeighbored n=2^18 \
         chart=divergence columns=sum,divergent on=sim}}\n",
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
            "The simulator says of <code>reduceNeighboredLess</code>:</p>\n<pre><code \
             class=\"language-text\">error&#91;data-race&#93;: here&#10; --&gt; \
             kernels/k.cu:2\n</code></pre>\n",
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
    let manifest = r#"{"chapters": ["ch1_serial", "ch3_blocks", "ch4_nested"]}"#;
    let edits = "== ch3_blocks no-barrier: there's no barrier\nkernels reduceNeighbored\n\
                 @@ reduceNeighbored\n\
                 -        __syncthreads();\n+        // no barrier\n";
    fs::write(repository.root.join("kernels/what_ifs.edits"), edits).unwrap();
    let path = repository.root.join("book/src/live/manifest.json");
    fs::write(&path, manifest).unwrap();
    let page = repository.page(cells);
    let live: Vec<&str> = page.lines().filter(|line| line.contains("data-live")).collect();
    let [whole, small, gpu, cpu] = live[..] else { panic!("all but one without counts: {live:?}") };
    in_order(
        whole,
        &[
            "id=\"cell-1\" data-live='{\"stem\":\"ch3_blocks\",\"simulated\":true,\"kernels\":[],\"n\":65536,\
             \"block\":512,",
            "\"most\":262144,",
            "\"file\":\"kernels/ch3_blocks.cu\",\"edits\":true",
            "\"what_ifs\":[{\"label\":\"there&#39;s no barrier\",\
             \"lines\":[{\"line\":31,\"text\":\"        // no barrier\"}],\
             \"name\":\"no-barrier\"}]",
        ],
    );
    in_order(small, &["\"n\":1024,", "\"asks_n\":true", "\"columns\":[\"sum\",\"divergent\"]", "no-barrier"]);
    in_order(gpu, &["[\"reduceInterleaved\"]", "\"n\":1024,", "\"columns\":[]", "\"what_ifs\":[]"]);
    in_order(cpu, &["\"ch1_serial\",\"simulated\":false", "\"block\":null", "\"file\":null,\"edits\":false"]);
    let version =
        |page: &str| page.lines().find(|line| line.contains("data-book-version")).map(str::to_owned);
    let before = version(&page);
    assert!(before.is_some(), "{page}");
    assert_eq!(version(&repository.page(cells)), before);
    fs::write(path.with_file_name("cells.js"), "// another").unwrap();
    assert_ne!(
        version(&repository.page(cells)),
        before,
        "a page that runs other scripts is of another version"
    );
    let build = fs::read(path.with_file_name("ch3_blocks.json")).unwrap();
    let build: Build = serde_json::from_slice(&build).unwrap();
    let own = Build { fatbin: build.fatbin.clone(), ..kernels::get("ch3_blocks").unwrap().clone() };
    assert_eq!(build, own, "what the page fetches");
    let headers = fs::read_to_string(path.with_file_name("headers.json")).unwrap();
    assert!(headers.starts_with("{\"/kernels/clang/cuda.h\":\"#define __global__"), "{headers}");
    assert!(!headers.contains("clang/host"), "{headers}");
    let host = fs::read_to_string(path.with_file_name("host_headers.json")).unwrap();
    assert!(host.contains("\"/kernels/clang/host/program.h\":"), "{host}");
    fs::write(&path, "{}").unwrap();
    let error = repository.error("{{#cell ch3_blocks}}\n");
    assert!(error.contains("book/src/live/manifest.json: build it again"), "{error}");
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

/// Its sweep has the cell's size too, which comes second.
#[test]
fn the_size_that_a_reader_asked_for_comes_first() {
    let repository = Repository::new();
    let mut own = fixtures::single(&fixtures::nested_on_gpu());
    let swept = own.runs.clone();
    own.n = 77_777;
    own.runs.iter_mut().for_each(|run| run.n = 77_777);
    own.sweep = swept;
    let cell = "{{#cell ch4_nested kernel=gpuRecursiveReduce n=2^20 columns=time chart=block}}\n";
    let shown = |options: &str| {
        let command = format!("cargo run --example ch4_nested{options}");
        repository.add(&Record { command, ..own.clone() }, "book/records/local");
        repository.page(cell)
    };

    let page = shown(" -- --n 77_777");
    in_order(
        &page,
        &[
            "<strong>Recorded on Fixture GPU</strong>",
            "<strong>Your own run on Fixture GPU</strong> · 77,777 elements",
            "Another size: n = 77,777 here, and 2^20 in the recorded run.",
            "<strong>Your own run on Fixture GPU</strong> · 1,048,576 elements",
            "The same results, as long as in the recorded run.",
        ],
    );
    assert_eq!(page.matches("Your own run").count(), 2, "{page}");

    let page = shown("");
    assert_eq!(page.matches("Your own run").count(), 1, "no size was asked for: {page}");
    assert!(!page.contains("77,777"), "{page}");
}

/// Beside the recorded run: identical, slower, of another size, with another result.
#[test]
fn the_readers_own_run_says_what_differs() {
    let recorded = fixtures::single(&fixtures::nested_on_gpu());
    let said = |change: fn(&mut Record)| {
        let repository = Repository::new();
        let mut own = recorded.clone();
        change(&mut own);
        repository.add(&own, "book/records/local");
        let page = "<details class=\"predict\">\n<summary>?</summary>\n\nYes.\n\n</details>\n\n\
                    {{#cell ch4_nested kernel=gpuRecursiveReduce}}\n";
        let page = repository.page(page);
        assert!(page.contains("<details open class=\"predict\">"), "it is always open: {page}");
        let (_, said) = page.split_once("<p class=\"cell-note differs\"><strong>").expect(&page);
        said.split_once("</strong>").unwrap().0.to_string()
    };
    let slower = |own: &mut Record| {
        own.device.name = "Another GPU".to_string();
        for time in own.runs.iter_mut().filter_map(|run| run.time_us.as_mut()) {
            time.median *= 1.8;
        }
    };
    assert_eq!(said(|_| {}), "The same results, as long as in the recorded run.");
    assert_eq!(said(slower), "The same results, 1.8 times as long as on the Fixture GPU.");
    assert_eq!(
        said(|own| own.runs.iter_mut().for_each(|run| run.n = 1000)),
        format!("Another size: n = 1,000 here, and {} in the recorded run.", size(recorded.n))
    );
    assert_eq!(
        said(|own| own.runs.iter_mut().for_each(|run| run.ok = false)),
        "Other than in the recorded run: check. It took as long as in the recorded run."
    );
}

/// A chapter on each device kind, so that no kind is forgotten in a cell.
#[test]
fn a_chapter_without_kernels_has_a_cell() {
    let page = Repository::new().page("{{#cell ch1_serial}}\n");
    assert!(page.contains("<strong>Recorded on Fixture CPU</strong>"), "{page}");
    assert!(page.contains("<figcaption>Fixture CPU · <time>2026-02-03</time>"), "{page}");
    assert_eq!(fixtures::serial_on_cpu().device.kind, DeviceKind::Cpu);
}

#[test]
fn two_records_of_different_sizes_are_not_taken_for_one() {
    let repository = Repository::new();
    let page = repository.page("{{#cell ch3_blocks kernel=reduceNeighbored}}\n");
    in_order(&page, &["1,048,576 elements", "65,536 elements", "Another size than above: n = 2¹⁶, not 2²⁰."]);
    assert_eq!(page.matches("Another size").count(), 1, "{page}");
    let page = repository.page("{{#cell ch3_blocks kernel=reduceNeighbored n=2^18}}\n");
    assert!(!page.contains("Another size"), "{page}");
}
