//! Edits of one token or two, for a result that is not the expected one though nothing else is wrong: slips
//! that a compiler takes and no access shows.

use std::ops::Range;

use crate::lex::Token;

use super::candidate::Candidate;
use super::change::Edit;
use super::indices::{Tokens, in_place, is_mark, of_function, range, tokens};
use super::statements::{Function, Kind, Source, Statement, code};

/// The slips of one kind in a function.
type Slips = fn(&Source, &Function, &Tokens) -> Vec<Candidate>;

/// The edits of `source`, those of its launches and indices first.
pub fn results(source: &Source) -> Vec<Candidate> {
    let mut all = rounded_up_for_launches(source);
    all.extend(source.functions.iter().flat_map(|function| of_function(source, function)));
    let kinds: [Slips; 6] = [last, subscripts, rounded_up, bounds, identities, fractions];
    for kind in kinds {
        for function in &source.functions {
            all.extend(kind(source, function, &tokens(source, function)));
        }
    }
    all
}

/// `(n + 255) / 256` for `n / 256`: in a launch, in what a launch is given, in a loop of the host.
fn rounded_up_for_launches(source: &Source) -> Vec<Candidate> {
    let tokens = code(source.text);
    let is_of_the_host = |at: usize| {
        let place = tokens[at].0;
        !source.functions.iter().any(|function| function.body.range.contains(&place))
    };
    let head = |at: usize| {
        let mut depth = 0;
        let ends = |(_, token): &(usize, Token)| {
            depth += i32::from(token.is_mark("(")) - i32::from(token.is_mark(")"));
            depth == 0
        };
        let length = tokens[at + 1..].iter().position(ends)?;
        Some(at..at + 1 + length)
    };
    let is_for = |at: &usize| tokens[*at].1.is_word("for") && is_of_the_host(*at);
    let loops: Vec<Range<usize>> = (0..tokens.len()).filter(is_for).filter_map(head).collect();
    let is_start = |at: usize| (0..3).all(|k| is_mark(&tokens, at + k, "<"));
    let numbers = |at: usize| {
        let end = (at..tokens.len()).find(|at| (0..3).all(|k| is_mark(&tokens, at + k, ">")));
        at..end.unwrap_or(at)
    };
    let launches: Vec<Range<usize>> =
        (0..tokens.len()).filter(|at| is_start(*at)).map(|at| numbers(at + 3)).collect();
    let is_given = |token: &Token| {
        let mut given = launches.iter().flat_map(|launch| &tokens[launch.clone()]);
        matches!(token, Token::Word(_)) && given.any(|(_, other)| other == token)
    };
    let names: Vec<usize> = (0..tokens.len()).filter(|at| is_given(&tokens[*at].1)).collect();
    let is_for_a_launch = |at: usize| {
        let is_in = launches.iter().any(|launch| launch.contains(&at));
        let of_a_name = names.iter().rev().find(|name| **name < at).is_some_and(|name| {
            let between = &tokens[name + 1..at];
            !between.iter().any(|(_, token)| token.is_mark(";") || token.is_mark("{"))
                && between.iter().any(|(_, token)| token.is_mark("=") || token.is_mark("("))
        });
        is_in || of_a_name || loops.iter().any(|head| head.contains(&at))
    };
    let all = (0..tokens.len()).filter(|at| is_for_a_launch(*at));
    all.filter_map(|at| round_up(source, &tokens, at)).collect()
}

