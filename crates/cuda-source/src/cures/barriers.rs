//! Barriers and fences: where one is missing, and out of a branch.

use super::assignment::Assignment;
use super::candidate::Candidate;
use super::change::{Edit, in_place_of_updates};
use super::finding::{Finding, Mistake, Sides};
use super::places::{Gap, Pair, Place, Spot, calls, spot};
use super::statements::{Kind, Owner, Source, Statement, Step};
use crate::lex::placed;

const BLOCK: &str = "__syncthreads();";
const WARP: &str = "__syncwarp();";
const FENCE: &str = "__threadfence();";

/// Calls of one function that are looked at.
const MAX_CALLS: usize = 4;

/// A barrier that may order two accesses.
pub fn missing(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let places = places(source, finding);
    let mut all = Vec::new();
    for (place, call) in &places {
        let says = format!("{}{call}", place.says());
        let put =
            |barrier: &str| Candidate::new(format!("put `{barrier}` {says}"), place.put(source, barrier));
        all.extend(barriers(source, finding, place.is_in_a_branch()).iter().map(|barrier| put(barrier)));
    }
    let steps = finding.lines.first().filter(|_| finding.is_of_one_line());
    all.extend(steps.map(|line| split(source, finding, *line)).unwrap_or_default());
    after_each(source, finding).into_iter().chain(all).collect()
}

/// A barrier after each of the steps that follow each other, if both lines are among them.
fn after_each(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let ends = [finding.lines.first(), finding.lines.last()].map(|line| spot(source, *line?));
    let [Some(a), Some(b)] = ends else { return Vec::new() };
    let function = &source.functions[a.function];
    let (path, other) = (function.path_of(a.place), source.functions[b.function].path_of(b.place));
    let holds_both = |step: &&Step| {
        let run = run_of(source, step);
        let is_in = |at: &Step| at.list.around == step.list.around && run.contains(&at.index);
        run.len() > 1 && other.iter().any(is_in)
    };
    let Some(step) = path.iter().rev().find(holds_both) else { return Vec::new() };
    let run = run_of(source, step);
    let lines =
        [run.start, run.end - 1].map(|index| source.lines.line(step.list.statements[index].range.start));
    let put = |barrier: &str| {
        let gaps = run.clone().map(|index| Gap { list: step.list, index: index + 1 });
        let edits = gaps.flat_map(|gap| gap.put(source, barrier)).collect();
        let says = format!("put `{barrier}` after each of lines {} to {}", lines[0], lines[1]);
        Candidate::new(says, edits)
    };
    if finding.mistake != Mistake::Race(Sides::Lanes) {
        return barriers(source, finding, false).iter().map(|barrier| put(barrier)).collect();
    }
    let steps = steps_of_a_warp(source, step);
    [put(WARP)].into_iter().chain(steps).chain([put(BLOCK)]).collect()
}

/// The updates that follow each other around a step, which is one of them; else nothing.
fn run_of(source: &Source, step: &Step) -> std::ops::Range<usize> {
    let is_update =
        |index: &usize| step.list.statements.get(*index).is_some_and(|own| Update::of(source, own).is_some());
    let first = (0..=step.index).rev().take_while(is_update).last();
    first.map_or(0..0, |first| first..first + (first..).take_while(is_update).count())
}

/// The barriers that may do, the one that fits any size of a block first; in a branch that of a warp.
fn barriers(source: &Source, finding: &Finding, is_in_a_branch: bool) -> Vec<String> {
    match finding.mistake {
        Mistake::Race(Sides::Lanes) if is_in_a_branch => vec![WARP.into(), BLOCK.into()],
        Mistake::Race(Sides::Lanes) => vec![BLOCK.into(), WARP.into()],
        Mistake::Race(Sides::Cluster) => {
            cluster(source).map(|name| format!("{name}.sync();")).into_iter().collect()
        }
        _ => vec![BLOCK.into()],
    }
}

/// A barrier of the whole grid, where the source has a name for that.
pub fn of_the_grid(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let Some(name) = group(source, "this_grid(") else { return Vec::new() };
    let barrier = format!("{name}.sync();");
    let places = places(source, finding).into_iter().filter(|(place, _)| !place.is_in_a_branch());
    places
        .map(|(place, call)| {
            let says = format!("put `{barrier}` {}{call}", place.says());
            Candidate::new(says, place.put(source, &barrier))
        })
        .collect()
}

/// What the source calls its cluster.
fn cluster<'a>(source: &Source<'a>) -> Option<&'a str> {
    group(source, "this_cluster(")
}

