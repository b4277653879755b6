//! Indices that mean other elements than they seem to: a product with the wrong dimension, a step of one
//! block in a loop of all, a block that has no part in the index, row and column exchanged.

use std::ops::Range;

use crate::lex::{Token, placed};

use super::candidate::Candidate;
use super::change::Edit;
use super::finding::Finding;
use super::places::spot;
use super::statements::{Function, Source};

/// The tokens of a function, by their places in the source.
pub type Tokens<'a> = Vec<(usize, Token<'a>)>;

/// The edits of an index in the function that the finding is in.
pub fn indices(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let spot = finding.lines.iter().find_map(|line| spot(source, *line));
    spot.map_or_else(Vec::new, |spot| of_function(source, &source.functions[spot.function]))
}

/// The edits of the indices in a function.
pub fn of_function(source: &Source, function: &Function) -> Vec<Candidate> {
    let tokens = tokens(source, function);
    [grids(source, &tokens), blocks(source, &tokens), steps(source, &tokens), exchanged(source, &tokens)]
        .concat()
}

/// The edits of strides in the function that the finding is in.
pub fn doubled_strides(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let spot = finding.lines.iter().find_map(|line| spot(source, *line));
    spot.map_or_else(Vec::new, |spot| {
        let function = &source.functions[spot.function];
        doubled(source, function, &tokens(source, function))
    })
}

/// `2 * stride * tid` for `stride * tid`, and `tid % (2 * stride)` for `tid % stride`, where a loop doubles
/// `stride`: a pair takes two strides.
pub fn doubled(source: &Source, _: &Function, tokens: &Tokens) -> Vec<Candidate> {
    let is_number = |at: usize, number: &str| tokens.get(at).is_some_and(|(_, token)| token.text() == number);
    let is_two = |at: usize| is_number(at, "2");
    let are = |at: usize, marks: &[&str]| (at..).zip(marks).all(|(at, mark)| is_mark(tokens, at, mark));
    let is_doubled = |at: &usize| {
        are(at + 1, &["*", "="]) && is_two(at + 3) || are(at + 1, &["<", "<", "="]) && is_number(at + 4, "1")
    };
    let doubled: Vec<&str> =
        (0..tokens.len()).filter(is_doubled).filter_map(|at| tokens[at].1.word()).collect();
    let stride = |at: usize| tokens.get(at)?.1.word().filter(|name| doubled.contains(name));
    let factor = |at: usize| {
        let is_product = is_mark(tokens, at, "*") && !is_mark(tokens, at + 1, "=");
        let (left, right) = (at.checked_sub(1).filter(|_| is_product)?, at + 1);
        // `2 * stride` has it.
        if is_two(left) || is_two(right) || left > 1 && is_two(left - 2) && is_mark(tokens, left - 1, "*") {
            return None;
        }
        stride(left).or(stride(right))?;
        let product = range(tokens, left, right);
        let text = format!("2 * {}", &source.text[product.clone()]);
        Some(in_place(source, product, &text))
    };
    // `tid % 2 * stride` is `(tid % 2) * stride`.
    let without_brackets = |at: usize| {
        let is_it = is_mark(tokens, at, "%") && is_two(at + 1) && is_mark(tokens, at + 2, "*");
        let name = stride(at + 3).filter(|_| is_it)?;
        Some(in_place(source, range(tokens, at, at + 3), &format!("% (2 * {name})")))
    };
    let rest = |at: usize| {
        let name = stride(at + 1).filter(|_| is_mark(tokens, at, "%"))?;
        Some(in_place(source, range(tokens, at, at + 1), &format!("% (2 * {name})")))
    };
    (0..tokens.len()).filter_map(|at| factor(at).or(without_brackets(at)).or(rest(at))).collect()
}

/// The tokens of a function's body.
pub fn tokens<'a>(source: &Source<'a>, function: &Function) -> Tokens<'a> {
    let start = function.body.range.start;
    placed(&source.text[function.body.range.clone()])
        .into_iter()
        .filter(|(_, token)| *token != Token::LineEnd)
        .map(|(place, token)| (start + place, token))
        .collect()
}

/// `blockIdx.x` and the like at `at`: its name and its axis.
fn built_in<'a>(tokens: &[(usize, Token<'a>)], at: usize) -> Option<(&'a str, &'a str)> {
    let [(_, Token::Word(name)), (_, dot), (_, Token::Word(axis))] = tokens.get(at..at + 3)? else {
        return None;
    };
    dot.is_mark(".").then_some((*name, *axis))
}

pub fn is_mark(tokens: &Tokens, at: usize, mark: &str) -> bool {
    tokens.get(at).is_some_and(|(_, token)| token.is_mark(mark))
}

