//! Edits of one token or two, for a result that is not the expected one though nothing else is wrong: slips
//! that a compiler takes and no access shows.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::lex::Token;

use super::amounts;
use super::assignment::Assignment;
use super::candidate::Candidate;
use super::change::Edit;
use super::host;
use super::indices::{Tokens, doubled, in_place, is_mark, of_function, opening, range, tokens};
use super::names;
use super::statements::{Function, Kind, Source, Statement, code};

/// Tokens of a statement that are looked at, at most.
const LONGEST: usize = 256;

/// The slips of one kind in a function.
type Slips = fn(&Source, &Function, &Tokens) -> Vec<Candidate>;

/// The edits of `source`, those of its launches and indices first; then one of each kind and of each function
/// in turn, since only so many are tried.
pub fn results(source: &Source) -> Vec<Candidate> {
    let mut all = rounded_up_for_launches(source);
    all.extend(exchanged(source));
    all.extend(source.functions.iter().flat_map(|function| of_function(source, function)));
    all.extend(amounts::starts(source));
    all.extend(host::copies(source));
    all.extend(host::fractions(source));
    let kinds: [Slips; 16] = [
        last,
        subscripts,
        rounded_up,
        bounds,
        identities,
        fractions,
        widths,
        amounts::products,
        amounts::launches,
        doubled,
        shuffles,
        amounts::sums,
        offsets,
        members,
        shadowed,
        others,
    ];
    let of = |kind: Slips| {
        let functions = source.functions.iter();
        in_turn(functions.map(|function| kind(source, function, &tokens(source, function))).collect())
    };
    all.extend(in_turn(kinds.map(of).into()));
    all
}

/// The first of each, then the second of each, and so on.
fn in_turn(all: Vec<Vec<Candidate>>) -> Vec<Candidate> {
    let mut all: Vec<_> = all.into_iter().map(Vec::into_iter).collect();
    let rounds = std::iter::from_fn(|| {
        let round: Vec<Candidate> = all.iter_mut().filter_map(Iterator::next).collect();
        (!round.is_empty()).then_some(round)
    });
    rounds.flatten().collect()
}

/// `(n + 255) / 256` for `n / 256`: in a launch, in what a launch is given, in the head of a loop of the
/// host.
fn rounded_up_for_launches(source: &Source) -> Vec<Candidate> {
    let tokens = code(source.text);
    let launches = launches(&tokens);
    let given: BTreeSet<&str> = launches.iter().flat_map(|launch| words(&tokens[launch.clone()])).collect();
    let loops = loops_of_the_host(source, &tokens);
    let is_meant = |at: &usize| {
        is_mark(&tokens, *at, "/")
            && (is_within(&launches, *at) || is_within(&loops, *at) || defines(&tokens, *at, &given))
    };
    let quotients = (0..tokens.len()).filter(is_meant);
    quotients.filter_map(|at| round_up(source, &tokens, at)).collect()
}

/// `dim3 grid(b, a)` for `dim3 grid(a, b)`.
fn exchanged(source: &Source) -> Vec<Candidate> {
    let tokens = code(source.text);
    let pair = |at: usize| {
        let open = (at..tokens.len().min(at + 3)).find(|at| is_mark(&tokens, *at, "("))?;
        let mut depth = 0;
        let mut commas = Vec::new();
        let close = (open..tokens.len().min(open + LONGEST)).find(|at| {
            depth += i32::from(is_mark(&tokens, *at, "(")) - i32::from(is_mark(&tokens, *at, ")"));
            if depth == 1 && is_mark(&tokens, *at, ",") {
                commas.push(*at);
            }
            depth == 0
        })?;
        let [comma] = commas[..] else { return None };
        if comma == open + 1 || close == comma + 1 {
            return None;
        }
        let [a, b] = [(open + 1, comma - 1), (comma + 1, close - 1)]
            .map(|(first, last)| &source.text[range(&tokens, first, last)]);
        (a != b).then(|| in_place(source, range(&tokens, open + 1, close - 1), &format!("{b}, {a}")))
    };
    let is_dim3 = |at: &usize| tokens[*at].1.is_word("dim3");
    (0..tokens.len()).filter(is_dim3).filter_map(pair).collect()
}

/// Whether the last of these ranges that begins before `at` holds it.
fn is_within(ranges: &[Range<usize>], at: usize) -> bool {
    let begun = ranges.partition_point(|range| range.start <= at);
    ranges[..begun].last().is_some_and(|range| range.contains(&at))
}

