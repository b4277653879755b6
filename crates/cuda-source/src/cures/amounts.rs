//! Slips by which a result has the wrong amount: a product that 32 bits are too few for, an extremum that
//! begins with 0, a child that each block launches.

use crate::lex::Token;

use super::candidate::Candidate;
use super::change::Edit;
use super::indices::{Tokens, in_place, is_mark, opening, range};
use super::statements::{Function, Source, code};

/// Tokens of a declaration that are looked at, at most.
const LONGEST: usize = 32;

fn put(source: &Source, at: usize, why: &str, text: &str, before: &str) -> Candidate {
    let line = source.lines.line(at);
    let says = format!("{why}: put `{}` before `{before}` in line {line}", text.trim());
    Candidate::new(says, vec![Edit::replace(at..at, text)])
}

/// `(long long)v[i] * v[i]` for `v[i] * v[i]`, in a source with such numbers.
pub fn products(source: &Source, _: &Function, tokens: &Tokens) -> Vec<Candidate> {
    let has_wide = tokens.windows(2).any(|two| two.iter().all(|(_, token)| token.is_word("long")));
    let product = |at: usize| {
        let right = &tokens.get(at + 1)?.1;
        let is_product = is_mark(tokens, at, "*") && matches!(right, Token::Word(_) | Token::Number(_));
        let last = at.checked_sub(1).filter(|_| is_product)?;
        let first = if is_mark(tokens, last, "]") {
            opening(tokens, last, ["[", "]"])?.checked_sub(1)?
        } else {
            last
        };
        let name = tokens[first].1.word()?;
        let is_cast = first > 0 && [")", ".", "*", "/"].iter().any(|mark| is_mark(tokens, first - 1, mark));
        // `int *p` declares a pointer.
        let is_type = ["int", "float", "double", "long", "char", "unsigned", "const", "void"].contains(&name);
        (!is_cast && !is_type)
            .then(|| put(source, tokens[first].0, "multiply in 64 bits", "(long long)", name))
    };
    (0..tokens.len()).filter(|_| has_wide).filter_map(product).collect()
}

/// `unsigned long long sum = 0;` for `unsigned sum = 0;`, where `sum += …` adds up and the source has such
/// numbers.
pub fn sums(source: &Source, _: &Function, tokens: &Tokens) -> Vec<Candidate> {
    let has_wide = source.text.contains("long long");
    let adds_up = |name: &str| {
        let is_it = |at: &usize| tokens[*at].1.is_word(name) && is_mark(tokens, at + 1, "+");
        (0..tokens.len()).filter(is_it).any(|at| is_mark(tokens, at + 2, "="))
    };
    let sum = |at: usize| {
        let narrow = tokens[at].1.word().filter(|word| ["int", "unsigned"].contains(word))?;
        let is_long = at > 0 && ["long", "unsigned"].iter().any(|word| tokens[at - 1].1.is_word(word));
        let end = if narrow == "unsigned" && tokens.get(at + 1)?.1.is_word("int") { at + 1 } else { at };
        let name = tokens.get(end + 1)?.1.word()?;
        let is_declared = is_mark(tokens, end + 2, "=") || is_mark(tokens, end + 2, ";");
        let wide = if narrow == "unsigned" { "unsigned long long" } else { "long long" };
        let text = format!("{wide} {name}");
        (!is_long && is_declared && adds_up(name))
            .then(|| in_place(source, range(tokens, at, end + 1), &text))
    };
    (0..tokens.len()).filter(|_| has_wide).filter_map(sum).collect()
}

/// A child that only the first block launches.
pub fn launches(source: &Source, _: &Function, tokens: &Tokens) -> Vec<Candidate> {
    let launch = |at: usize| {
        let is_launch = (at + 1..at + 4).all(|at| is_mark(tokens, at, "<"));
        let name = tokens[at].1.word().filter(|_| is_launch)?;
        Some(put(source, tokens[at].0, "let one block launch it", "if (blockIdx.x == 0) ", name))
    };
    (0..tokens.len()).filter_map(launch).collect()
}

/// A variable of the device that begins with 0, where a minimum or a maximum is looked for.
pub fn starts(source: &Source) -> Vec<Candidate> {
    let tokens = code(source.text);
    let is_of = |atomic: &str, name: &str| {
        let of = |at: &usize| {
            let word = at + 3 + usize::from(is_mark(&tokens, at + 3, "("));
            tokens[*at].1.is_word(atomic)
                && is_mark(&tokens, at + 2, "&")
                && tokens.get(word).is_some_and(|(_, token)| token.is_word(name))
        };
        (0..tokens.len()).any(|at| of(&at))
    };
    let first = |name: &str, is_unsigned: bool| match (is_of("atomicMin", name), is_of("atomicMax", name)) {
        (true, false) if is_unsigned => Some("4294967295u"),
        (true, false) => Some("2147483647"),
        (false, true) if !is_unsigned => Some("-2147483647 - 1"),
        _ => None,
    };
    let declared = |at: usize| {
        let ends = (at..tokens.len().min(at + LONGEST)).find(|at| is_mark(&tokens, *at, ";"))?;
        let name = tokens.get(ends - 1)?.1.word()?;
        let is_unsigned = tokens[at..ends].iter().any(|(_, token)| token.is_word("unsigned"));
        let first = first(name, is_unsigned)?;
        let place = tokens[ends].0;
        let line = source.lines.line(place);
        let says = format!("begin with what every number replaces: put `{name} = {first}` in line {line}");
        Some(Candidate::new(says, vec![Edit::replace(place..place, format!(" = {first}"))]))
    };
    let of_device = (0..tokens.len()).filter(|at| tokens[*at].1.is_word("__device__"));
    of_device.take(LONGEST).filter_map(declared).collect()
}
