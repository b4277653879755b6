//! The whole numbers that expressions of C++ are, as far as they are known.

use std::collections::BTreeMap;

use crate::lex::Token;
use crate::parameters::kind;

/// How deep parentheses and signs may lie in each other: what is written has no such limit, and the stack
/// has.
const MAX_DEPTH: u32 = 64;

/// What is known of variables.
#[derive(Default)]
pub struct Known<'a> {
    pub numbers: BTreeMap<&'a str, i128>,
    /// What pointers and arrays point to.
    pub kinds: BTreeMap<&'a str, &'static str>,
    /// How many elements arrays have.
    pub arrays: BTreeMap<&'a str, i128>,
    /// Variables of type `dim3`.
    pub dimensions: BTreeMap<&'a str, Vec<i128>>,
}

impl Known<'_> {
    /// The whole number that an expression of C++ is, if it is known.
    pub fn value(&self, tokens: &[Token]) -> Option<i128> {
        self.nested(tokens, MAX_DEPTH)
    }

    /// The same of an expression inside of others, which may itself have others inside, `depth` deep.
    fn nested(&self, tokens: &[Token], depth: u32) -> Option<i128> {
        let mut rest = tokens;
        let value = self.binary(&mut rest, 0, depth)?;
        rest.is_empty().then_some(value)
    }

    /// An expression whose operators bind at least as strongly as `least` says.
    fn binary(&self, rest: &mut &[Token], least: usize, depth: u32) -> Option<i128> {
        let mut left = self.unary(rest, depth)?;
        loop {
            let (sign, length, strength) = match rest {
                [one, other, ..] if one.text() == other.text() && ["<", ">"].contains(&one.text()) => {
                    (one.text(), 2, 0)
                }
                [one, ..] if ["+", "-"].contains(&one.text()) => (one.text(), 1, 1),
                [one, ..] if ["*", "/", "%"].contains(&one.text()) => (one.text(), 1, 2),
                _ => return Some(left),
            };
            if strength < least {
                return Some(left);
            }
            *rest = &rest[length..];
            let right = self.binary(rest, strength + 1, depth)?;
            left = match sign {
                "<" => left.checked_shl(right.try_into().ok().filter(|bits| *bits < 64)?)?,
                ">" => left.checked_shr(right.try_into().ok().filter(|bits| *bits < 64)?)?,
                "+" => left.checked_add(right)?,
                "-" => left.checked_sub(right)?,
                "*" => left.checked_mul(right)?,
                "/" => left.checked_div(right)?,
                _ => left.checked_rem(right)?,
            };
        }
    }

    fn unary(&self, rest: &mut &[Token], depth: u32) -> Option<i128> {
        let depth = depth.checked_sub(1)?;
        let (first, behind) = rest.split_first()?;
        *rest = behind;
        match first {
            Token::Number(text) => {
                let text = text.trim_end_matches(['u', 'U', 'l', 'L']).replace('\'', "");
                text.parse().ok()
            }
            Token::Word("sizeof") => {
                let of = inside(rest)?;
                *rest = &rest[of.len() + 2..];
                self.bytes(of)
            }
            Token::Word(name) if self.dimensions.contains_key(name) => {
                let [dot, Token::Word(axis), behind @ ..] = *rest else { return None };
                let axis = ["x", "y", "z"].iter().position(|known| known == axis && dot.is_mark("."))?;
                *rest = behind;
                Some(self.dimensions.get(name)?.get(axis).copied().unwrap_or(1))
            }
            Token::Word(name) => self.numbers.get(name).copied(),
            mark if mark.is_mark("-") => self.unary(rest, depth)?.checked_neg(),
            mark if mark.is_mark("(") => {
                let own = inside(&[&[*first], *rest].concat())?.to_vec();
                *rest = &rest[own.len() + 1..];
                let words = own.iter().map(Token::text).collect::<Vec<_>>().join(" ");
                if kind(&words).is_some_and(|kind| !kind.starts_with(['f', 'b'])) {
                    return self.unary(rest, depth); // a cast
                }
                self.nested(&own, depth)
            }
            _ => None,
        }
    }
}

impl Known<'_> {
    /// What `sizeof` says of a type, an array, or what a pointer points to.
    fn bytes(&self, of: &[Token]) -> Option<i128> {
        let pointed = |name: &str| size(self.kinds.get(name)?);
        match of {
            [Token::Word(name)] if self.arrays.contains_key(name) => {
                pointed(name)?.checked_mul(*self.arrays.get(name)?)
            }
            [star, Token::Word(name)] if star.is_mark("*") => pointed(name),
            [Token::Word(name), open, ..] if open.is_mark("[") => pointed(name),
            words => size(kind(&words.iter().map(Token::text).collect::<Vec<_>>().join(" "))?),
        }
    }
}

/// Bytes of an element.
pub fn size(kind: &str) -> Option<i128> {
    let digits = kind.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    digits.parse::<i128>().ok().map(|bits| bits / 8)
}

/// What stands between the parenthesis that `tokens` begin with and its own.
pub fn inside<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<&'t [Token<'a>]> {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        depth += i32::from(token.is_mark("(")) - i32::from(token.is_mark(")"));
        if depth == 0 {
            return tokens.get(1..at);
        }
    }
    None
}

/// Where the first comma outside of parentheses stands, or the end.
pub fn comma(tokens: &[Token]) -> usize {
    let mut depth = 0;
    let is_end = |token: &Token| {
        depth += i32::from(token.is_mark("(")) - i32::from(token.is_mark(")"));
        depth < 0 || depth == 0 && token.is_mark(",")
    };
    tokens.iter().position(is_end).unwrap_or(tokens.len())
}

/// The parts between commas.
pub fn split<'a>(tokens: &[Token<'a>]) -> Vec<Vec<Token<'a>>> {
    let mut parts = Vec::new();
    let mut rest = tokens;
    while !rest.is_empty() {
        let end = comma(rest);
        parts.push(rest[..end].to_vec());
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    parts
}
