//! Asynchronous copies that are not waited for: their commit, and the wait.

use super::candidate::Candidate;
use super::change::Edit;
use super::finding::Finding;
use super::places::{Gap, Pair, Place, is_barrier, spot};
use super::statements::{List, Source, Statement, Step};

const BLOCK: &str = "__syncthreads();";
const COMMIT: &str = "__pipeline_commit();";
const WAIT: &str = "__pipeline_wait_prior(0);";

/// A wait that is too short, and one that is missing.
pub fn waits(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let Some(accessed) = finding.lines.first().and_then(|line| spot(source, *line)) else {
        return Vec::new();
    };
    let Some(copied) = finding.lines.last().and_then(|line| spot(source, *line)) else { return Vec::new() };
    if accessed.function != copied.function {
        return Vec::new();
    }
    let function = &source.functions[copied.function];
    let mut all = Vec::new();
    for wait in found(source, function.list(), "__pipeline_wait_prior(") {
        all.extend(commit_before(source, wait));
        all.extend(longer(source, wait.statement()));
    }
    let pair = Pair::of(&function.path_of(copied.place), &function.path_of(accessed.place));
    all.extend(pair.map(|pair| missing(source, &pair)).unwrap_or_default());
    all
}

/// The statements of a list, and of those in it, that begin with a text.
fn found<'s>(source: &Source, list: List<'s>, text: &str) -> Vec<Step<'s>> {
    let mut all = Vec::new();
    for (index, statement) in list.statements.iter().enumerate() {
        if source.text[statement.range.clone()].starts_with(text) {
            all.push(Step { list, index });
        }
        all.extend(statement.lists().into_iter().flat_map(|list| found(source, list, text)));
    }
    all
}

/// The commit that comes right after a wait, before it.
fn commit_before(source: &Source, wait: Step) -> Option<Candidate> {
    let text = |statement: &Statement| &source.text[statement.range.clone()];
    let commit = wait.list.statements.get(wait.index + 1).filter(|next| text(next) == COMMIT)?;
    let line = source.lines.line(commit.range.start);
    let place = Place::before(source, Gap { list: wait.list, index: wait.index });
    let says = format!("move `{COMMIT}` from line {line} to {}", place.says());
    let mut edits = place.put(source, COMMIT);
    edits.push(Edit::replace(commit.range.clone(), ""));
    Some(Candidate::new(says, edits))
}

/// A wait for one more group, and for all.
fn longer(source: &Source, wait: &Statement) -> Vec<Candidate> {
    let text = &source.text[wait.range.clone()];
    let line = source.lines.line(wait.range.start);
    let groups = text.split(['(', ')']).nth(1).and_then(|groups| groups.trim().parse().ok());
    let one_less = groups.and_then(|groups: u32| groups.checked_sub(1)).filter(|groups| *groups > 0);
    let put = |wait_for: String| {
        let says = format!("put `{wait_for}` in line {line}, in place of `{text}`");
        Candidate::new(says, vec![Edit::replace(wait.range.clone(), wait_for)])
    };
    let one_less = one_less.map(|groups| format!("__pipeline_wait_prior({groups});"));
    one_less.into_iter().chain([WAIT.to_string()]).filter(|wait| wait != text).map(put).collect()
}

/// A wait between a copy and an access: before the barrier that stands there, or with one.
fn missing(source: &Source, pair: &Pair) -> Vec<Candidate> {
    let Some(list) = pair.list() else { return Vec::new() };
    let barrier = (pair.first..pair.second).find(|index| is_barrier(source, list, *index));
    let index = barrier.unwrap_or(pair.second);
    let place = Place::before(source, Gap { list, index });
    let between = list.statements[pair.first].range.start..list.statements[index].range.start;
    let with_a_commit = format!("{COMMIT} {WAIT}");
    let waits = if source.text[between].contains("__pipeline_commit") {
        vec![WAIT.to_string()]
    } else {
        vec![WAIT.to_string(), with_a_commit]
    };
    let with_a_barrier = waits.iter().map(|wait| format!("{wait} {BLOCK}")).filter(|_| barrier.is_none());
    let all: Vec<String> = waits.iter().cloned().chain(with_a_barrier).collect();
    all.iter().map(|statements| place.candidate(source, statements)).collect()
}
