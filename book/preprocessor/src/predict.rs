//! Predictions: what answers one is folded with its answer, so that no figure, table or sentence gives it
//! away.
//!
//! A page has the question and a short answer in `<details class="predict">`. What follows, up to the next
//! heading, prediction, exercise or whole record, belongs to the answer if a result is in either (a cell, a
//! table, a chart, a figure). Where that ends with a folded part, as the host's side, the part
//! stays outside. A line `<!-- answered -->` ends the answer earlier, or makes one of what has no result.

use std::ops::Range;

/// What begins a prediction.
const PREDICTION: &str = "<details class=\"predict\"";
/// What else ends an answer.
const OTHERS: [&str; 3] = [PREDICTION, "<details class=\"exercise-card\"", "<details class=\"record\""];
/// What a result begins with.
const RESULTS: [&str; 4] =
    ["<div class=\"cell\"", "<figure class=\"measured\"", "<figure class=\"film\"", "<div data-film="];
/// What a table in Markdown begins with: a result where it stands in the answer itself.
const TABLE: &str = "| ";
const ANSWERED: &str = "<!-- answered -->";
/// A run of the reader's own, which stands open.
const OWN: &str = "class=\"cell-out local\"";

/// A page, whose directives are replaced, with each prediction around all that answers it.
pub fn folded(page: &str) -> String {
    if !page.contains(PREDICTION) {
        return page.to_string();
    }
    let lines: Vec<&str> = page.split_inclusive('\n').collect();
    let mut text = String::new();
    let mut at = 0;
    while at < lines.len() {
        if !lines[at].starts_with(PREDICTION) {
            text += lines[at];
            at += 1;
            continue;
        }
        let end = end_of_details(&lines, at);
        let answer = answer(&lines, at..end);
        let whole = lines[at..end - 1].concat() + &lines[answer.clone()].concat();
        text += &if whole.contains(OWN) { whole.replacen("<details", "<details open", 1) } else { whole };
        text += if answer.is_empty() { "" } else { "\n" };
        text += "</details>\n";
        at = answer.end;
        if lines.get(at).is_some_and(|line| line.starts_with(ANSWERED)) {
            at += 1;
        }
    }
    text
}

/// Behind the line that ends the `<details>` which begins at the line `from`.
fn end_of_details(lines: &[&str], from: usize) -> usize {
    let mut depth = 0;
    for (number, line) in (from..).zip(&lines[from..]) {
        depth += line.matches("<details").count();
        depth -= line.matches("</details>").count().min(depth);
        if depth == 0 {
            return number + 1;
        }
    }
    lines.len()
}

/// The lines behind a prediction that belong to its answer.
fn answer(lines: &[&str], prediction: Range<usize>) -> Range<usize> {
    let is_result = |line: &&str| RESULTS.iter().any(|result| line.starts_with(result));
    let mut has_result =
        lines[prediction.clone()].iter().any(|line| is_result(line) || line.starts_with(TABLE));
    let from = prediction.end;
    let mut fence = None;
    let mut end = from;
    let mut at = from;
    while at < lines.len() {
        let line = lines[at];
        let ticks = line.chars().take_while(|c| *c == '`').count();
        match fence {
            Some(open) if ticks >= open => fence = None,
            Some(_) => {}
            None if ticks > 2 => fence = Some(ticks),
            None if line.starts_with(ANSWERED) => return from..at,
            None if line.starts_with('#') || OTHERS.iter().any(|other| line.starts_with(other)) => break,
            None if line.starts_with("<details") => {
                at = end_of_details(lines, at);
                continue;
            }
            None => has_result |= is_result(&line),
        }
        at += 1;
        if !line.trim().is_empty() {
            end = at;
        }
    }
    if has_result { from..end } else { from..from }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: &str =
        "<details class=\"predict\">\n<summary>Which?</summary>\n\nThe second.\n\n</details>\n";

    #[test]
    fn results_and_sentences_are_inside_and_folded_parts_behind_them_are_not() {
        let page = format!(
            "{QUESTION}\nThe two:\n\n<figure class=\"measured\">\n1\n</figure>\n\n<details>\nmachine code\n\
             </details>\n\nSo the second.\n\n<details>\n<summary>The host</summary>\n</details>\n\n## Next\n"
        );
        let folded = folded(&page);
        let (inside, behind) = folded.split_once("So the second.\n\n</details>\n").expect(&folded);
        assert!(inside.contains("The two:") && inside.contains("machine code"), "{inside}");
        assert_eq!(behind, "\n<details>\n<summary>The host</summary>\n</details>\n\n## Next\n");
        assert_eq!(inside.matches("<details").count(), inside.matches("</details>").count() + 1);
    }

    #[test]
    fn an_answer_without_results_ends_where_the_page_says() {
        let page = format!("{QUESTION}\nMore text.\n\n## Next\n");
        assert_eq!(folded(&page), page);
        let page = format!("{QUESTION}\nMore text.\n\n<!-- answered -->\n\nOther text.\n");
        let expected = "The second.\n\n\nMore text.\n\n\n</details>\n\nOther text.\n";
        assert!(folded(&page).ends_with(expected), "{}", folded(&page));
    }

    #[test]
    fn a_hash_in_code_is_no_heading() {
        let page = format!(
            "{QUESTION}\n```sh\n# a comment\n```\n\n<div class=\"cell\" id=\"cell-1\">\n\n</div>\n\n## Next\n"
        );
        assert!(folded(&page).ends_with("</div>\n\n</details>\n\n## Next\n"), "{}", folded(&page));
    }

    #[test]
    fn the_readers_own_run_stands_open() {
        let own = "<figure class=\"cell-out local\">\n</figure>\n";
        let page = format!("{QUESTION}\n<div class=\"cell\">\n{own}</div>\n");
        assert!(folded(&page).starts_with("<details open class=\"predict\">"), "{}", folded(&page));
    }
}