/// The quotient around the `/` at `at`, rounded up, if both sides are a name or a number.
fn round_up(source: &Source, tokens: &Tokens, at: usize) -> Option<Candidate> {
    let is_plain = |at: usize| matches!(tokens.get(at)?.1, Token::Word(_) | Token::Number(_)).then_some(at);
    let is_quotient = is_mark(tokens, at, "/") && !is_mark(tokens, at + 1, "=");
    let [left, right] = [is_plain(at.checked_sub(1)?)?, is_plain(at + 1)?];
    let is_alone = !["*", "/", ".", "]"].iter().any(|mark| left > 0 && is_mark(tokens, left - 1, mark))
        && !["*", "/", ".", "[", "("].iter().any(|mark| is_mark(tokens, right + 1, mark));
    let [a, b] = [left, right].map(|at| tokens[at].1.text());
    (is_quotient && is_alone)
        .then(|| in_place(source, range(tokens, left, right), &format!("({a} + {b} - 1) / {b}")))
}

/// The conditions of a statement and of those in it: of loops, `true`.
fn conditions(statement: &Statement) -> Vec<(bool, Range<usize>)> {
    let own = match &statement.kind {
        Kind::If { condition, .. } => Some((false, condition.clone())),
        Kind::Loop { head, .. } => Some((true, head.clone())),
        _ => None,
    };
    let lists = statement.lists().into_iter();
    let inner = lists.flat_map(|list| list.statements.iter()).flat_map(conditions);
    own.into_iter().chain(inner).collect()
}

/// The places of the tokens in the conditions of a function, each with whether that is a loop's.
fn in_conditions(function: &Function, tokens: &Tokens) -> Vec<(usize, bool)> {
    let all: Vec<(bool, Range<usize>)> = function.list().statements.iter().flat_map(conditions).collect();
    let of = |at: usize| {
        let (is_loop, _) = all.iter().find(|(_, range)| range.contains(&tokens[at].0))?;
        Some((at, *is_loop))
    };
    (0..tokens.len()).filter_map(of).collect()
}

/// `== count - 1` for `== count`.
fn last(source: &Source, _: &Function, tokens: &Tokens) -> Vec<Candidate> {
    let count = |at: usize| {
        let is_equal = is_mark(tokens, at, "=") && is_mark(tokens, at + 1, "=");
        let end = name(tokens, at + 2)?;
        let goes_on = ["-", "+", "*", "/", "%", "[", "("].iter().any(|mark| is_mark(tokens, end + 1, mark));
        let range = range(tokens, at + 2, end);
        let text = format!("{} - 1", &source.text[range.clone()]);
        (is_equal && !goes_on).then(|| in_place(source, range, &text))
    };
    (0..tokens.len()).filter_map(count).collect()
}

/// The last token of a name that begins at `at`: `n`, `gridDim.x`.
fn name(tokens: &Tokens, at: usize) -> Option<usize> {
    let is_word = |at: usize| matches!(tokens.get(at), Some((_, Token::Word(_))));
    let has_part = is_mark(tokens, at + 1, ".") && is_word(at + 2);
    is_word(at).then_some(if has_part { at + 2 } else { at })
}

/// `[b][a]` for `[a][b]`.
fn subscripts(source: &Source, _: &Function, tokens: &Tokens) -> Vec<Candidate> {
    let pair = |at: usize| {
        let first = name(tokens, at + 1)?;
        let second = name(tokens, first + 3)?;
        let marks = [(at, "["), (first + 1, "]"), (first + 2, "["), (second + 1, "]")];
        let [a, b] =
            [(at + 1, first), (first + 3, second)].map(|(from, to)| &source.text[range(tokens, from, to)]);
        let is_constant = a.chars().all(|c| !c.is_lowercase());
        (marks.iter().all(|(at, mark)| is_mark(tokens, *at, mark)) && a != b && !is_constant)
            .then(|| in_place(source, range(tokens, at, second + 1), &format!("[{b}][{a}]")))
    };
    // What is read comes after what is written, and is the more likely slip.
    (0..tokens.len()).rev().filter_map(pair).collect()
}

