//! Mistakes that no compiler names: code that compiles, and does something other than it seems to.

use std::collections::BTreeSet;

use super::lex::{Lines, Token, placed};
use super::parameters::kind;

/// Lines where a function writes to a variable in `__constant__` memory, which it can only read, and the
/// names: clang leaves such a store out without a word.
pub fn constant_writes(source: &str) -> Vec<(u32, &str)> {
    let lines = Lines::new(source);
    let all: Vec<(usize, Token)> =
        placed(source).into_iter().filter(|(_, token)| *token != Token::LineEnd).collect();
    let constants = constants(&all);
    let mut found = Vec::new();
    let mut depth = 0;
    for (at, (place, token)) in all.iter().enumerate() {
        depth += i32::from(token.is_mark("{")) - i32::from(token.is_mark("}"));
        if depth > 0 && constants.contains(token.text()) && is_assigned(&all[at + 1..]) {
            found.push((lines.line(*place), token.text()));
        }
    }
    found
}

/// Lines with `1 / n` where `n` is declared as a whole number, and its names: the quotient is a whole number
/// too.
pub fn whole_reciprocals(source: &str) -> Vec<(u32, &str)> {
    let lines = Lines::new(source);
    let all: Vec<(usize, Token)> =
        placed(source).into_iter().filter(|(_, token)| *token != Token::LineEnd).collect();
    let found = all.windows(5).filter_map(|five| match five {
        // Not of `a * 1 / n`, nor of `(float)1 / n`.
        [(_, before), (place, Token::Number("1")), (_, over), (_, Token::Word(name)), (_, after)] => {
            let is_whole = ["=", "(", ",", "+", "-"].iter().any(|mark| before.is_mark(mark));
            let is_plain = [".", "->", "[", "("].iter().all(|mark| !after.is_mark(mark));
            let is_it = (is_whole || before.is_word("return")) && over.is_mark("/") && is_plain;
            (is_it && is_whole_number(&all, name)).then(|| (lines.line(*place), *name))
        }
        _ => None,
    });
    found.collect()
}

/// Lines with `x = s / n;` where `s` and `n` are declared as whole numbers and `x` is not, and the two names:
/// the quotient has lost its fraction before `x` gets it.
pub fn whole_quotients(source: &str) -> Vec<(u32, [&str; 2])> {
    let lines = Lines::new(source);
    let all: Vec<(usize, Token)> =
        placed(source).into_iter().filter(|(_, token)| *token != Token::LineEnd).collect();
    let found = all.windows(5).enumerate().filter_map(|(at, five)| match five {
        [(_, is), (place, Token::Word(a)), (_, over), (_, Token::Word(b)), (_, end)] => {
            let is_it = is.is_mark("=") && over.is_mark("/") && end.is_mark(";");
            let are_whole = || [a, b].iter().all(|name| is_whole_number(&all, name));
            let is_float = || assigned(&all[..at]).is_some_and(|name| is_floating(&all, name));
            (is_it && are_whole() && is_float()).then(|| (lines.line(*place), [*a, *b]))
        }
        _ => None,
    });
    found.collect()
}

/// The name that a statement assigns to, which stands before its `=`: `x` of `float x`, `*x` and `x[i]`.
fn assigned<'a>(before: &[(usize, Token<'a>)]) -> Option<&'a str> {
    let is_end = |token: &Token| [";", "{", "}", ")", ","].iter().any(|mark| token.is_mark(mark));
    let own = before.iter().rposition(|(_, token)| is_end(token)).map_or(0, |end| end + 1);
    let is_name = |word: &&str| kind(word).is_none() && *word != "const";
    let words = before[own..].iter().filter_map(|(_, token)| match token {
        Token::Word(word) => Some(*word),
        _ => None,
    });
    words.into_iter().find(is_name)
}

/// Whether a name is declared, each time as a floating-point number or a pointer to such.
fn is_floating(all: &[(usize, Token)], name: &str) -> bool {
    let is_part = |token: &Token| token.is_mark("*") || ["const", "__restrict__"].contains(&token.text());
    let is_declared = |at: &usize| {
        let before = all[..*at].iter().rev().map(|(_, token)| token).find(|token| !is_part(token));
        all[*at].1.is_word(name) && before.is_some_and(|of| of.is_word("float") || of.is_word("double"))
    };
    let count = (0..all.len()).filter(is_declared).count();
    count > 0 && count == declarations(all, name)
}

/// Whether a name is declared, each time as a whole number.
fn is_whole_number(all: &[(usize, Token)], name: &str) -> bool {
    const TYPES: [&str; 7] = ["int", "unsigned", "long", "short", "size_t", "uint32_t", "int32_t"];
    let whole = all.windows(2).filter(|two| {
        let [(_, of), (_, token)] = two else { return false };
        token.is_word(name) && TYPES.iter().any(|kind| of.is_word(kind))
    });
    let count = whole.count();
    count > 0 && count == declarations(all, name)
}

