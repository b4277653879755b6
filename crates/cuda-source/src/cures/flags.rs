//! A plain flag that a loop waits for becomes volatile or atomic. A compiler may read a plain one once, and
//! then the loop never ends.

use std::ops::Range;

use crate::lex::{Token, placed};

use super::assignment::Assignment;
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
        let waited_for =
            waits(source, function.list()).into_iter().flat_map(|head| words(&source.text[head]));
        for flag in waited_for {
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
    placed(text).into_iter().filter_map(|(_, token)| token.word()).collect()
}

/// The names in the innermost statement of a function that a line is in.
fn names_in<'a>(source: &Source<'a>, function: &Function, line: u32) -> Vec<&'a str> {
    let path = function.path(&source.lines, line);
    path.last().map(|step| words(&source.text[step.statement().range.clone()])).unwrap_or_default()
}

/// The heads of all loops without a body.
fn waits(source: &Source, list: List) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    for statement in list.statements {
        if let Kind::Loop { head, body } = &statement.kind {
            let text = &source.text[body.range.clone()];
            if text.chars().all(|c| "{};".contains(c) || c.is_whitespace()) {
                all.push(head.clone());
            }
        }
        all.extend(statement.lists().into_iter().flat_map(|list| waits(source, list)));
    }
    all
}

/// For each plain write in the lines of a finding, to what a loop without a body waits for: that both are
/// atomic.
pub fn made_atomic(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let mut all = Vec::new();
    for function in &source.functions {
        let lines = finding.lines.iter().map(|line| function.path(&source.lines, *line));
        for statement in lines.filter_map(|path| Some(path.last()?.statement())) {
            let text = &source.text[statement.range.clone()];
            let Some(Assignment { left, operator: None, right }) = Assignment::of(text) else { continue };
            let reads =
                waits(source, function.list()).into_iter().filter_map(|head| read(source, head, left));
            for read in reads {
                let address =
                    left.strip_prefix('*').map_or(format!("&{left}"), |pointer| pointer.to_string());
                let edits = vec![
                    Edit::replace(read.clone(), format!("atomicAdd({address}, 0)")),
                    Edit::replace(statement.range.clone(), format!("atomicExch({address}, {right});")),
                ];
                let [read, written] = [&edits[0], &edits[1]]
                    .map(|edit| format!("`{}` in line {}", edit.text, source.lines.line(edit.range.start)));
                let says =
                    format!("put {read} and {written}, in place of the plain read and write of `{left}`");
                all.push(Candidate::new(says, edits));
            }
        }
    }
    all
}

/// Where the head of a loop reads this element, which it names in the same words.
fn read(source: &Source, head: Range<usize>, element: &str) -> Option<Range<usize>> {
    let text = &source.text[head.clone()];
    let at = text.find(element)?;
    let (before, after) = (&text[..at], &text[at + element.len()..]);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole = !before.ends_with(|c: char| is_name(c) || c == '.' || c == '>')
        && !after.starts_with(|c: char| is_name(c) || ".[(".contains(c))
        && !after.starts_with("->");
    is_whole.then(|| head.start + at..head.start + at + element.len())
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
