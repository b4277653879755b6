//! Chapter 4: the area under a curve.

use std::path::Path;

use rayon::prelude::*;
use workbook::chapters::ch4_quadrature;

use super::{names, run};

#[test]
fn every_way_of_dividing_intervals_finds_the_area_of_the_serial_recursion() {
    let cases: Vec<(u64, u32)> = [0, 1, 2, 31, 33, 1000, 1025, 4097, 20_001]
        .into_iter()
        .flat_map(|n| [32, 96, 256, 1000].map(|block| (n, block)))
        .collect();
    cases.par_iter().for_each(|(n, block)| {
        let line = format!("--device sim --n {n} --block {block} --json");
        let run = run(&format!("area-{n}-{block}"), "ch4_quadrature", &line);
        assert_eq!(run.status(), Some(0), "{line}\n{}", run.stderr());
        let json = run.json();
        let all = ["depthFirst", "divideLevel", "divideLevelGraph", "gpuRecursiveDivide"];
        assert_eq!(names(&json["runs"]), all);
        for run in json["runs"].as_array().unwrap() {
            assert_eq!((&run["ok"], &run["sum"]), (&true.into(), &run["expected"]), "{line} {run}");
            assert_eq!(run["expected"].as_i64().unwrap() > 0, *n > 1, "{line}");
        }
    });
    let many = run("area-many", "ch4_quadrature", "--device sim --n 32_769");
    assert_eq!(many.status(), Some(2));
    assert!(many.stderr().contains("--n 32768 or less"), "{}", many.stderr());
}

/// The figure on the page is the one that the code draws: `WORKBOOK_BLESS=1 cargo test --test chapters figure`.
#[test]
fn the_figure_of_the_intervals_is_drawn_from_the_recursion() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/src/ch4_quadrature.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let start = page.find("<svg").expect("a figure");
    let end = page.find("</svg>").expect("a figure") + "</svg>".len();
    let figure = ch4_quadrature::figure();
    if std::env::var_os("WORKBOOK_BLESS").is_some() {
        std::fs::write(&path, [&page[..start], &figure, &page[end..]].concat()).unwrap();
    } else {
        assert_eq!(&page[start..end], figure, "run it with WORKBOOK_BLESS=1");
    }
}
