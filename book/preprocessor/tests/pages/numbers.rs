//! What was measured comes from a record: no prose has digits with a unit, but for the few that nobody here
//! measured.

use std::fmt::Write;

use crate::page::{Page, pages};

const UNITS: [&str; 25] = [
    "ns", "µs", "us", "ms", "s", "second", "seconds", "kB/s", "MB/s", "GB/s", "TB/s", "kB", "MB", "GB", "TB",
    "MHz", "GHz", "clocks", "thousand", "million", "billion", "%", "×", "times", "-fold",
];

/// Page, number with its unit, and why it may be typed.
const TYPED: [(&str, &str, &str); 19] = [
    ("appendix_nesting.md", "860 MB", "the guide's"),
    ("appendix_posts.md", "2 µs", "the post's"),
    ("appendix_posts.md", "196 µs", "the post's"),
    ("appendix_simulate.md", "1,024 times", "what an argument says"),
    ("appendix_timing.md", "60 MB", "the data sheet's"),
    ("bytes_in_flight.md", "100%", "threads that are there over those that fit"),
    ("bytes_in_flight.md", "75%", "threads that are there over those that fit"),
    ("bytes_in_flight.md", "12.5%", "threads that are there over those that fit"),
    ("ch3_blocks.md", "50%", "threads that are there over those that fit"),
    ("ch4_nested.md", "16 times", "512 threads over 32"),
    ("ch5_floats.md", "26 million", "counted out in the sentence"),
    ("ch7_limit.md", "3.456 ms", "Harris's"),
    ("ch7_limit.md", "0.268 ms", "Harris's"),
    ("ch8_combine.md", "25 GB/s", "the data sheet's"),
    ("ch8_combine.md", "450 GB/s", "the data sheet's"),
    ("ch8_combine.md", "900 GB/s", "the data sheet's"),
    ("ch8_streamed.md", "141 GB", "the data sheet's"),
    ("glossary.md", "4.8 TB/s", "the data sheet's"),
    ("glossary.md", "60 MB", "the data sheet's"),
];

/// What a reader reads of `page`, without its directives, its code and its drawings.
fn prose(page: &Page) -> String {
    let mut in_drawing = false;
    let mut text = String::new();
    for line in page.lines() {
        in_drawing |= line.trim_start().starts_with("<svg");
        if !in_drawing {
            text += line;
            text += "\n";
        }
        in_drawing &= !line.contains("</svg>");
    }
    let mut parts = text.split("{{#");
    let first = parts.next().unwrap_or_default().to_string();
    let read =
        parts.fold(first, |read, part| read + " " + part.split_once("}}").map_or(part, |(_, after)| after));
    read.split('`').step_by(2).collect::<Vec<_>>().join(" code ")
}

/// Every number with a unit, as `1,045 billion` or `12.5%`.
fn measures(prose: &str) -> Vec<String> {
    let is_digit = |c: char| c.is_ascii_digit() || c == ',' || c == '.';
    let bare =
        |word: &str| word.trim_end_matches(|c: char| !(c.is_alphanumeric() || "%×".contains(c))).to_string();
    let mut found = Vec::new();
    let mut words = prose.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let number = &word[..word.find(|c| !is_digit(c)).unwrap_or(word.len())];
        let next = words.peek().copied().unwrap_or_default();
        if !number.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        // A cross between blanks multiplies.
        if number == word && next != "×" && UNITS.contains(&&*bare(next)) {
            found.push(format!("{number} {}", bare(next)));
        } else if UNITS.contains(&&*bare(&word[number.len()..])) {
            found.push(bare(word));
        }
    }
    found
}

#[test]
fn numbers_with_units_come_from_records() {
    let found: Vec<(String, String)> = pages()
        .iter()
        .flat_map(|page| measures(&prose(page)).into_iter().map(|measure| (page.file.clone(), measure)))
        .collect();
    let mut wrong = String::new();
    for (page, measure) in &found {
        if !TYPED.iter().any(|(of, typed, _)| of == page && typed == measure) {
            writeln!(wrong, "{page}: “{measure}” is typed; take it from a record, by {{{{#value …}}}}")
                .unwrap();
        }
    }
    for (of, typed, _) in TYPED {
        if !found.iter().any(|(page, measure)| of == page && typed == measure) {
            writeln!(wrong, "{of} has no “{typed}” any more, which this test would let pass").unwrap();
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn a_number_and_its_unit_are_seen_through_what_stands_around_them() {
    let text = "It took **11 µs**, 1.87× as long ({{#value a b}} GB/s), 12.5%, 4,813 GB/s. \
                2 × 4 = 8 of `3 ms` code, 2²⁴ s";
    let page = Page { file: String::new(), title: String::new(), number: None, text: text.to_string() };
    assert_eq!(measures(&prose(&page)), ["11 µs", "1.87×", "12.5%", "4,813 GB/s"]);
}