/// The names that are declared as `__constant__`, and nowhere as anything else.
fn constants<'a>(all: &[(usize, Token<'a>)]) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    for (at, (_, token)) in all.iter().enumerate() {
        if !token.is_word("__constant__") {
            continue;
        }
        let is_end = |token: &&Token| ["[", "=", ";", "{"].iter().any(|mark| token.is_mark(mark));
        let declared = all[at + 1..].iter().map(|(_, token)| token).take_while(|token| !is_end(token));
        if let Some(Token::Word(name)) = declared.last() {
            names.insert(*name);
        }
    }
    names.retain(|name| declarations(all, name) == 1);
    names
}

/// How many times a name stands behind a type: `float c`, `float *c`.
fn declarations(all: &[(usize, Token)], name: &str) -> usize {
    let is_type = |token: &Token| matches!(token, Token::Word(word) if !["return", "else"].contains(word));
    let mut count = 0;
    for (at, _) in all.iter().enumerate().filter(|(_, (_, token))| token.is_word(name)) {
        let before = |back: usize| at.checked_sub(back).and_then(|at| all.get(at)).map(|(_, token)| *token);
        let is_behind_type = before(1).is_some_and(|token| is_type(&token));
        let is_pointer = before(1).is_some_and(|token| token.is_mark("*"))
            && before(2).is_some_and(|token| kind(token.text()).is_some());
        count += usize::from(is_behind_type || is_pointer);
    }
    count
}

/// Whether a name before these tokens, with or without an index, is given a value.
fn is_assigned(behind: &[(usize, Token)]) -> bool {
    let mut depth = 0;
    let is_of_index = |(_, token): &&(usize, Token)| {
        let is_inside = depth > 0 || token.is_mark("[");
        depth += i32::from(token.is_mark("[")) - i32::from(token.is_mark("]"));
        is_inside
    };
    let index = behind.iter().take_while(is_of_index).count();
    let mark = |at: usize| behind.get(index + at).map_or("", |(_, token)| token.text());
    let is_step = mark(0) == "--" || mark(0) == "+" && mark(1) == "+";
    let is_update =
        mark(0) == "-=" || ["+", "*", "/", "%", "&", "|", "^"].contains(&mark(0)) && mark(1) == "=";
    is_step || is_update || mark(0) == "=" && mark(1) != "="
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_to_constant_memory_is_seen() {
        let source = |body: &str| {
            format!(
                "__constant__ float c[4] = {{1}}, d;\n__constant__ struct Two {{ int x; }} two;\n\
                 __global__ void k(float *a)\n{{\n{body}\n}}\n"
            )
        };
        for (body, found) in [
            ("c[threadIdx.x] = a[0];", vec![(5, "c")]),
            ("a[0] = c[1];\n    c[a[0] == 2] += 1;", vec![(6, "c")]),
            ("if (c[0] == a[0] && c[1] <= 2) a[0] = c[2] + 1;", vec![]),
            ("float c[4]; c[0] = 1;", vec![]),
            ("float *c = a; c[0] = 1;", vec![]),
        ] {
            assert_eq!(constant_writes(&source(body)), found, "{body}");
        }
    }

    #[test]
    fn a_quotient_of_whole_numbers_that_becomes_a_float_is_seen() {
        let source = |body: &str| {
            format!("__global__ void k(float *a, int *b, int s, int n, float x)\n{{\n{body}\n}}\n")
        };
        for (body, found) in [
            ("*a = s / n;", vec![(3, ["s", "n"])]),
            ("int t = 1;\n    a[t] = t / n;", vec![(4, ["t", "n"])]),
            ("double m = s / n;", vec![(3, ["s", "n"])]),
            ("*a = x / n;", vec![]),
            ("*a = (float)s / n;", vec![]),
            ("*b = s / n;", vec![]),
            ("int half = s / n; *a = half;", vec![]),
            ("*a = s / n * x;", vec![]),
        ] {
            assert_eq!(whole_quotients(&source(body)), found, "{body}");
        }
    }

    #[test]
    fn a_reciprocal_in_whole_numbers_is_seen() {
        let source = |body: &str| format!("__global__ void k(float *a, int n, float x)\n{{\n{body}\n}}\n");
        for (body, found) in [
            ("a[0] = 1 / n * x;", vec![(3, "n")]),
            ("float by =\n    (1 / n);", vec![(4, "n")]),
            ("a[0] = 1.0f / n;", vec![]),
            ("a[0] = (float)1 / n;", vec![]),
            ("a[0] = x * 1 / n;", vec![]),
            ("a[0] = 1 / x;", vec![]),
            ("float n = x; a[0] = 1 / n;", vec![]),
            ("a[0] = 1 / n[0];", vec![]),
        ] {
            assert_eq!(whole_reciprocals(&source(body)), found, "{body}");
        }
    }
}
