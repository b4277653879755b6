//! A statement that writes a value, and the elements that a text names.

use crate::lex::{Token, placed};

/// `left operator= right`, which declares nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assignment<'a> {
    pub left: &'a str,
    /// Of `+=` the `+`.
    pub operator: Option<char>,
    pub right: &'a str,
}

impl<'a> Assignment<'a> {
    /// `text`, if it is one.
    pub fn of(text: &'a str) -> Option<Assignment<'a>> {
        let body = text.trim().strip_suffix(';')?.trim();
        if let Some(counted) = Assignment::of_a_count(body) {
            return Some(counted);
        }
        let at = equals_sign(body)?;
        let operator = body[..at].chars().last().filter(|c| "+-*/%&|^".contains(*c));
        let left = body[..at - operator.map_or(0, char::len_utf8)].trim();
        let right = body[at + 1..].trim();
        let (operator, right) = match operator {
            None => added(left, right).map_or((None, right), |rest| (Some('+'), rest)),
            operator => (operator, right),
        };
        is_place(left).then_some(Assignment { left, operator, right })
    }

    /// `x++`, `--x`
    fn of_a_count(body: &'a str) -> Option<Assignment<'a>> {
        let of = |sign: &str| body.strip_suffix(sign).or(body.strip_prefix(sign));
        let (left, operator) = of("++").map(|left| (left, '+')).or(of("--").map(|left| (left, '-')))?;
        let left = left.trim();
        is_place(left).then_some(Assignment { left, operator: Some(operator), right: "1" })
    }

    /// What is written.
    pub fn result(&self) -> String {
        match self.operator {
            None => self.right.to_string(),
            Some(operator) => format!("{} {operator} {}", self.left, in_parentheses(self.right)),
        }
    }

    /// Whether it reads what it writes to, or another element of that.
    pub fn is_update(&self) -> bool {
        self.operator.is_some() || mentions(self.right, self.base())
    }

    /// The array or the pointer that is written to.
    pub fn base(&self) -> &'a str {
        let name = self.left.trim_start_matches(['*', '(', ' ']);
        name.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
    }
}

/// What `right` adds to `left`: of `x = x + y * z` the `y * z`.
fn added<'a>(left: &str, right: &'a str) -> Option<&'a str> {
    let rest = right.strip_prefix(left)?.trim_start().strip_prefix('+')?.trim();
    // What binds less than a sum is no part of it.
    let binds_less = |(_, token): &(usize, Token)| "?<>=&|^!".contains(token.text());
    let is_simple = !rest.is_empty() && !placed(rest).iter().any(binds_less);
    is_simple.then_some(rest)
}

/// Where the `=` of an assignment stands: in no parentheses, and no part of a comparison.
fn equals_sign(text: &str) -> Option<usize> {
    let mut depth = 0i32;
    let tokens = placed(text);
    let mark = |at: usize| tokens.get(at).map(|(_, token)| token.text());
    for (number, (at, token)) in tokens.iter().enumerate() {
        match token.text() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            "-=" if depth == 0 => return Some(at + 1),
            "=" if depth == 0 => {
                let before = number.checked_sub(1).and_then(mark);
                let is_comparison =
                    matches!(before, Some("=" | "!" | "<" | ">")) || mark(number + 1) == Some("=");
                return (!is_comparison).then_some(*at);
            }
            _ => {}
        }
    }
    None
}

/// Whether a text is something that can be written to, and no declaration.
fn is_place(text: &str) -> bool {
    let mut depth = 0i32;
    let mut last_was_word = false;
    let mut is_first = true;
    for (_, token) in placed(text) {
        let is_word = matches!(token, Token::Word(_));
        let mark = token.text();
        depth -= i32::from(matches!(mark, ")" | "]"));
        let declares = depth == 0 && (is_word && last_was_word || !is_first && matches!(mark, "*" | "&"));
        if declares
            || matches!(token, Token::Quoted(_) | Token::LineEnd)
            || matches!(mark, "{" | "?" | ",") && depth == 0
        {
            return false;
        }
        depth += i32::from(matches!(mark, "(" | "["));
        last_was_word = is_word && depth == 0;
        is_first &= mark == "*";
    }
    !text.is_empty()
}

/// A text as an operand.
pub fn in_parentheses(text: &str) -> String {
    let mut depth = 0i32;
    let is_simple = placed(text).iter().all(|(_, token)| {
        let mark = token.text();
        depth += i32::from("([".contains(mark)) - i32::from(")]".contains(mark));
        depth > 0 || !matches!(token, Token::Mark(mark) if "+--=?<>=&|^%/*".contains(mark))
    });
    if is_simple { text.to_string() } else { format!("({text})") }
}

/// Whether a text has this name in it.
pub fn mentions(text: &str, name: &str) -> bool {
    placed(text).iter().any(|(_, token)| token.is_word(name))
}

/// The arrays that a text takes elements of, with the index.
pub fn subscripts(text: &str) -> Vec<(&str, &str)> {
    let tokens = placed(text);
    let mut found = Vec::new();
    for (at, pair) in tokens.windows(2).enumerate() {
        let (Token::Word(name), true) = (pair[0].1, pair[1].1.is_mark("[")) else { continue };
        let mut depth = 0;
        let close = tokens[at + 1..].iter().find(|(_, token)| {
            depth += i32::from(token.is_mark("[")) - i32::from(token.is_mark("]"));
            depth == 0
        });
        if let Some((close, _)) = close {
            found.push((name, text[pair[1].0 + 1..*close].trim()));
        }
    }
    found
}
