//! Launches by device code: what a parent hands its child, and children side by side.

use crate::lex::Token;

use super::candidate::Candidate;
use super::change::Edit;
use super::finding::Finding;
use super::places::{Gap, spot};
use super::statements::{Owner, Source, Step, code};

/// The configuration of a launch: where each of its parts stands.
struct Launch {
    /// Of the kernel's name.
    place: usize,
    parts: Vec<std::ops::Range<usize>>,
}

/// The launches of a source, in its order.
fn launches(source: &Source) -> Vec<Launch> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(open) = source.text[rest..].find("<<<").map(|at| rest + at) {
        let Some(close) = source.text[open..].find(">>>").map(|at| open + at) else { break };
        rest = close;
        let tokens = code(&source.text[..open]);
        if let Some((place, Token::Word(_))) = tokens.last() {
            found.push(Launch { place: *place, parts: parts(source.text, open + 3..close) });
        }
    }
    found
}

/// What stands between commas that are in no parentheses.
fn parts(text: &str, range: std::ops::Range<usize>) -> Vec<std::ops::Range<usize>> {
    let mut parts = Vec::new();
    let mut start = range.start;
    let mut depth = 0;
    for (at, c) in text[range.clone()].char_indices().map(|(at, c)| (range.start + at, c)) {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(start..range.end);
    parts
}

/// The launches by device code of the functions that the finding's lines are in.
fn children(source: &Source, finding: &Finding) -> Vec<Launch> {
    let running: Vec<usize> =
        finding.lines.iter().filter_map(|line| Some(spot(source, *line)?.function)).collect();
    let mut all = launches(source);
    all.retain(|launch| {
        let name = code(&source.text[launch.place..]).first().map(|(_, token)| token.text());
        let is_of_one = running.iter().any(|number| Some(source.functions[*number].name) == name);
        is_of_one && source.function_at(launch.place).is_some()
    });
    all
}

/// Children in the stream that the launches of a block share, or after their parent.
pub fn one_stream(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let children = children(source, finding);
    let apart: Vec<&Launch> = children.iter().filter(|launch| launch.parts.len() == 4).collect();
    let mut candidates = Vec::new();
    if !apart.is_empty() {
        let shared = |launch: &&Launch| Edit::replace(launch.parts[3].clone(), " 0");
        let lines: Vec<String> =
            apart.iter().map(|launch| source.lines.line(launch.place).to_string()).collect();
        let says = format!(
            "launch the children in one stream: `0` as the stream in line {}",
            lines.join(" and line ")
        );
        candidates.push(Candidate::new(says, apart.iter().map(shared).collect()));
    }
    candidates.extend(tail(source, &children));
    candidates
}

/// A child that starts when its whole parent grid has ended.
pub fn as_tail(source: &Source, finding: &Finding) -> Option<Candidate> {
    tail(source, &children(source, finding))
}

fn tail(source: &Source, children: &[Launch]) -> Option<Candidate> {
    let last = children.last()?;
    let line = source.lines.line(last.place);
    let says = format!("launch it as the parent's tail: `cudaStreamTailLaunch` as the stream in line {line}");
    let end = last.parts.last().map_or(0, |part| part.end);
    let edit = match last.parts.len() {
        4 => Edit::replace(last.parts[3].clone(), " cudaStreamTailLaunch"),
        3 => Edit::replace(end..end, ", cudaStreamTailLaunch"),
        _ => Edit::replace(end..end, ", 0, cudaStreamTailLaunch"),
    };
    Some(Candidate::new(says, vec![edit]))
}

/// A barrier before the launch, which lets the child see what the whole block has written.
pub fn before_the_launch(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let put = |launch: &Launch| {
        let function = source.function_at(launch.place)?;
        let path = function.path_of(launch.place);
        let outside = |step: &&Step| step.list.of != Owner::Branch;
        let step = path.iter().rev().find(outside)?;
        let line = source.lines.line(step.statement().range.start);
        let writes = finding.lines.iter().any(|own| *own < line);
        let gap = Gap { list: step.list, index: step.index };
        let says = format!("put `__syncthreads();` before line {line}, which launches the child");
        writes.then(|| Candidate::new(says, gap.put(source, "__syncthreads();")))
    };
    launches(source).iter().filter_map(put).collect()
}
