//! Which lines of a listing another one lacks, and how a page marks them without a script.

use std::ops::Range;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices};

/// The lines of `after`, counted from 0, that `before` lacks, as ranges. Indentation does not count.
pub fn changed(before: &str, after: &str) -> Vec<Range<usize>> {
    let [before, after] = [before, after].map(|text| text.lines().map(str::trim).collect::<Vec<_>>());
    let changes = capture_diff_slices(Algorithm::Lcs, &before, &after);
    let lacking = changes.iter().filter(|change| change.tag() != DiffTag::Equal).map(DiffOp::new_range);
    lacking.filter(|range| !range.is_empty()).collect()
}

/// Bands of one line's height for the style sheet: `--marks` in the colour of a bar beside the lines,
/// `--tint` in that behind them. A gradient survives the script that colours the code.
pub fn style(changed: &[Range<usize>]) -> String {
    let bands = |ink: &str| {
        let band = |Range { start, end }: &Range<usize>| {
            format!(", transparent {start}lh, var({ink}) {start}lh {end}lh, transparent {end}lh")
        };
        format!("linear-gradient(transparent 0{})", changed.iter().map(band).collect::<String>())
    };
    format!("--marks: {}; --tint: {}", bands("--mark-bar"), bands("--mark-tint"))
}

/// `changed: lines 3–5, 8`
pub fn in_words(changed: &[Range<usize>]) -> String {
    let lines = |range: &Range<usize>| match range.len() {
        1 => range.end.to_string(),
        _ => format!("{}–{}", range.start + 1, range.end),
    };
    match changed {
        [] => "changed: some lines are gone".to_string(),
        [one] if one.len() == 1 => format!("changed: line {}", one.end),
        _ => format!("changed: lines {}", changed.iter().map(lines).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_the_other_listing_lacks_are_changed() {
        let before = "if (a) {\n    b;\n    c;\n}";
        assert_eq!(changed(before, "if (x) {\nb;\nd;\ne;\n}"), [0..1, 2..4]);
        assert!(changed(before, before).is_empty());
        assert!(changed(before, "b;").is_empty());
        assert_eq!(in_words(&[0..1, 2..4]), "changed: lines 1, 3–4");
        assert_eq!(in_words(&changed("", "x")), "changed: line 1");
    }

    #[test]
    fn bands_are_as_high_as_lines() {
        let style = style(&[0..1, 2..4]);
        assert!(style.contains("transparent 2lh, var(--mark-bar) 2lh 4lh, transparent 4lh"), "{style}");
    }
}