/// What stands between `<<<` and `>>>`, in one statement.
fn launches(tokens: &Tokens) -> Vec<Range<usize>> {
    let are = |at: usize, mark: &str| (at..at + 3).all(|at| is_mark(tokens, at, mark));
    let numbers = |at: usize| {
        let ends = |at: &usize| is_mark(tokens, *at, ";") || are(*at, ">");
        let last = tokens.len().min(at + LONGEST);
        at..(at..last).find(ends).unwrap_or(last)
    };
    (0..tokens.len()).filter(|at| are(*at, "<")).map(|at| numbers(at + 3)).collect()
}

/// The heads of the host's `for` loops.
fn loops_of_the_host(source: &Source, tokens: &Tokens) -> Vec<Range<usize>> {
    let is_loop = |at: &usize| tokens[*at].1.is_word("for") && source.function_at(tokens[*at].0).is_none();
    let head = |at: usize| {
        let mut depth = 0;
        let closes = |at: &usize| {
            depth += i32::from(is_mark(tokens, *at, "(")) - i32::from(is_mark(tokens, *at, ")"));
            depth <= 0 || is_mark(tokens, *at, "{")
        };
        let last = tokens.len().min(at + LONGEST);
        at + 1..(at + 1..last).find(closes).unwrap_or(last)
    };
    (0..tokens.len()).filter(is_loop).map(head).collect()
}

/// Whether the statement around `at` gives one of `names` its value, by `=` or by `(`, before that.
fn defines(tokens: &Tokens, at: usize, names: &BTreeSet<&str>) -> bool {
    let is_border = |at: &usize| [";", "{", "}"].iter().any(|mark| is_mark(tokens, *at, mark));
    let first = at.saturating_sub(LONGEST);
    let start = (first..at).rev().find(is_border).map_or(first, |border| border + 1);
    let gives = |name: usize| is_mark(tokens, name + 1, "=") || is_mark(tokens, name + 1, "(");
    (start..at).any(|name| names.contains(tokens[name].1.text()) && gives(name))
}

fn words<'a>(tokens: &[(usize, Token<'a>)]) -> impl Iterator<Item = &'a str> {
    tokens.iter().filter_map(|(_, token)| token.word())
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
    let all = function.list().statements.iter().flat_map(conditions);
    let of = |(is_loop, range): (bool, Range<usize>)| {
        let place = |end: usize| tokens.partition_point(|(start, _)| *start < end);
        (place(range.start)..place(range.end)).map(move |at| (at, is_loop))
    };
    all.flat_map(of).collect()
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
    // The least positive number is no least one.
    let least_positive = |at: &usize| ["FLT_MIN", "DBL_MIN"].iter().any(|word| tokens[*at].1.is_word(word));
    let mut places: Vec<usize> = (0..tokens.len()).filter_map(zero).collect();
    places.extend((0..tokens.len()).filter(least_positive));
    let of = |text: &&str| places.iter().map(|at| in_place(source, range(tokens, *at, *at), text)).collect();
    identities.iter().flat_map(|text| -> Vec<Candidate> { of(text) }).collect()
}

/// A quotient of whole numbers as one of floats: `1.0f / n`.
fn fractions(source: &Source, _: &Function, tokens: &Tokens) -> Vec<Candidate> {
    if !source.text.contains("float") {
        return Vec::new();
    }
    let quotient = |at: usize| {
        let mut left = at.checked_sub(1)?;
        if is_mark(tokens, left, ")") {
            left = opening(tokens, left, ["(", ")"])?;
            let before = left.checked_sub(1)?;
            // A call, or a cast.
            if tokens[before].1.word().is_some_and(|word| word != "return") || is_mark(tokens, before, ")") {
                return None;
            }
        }
        let whole = match tokens[left].1 {
            Token::Number(number) => number.bytes().all(|c| c.is_ascii_digit()),
            Token::Word(_) => !is_mark(tokens, left.checked_sub(1)?, "."),
            token => token.is_mark("("),
        };
        let dividend = format!("(float){}", &source.text[range(tokens, left, at - 1)]);
        (whole && is_mark(tokens, at, "/") && !is_mark(tokens, at + 1, "=")).then(|| {
            let start = tokens[left].0;
            let line = source.lines.line(start);
            let says = format!("divide as floats: put `{dividend} /` in line {line}");
            Candidate::new(says, vec![Edit::replace(start..start, "(float)")])
        })
    };
    (0..tokens.len()).filter_map(quotient).collect()
}

