//! Between which statements a barrier or a fence may come.

use std::ops::Range;

use crate::lex::Token;

use super::candidate::Candidate;
use super::change::Edit;
use super::statements::{Function, List, Owner, Source, Statement, Step, code};

/// A place between two statements of a list.
#[derive(Clone, Copy)]
pub struct Gap<'s> {
    pub list: List<'s>,
    /// How many statements come before it.
    pub index: usize,
}

/// What is known of a place.
pub struct Place<'s> {
    pub gap: Gap<'s>,
    /// `before line 9`
    pub says: String,
}

impl<'s> Place<'s> {
    /// Before the statement that comes after the gap.
    pub fn before(source: &Source, gap: Gap<'s>) -> Place<'s> {
        Place { gap, says: before(source, &gap.list.statements[gap.index]) }
    }

    /// After the statement that comes before the gap.
    pub fn after(source: &Source, gap: Gap<'s>) -> Place<'s> {
        Place { gap, says: after(source, &gap.list.statements[gap.index - 1]) }
    }

    /// Puts `statement` there.
    pub fn candidate(&self, source: &Source, statement: &str) -> Candidate {
        Candidate::new(format!("put `{statement}` {}", self.says()), self.put(source, statement))
    }

    /// The place in words, and whether it needs braces.
    pub fn says(&self) -> String {
        format!("{}{}", self.says, self.gap.braces())
    }

    /// The edits that put `statement` there.
    pub fn put(&self, source: &Source, statement: &str) -> Vec<Edit> {
        self.gap.put(source, statement)
    }

    /// Whether only some threads of a block may come there.
    pub fn is_in_a_branch(&self) -> bool {
        self.gap.list.of == Owner::Branch
    }
}

/// "before line 9", or "before `x = 1;` in line 9", where something else comes first in that line.
pub fn before(source: &Source, statement: &Statement) -> String {
    let Range { start, end } = statement.range;
    let line = source.lines.line(start);
    let is_first = source.text[..start].rsplit('\n').next().is_none_or(|ahead| ahead.trim().is_empty());
    let own = source.text[start..end].lines().next().unwrap_or_default();
    if is_first { format!("before line {line}") } else { format!("before `{own}` in line {line}") }
}

/// "after line 9", or "after `x = 1;` in line 9", where something else follows in that line.
pub fn after(source: &Source, statement: &Statement) -> String {
    let Range { start, end } = statement.range;
    let line = source.lines.line(end.saturating_sub(1));
    let rest = source.text[end..].lines().next().unwrap_or_default().trim();
    let is_last = rest.is_empty() || rest.starts_with("//");
    let own = source.text[start..end].lines().last().unwrap_or_default().trim();
    if is_last { format!("after line {line}") } else { format!("after `{own}` in line {line}") }
}

impl Gap<'_> {
    /// The braces that a statement needs there, in words.
    pub fn braces(&self) -> &'static str {
        if self.list.has_braces { "" } else { ", with braces around both" }
    }

    fn is_same(&self, other: &Gap) -> bool {
        (self.list.around, self.index) == (other.list.around, other.index)
    }

    /// The edits that put `statement` there. What has no braces gets them.
    pub fn put(&self, source: &Source, statement: &str) -> Vec<Edit> {
        let List { statements, around, has_braces, .. } = self.list;
        if !has_braces {
            let own = &source.text[around.clone()];
            let text = if self.index == 0 {
                format!("{{ {statement} {own} }}")
            } else {
                format!("{{ {own} {statement} }}")
            };
            return if own.contains('\n') {
                with_braces(around, statement, self.index == 0)
            } else {
                vec![Edit::replace(around.clone(), text)]
            };
        }
        let after = self.index.checked_sub(1).map(|index| &statements[index].range);
        let at = after.map_or(around.start + 1, |range| range.end);
        let like = statements.get(self.index).or(statements.last()).map_or(around.start, |s| s.range.start);
        vec![Edit::insert(at, statement, like)]
    }
}

/// Braces around a statement of several lines.
fn with_braces(around: &Range<usize>, statement: &str, is_first: bool) -> Vec<Edit> {
    let (first, last) = if is_first {
        (format!("{{ {statement} "), " }".to_string())
    } else {
        ("{ ".to_string(), format!(" {statement} }}"))
    };
    vec![Edit::replace(around.start..around.start, first), Edit::replace(around.end..around.end, last)]
}

