//! Elements beyond the ends of an array: neighbours, the edges of a matrix, rows that are counted in bytes.

use super::assignment::subscripts;
use super::candidate::Candidate;
use super::change::Edit;
use super::finding::Finding;
use super::statements::{Kind, Source, Statement, Step};

/// 0 in place of each element that is not there, in the statement of a finding and in those beside it: where
/// a matrix is loaded by two lines, both need it.
pub fn zeros(source: &Source, step: Step, finding: &Finding) -> Option<Candidate> {
    let zero = |read: &Read| {
        let condition = within(read.index, finding).or_else(|| is_there(read.index, finding))?;
        Some(format!("({condition} ? {} : 0)", read.text))
    };
    proposed(source, step, "read 0 where there is no element", zero)
}

/// The first or the last element in place of each that is not there.
pub fn clamped(source: &Source, step: Step, finding: &Finding) -> Option<Candidate> {
    let nearest = |read: &Read| {
        let index = match (read.index.contains('-'), finding.limits.first()) {
            (true, _) => format!("max({}, 0)", read.index),
            (false, Some(limit)) if read.index.contains('+') => format!("min({}, {limit} - 1)", read.index),
            _ => return None,
        };
        Some(read.text.replacen(read.index, &index, 1))
    };
    proposed(source, step, "read the nearest element where there is none", nearest)
}

/// `y * (pitch / sizeof(a[0]))` for `y * pitch` in the index of an element of `a`: the width of a row in
/// elements, where it may be one in bytes.
pub fn elements_for_bytes(
    source: &Source,
    statement: &Statement,
    (array, index): (&str, &str),
) -> Vec<Candidate> {
    let offset = index.as_ptr() as usize - source.text.as_ptr() as usize;
    let is_name = |factor: &&str| factor.chars().all(|c| c.is_alphanumeric() || c == '_');
    let products = parts(index, '+').into_iter().map(|term| parts(term, '*')).filter(|all| all.len() == 2);
    let widths = products.flat_map(|all| all.into_iter().skip(1)).filter(is_name);
    let candidate = |width: &str| {
        let start = offset + (width.as_ptr() as usize - index.as_ptr() as usize);
        let elements = format!("({width} / sizeof({array}[0]))");
        let line = source.lines.line(statement.range.start);
        let says =
            format!("count elements, not bytes: put `{elements}` in line {line}, in place of `{width}`");
        Candidate::new(says, vec![Edit::replace(start..start + width.len(), elements)])
    };
    widths.map(candidate).collect()
}

/// An element that a statement reads: `in[i - 1]`
struct Read<'a> {
    text: &'a str,
    index: &'a str,
    /// In the source.
    start: usize,
}

/// The elements that a statement reads to the right of its `=`.
fn reads<'a>(source: &Source<'a>, statement: &Statement) -> Vec<Read<'a>> {
    let text = &source.text[statement.range.clone()];
    let Some(equals) = text.find('=').filter(|_| matches!(statement.kind, Kind::Plain)) else {
        return Vec::new();
    };
    let offset = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let read = |(array, index): (&'a str, &'a str)| {
        let start = offset(array);
        let end = offset(index) + index.len();
        let end = end + text[end..].find(']')? + 1;
        (start > equals).then(|| Read {
            text: &text[start..end],
            index,
            start: statement.range.start + start,
        })
    };
    subscripts(text).into_iter().filter_map(read).collect()
}

/// The edit of all elements for which there is `another` text, if one is in the statement of `step`.
fn proposed(
    source: &Source,
    step: Step,
    what: &str,
    another: impl Fn(&Read) -> Option<String>,
) -> Option<Candidate> {
    let edits = |statement: &Statement| -> Vec<Edit> {
        let edit =
            |read: &Read| Some(Edit::replace(read.start..read.start + read.text.len(), another(read)?));
        reads(source, statement).iter().filter_map(edit).collect()
    };
    if edits(step.statement()).is_empty() {
        return None;
    }
    let all: Vec<Edit> = step.list.statements.iter().flat_map(edits).collect();
    let place = |edit: &Edit| format!("`{}` in line {}", edit.text, source.lines.line(edit.range.start));
    let places: Vec<String> = all.iter().map(place).collect();
    Some(Candidate::new(format!("{what}: put {}", places.join(", ")), all))
}

/// `i >= 1` for the index `i - 1`; `i + 1 < n` for `i + 1`.
fn is_there(index: &str, finding: &Finding) -> Option<String> {
    match index.split_once('-') {
        Some((from, by)) => Some(format!("{} >= {}", from.trim(), by.trim())),
        None if index.contains('+') => Some(format!("{index} < {}", finding.limits.first()?)),
        None => None,
    }
}

/// What keeps the index `row * n + column` within a matrix of `m` rows: `row < m && column < n`.
fn within(index: &str, finding: &Finding) -> Option<String> {
    let terms = parts(index, '+');
    finding.shapes.iter().find_map(|(rows, columns)| {
        let number = terms.iter().position(|term| parts(term, '*').contains(&columns.as_str()))?;
        let product = parts(terms[number], '*');
        let row: Vec<&str> = product.into_iter().filter(|factor| factor != columns).collect();
        let column: Vec<&str> = [&terms[..number], &terms[number + 1..]].concat();
        let is_known = !row.is_empty() && !column.is_empty() && !index.contains('-');
        is_known.then(|| format!("{} < {rows} && {} < {columns}", row.join(" * "), column.join(" + ")))
    })
}

/// The parts of an expression between the signs that stand in no brackets.
fn parts(text: &str, sign: char) -> Vec<&str> {
    let mut depth = 0;
    let parts = text.split(|c: char| {
        depth += i32::from(c == '(' || c == '[') - i32::from(c == ')' || c == ']');
        depth == 0 && c == sign
    });
    parts.map(str::trim).collect()
}
