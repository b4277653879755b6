//! PTX text -> tokens, each with its line (PTX ISA 4.3 to 4.5).

use super::ast::{Operand, unreadable};
use crate::diagnostic::Diagnostic;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'a> {
    Word(&'a str),
    Text(&'a str),
    Punct(char),
}

/// Splits a text into tokens, each with its line.
pub fn tokens<'a>(text: &'a str, file: &str) -> Result<Vec<(Token<'a>, u32)>, Box<Diagnostic>> {
    let mut out = Vec::with_capacity(text.len() / 4);
    let mut rest = text;
    let mut line = 1u32;
    while let Some(c) = rest.chars().next() {
        let mut push = |token, length| {
            out.push((token, line));
            length
        };
        let length = match c {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => match rest[2..].find("*/") {
                Some(end) => end + 4,
                None => return Err(unreadable(file, line, "a comment is not closed")),
            },
            '"' => match rest[1..].split_once(['"', '\n']) {
                Some((text, _)) if rest[1 + text.len()..].starts_with('"') => {
                    push(Token::Text(text), text.len() + 2)
                }
                _ => return Err(unreadable(file, line, "a string is not closed")),
            },
            c if is_word(c as u8) && c.is_ascii() => {
                let end = end_of_word(rest.as_bytes());
                push(Token::Word(&rest[..end]), end)
            }
            c if c.is_ascii_whitespace() => 1,
            c if c.is_ascii() => push(Token::Punct(c), 1),
            _ => {
                return Err(unreadable(file, line, "a character that is not ASCII stands outside a comment"));
            }
        };
        line += rest[..length].bytes().filter(|byte| *byte == b'\n').count() as u32;
        rest = &rest[length..];
    }
    Ok(out)
}

fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'%' | b'.')
}

fn end_of_word(text: &[u8]) -> usize {
    let mut end = 0;
    loop {
        match &text[end..] {
            // `.reg.b32` is two words: a directive ends where the next begins.
            [b'.', ..] if end > 0 && text[0] == b'.' => return end,
            [c, ..] if is_word(*c) => end += 1,
            // `::` joins a qualifier: `.shared::cta`.
            [b':', b':', ..] => end += 2,
            _ => return end,
        }
    }
}

/// A literal (PTX ISA 4.5): decimal, hex, octal, binary, `0f…` and `0d…`.
pub fn literal(word: &str) -> Option<Operand<'_>> {
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let behind = |prefix: [&str; 2]| prefix.iter().find_map(|prefix| word.strip_prefix(prefix));
    if let Some(hex) = behind(["0f", "0F"]) {
        return u32::from_str_radix(hex, 16).ok().filter(|_| hex.len() == 8).map(Operand::F32);
    }
    if let Some(hex) = behind(["0d", "0D"]) {
        return u64::from_str_radix(hex, 16).ok().filter(|_| hex.len() == 16).map(Operand::F64);
    }
    let (digits, radix) = match (behind(["0x", "0X"]), behind(["0b", "0B"]), word.strip_prefix('0')) {
        (Some(hex), ..) => (hex, 16),
        (_, Some(bits), _) => (bits, 2),
        (.., Some(octal)) if octal.starts_with(|c: char| c.is_ascii_digit()) => (octal, 8),
        _ => (word, 10),
    };
    u64::from_str_radix(digits.trim_end_matches('U'), radix).ok().map(Operand::Int)
}