/// What the source calls the group that `of` gives: of `auto grid = cg::this_grid();` the `grid`.
fn group<'a>(source: &Source<'a>, of: &str) -> Option<&'a str> {
    let (before, _) = source.text.split_once(of)?;
    let declared = before.rsplit([';', '{', '}']).next()?.split_once('=')?.0;
    declared.split_whitespace().next_back()
}

impl Finding {
    fn is_of_one_line(&self) -> bool {
        self.lines.iter().all(|line| *line == self.lines[0])
    }
}

/// Where a barrier may order the two, and which call it stands at.
fn places<'s>(source: &'s Source, finding: &Finding) -> Vec<(Place<'s>, String)> {
    let ends = [finding.lines.first(), finding.lines.last()].map(|line| spot(source, *line?));
    let [Some(a), Some(b)] = ends else { return Vec::new() };
    if a.function == b.function {
        let own = places_of(source, a, b);
        let is_parted = pair_of(source, a, b).is_some_and(|pair| pair.is_parted(source));
        let own = own.into_iter().map(|place| (place, String::new()));
        let called = calls_of(source, a.function);
        // Where a barrier parts the two, another call is the other side.
        let several = called.len() > 1 && is_parted || finding.is_of_one_line();
        return if several { called.into_iter().chain(own).collect() } else { own.chain(called).collect() };
    }
    lifted(source, a, b)
}

fn pair_of<'s>(source: &'s Source, a: Spot, b: Spot) -> Option<Pair<'s>> {
    let function = &source.functions[a.function];
    Pair::of(&function.path_of(a.place), &function.path_of(b.place))
}

fn places_of<'s>(source: &'s Source, a: Spot, b: Spot) -> Vec<Place<'s>> {
    pair_of(source, a, b).map(|pair| pair.places(source)).unwrap_or_default()
}

/// Between two calls of a function, at the ends of a loop that holds one, and at the function's own ends.
fn calls_of<'s>(source: &'s Source, number: usize) -> Vec<(Place<'s>, String)> {
    let function = &source.functions[number];
    let spots: Vec<Spot> = calls(source, function).into_iter().take(MAX_CALLS).collect();
    let named = |place: Place<'s>| (place, format!(", which calls `{}`", function.name));
    let mut all = Vec::new();
    for pair in spots.windows(2).filter(|pair| pair[0].function == pair[1].function) {
        all.extend(places_of(source, pair[0], pair[1]).into_iter().map(named));
    }
    if let [only] = spots[..] {
        all.extend(places_of(source, only, only).into_iter().map(|place| (place, String::new())));
    }
    if !spots.is_empty() {
        all.extend(ends(source, number).map(|place| (place, String::new())));
    }
    all
}

/// Before the last statement of a function, and before its first.
fn ends<'s>(source: &'s Source, number: usize) -> impl Iterator<Item = Place<'s>> {
    let list = source.functions[number].list();
    let last = list.statements.len().saturating_sub(1);
    [last, 0].into_iter().filter_map(move |index| {
        list.statements.get(index)?;
        Some(Place::before(source, Gap { list, index }))
    })
}

/// Where a line and a call, or two calls, are in one function.
fn lifted<'s>(source: &'s Source, a: Spot, b: Spot) -> Vec<(Place<'s>, String)> {
    let with_calls = |spot: Spot| -> Vec<(Spot, Option<&str>)> {
        let function = &source.functions[spot.function];
        let called = calls(source, function).into_iter().take(MAX_CALLS);
        std::iter::once((spot, None)).chain(called.map(|call| (call, Some(function.name)))).collect()
    };
    let mut all = Vec::new();
    for (a, of_a) in with_calls(a) {
        for (b, of_b) in with_calls(b) {
            if a.function == b.function && a != b {
                let name = of_a.or(of_b).unwrap_or_default();
                let places = places_of(source, a, b).into_iter();
                all.extend(places.map(|place| (place, format!(" (`{name}` is called at one of its sides)"))));
            }
        }
    }
    all
}

/// In one line: reading, a barrier, and then writing; where steps of a warp follow each other, in each.
fn split(source: &Source, finding: &Finding, line: u32) -> Vec<Candidate> {
    let Some(spot) = spot(source, line) else { return Vec::new() };
    let path = source.functions[spot.function].path_of(spot.place);
    let mut all = Vec::new();
    if finding.mistake == Mistake::Race(Sides::Lanes) {
        all.extend(path.iter().rev().take(2).filter_map(|step| steps_of_a_warp(source, step)));
    }
    all.extend(path.iter().rev().take(2).filter_map(|step| step_of_a_block(source, step)));
    all
}

