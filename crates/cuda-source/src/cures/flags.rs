//! A plain flag that a loop waits for becomes volatile. A compiler may read a plain one once, and then the
//! loop never ends.

use std::ops::Range;

use crate::lex::{Token, placed};

use super::candidate::Candidate;
use super::change::Edit;
use super::finding::Finding;
use super::statements::{Function, Kind, List, Source, code};

/// For each flag that the lines of a finding name and that a loop without a body waits for: that it is
/// declared volatile.
pub fn made_volatile(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let mut all = Vec::new();
    for function in &source.functions {
        let named: Vec<&str> =
            finding.lines.iter().flat_map(|line| names_in(source, function, *line)).collect();
        for flag in waited_for(source, function.list()) {
            if named.contains(&flag)
                && !source.volatiles.contains(&flag)
                && let Some(declared) = declared(source, function, flag)
            {
                all.push(candidate(source, flag, declared));
            }
        }
    }
    all
}

fn words(text: &str) -> Vec<&str> {
    placed(text).into_iter().filter_map(|(_, token)| word(token)).collect()
}

fn word(token: Token<'_>) -> Option<&str> {
    if let Token::Word(word) = token { Some(word) } else { None }
}

/// The names in the innermost statement of a function that a line is in.
fn names_in<'a>(source: &Source<'a>, function: &Function, line: u32) -> Vec<&'a str> {
    let path = function.path(&source.lines, line);
    path.last().map(|step| words(&source.text[step.statement().range.clone()])).unwrap_or_default()
}

/// The names in the heads of all loops without a body.
fn waited_for<'a>(source: &Source<'a>, list: List) -> Vec<&'a str> {
    let mut all = Vec::new();
    for statement in list.statements {
        if let Kind::Loop { head, body } = &statement.kind {
            let text = &source.text[body.range.clone()];
            if text.chars().all(|c| "{};".contains(c) || c.is_whitespace()) {
                all.extend(words(&source.text[head.clone()]));
            }
        }
        all.extend(statement.lists().into_iter().flat_map(|list| waited_for(source, list)));
    }
    all
}

/// Where a function has a parameter of this name, or the source a variable of the device.
fn declared(source: &Source, function: &Function, name: &str) -> Option<Range<usize>> {
    parameter(source, function, name).or_else(|| variable(source, name))
}

fn parameter(source: &Source, function: &Function, name: &str) -> Option<Range<usize>> {
    let before = &source.text[..function.body.range.start];
    let start = before.rfind(&format!("{}(", function.name))? + function.name.len();
    let tokens = placed(&before[start..]);
    let at = tokens.iter().position(|(_, token)| token.is_word(name))?;
    let is_end = |token: &Token| token.is_mark(",") || token.is_mark(")");
    tokens.get(at + 1).filter(|(_, token)| is_end(token))?;
    let first = tokens[..at].iter().rposition(|(_, token)| token.is_mark(",") || token.is_mark("("))? + 1;
    let place = |at: usize| start + tokens[at].0;
    Some(place(first)..place(at) + name.len())
}

/// `__device__ int flag`, as far as the name.
fn variable(source: &Source, name: &str) -> Option<Range<usize>> {
    let tokens = code(source.text);
    let is_end = |token: &Token| ["(", ")", "{", "}", ";"].iter().any(|mark| token.is_mark(mark));
    let is_device = |at: &usize| tokens[*at].1.is_word("__device__");
    let of = |at: usize| {
        let mut rest = tokens[at..].iter().take_while(|(_, token)| !is_end(token));
        let (place, _) = rest.find(|(_, token)| token.is_word(name))?;
        Some(tokens.get(at + 1)?.0..place + name.len())
    };
    (0..tokens.len()).filter(is_device).find_map(of)
}

fn candidate(source: &Source, flag: &str, declared: Range<usize>) -> Candidate {
    let text = format!("volatile {}", &source.text[declared.clone()]);
    let line = source.lines.line(declared.start);
    let says = format!("declare `{flag}`, which a loop waits for, as `{text}` in line {line}");
    Candidate::new(says, vec![Edit::replace(declared, text)])
}