/// Where two lines of one function lie.
pub struct Pair<'s> {
    /// The statements that hold both, from the outermost; the last list is the innermost that holds both.
    pub common: Vec<Step<'s>>,
    /// Which statements of that list hold the first and the second, in the order of the source.
    pub first: usize,
    pub second: usize,
}

impl<'s> Pair<'s> {
    /// Of two paths in one function.
    pub fn of(a: &[Step<'s>], b: &[Step<'s>]) -> Option<Pair<'s>> {
        let is_common = |(a, b): &(&Step<'s>, &Step<'s>)| a.list.around == b.list.around;
        let depth = a.iter().zip(b).take_while(is_common).count().checked_sub(1)?;
        let (first, second) = (a[depth].index.min(b[depth].index), a[depth].index.max(b[depth].index));
        Some(Pair { common: a[..=depth].to_vec(), first, second })
    }

    /// Whether a barrier stands between the two.
    pub fn is_parted(&self, source: &Source) -> bool {
        let between = self.first..=self.second;
        self.list().is_some_and(|list| between.clone().any(|index| is_barrier(source, list, index)))
    }

    pub fn list(&self) -> Option<List<'s>> {
        self.common.last().map(|step| step.list)
    }

    /// Places that may order the two, those between them first, unless a barrier stands there.
    pub fn places(&self, source: &Source) -> Vec<Place<'s>> {
        let Some(list) = self.list() else { return Vec::new() };
        let mut places = Vec::new();
        let between = if self.first < self.second { between(source, list, self) } else { Vec::new() };
        let mut loops = Vec::new();
        for step in self.common.iter().rev().filter(|step| step.list.of == Owner::Loop) {
            loops.extend(ends_of_a_loop(source, step.list));
        }
        let parts = if self.is_parted(source) { [loops, between] } else { [between, loops] };
        for place in parts.into_iter().flatten() {
            if !places.iter().any(|known: &Place| known.gap.is_same(&place.gap)) {
                places.push(place);
            }
        }
        places
    }
}

fn between<'s>(source: &Source, list: List<'s>, pair: &Pair) -> Vec<Place<'s>> {
    vec![
        Place::before(source, Gap { list, index: pair.second }),
        Place::after(source, Gap { list, index: pair.first + 1 }),
    ]
}

fn ends_of_a_loop<'s>(source: &Source, list: List<'s>) -> Vec<Place<'s>> {
    let count = list.statements.len();
    if count == 0 {
        return Vec::new();
    }
    let end = Place::after(source, Gap { list, index: count });
    let start = Place::before(source, Gap { list, index: 0 });
    vec![
        Place { says: format!("at the end of the loop's body, {}", end.says), ..end },
        Place { says: format!("at the start of the loop's body, {}", start.says), ..start },
    ]
}

/// Whether a statement of a list is a barrier.
pub fn is_barrier(source: &Source, list: List, index: usize) -> bool {
    let text = &source.text[list.statements[index].range.clone()];
    text.starts_with("__syncthreads") || text.starts_with("__syncwarp")
}

/// A function, by its number, and where in it a line or a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    pub function: usize,
    pub place: usize,
}

/// Where a line's statement is.
pub fn spot(source: &Source, line: u32) -> Option<Spot> {
    source.functions.iter().enumerate().find_map(|(number, function)| {
        let path = function.path(&source.lines, line);
        let place = path.last()?.statement().range.start;
        Some(Spot { function: number, place })
    })
}

/// The calls of a function, in the order of the source.
pub fn calls(source: &Source, function: &Function) -> Vec<Spot> {
    let tokens = code(source.text);
    let is_call = |pair: &&[(usize, Token)]| {
        pair[0].1.is_word(function.name) && (pair[1].1.is_mark("(") || pair[1].1.is_mark("<"))
    };
    let places = tokens.windows(2).filter(is_call).map(|pair| pair[0].0);
    let spot = |place: usize| {
        let number = source.functions.iter().position(|function| function.body.range.contains(&place))?;
        Some(Spot { function: number, place })
    };
    places.filter_map(spot).collect()
}
