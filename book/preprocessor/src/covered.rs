//! What a page covers until a reader asks for it, marked for the search: answers of predictions, hints and
//! solutions of exercises. They are found, but stand in no snippet: `theme/search.js` leaves out what lies
//! between two marks.

/// Invisible, and in no text of ours. Elements that are not shown hold them: the search index keeps the text
/// of a page without its elements.
const FROM: &str = "<span hidden>\u{2063}</span>";
const TO: &str = "<span hidden>\u{2064}</span>";

/// Classes of what is covered: `<details class="…">`.
const COVERED: [&str; 4] = ["\"predict\"", "\"exercise hint\"", "\"exercise solution\"", "\"exercise\""];

/// `html` between the marks.
pub fn out_of_snippets(html: &str) -> String {
    format!("{FROM}{html}{TO}")
}

/// The Markdown of a page with marks around the content of what it covers.
pub fn mark(page: &str) -> String {
    // Of each `<details>` that is open, whether it is covered; the summary of the innermost is still shown.
    let mut open: Vec<bool> = Vec::new();
    let mut marked = String::with_capacity(page.len());
    let mut in_code = false;
    for line in page.split_inclusive('\n') {
        if line.starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            marked += line;
            continue;
        }
        if let Some((_, attributes)) = line.split_once("<details") {
            open.push(
                COVERED.iter().any(|class| attributes.trim_start().starts_with(&format!("class={class}"))),
            );
        }
        let is_covered = open.last() == Some(&true);
        if line.trim_end() == "</details>" {
            open.pop();
            if is_covered {
                // An element of its own, which begins a block of HTML whatever stands before.
                marked += &format!("{}\n", TO.replace("span", "div"));
            }
            marked += line;
        } else if is_covered && line.trim_end().ends_with("</summary>") {
            marked += &line.replacen("</summary>", &format!("</summary>{FROM}"), 1);
        } else {
            marked += line;
        }
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stand_around_what_is_covered_alone() {
        let page = "Text\n<details class=\"predict\">\n<summary>Predict: 1 + 1?</summary>\n\nTwo.\n\n\
                    </details>\n\
                    <details>\n<summary>More</summary>\n\nShown.\n\n</details>\n";
        let marked = mark(page);
        let between = marked.split('\u{2063}').nth(1).and_then(|rest| rest.split_once('\u{2064}'));
        let (covered, after) = between.expect("two marks");
        assert!(covered.contains("Two.") && !covered.contains("1 + 1"), "{marked}");
        assert!(after.contains("Shown.") && !after.contains('\u{2063}'), "{marked}");
        assert_eq!(
            mark("```\n<details class=\"predict\">\n```\n"),
            "```\n<details class=\"predict\">\n```\n"
        );
    }
}
