//! Whether an answer in Rust is the learner's own work; and its words and signs.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

/// Words that no answer in Rust needs: they lead to files, other programs, the environment, machine code, or
/// to what is remembered from one call to the next. (`-F unsafe_code` keeps out the rest.)
const WORDS: [&str; 13] = [
    "asm",
    "env",
    "extern",
    "fs",
    "global_asm",
    "include",
    "include_bytes",
    "include_str",
    "net",
    "option_env",
    "process",
    "static",
    "thread_local",
];

/// Those of [`WORDS`] that mean something only below `std`.
const OF_STD: [&str; 3] = ["fs", "net", "process"];

/// What `text`, an answer in Rust, brings in from elsewhere: a sentence, if so.
pub fn foreign_word(text: &str) -> Option<String> {
    let tokens = tokens(text);
    // Where `std` is not named, a helper may be called `process`.
    let has_std = tokens.iter().any(|token| token.text == "std");
    let leads_out = |word: &str| WORDS.contains(&word) && (has_std || !OF_STD.contains(&word));
    let is_lifetime = |at: usize| at > 0 && tokens[at - 1].text == "'";
    let mut words = tokens.iter().enumerate().filter(|(at, _)| !is_lifetime(*at)).map(|(_, word)| word);
    if let Some(Token { text, line, .. }) = words.find(|token| leads_out(&token.text)) {
        return Some(format!(
            "`{text}` in line {line}: the function needs its numbers alone. It reads no files, starts no \
             programs, and remembers nothing from one call to the next."
        ));
    }
    // `mod name;` and `#[path = …]`.
    let module = tokens.windows(3).find(|window| {
        matches!(
            [&*window[0].text, &window[1].text, &window[2].text],
            ["mod", _, ";"] | ["[" | ",", "path", "="]
        )
    });
    module.map(|window| {
        format!(
            "Line {} is a module in another file: an answer stands in its own file alone.",
            window[0].line
        )
    })
}

/// A word or sign of Rust.
pub struct Token {
    /// A literal is `"`.
    pub text: String,
    /// From 1.
    line: usize,
    /// The byte behind it.
    pub end: usize,
}

/// The tokens of `text`; none if it is no Rust, which rustc explains better.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    if let Ok(stream) = text.parse() {
        flatten(stream, &mut tokens);
    }
    tokens
}

fn flatten(stream: TokenStream, out: &mut Vec<Token>) {
    let token =
        |text: &str, at: Span| Token { text: text.into(), line: at.start().line, end: at.byte_range().end };
    for tree in stream {
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::None => ("", ""),
                };
                out.push(token(open, group.span_open()));
                flatten(group.stream(), out);
                out.push(token(close, group.span_close()));
            }
            TokenTree::Ident(word) => out.push(token(&word.to_string(), word.span())),
            TokenTree::Punct(sign) => out.push(token(&sign.as_char().to_string(), sign.span())),
            TokenTree::Literal(literal) => out.push(token("\"", literal.span())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_endings_of_windows_are_counted_once() {
        let found = foreign_word("// é\r\nfn f() {}\r\nstatic mut SUM: i32 = 0;\r\n");
        assert!(found.is_some_and(|what| what.contains("`static` in line 3")));
    }

    #[test]
    fn what_a_function_may_not_use_is_named_with_its_line() {
        for (text, said) in [
            ("use std as s; use s::{fs as f};", "`fs` in line 2"),
            ("static mut SUM: i32 = 0;", "`static` in line 2"),
            ("std::thread_local! {}", "`thread_local`"),
            ("include!(\"solutions/1_1_any_length.rs\");", "`include`"),
            ("use std::num::Wrapping; fn net() { std::process::exit(0) }", "`net` in line 2"),
            ("mod solutions;", "Line 2 is a module"),
            ("#[path = \"x.rs\"] mod x {}", "Line 2 is a module"),
            ("#[cfg_attr(all(), path = \"x.rs\")] mod x {}", "Line 2 is a module"),
        ] {
            let found = foreign_word(&format!("fn f() {{}}\n{text}\n"));
            assert!(found.as_ref().is_some_and(|what| what.contains(said)), "{text}: {found:?}");
        }
        for text in [
            "fn process(net: i32) {}",
            "fn f(s: &'static str) {}",
            "// static /* env */",
            "mod inner { fn g() {} }",
            "let s = (r#\"fs\"#, 'e', b\"asm\");",
        ] {
            assert_eq!(foreign_word(text), None, "{text}");
        }
    }
}