/// The opening mark of a pair whose closing one stands at `close`, if it is near.
pub fn opening(tokens: &Tokens, close: usize, [open, closing]: [&str; 2]) -> Option<usize> {
    const NEAR: usize = 64;
    let mut depth = 0;
    (close.saturating_sub(NEAR)..=close).rev().find(|at| {
        depth += i32::from(is_mark(tokens, *at, closing)) - i32::from(is_mark(tokens, *at, open));
        depth == 0
    })
}

/// One edit, told as the text that stands in place of another one.
pub fn in_place(source: &Source, range: Range<usize>, text: &str) -> Candidate {
    let line = source.lines.line(range.start);
    let says = format!("put `{text}` in line {line}, in place of `{}`", &source.text[range.clone()]);
    Candidate::new(says, vec![Edit::replace(range, text)])
}

/// The tokens from `first` to `last` as a part of the source.
pub fn range(tokens: &Tokens, first: usize, last: usize) -> Range<usize> {
    let (end, token) = tokens[last];
    tokens[first].0..end + token.text().len()
}

/// `blockIdx.x * blockDim.x` for `blockIdx.x * gridDim.x`.
fn grids(source: &Source, tokens: &Tokens) -> Vec<Candidate> {
    let product = |at: usize| {
        let (left, axis) = built_in(tokens, at)?;
        let (right, other) = built_in(tokens, at + 4)?;
        let is_it = matches!((left, right), ("blockIdx", "gridDim") | ("gridDim", "blockIdx"));
        let text = format!("blockIdx.{axis} * blockDim.{axis}");
        (is_it && axis == other && is_mark(tokens, at + 3, "*"))
            .then(|| in_place(source, range(tokens, at, at + 6), &text))
    };
    (0..tokens.len()).filter_map(product).collect()
}

/// `blockIdx.x * blockDim.x + threadIdx.x` for an index without the block.
fn blocks(source: &Source, tokens: &Tokens) -> Vec<Candidate> {
    if tokens.iter().any(|(_, token)| token.is_word("blockIdx")) {
        return Vec::new();
    }
    let index = |at: usize| {
        let ("threadIdx", axis) = built_in(tokens, at)? else { return None };
        let begins = at > 0 && (is_mark(tokens, at - 1, "=") || is_mark(tokens, at - 1, "["));
        let ends = [";", "]", ","].iter().any(|mark| is_mark(tokens, at + 3, mark));
        let text = format!("blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis}");
        (begins && ends).then(|| in_place(source, range(tokens, at, at + 2), &text))
    };
    (0..tokens.len()).filter_map(index).collect()
}

/// `i += blockDim.x * gridDim.x` for `i += blockDim.x` or `i += gridDim.x`, where `i` begins with what
/// depends on the block.
fn steps(source: &Source, tokens: &Tokens) -> Vec<Candidate> {
    let depends_on_the_block = |name: &str| {
        let values =
            (0..tokens.len()).filter(|at| tokens[*at].1.is_word(name) && is_mark(tokens, at + 1, "="));
        values.into_iter().any(|at| {
            let value = tokens[at..].iter().map(|(_, token)| token).take_while(|token| !token.is_mark(";"));
            value.into_iter().any(|token| token.is_word("blockIdx"))
        })
    };
    let step = |at: usize| {
        let Token::Word(name) = tokens[at].1 else { return None };
        let ("blockDim" | "gridDim", axis) = built_in(tokens, at + 3)? else { return None };
        let is_step =
            is_mark(tokens, at + 1, "+") && is_mark(tokens, at + 2, "=") && !is_mark(tokens, at + 6, "*");
        let text = format!("blockDim.{axis} * gridDim.{axis}");
        (is_step && depends_on_the_block(name))
            .then(|| in_place(source, range(tokens, at + 3, at + 5), &text))
    };
    (0..tokens.len()).filter_map(step).collect()
}

/// `[row * columns + column]` for `[column * columns + row]`.
fn exchanged(source: &Source, tokens: &Tokens) -> Vec<Candidate> {
    let word = |at: usize| match tokens.get(at)?.1 {
        Token::Word(word) => Some(word),
        _ => None,
    };
    let index = |at: usize| {
        let [first, factor, second] = [word(at + 1)?, word(at + 3)?, word(at + 5)?];
        let marks = [(at, "["), (at + 2, "*"), (at + 4, "+"), (at + 6, "]")];
        let text = format!("{second} * {factor} + {first}");
        let is_it = marks.iter().all(|(at, mark)| is_mark(tokens, *at, mark)) && first != second;
        is_it.then(|| in_place(source, range(tokens, at + 1, at + 5), &text))
    };
    let all: Vec<Candidate> = (0..tokens.len()).filter_map(index).collect();
    let parts: Vec<&Candidate> = all.iter().collect();
    // Where several are exchanged alike, each alone leaves the others.
    let joined = if all.len() > 1 { Candidate::joined(&parts) } else { None };
    all.into_iter().chain(joined).collect()
}