/// What reads an element and writes another one or the same, perhaps in an `if`.
struct Update<'a> {
    condition: Option<&'a str>,
    assignment: Assignment<'a>,
}

impl<'a> Update<'a> {
    fn of(source: &Source<'a>, statement: &Statement) -> Option<Update<'a>> {
        let (condition, inner) = match &statement.kind {
            Kind::Plain => (None, statement),
            Kind::If { condition, then, otherwise: None } => match &then.kind {
                Kind::Block(only) if only.len() == 1 => (Some(condition), &only[0]),
                _ => (Some(condition), &**then),
            },
            _ => return None,
        };
        let assignment = Assignment::of(&source.text[inner.range.clone()]).filter(Assignment::is_update)?;
        let condition = condition.map(|range| source.text[range.clone()].trim());
        matches!(inner.kind, Kind::Plain).then_some(Update { condition, assignment })
    }

    /// The same with `barrier` between reading and writing, which all threads reach.
    fn split(&self, source: &Source, barrier: &str) -> String {
        let value = fresh(source);
        let Update { condition, assignment } = self;
        let left = assignment.left;
        let result = assignment.result();
        match condition {
            None => format!("auto {value} = {result}; {barrier} {left} = {value};"),
            Some(condition) => format!(
                "auto {value} = {left}; if ({condition}) {value} = {result}; {barrier} if \
                 ({condition}) {left} = {value};"
            ),
        }
    }

    /// The same, with the barrier of a warp, and where its condition holds for all or none of that.
    fn split_in_a_warp(&self, source: &Source) -> String {
        let inner = Update { condition: None, assignment: self.assignment }.split(source, WARP);
        self.condition.map_or(format!("{{ {inner} }}"), |condition| format!("if ({condition}) {{ {inner} }}"))
    }
}

/// A name that the source has not.
fn fresh(source: &Source) -> String {
    let mut names = std::iter::once("value".to_string()).chain((2..).map(|n| format!("value{n}")));
    names.find(|name| !source.text.contains(name.as_str())).unwrap_or_default()
}

/// `text` in place of a statement, and `barrier` after it unless one stands there.
fn split_at(source: &Source, step: &Step, text: &str, barrier: &str) -> Edit {
    let next = step.list.statements.get(step.index + 1);
    let is_parted = next.is_some_and(|next| source.text[next.range.clone()].starts_with("__sync"));
    let is_last = next.is_none() && step.list.of == Owner::Function;
    let after = if is_parted || is_last { String::new() } else { format!(" {barrier}") };
    let text = format!("{text}{after}");
    let text = if step.list.has_braces || after.is_empty() { text } else { format!("{{ {text} }}") };
    Edit::replace(step.statement().range.clone(), text)
}

fn step_of_a_block(source: &Source, step: &Step) -> Option<Candidate> {
    let statement = step.statement();
    let text = Update::of(source, statement)?.split(source, BLOCK);
    let edits = vec![split_at(source, step, &format!("{{ {text} }}"), BLOCK)];
    let put = in_place_of_updates(source, &edits);
    Some(Candidate::new(format!("read first, then wait at a barrier, and then write: {put}"), edits))
}

/// Steps of a warp that follow each other.
fn steps_of_a_warp(source: &Source, step: &Step) -> Option<Candidate> {
    let update = |index: usize| Update::of(source, &step.list.statements[index]);
    let split = |index: usize| {
        let text = update(index)?.split_in_a_warp(source);
        Some(split_at(source, &Step { list: step.list, index }, &text, WARP))
    };
    let edits: Vec<Edit> = run_of(source, step).filter_map(split).collect();
    if edits.is_empty() {
        return None;
    }
    let put = in_place_of_updates(source, &edits);
    let says = format!("read first, let the warp wait, write, and let it wait again: {put}");
    Some(Candidate::new(says, edits))
}

/// The barrier of a branch, moved to where all come.
pub fn out_of_a_branch(source: &Source, finding: &Finding) -> Vec<Candidate> {
    finding.lines.iter().filter_map(|line| moved(source, *line)).collect()
}

fn moved(source: &Source, line: u32) -> Option<Candidate> {
    let spot = spot(source, line)?;
    let path = source.functions[spot.function].path(&source.lines, line);
    let number = path.iter().rposition(|step| step.list.of == Owner::Branch)?;
    let list = path[number].list;
    let is_barrier = |statement: &Statement| {
        let text = &source.text[statement.range.clone()];
        let is_here = source.lines.line(statement.range.start) == line;
        is_here && (text.starts_with("__syncthreads()") || text.ends_with(".sync();"))
    };
    let index = list.statements.iter().position(is_barrier)?;
    let barrier = &list.statements[index];
    let text = &source.text[barrier.range.clone()];
    let outer = path[number.checked_sub(1)?];
    let Kind::If { condition, otherwise, .. } = &outer.statement().kind else { return None };
    let is_first = index == 0;
    let is_last = index + 1 == list.statements.len();
    let condition = source.text[condition.clone()].trim();
    let branch = source.lines.line(outer.statement().range.start);
    if !is_first && !is_last {
        let between = format!("}} {text} if ({condition}) {{");
        let says = format!(
            "end the branch of line {branch} before the barrier, and begin it again after that: put \
             `{between}` in line {line}, in place of `{text}`"
        );
        let edits = vec![Edit::replace(barrier.range.clone(), between)];
        return otherwise.is_none().then(|| Candidate::new(says, edits));
    }
    let gap = Gap { list: outer.list, index: outer.index + usize::from(is_last) };
    let place = if is_last { "after" } else { "before" };
    let braces = gap.braces();
    let says = format!("move `{text}` from line {line} to {place} the branch of line {branch}{braces}");
    let empty = if list.has_braces { "" } else { ";" };
    let mut edits = vec![Edit::replace(barrier.range.clone(), empty)];
    edits.extend(gap.put(source, text));
    Some(Candidate::new(says, edits))
}

/// Fences where one block hands something to another: after what is written, and after what sees that it is.
pub fn fences(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let mut all = Vec::new();
    let (Some(&reads), Some(&writes)) = (finding.lines.first(), finding.lines.last()) else { return all };
    for (reads, writes) in [(reads, writes), (writes, reads)] {
        let published = after_line(source, writes);
        let observed = observed(source, reads);
        let both = [&published, &observed].into_iter().flatten();
        all.extend(both.map(|place| place.candidate(source, FENCE)));
        if let (Some(published), Some(observed)) = (&published, &observed) {
            let says = format!("put `{FENCE}` {} and {}", published.says(), observed.says());
            let mut edits = published.put(source, FENCE);
            edits.extend(observed.put(source, FENCE));
            all.push(Candidate::new(says, edits));
        }
        all.extend(published.map(|place| place.candidate(source, BLOCK)));
        if finding.is_of_one_line() {
            break;
        }
    }
    all
}

/// After the statement of a line.
fn after_line<'s>(source: &'s Source, line: u32) -> Option<Place<'s>> {
    let spot = spot(source, line)?;
    let path = source.functions[spot.function].path_of(spot.place);
    let step = path.last()?;
    Some(Place::after(source, Gap { list: step.list, index: step.index + 1 }))
}

