//! Tables, charts and whole records.

use std::fs;

use super::*;

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
        "{{#table ch4_nested.gpu time kernel=gpuRecursiveReduce,gpuRecursiveReducePasses \
         n=2^10,2^20,2^26}}\n",
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
    let page = repository.page(
        "{{#table ch4_nested.gpu time,gbps,time-ratio \
         kernel=gpuRecursiveReduce,ch3_blocks.gpu/reduceNeighbored n=2^20}}\n",
    );
    let found = rows(&page);
    assert_eq!(found[0], ["kernel", "time", "GB/s", "speedup"]);
    assert_eq!((found[1][3].as_str(), found[2][0].as_str()), ("1.0×", "reduceNeighbored"));
    // Each beside the first, and beside the one above.
    let page = repository.page(
        "{{#table ch4_nested.gpu time-ratio,time-step \
         kernel=gpuRecursiveReduce,gpuRecursiveReducePasses,ch3_blocks.gpu/reduceNeighbored n=2^20}}\n",
    );
    let found = rows(&page);
    assert_eq!(found[0], ["kernel", "speedup", "gained"]);
    assert_eq!(found[1], ["gpuRecursiveReduce", "1.0×"]);
    assert_eq!(found[2], ["gpuRecursiveReducePasses", "19,000×", "19,000×"]);
    assert_eq!(found[3], ["reduceNeighbored", "23,000×", "1.2×"]);
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
            "max&#95;<wbr>threads&#95;<wbr>per&#95;<wbr>block</th>",
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
    let start = page.find("<figure").unwrap();
    let end = page.find("</figure>").unwrap();
    assert!(page[start..end].lines().all(|line| !line.trim().is_empty()));
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

    fs::write(repository.root.join("chapters/src/ch1_serial.rs"), "fn main() { edited() }\n").unwrap();
    let page = repository.page("{{#cell ch1_serial}}\n");
    assert!(page.contains("<code>chapters/src/ch1_serial.rs</code> has changed since"), "{page}");
}

#[test]
fn the_speed_is_that_of_the_recorded_bench() {
    let repository = Repository::new();
    let root = repository.root.join("benches");
    let missing = repository.error("{{#table benches/simulator}}\n");
    assert!(
        missing.contains("page.md:1: {{#table benches/simulator}}")
            && missing.contains("cargo bench -- --record"),
        "{missing}"
    );

    fs::create_dir_all(&root).unwrap();
    let write = |hash: &str| {
        let text = format!("<!-- ch3_blocks {hash} -->\n\n| kernel | rate |\n| --- | --- |\n| a | 7 |\n");
        fs::write(root.join("simulator.md"), text).unwrap();
    };
    let page = || repository.page("{{#table benches/simulator}}\n");
    write(&workbook::kernels::get("ch3_blocks").unwrap().code_hash);
    assert!(page().contains("| a | 7 |") && !page().contains("has changed since"), "{}", page());
    write("another");
    assert!(page().contains("<code>kernels/ch3_blocks.cu</code> has changed since"));
}

#[test]
fn the_sweep_is_the_recorded_one() {
    let repository = Repository::new();
    let root = repository.root.join("benches");
    let missing = repository.error("{{#table benches/limit f32}}\n");
    assert!(
        missing.contains("page.md:1: {{#table benches/limit f32}}")
            && missing.contains("cargo bench --bench limit"),
        "{missing}"
    );

    fs::create_dir_all(&root).unwrap();
    let write = |hash: &str| {
        let table = "| `f32`   |      2¹⁴ |\n| ------- | -------: |\n| digits  | **1.87** |\n";
        let text = format!("<!-- ch7_limit {hash} -->\n\n{table}\nFixture GPU · 2026-02-03\n");
        fs::write(root.join("limit.md"), text).unwrap();
    };
    let page = || repository.page("{{#table benches/limit f32}}\n");
    write(&workbook::kernels::get("ch7_limit").unwrap().code_hash);
    assert!(page().contains("| digits  | **1.87** |") && page().contains("Fixture GPU"), "{}", page());
    assert!(!page().contains("has changed since"), "{}", page());
    let none = repository.error("{{#table benches/limit i64}}\n");
    assert!(none.contains("no table of i64"), "{none}");
    write("another");
    assert!(page().contains("<code>kernels/ch7_limit.cu</code> has changed since"));
}

#[test]
fn one_chart_alone_with_its_provenance() {
    let page = Repository::new().page("{{#chart ch3_blocks.sim sectors}}\n");
    assert_eq!(page.matches("<svg").count(), 2, "for a page and for a phone");
    assert!(page.contains("aria-label=\"Global memory traffic against n, "), "{page}");
    assert!(page.contains("<figcaption>workbook simulator 0.1.0 · <time>2026-02-03</time>"), "{page}");
}

#[test]
fn times_over_the_shortest_at_each_size() {
    let repository = Repository::new();
    let page = repository
        .page("{{#chart ch4_nested.gpu over-best kernel=gpuRecursiveReduce,gpuRecursiveReducePasses}}\n");
    assert!(page.contains("time over the shortest at this n"), "{page}");
    assert!(page.contains("1.00×"), "{page}");
}