/// `[blockIdx.x - 1]` for a `[blockIdx.x]` that is read: what the blocks before this one leave.
fn offsets(source: &Source, _: &Function, tokens: &Tokens) -> Vec<Candidate> {
    let of = |at: usize| {
        let last = name(tokens, at + 1).filter(|last| is_mark(tokens, last + 1, "]"))?;
        let array = tokens[at.checked_sub(1)?].1.word().filter(|_| is_mark(tokens, at, "["))?;
        let is_written = is_mark(tokens, last + 2, "=") && !is_mark(tokens, last + 3, "=");
        let own = range(tokens, at + 1, last);
        let index = &source.text[own.clone()];
        let before = format!("{index} - 1");
        let guarded = format!("({index} > 0 ? {array}[{before}] : 0)");
        let edits = || {
            [
                in_place(source, own.clone(), &before),
                in_place(source, range(tokens, at - 1, last + 1), &guarded),
            ]
        };
        (index.starts_with("blockIdx.") && !is_written).then(edits)
    };
    (0..tokens.len()).filter_map(of).flatten().collect()
}

/// `s[t] = s[t + d]` for `s[t].value = s[t + d].value`: with the value comes what belongs to it.
fn members(source: &Source, function: &Function, _: &Tokens) -> Vec<Candidate> {
    fn all<'s>(statements: &'s [Statement], found: &mut Vec<&'s Statement>) {
        for statement in statements {
            found.push(statement);
            statement.lists().into_iter().for_each(|list| all(list.statements, found));
        }
    }
    let mut statements = Vec::new();
    all(function.list().statements, &mut statements);
    let whole = |statement: &&Statement| {
        let assignment = Assignment::of(&source.text[statement.range.clone()])?;
        let [(left, member), (right, other)] =
            [assignment.left, assignment.right].map(|side| side.rsplit_once('.').unwrap_or_default());
        let is_element = |side: &str| side.ends_with(']');
        let text = format!("{left} = {right};");
        (assignment.operator.is_none() && member == other && is_element(left) && is_element(right))
            .then(|| in_place(source, statement.range.clone(), &text))
    };
    statements.iter().filter_map(whole).collect()
}

/// `sum = …` for a second `float sum = …` in a block of its own, which leaves the first one as it is.
fn shadowed(source: &Source, _: &Function, tokens: &Tokens) -> Vec<Candidate> {
    const TYPES: [&str; 8] = ["int", "unsigned", "float", "double", "long", "size_t", "bool", "auto"];
    let is_type = |at: usize| TYPES.iter().any(|name| tokens[at].1.is_word(name));
    let mut depth = 0usize;
    let mut known: Vec<(usize, &str)> = Vec::new();
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        if is_mark(tokens, at, "{") {
            depth += 1;
        } else if is_mark(tokens, at, "}") {
            depth = depth.saturating_sub(1);
            known.retain(|(of, _)| *of <= depth);
        }
        let begins =
            is_type(at) && at > 0 && [";", "{", "}"].iter().any(|mark| is_mark(tokens, at - 1, mark));
        let Some(end) = (at..tokens.len()).find(|at| !is_type(*at)).filter(|_| begins) else { continue };
        let Some(name) = tokens[end].1.word() else { continue };
        let is_known = known.iter().any(|(of, known)| *known == name && *of < depth);
        if is_known && is_mark(tokens, end + 1, "=") {
            found.push(in_place(source, range(tokens, at, end), name));
        }
        known.push((depth, name));
    }
    found
}

/// Another variable where one is used, but for conditions: a loop that another one ends may give anything.
fn others(source: &Source, function: &Function, tokens: &Tokens) -> Vec<Candidate> {
    let conditions: BTreeSet<usize> = in_conditions(function, tokens).into_iter().map(|(at, _)| at).collect();
    names::others(source, function, tokens, |at| !conditions.contains(&at))
}

/// A shuffle that leaves the sum in every lane, for one that leaves it in the first.
fn shuffles(source: &Source, _: &Function, tokens: &Tokens) -> Vec<Candidate> {
    let is_down = |at: &usize| tokens[*at].1.is_word("__shfl_down_sync");
    let to_all = |at: usize| in_place(source, range(tokens, at, at), "__shfl_xor_sync");
    (0..tokens.len()).filter(is_down).map(to_all).collect()
}

/// In `row * width + column` another of the function's parameters for `width`.
fn widths(source: &Source, function: &Function, tokens: &Tokens) -> Vec<Candidate> {
    let parameters = names::whole_parameters(source, function);
    let of = |at: usize| -> Vec<Candidate> {
        let is_sum = at > 0 && is_mark(tokens, at, "*") && is_mark(tokens, at + 2, "+");
        let Some(width) = tokens.get(at + 1).and_then(|(_, token)| token.word()) else { return Vec::new() };
        let others = parameters.iter().filter(|other| **other != width);
        let is_meant = is_sum && parameters.contains(&width);
        let row = |at: usize| range(tokens, at - 1, at + 1);
        let text = |other: &str| format!("{} * {other}", tokens[at - 1].1.text());
        others.filter(|_| is_meant).map(|other| in_place(source, row(at), &text(other))).collect()
    };
    (0..tokens.len()).flat_map(of).collect()
}
