//! Slips of the host: memory that is not set to zero, the wrong one of two arrays that is copied back, whole
//! numbers that are divided.

use super::candidate::Candidate;
use super::change::Edit;
use super::finding::Finding;
use super::indices::{Tokens, in_place, is_mark, range};
use super::statements::{Source, code};

/// Tokens of a statement that are looked at, at most.
const LONGEST: usize = 64;

/// Another array of the device as the source of a copy to the host.
pub fn copies(source: &Source) -> Vec<Candidate> {
    let tokens = code(source.text);
    // What the host has filled is no result, unless it has changed places with one.
    let changes_places = tokens.iter().any(|(_, token)| token.is_word("swap"));
    let mut arrays = arrays(&tokens);
    arrays.retain(|array| changes_places || !is_filled(&tokens, array));
    let copy = |at: usize| {
        let end = end(&tokens, at);
        let is_back = tokens[at..end].iter().any(|(_, token)| token.is_word("cudaMemcpyDeviceToHost"));
        let mut depth = 0;
        let comma = (at + 1..end).find(|at| {
            depth += i32::from(is_mark(&tokens, *at, "(")) - i32::from(is_mark(&tokens, *at, ")"));
            depth == 1 && is_mark(&tokens, *at, ",")
        })?;
        let own = tokens.get(comma + 1)?.1.word().filter(|_| is_back && is_mark(&tokens, comma + 2, ","))?;
        let others = arrays.iter().filter(|other| **other != own);
        let place = range(&tokens, comma + 1, comma + 1);
        Some(others.map(|other| in_place(source, place.clone(), other)).collect::<Vec<_>>())
    };
    let copies = (0..tokens.len()).filter(|at| is_copy(&tokens, *at));
    copies.filter_map(copy).flatten().collect()
}

fn is_copy(tokens: &Tokens, at: usize) -> bool {
    ["cudaMemcpy", "cudaMemcpyAsync"].iter().any(|name| tokens[at].1.is_word(name))
        && is_mark(tokens, at + 1, "(")
}

/// Whether the host copies something to an array.
fn is_filled(tokens: &Tokens, array: &str) -> bool {
    (0..tokens.len()).filter(|at| is_copy(tokens, *at)).any(|at| {
        let statement = &tokens[at..end(tokens, at)];
        statement.iter().any(|(_, token)| token.is_word("cudaMemcpyHostToDevice"))
            && statement.get(2).is_some_and(|(_, token)| token.is_word(array))
    })
}

/// The last token of the statement around `at`.
fn end(tokens: &Tokens, at: usize) -> usize {
    let last = tokens.len().min(at + LONGEST);
    (at..last).find(|at| is_mark(tokens, *at, ";")).unwrap_or(last)
}

/// What `cudaMalloc` is given the addresses of.
fn arrays<'a>(tokens: &Tokens<'a>) -> Vec<&'a str> {
    let calls = (0..tokens.len()).filter(|at| tokens[*at].1.is_word("cudaMalloc"));
    let name = |at: usize| {
        let of = (at..end(tokens, at)).find(|at| is_mark(tokens, *at, "&"))?;
        tokens.get(of + 1)?.1.word()
    };
    let mut names: Vec<&str> = calls.filter_map(name).collect();
    names.dedup();
    names
}

/// Memory of a finding's line that allocates it, set to zero right after that.
pub fn set_to_zero(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let tokens = code(source.text);
    let is_named = |at: &usize| finding.lines.contains(&source.lines.line(tokens[*at].0));
    let calls = (0..tokens.len()).filter(|at| tokens[*at].1.is_word("cudaMalloc")).filter(is_named);
    let candidate = |at: usize| {
        let last = end(&tokens, at);
        let pointer =
            (at..last).find(|at| is_mark(&tokens, *at, "&")).and_then(|of| tokens.get(of + 1)?.1.word())?;
        let comma = (at..last).find(|at| is_mark(&tokens, *at, ","))?;
        let mut depth = 0;
        let close = (comma..last).find(|at| {
            depth += i32::from(is_mark(&tokens, *at, "(")) - i32::from(is_mark(&tokens, *at, ")"));
            depth < 0
        })?;
        let bytes = source.text[tokens[comma].0 + 1..tokens[close].0].trim();
        let (place, line) = (tokens.get(last)?.0 + 1, source.lines.line(tokens[at].0));
        let call = format!("cudaMemset({pointer}, 0, {bytes});");
        let says = format!("put `{call}` after line {line}");
        Some(Candidate::new(says, vec![Edit::replace(place..place, format!(" {call}"))]))
    };
    calls.filter_map(candidate).collect()
}

/// `(double)sum / n` for `sum / n`, where a number with a fraction is meant.
pub fn fractions(source: &Source) -> Vec<Candidate> {
    let tokens = code(source.text);
    let is_border = |at: &usize| [";", "{", "}"].iter().any(|mark| is_mark(&tokens, *at, mark));
    let quotient = |at: usize| {
        let left = at.checked_sub(1)?;
        let is_quotient = is_mark(&tokens, at, "/") && !is_mark(&tokens, at + 1, "=");
        let name =
            tokens[left].1.word().filter(|_| is_quotient && source.function_at(tokens[left].0).is_none())?;
        let start = (at.saturating_sub(LONGEST)..at).rev().find(is_border).map_or(0, |border| border + 1);
        let is_float = |(_, token): &(usize, crate::lex::Token)| {
            ["float", "double"].iter().any(|kind| token.is_word(kind))
        };
        // A cast is there already, or the name is a part of something.
        let is_alone = ![")", ".", "*", "/", "]"].iter().any(|mark| is_mark(&tokens, left - 1, mark));
        (is_alone && tokens[start..left].iter().any(is_float)).then(|| {
            let place = tokens[left].0;
            let line = source.lines.line(place);
            let says = format!("divide as numbers with a fraction: put `(double){name} /` in line {line}");
            Candidate::new(says, vec![Edit::replace(place..place, "(double)")])
        })
    };
    (1..tokens.len()).filter_map(quotient).collect()
}
