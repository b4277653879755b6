//! A thread looks at an element and then takes it: another one may have looked in between.

use super::assignment::Assignment;
use super::candidate::Candidate;
use super::change::Edit;
use super::finding::Finding;
use super::places::spot;
use super::statements::{Kind, Source, Statement};

/// `if (atomicCAS(&x, 0, v) == 0)` for `if (x == 0) { x = v;`, where a line of the finding stands.
pub fn in_one_step(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = Vec::new();
    for line in &finding.lines {
        let Some(spot) = spot(source, *line) else { continue };
        for step in source.functions[spot.function].path_of(spot.place) {
            let claim = claim(source, step.statement());
            all.extend(claim.filter(|claim| all.iter().all(|known| known.says != claim.says)));
        }
    }
    all
}

fn claim(source: &Source, statement: &Statement) -> Option<Candidate> {
    let Kind::If { condition, then, otherwise: None } = &statement.kind else { return None };
    let (element, free) = looked_at(&source.text[condition.clone()])?;
    let taken = match &then.kind {
        Kind::Block(all) => all.first()?,
        _ => &**then,
    };
    let taking = Assignment::of(&source.text[taken.range.clone()]);
    let taking = taking.filter(|taking| taking.operator.is_none() && taking.left == element)?;
    let asks = format!("atomicCAS(&{element}, {free}, {}) == {free}", taking.right);
    let line = |place: usize| source.lines.line(place);
    let says = format!(
        "look and write in one step: put `if ({asks})` in line {}, and leave out the write in line {}",
        line(condition.start),
        line(taken.range.start)
    );
    let edits = vec![Edit::replace(condition.clone(), asks), Edit::replace(taken.range.clone(), ";")];
    Some(Candidate::new(says, edits))
}

/// The element that a condition looks at, and the value that it has to have: of `x[i] == -1`, and of `!x[i]`.
fn looked_at(condition: &str) -> Option<(&str, &str)> {
    let (element, free) = match condition.split_once("==") {
        Some((element, free)) => (element.trim(), free.trim()),
        None => (condition.trim().strip_prefix('!')?.trim(), "0"),
    };
    // A condition of several parts would take the element also where another part says no.
    let is_alone = |text: &str| !text.contains(['&', '|', '?', '=', '<', '>']);
    (is_alone(element) && is_alone(free)).then_some((element, free))
}
