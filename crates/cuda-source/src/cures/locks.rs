//! The number by which a thread takes a lock: one that never says that the lock is free.

use std::ops::Range;

use crate::lex::{Token, placed};

use super::candidate::Candidate;
use super::change::Edit;
use super::finding::Finding;
use super::places::spot;
use super::statements::Source;

const SWAP: &str = "atomicCAS";

/// Where the first line of a finding takes a lock by a number of its own: that number and one, there and
/// where the function compares with it.
pub fn own_number(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let Some(taken) = finding.lines.first().and_then(|line| spot(source, *line)) else { return Vec::new() };
    let function = &source.functions[taken.function];
    let path = function.path_of(taken.place);
    let Some(statement) = path.last().map(|step| step.statement()) else { return Vec::new() };
    let numbers: Vec<Range<usize>> =
        swaps(source, function.body.range.clone()).iter().filter_map(|swap| own(source, swap)).collect();
    if !numbers.iter().any(|number| statement.range.contains(&number.start)) {
        return Vec::new();
    }
    let edits: Vec<Edit> = numbers.iter().map(|number| plus_one(source, number)).collect();
    let says = edits.iter().map(|edit| {
        let (line, before) = (source.lines.line(edit.range.start), &source.text[edit.range.clone()]);
        format!("put `{}` in line {line}, in place of `{before}`", edit.text)
    });
    vec![Candidate::new(says.collect::<Vec<_>>().join("; and "), edits)]
}

/// The arguments of each compare-and-swap in a range: the word, what is compared, what is put there.
fn swaps(source: &Source, range: Range<usize>) -> Vec<[Range<usize>; 3]> {
    let text = &source.text[range.clone()];
    let tokens = placed(text);
    let of = |at: usize| {
        let is_call = tokens[at].1.is_word(SWAP) && tokens.get(at + 1)?.1.is_mark("(");
        is_call.then(|| arguments(&tokens[at + 1..]))??.try_into().ok()
    };
    let placed = (0..tokens.len()).filter_map(of);
    placed.map(|three: [Range<usize>; 3]| three.map(|one| trimmed(source, range.start, one))).collect()
}

/// The arguments between a `(` and its `)`.
fn arguments(tokens: &[(usize, Token)]) -> Option<Vec<Range<usize>>> {
    let mut all = Vec::new();
    let mut depth = 0;
    let mut start = tokens.first()?.0 + 1;
    for (place, token) in tokens {
        match token.text() {
            "(" | "[" => depth += 1,
            ")" if depth == 1 => {
                all.push(start..*place);
                return Some(all);
            }
            ")" | "]" => depth -= 1,
            "," if depth == 1 => {
                all.push(start..*place);
                start = place + 1;
            }
            _ => {}
        }
    }
    None
}

/// A range without the blanks at its ends, counted from the source's start.
fn trimmed(source: &Source, base: usize, range: Range<usize>) -> Range<usize> {
    let text = &source.text[base + range.start..base + range.end];
    let start = base + range.start + (text.len() - text.trim_start().len());
    start..start + text.trim().len()
}

/// The number of a thread's own in a compare-and-swap that takes a lock or gives it back.
fn own(source: &Source, [_, compared, put]: &[Range<usize>; 3]) -> Option<Range<usize>> {
    let is_number = |range: &Range<usize>| {
        let tokens = placed(&source.text[range.clone()]);
        tokens.iter().all(|(_, token)| matches!(token, Token::Number(_)))
    };
    match [compared, put].map(is_number) {
        [true, false] => Some(put.clone()),
        [false, true] => Some(compared.clone()),
        _ => None,
    }
}

fn plus_one(source: &Source, number: &Range<usize>) -> Edit {
    let text = &source.text[number.clone()];
    let binds_less = ["?", "<", ">", "=", "&", "|", "^"].iter().any(|mark| text.contains(mark));
    let text = if binds_less { format!("({text}) + 1") } else { format!("{text} + 1") };
    Edit::replace(number.clone(), text)
}
