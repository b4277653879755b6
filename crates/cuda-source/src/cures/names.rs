//! Another variable of the same type, for a result that is not the expected one: `tid` where `i` is meant,
//! `height` for `width`, the array of all blocks for that of one.

use std::collections::BTreeMap;

use crate::lex::Token;

use super::candidate::Candidate;
use super::indices::{Tokens, in_place, is_mark, range};
use super::statements::{Function, Source, code};

/// Bytes before a function's body that are looked at for its parameters.
const HEAD: usize = 512;
/// Edits of a function, at most, and variables that are looked at.
const MOST: usize = 48;
const MOST_VARIABLES: usize = 64;

const WHOLE: [&str; 8] = ["int", "unsigned", "long", "short", "char", "size_t", "uint32_t", "int32_t"];
const OTHERS: [&str; 3] = ["float", "double", "bool"];
const QUALIFIERS: [&str; 4] = ["const", "volatile", "__restrict__", "register"];

/// A variable that a statement may name.
struct Variable<'a> {
    name: &'a str,
    kind: Kind<'a>,
    /// How many braces are open where it is declared.
    depth: usize,
}

impl Variable<'_> {
    /// A size that is a parameter is no index, and an index is no size.
    fn may_stand_for(&self, other: &Variable) -> bool {
        let is_like = self.kind != Kind::Whole || (self.depth > 0) == (other.depth > 0);
        self.kind == other.kind && self.name != other.name && is_like
    }
}

/// What may stand for each other: numbers of one kind, whole ones of any width; and pointers of one type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind<'a> {
    Whole,
    Number(&'a str),
    /// With whether what it points to is constant.
    Pointer(&'a str, bool),
}

/// The parameters of a function.
fn parameters<'a>(source: &Source<'a>, function: &Function) -> Vec<Variable<'a>> {
    let before = &source.text[..function.body.range.start];
    let start = before.char_indices().rev().nth(HEAD).map_or(0, |(at, _)| at);
    let head = code(&before[start..]);
    let open = (0..head.len()).rev().find(|at| is_mark(&head, *at, "(")).unwrap_or(head.len());
    let all = (open..head.len()).filter(|at| begins(&head, *at));
    all.filter_map(|at| declared(&head, at, 0).0).collect()
}

/// Those that are whole numbers.
pub fn whole_parameters<'a>(source: &Source<'a>, function: &Function) -> Vec<&'a str> {
    let all = parameters(source, function).into_iter();
    all.filter(|one| one.kind == Kind::Whole).map(|one| one.name).collect()
}

/// Each name of a variable, where it is used and `is_meant`, replaced by another one's: those that nothing
/// uses first.
pub fn others(
    source: &Source,
    function: &Function,
    tokens: &Tokens,
    is_meant: impl Fn(usize) -> bool,
) -> Vec<Candidate> {
    let mut known = parameters(source, function);
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    tokens.iter().filter_map(|(_, token)| token.word()).for_each(|word| *uses.entry(word).or_default() += 1);
    let mut unused = Vec::new();
    let mut used = Vec::new();
    let mut depth = 0usize;
    let mut declared_until = 0;
    for at in 0..tokens.len() {
        if is_mark(tokens, at, "{") {
            depth += 1;
        } else if is_mark(tokens, at, "}") {
            depth = depth.saturating_sub(1);
            known.retain(|variable: &Variable| variable.depth <= depth);
        } else if begins(tokens, at) {
            let (new, end) = declared(tokens, at, depth);
            known.extend(new.filter(|_| known.len() < MOST_VARIABLES));
            declared_until = end;
        }
        if at < declared_until {
            continue;
        }
        if unused.len() + used.len() > 2 * MOST {
            break;
        }
        let Some(own) = known.iter().find(|one| tokens[at].1.is_word(one.name)) else { continue };
        let is_member = at > 0
            && [".", ">"].iter().any(|mark| is_mark(tokens, at - 1, mark))
            && (is_mark(tokens, at - 1, ".") || at > 1 && is_mark(tokens, at - 2, "-"));
        let is_set = is_mark(tokens, at + 1, "=") && !is_mark(tokens, at + 2, "=");
        if is_member || is_set || !is_meant(at) {
            continue;
        }
        for other in known.iter().filter(|other| other.may_stand_for(own)) {
            // The declaration of what nothing uses is its only mention, and a parameter has none here.
            let is_used = uses.get(other.name).copied().unwrap_or_default() > usize::from(other.depth > 0);
            let list = if is_used { &mut used } else { &mut unused };
            list.push(beside(source, tokens, at, other.name));
        }
    }
    unused.extend(used);
    unused.truncate(MOST);
    unused
}

/// The name at `at` replaced, told with what stands beside it.
fn beside(source: &Source, tokens: &Tokens, at: usize, name: &str) -> Candidate {
    let own = range(tokens, at, at);
    let is_beside = |other: &usize| {
        let other = tokens.get(*other).map(|(place, _)| *place);
        other.is_some_and(|place| source.lines.line(place) == source.lines.line(own.start))
    };
    let first = at.checked_sub(1).filter(is_beside).unwrap_or(at);
    let last = Some(at + 1).filter(is_beside).unwrap_or(at);
    let all = range(tokens, first, last);
    let text = [&source.text[all.start..own.start], name, &source.text[own.end..all.end]].concat();
    in_place(source, all, &text)
}

/// Whether a declaration begins at `at`.
fn begins(tokens: &Tokens, at: usize) -> bool {
    let is_first = at == 0 || [";", "{", "}", "(", ","].iter().any(|mark| is_mark(tokens, at - 1, mark));
    let is_type = |at: usize| tokens.get(at).is_some_and(|(_, token)| is_word_of_type(token));
    is_first && is_type(at) && !is_mark(tokens, at + 1, "(")
}

fn is_word_of_type(token: &Token) -> bool {
    [&WHOLE[..], &OTHERS, &QUALIFIERS].concat().iter().any(|word| token.is_word(word))
}

/// The variable that a declaration at `at` begins with, and where its name ends.
fn declared<'a>(tokens: &Tokens<'a>, at: usize, depth: usize) -> (Option<Variable<'a>>, usize) {
    let mut base = None;
    let mut is_pointer = false;
    let mut is_constant = false;
    let mut end = at;
    while let Some((_, token)) = tokens.get(end) {
        match token.word() {
            Some(word) if is_word_of_type(token) => {
                is_constant |= word == "const";
                base = base.or(Some(word).filter(|word| !QUALIFIERS.contains(word)));
            }
            None if token.is_mark("*") => is_pointer = true,
            _ => break,
        }
        end += 1;
    }
    let (Some(base), Some(name)) = (base, tokens.get(end).and_then(|(_, token)| token.word())) else {
        return (None, end);
    };
    let kind = match (is_pointer, WHOLE.contains(&base)) {
        (true, _) => Kind::Pointer(base, is_constant),
        (false, true) => Kind::Whole,
        (false, false) => Kind::Number(base),
    };
    (Some(Variable { name, kind, depth }), end + 1)
}
