//! Between which statements a barrier or a fence may come.

use crate::lex::Token;

use super::change::Edit;
use super::statements::{Function, List, Owner, Source, Step, code};

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

impl Place<'_> {
    /// The edits that put `statement` there.
    pub fn put(&self, source: &Source, statement: &str) -> Vec<Edit> {
        self.gap.put(source, statement)
    }

    /// Whether only some threads of a block may come there.
    pub fn is_in_a_branch(&self) -> bool {
        self.gap.list.of == Owner::Branch
    }
}

impl Gap<'_> {
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
fn with_braces(around: &std::ops::Range<usize>, statement: &str, is_first: bool) -> Vec<Edit> {
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
    let second = source.lines.line(list.statements[pair.second].range.start);
    let first = source.lines.line(list.statements[pair.first].range.end.saturating_sub(1));
    vec![
        Place { gap: Gap { list, index: pair.second }, says: format!("before line {second}") },
        Place { gap: Gap { list, index: pair.first + 1 }, says: format!("after line {first}") },
    ]
}

fn ends_of_a_loop<'s>(source: &Source, list: List<'s>) -> Vec<Place<'s>> {
    let count = list.statements.len();
    let Some(last) = list.statements.last() else { return Vec::new() };
    let last = source.lines.line(last.range.end.saturating_sub(1));
    let first = source.lines.line(list.statements[0].range.start);
    vec![
        Place {
            gap: Gap { list, index: count },
            says: format!("at the end of the loop's body, after line {last}"),
        },
        Place {
            gap: Gap { list, index: 0 },
            says: format!("at the start of the loop's body, before line {first}"),
        },
    ]
}

fn is_barrier(source: &Source, list: List, index: usize) -> bool {
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
