//! The functions in a source.

use crate::lex::{Lines, Token, placed};

/// A function in tokens.
pub struct Function<'a> {
    /// Its name.
    pub name: &'a str,
    /// The first line and the last, from 1.
    pub lines: (u32, u32),
    /// What stands between its braces, and these.
    pub body: Vec<Token<'a>>,
    /// Whether it is for the device.
    is_devices: bool,
}

/// The functions that are not for the device.
pub fn functions(source: &str) -> Vec<Function<'_>> {
    all(source).into_iter().filter(|function| !function.is_devices).collect()
}

/// The functions for the device: kernels, and what they call.
pub fn device_functions(source: &str) -> Vec<Function<'_>> {
    all(source).into_iter().filter(|function| function.is_devices).collect()
}

fn all(source: &str) -> Vec<Function<'_>> {
    let mut all = Vec::new();
    let mut head: Vec<(usize, Token)> = Vec::new();
    let mut body: Option<Vec<Token>> = None;
    let mut depth = 0;
    let all_lines = Lines::new(source);
    let mut is_directive = false;
    let mut is_first = true;
    for (place, token) in placed(source) {
        if token == Token::LineEnd {
            is_directive = false;
            is_first = true;
            continue;
        }
        is_directive |= std::mem::replace(&mut is_first, false) && token.is_mark("#");
        if is_directive {
            continue;
        }
        if let Some(inside) = &mut body {
            depth += i32::from(token.is_mark("{")) - i32::from(token.is_mark("}"));
            inside.push(token);
            if depth == 0 {
                let is_devices =
                    head.iter().any(|(_, one)| one.is_word("__global__") || one.is_word("__device__"));
                let name = head.windows(2).find(|pair| pair[1].1.is_mark("("));
                if let Some([(_, name), _]) = name {
                    let first = head.first().map_or(place, |(place, _)| *place);
                    let lines = (all_lines.line(first), all_lines.line(place));
                    let body = body.take().unwrap_or_default();
                    all.push(Function { name: name.text(), lines, body, is_devices });
                }
                body = None;
                head.clear();
            }
        } else if token.is_mark("{") && head.iter().any(|(_, one)| one.is_mark("(")) {
            depth = 1;
            body = Some(vec![token]);
        } else {
            head.push((place, token));
            if [";", "{", "}"].iter().any(|mark| token.is_mark(mark)) {
                head.clear();
            }
        }
    }
    all
}