/// `>=` for `>`, and the like, in conditions.
fn bounds(source: &Source, function: &Function, tokens: &Tokens) -> Vec<Candidate> {
    let compared = |(at, _): (usize, bool)| {
        let mark = ["<", ">"].into_iter().find(|mark| is_mark(tokens, at, mark))?;
        let is_doubled = is_mark(tokens, at + 1, mark) || at > 0 && is_mark(tokens, at - 1, mark);
        let is_wide = is_mark(tokens, at + 1, "=");
        if is_doubled {
            return None;
        }
        // What stands on both sides tells the place.
        let first = at.checked_sub(1)?;
        let last = at + 1 + usize::from(is_wide);
        tokens.get(last)?;
        let text = |mark: &str| {
            let [left, right] = [first, last].map(|at| tokens[at].1.text());
            format!("{left} {mark} {right}")
        };
        let new = if is_wide { text(mark) } else { text(&format!("{mark}=")) };
        Some(in_place(source, range(tokens, first, last), &new))
    };
    in_conditions(function, tokens).into_iter().filter_map(compared).collect()
}

/// A quotient in the condition of a loop, rounded up.
fn rounded_up(source: &Source, function: &Function, tokens: &Tokens) -> Vec<Candidate> {
    let of_loops = in_conditions(function, tokens).into_iter().filter(|(_, is_loop)| *is_loop);
    of_loops.filter_map(|(at, _)| round_up(source, tokens, at)).collect()
}

/// What changes nothing in a maximum, and in a minimum, for a 0 that stands in for an element.
fn identities(source: &Source, _: &Function, tokens: &Tokens) -> Vec<Candidate> {
    let has = |words: &[&str]| tokens.iter().any(|(_, token)| words.iter().any(|word| token.is_word(word)));
    let is_of_floats = source.text.contains("float") || source.text.contains("double");
    let least = if is_of_floats { "-INFINITY" } else { "-2147483647 - 1" };
    let greatest = if is_of_floats { "INFINITY" } else { "2147483647" };
    let mut identities = Vec::new();
    if has(&["max", "fmax", "fmaxf", "atomicMax"]) {
        identities.push(least);
    }
    if has(&["min", "fmin", "fminf", "atomicMin"]) {
        identities.push(greatest);
    }
    let zero = |at: usize| {
        let Token::Number("0" | "0.0" | "0.0f" | "0.f" | "0u") = tokens[at].1 else { return None };
        let begins = at > 0 && (is_mark(tokens, at - 1, ":") || is_mark(tokens, at - 1, "="));
        let is_compared = at > 1 && ["=", "<", ">", "!"].iter().any(|mark| is_mark(tokens, at - 2, mark));
        (begins && !is_compared && is_mark(tokens, at + 1, ";")).then_some(at)
    };
    let places: Vec<usize> = (0..tokens.len()).filter_map(zero).collect();
    let of = |text: &&str| places.iter().map(|at| in_place(source, range(tokens, *at, *at), text)).collect();
    identities.iter().flat_map(|text| -> Vec<Candidate> { of(text) }).collect()
}

/// A quotient of whole numbers as one of floats: `1.0f / n`.
fn fractions(source: &Source, _: &Function, tokens: &Tokens) -> Vec<Candidate> {
    if !source.text.contains("float") {
        return Vec::new();
    }
    let quotient = |at: usize| {
        let left = at.checked_sub(1)?;
        let whole = match tokens[left].1 {
            Token::Number(number) => number.bytes().all(|c| c.is_ascii_digit()),
            Token::Word(_) => !is_mark(tokens, left.checked_sub(1)?, "."),
            _ => false,
        };
        let text = format!("(float){}", tokens[left].1.text());
        (whole && is_mark(tokens, at, "/") && !is_mark(tokens, at + 1, "=")).then(|| {
            let start = tokens[left].0;
            let line = source.lines.line(start);
            let says = format!("divide as floats: put `{text} /` in line {line}");
            Candidate::new(says, vec![Edit::replace(start..start, "(float)")])
        })
    };
    (0..tokens.len()).filter_map(quotient).collect()
}