fn is_strong(source: &Source, range: &std::ops::Range<usize>) -> bool {
    let text = &source.text[range.clone()];
    ["atomic", "volatile", ".load(", ".fetch_"].iter().any(|word| text.contains(word))
        || placed(text).iter().any(|(_, token)| source.volatiles.contains(&token.text()))
}

/// After the last atomic or volatile operation that comes before a line: there something was seen.
fn observed<'s>(source: &'s Source, line: u32) -> Option<Place<'s>> {
    let spot = spot(source, line)?;
    let path = source.functions[spot.function].path_of(spot.place);
    for (number, step) in path.iter().enumerate().rev() {
        let before = step.list.statements[..step.index].iter().enumerate().rev();
        let mut seen = before.filter(|(_, statement)| is_strong(source, &statement.range));
        if let Some((index, _)) = seen.next() {
            return Some(innermost(source, Step { list: step.list, index }));
        }
        let outer = number.checked_sub(1).map(|outer| path[outer].statement());
        if let Some(Kind::If { condition, .. }) = outer.map(|outer| &outer.kind)
            && is_strong(source, condition)
        {
            return Some(Place::before(source, Gap { list: step.list, index: 0 }));
        }
    }
    None
}

/// After the innermost statement that ends what a strong operation is part of.
fn innermost<'s>(source: &Source, step: Step<'s>) -> Place<'s> {
    let mut step = step;
    let inner = |step: &Step<'s>| {
        step.statement().lists().into_iter().filter(|list| list.of != Owner::Loop).find_map(|list| {
            let index = list.statements.iter().rposition(|statement| is_strong(source, &statement.range))?;
            Some(Step { list, index })
        })
    };
    while let Some(next) = inner(&step) {
        step = next;
    }
    Place::after(source, Gap { list: step.list, index: step.index + 1 })
}
