//! The condition of a loop, and whether the loop changes what that looks at.

use std::ops::Range;

use crate::lex::{Token, placed};

use super::statements::{Kind, Source, Statement};

/// What decides whether a loop goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// As the source has it.
    pub text: String,
    /// Its two sides, if it is a comparison of a variable with a variable or a number.
    pub sides: Option<[String; 2]>,
    /// The variable in it, if there is only one that is no constant, and nothing in the loop changes it.
    pub unchanged: Option<String>,
}

/// The condition of the innermost loop around a line of `source`, if it looks at nothing but variables.
/// `None` too if another loop stands in the line: which one is meant cannot be told.
pub fn condition(source: &str, line: u32) -> Option<Condition> {
    let source = &Source::new(source);
    let path = source.functions.iter().find_map(|function| {
        let path = function.path(&source.lines, line);
        (!path.is_empty()).then_some(path)
    })?;
    let is_in_line = |statement: &Statement| {
        let [first, last] = [statement.range.start, statement.range.end.saturating_sub(1)];
        (source.lines.line(first)..=source.lines.line(last)).contains(&line)
    };
    let has_loop = |statement: &Statement| {
        let tokens = placed(&source.text[statement.range.clone()]);
        tokens.iter().any(|(_, token)| ["for", "while", "do"].contains(&token.text()))
    };
    let mut beside = path.iter().flat_map(|step| {
        let others = step.list.statements.iter().enumerate();
        others.filter(|(index, _)| *index != step.index).map(|(_, statement)| statement)
    });
    if beside.any(|statement| is_in_line(statement) && has_loop(statement)) {
        return None;
    }
    let is_loop = |statement: &&Statement| matches!(statement.kind, Kind::Loop { .. });
    let statement = path.iter().rev().map(|step| step.statement()).find(is_loop)?;
    let Kind::Loop { head, .. } = &statement.kind else { return None };
    let text = in_head(&source.text[head.clone()]);
    let tokens = placed(text);
    let is_plain = |token: &Token| !["(", "[", "*", "->", "."].iter().any(|mark| token.is_mark(mark));
    if tokens.is_empty() || !tokens.iter().all(|(_, token)| is_plain(token)) {
        return None;
    }
    let names: Vec<&str> = tokens.iter().filter_map(|(_, token)| name(token)).collect();
    let body = &source.text[statement.range.clone()];
    // What comes before the first semicolon of a `for` is done once.
    let once = source.text[head.clone()].split_once(';').map_or(0, |(once, _)| once.len());
    let again =
        [&body[..head.start - statement.range.start], &body[head.start - statement.range.start + once..]];
    let changed = |name: &str| again.iter().any(|part| changes(part, name));
    let unchanged = match names[..] {
        [only] if !changed(only) => Some(only.to_string()),
        [first, second] if !changed(first) && !changed(second) => Some(first.to_string()),
        _ => None,
    };
    Some(Condition { text: text.to_string(), sides: sides(text), unchanged })
}

/// The condition in the head of a loop: between the two semicolons, if it has those.
fn in_head(head: &str) -> &str {
    let mut parts = head.split(';');
    let first = parts.next().unwrap_or_default();
    parts.next().unwrap_or(first).trim()
}

/// The two sides of a comparison.
fn sides(text: &str) -> Option<[String; 2]> {
    let tokens = placed(text);
    let is_side = |token: &Token| matches!(token, Token::Word(_) | Token::Number(_));
    let (_, first) = tokens.first()?;
    let (_, last) = tokens.last()?;
    let between = &tokens[1..tokens.len().max(2) - 1];
    let is_comparison = !between.is_empty()
        && between
            .iter()
            .all(|(_, token)| ["<", ">", "=", "!", "<=", ">=", "==", "!="].contains(&token.text()));
    (is_comparison && is_side(first) && is_side(last))
        .then(|| [first, last].map(|side| side.text().to_string()))
}

fn name<'a>(token: &Token<'a>) -> Option<&'a str> {
    match token {
        Token::Word(word) if !["true", "false"].contains(word) => Some(word),
        _ => None,
    }
}

/// Whether a text may give `name` another value: by an assignment, a step, or through its address.
fn changes(text: &str, name: &str) -> bool {
    let tokens: Vec<&str> = placed(text).iter().map(|(_, token)| token.text()).collect();
    let is = |at: Option<usize>, marks: &[&str]| {
        at.and_then(|at| tokens.get(at)).is_some_and(|token| marks.contains(token))
    };
    let places: Vec<Range<usize>> =
        (0..tokens.len()).filter(|at| tokens[*at] == name).map(|at| at..at).collect();
    places.into_iter().any(|Range { start: at, .. }| {
        let before = |back: usize| at.checked_sub(back);
        let after = |ahead: usize| Some(at + ahead);
        let is_step = is(before(1), &["--", "++"])
            || is(after(1), &["--", "++"])
            || is(before(1), &["+"]) && is(before(2), &["+"])
            || is(after(1), &["+"]) && is(after(2), &["+"]);
        let is_set = is(after(1), &["="]) && !is(after(2), &["="]) || is(after(1), &["-="]);
        let is_update = is(after(1), &["+", "*", "/", "%", "&", "|", "^"]) && is(after(2), &["="])
            || is(after(1), &["<", ">"]) && is(after(2), &["<", ">"]) && is(after(3), &["="])
            || is(after(1), &[">>=", "<<=", "+=", "*=", "/="]);
        let is_given_away = is(before(1), &["&"]) && !is(before(2), &["&"]) && !is(after(1), &["["]);
        is_step || is_set || is_update || is_given_away
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The condition around line 2 of a kernel with this body.
    fn found(body: &str) -> Option<Condition> {
        condition(&format!("__global__ void k(int *out, int n) {{\n{body}\n}}\n"), 2)
    }

    #[test]
    fn what_a_loop_does_not_change_is_seen() {
        let unchanged = |body: &str| found(body).and_then(|condition| condition.unchanged);
        for (body, name) in [
            ("while (d > 0) e /= 2;", Some("d")),
            ("for (int s = n / 2; s > 0;) out[0] += s;", Some("s")),
            ("do { e = d; } while (d != 0);", Some("d")),
            ("while (i < n) out[i] = 1;", Some("i")),
            ("while (d > 0) d /= 2;", None),
            ("while (d > 0) d >>= 1;", None),
            ("for (int s = n / 2; s > 0; s--) out[0] += s;", None),
            ("for (int i = 0; i < n; ++i) out[0] += 1;", None),
            ("while (d > 0) step(&d);", None),
            ("while (out[d] > 0) e++;", None),
            ("while (true) e++;", None),
        ] {
            assert_eq!(unchanged(body).as_deref(), name, "{body}");
        }
    }

    #[test]
    fn of_two_loops_in_a_line_none_is_meant() {
        assert!(found("for (; i < n; i++) { int d = 2; d++; }").is_some());
        assert_eq!(found("for (; i < n; i++) { int d = 2; while (d != 9) d /= 2; }"), None);
        assert_eq!(found("while (i < n) i++; while (d != 9) d /= 2;"), None);
    }

    #[test]
    fn a_comparison_has_two_sides() {
        let sides = |body: &str| found(body).and_then(|condition| condition.sides);
        assert_eq!(sides("while (d >= 0) d /= 2;"), Some(["d".to_string(), "0".to_string()]));
        assert_eq!(sides("for (; i < n; i++) ;"), Some(["i".to_string(), "n".to_string()]));
        assert_eq!(sides("while (d + 1 > 0) ;"), None);
        assert_eq!(sides("while (d) ;"), None);
    }
}
