//! PTX text -> tokens, each with its line (PTX ISA 4.3 to 4.5).

use super::ast::{Operand, unreadable};
use crate::diagnostic::Diagnostic;

#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    Word(String),
    Text(String),
    Punct(char),
}

/// Splits a text into tokens, each with its line.
pub fn tokens(text: &str, file: &str) -> Result<Vec<(Token, u32)>, Box<Diagnostic>> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(text.len() / 4);
    let (mut i, mut line) = (0, 1u32);
    let is_word = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'%' | b'.');
    while i < bytes.len() {
        match bytes[i] {
            b'\n' => {
                line += 1;
                i += 1;
            }
            c if c.is_ascii_whitespace() => i += 1,
            b'/' if bytes.get(i + 1) == Some(&b'/') => {
                while i < bytes.len() && bytes[i] != b'\n' {
                    i += 1;
                }
            }
            b'/' if bytes.get(i + 1) == Some(&b'*') => {
                let start = line;
                i += 2;
                loop {
                    match bytes.get(i) {
                        None => return Err(unreadable(file, start, "a comment is not closed")),
                        Some(b'*') if bytes.get(i + 1) == Some(&b'/') => break,
                        Some(b'\n') => line += 1,
                        Some(_) => {}
                    }
                    i += 1;
                }
                i += 2;
            }
            b'"' => {
                let start = i + 1;
                i = start;
                while i < bytes.len() && bytes[i] != b'"' {
                    if bytes[i] == b'\n' {
                        return Err(unreadable(file, line, "a string is not closed"));
                    }
                    i += 1;
                }
                if i == bytes.len() {
                    return Err(unreadable(file, line, "a string is not closed"));
                }
                out.push((Token::Text(String::from_utf8_lossy(&bytes[start..i]).into_owned()), line));
                i += 1;
            }
            c if is_word(c) => {
                let start = i;
                let joins = |c: u8, i: usize| c == b':' && bytes.get(i + 1) == Some(&b':');
                while i < bytes.len() && (is_word(bytes[i]) || joins(bytes[i], i)) {
                    // `.reg.b32` is two words: a directive ends where the next begins.
                    if c == b'.' && bytes[i] == b'.' && i > start {
                        break;
                    }
                    // `::` joins a qualifier: `.shared::cta`.
                    i += if bytes[i] == b':' { 2 } else { 1 };
                }
                out.push((Token::Word(text[start..i].to_string()), line));
            }
            c if c.is_ascii() => {
                out.push((Token::Punct(c as char), line));
                i += 1;
            }
            _ => {
                return Err(unreadable(file, line, "a character that is not ASCII stands outside a comment"));
            }
        }
    }
    Ok(out)
}

/// A literal (PTX ISA 4.5): decimal, hex, octal, binary, `0f…` and `0d…`.
pub fn literal(word: &str) -> Option<Operand> {
    let first = word.as_bytes().first()?;
    if !first.is_ascii_digit() {
        return None;
    }
    if let Some(hex) = word.strip_prefix("0f").or(word.strip_prefix("0F")) {
        return (hex.len() == 8).then(|| u32::from_str_radix(hex, 16).ok().map(Operand::F32)).flatten();
    }
    if let Some(hex) = word.strip_prefix("0d").or(word.strip_prefix("0D")) {
        return (hex.len() == 16).then(|| u64::from_str_radix(hex, 16).ok().map(Operand::F64)).flatten();
    }
    let digits = word.trim_end_matches('U');
    let value = if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        u64::from_str_radix(hex, 16)
    } else if let Some(bits) = digits.strip_prefix("0b").or(digits.strip_prefix("0B")) {
        u64::from_str_radix(bits, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(&digits[1..], 8)
    } else {
        digits.parse()
    };
    value.ok().map(Operand::Int)
}
