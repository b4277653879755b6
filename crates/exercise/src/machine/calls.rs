//! How often, and how deep, the functions of an answer in Rust call each other: a copy of the file in which
//! each of them counts itself.

use super::tokens::tokens;

/// Counts, in the copy. `NAME` has something that no answer can know.
const COUNTER: &str = "
pub mod NAME {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    static COUNTS: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];
    pub struct Call;
    impl Call {
        pub fn new() -> Call {
            COUNTS[0].fetch_add(1, Relaxed);
            COUNTS[2].fetch_max(COUNTS[1].fetch_add(1, Relaxed) + 1, Relaxed);
            Call
        }
    }
    impl Drop for Call {
        fn drop(&mut self) {
            COUNTS[1].fetch_sub(1, Relaxed);
        }
    }
    /// Calls, and how deep they were nested, since it was asked last.
    pub fn taken() -> (u64, u64) {
        (COUNTS[0].swap(0, Relaxed), COUNTS[2].swap(0, Relaxed))
    }
}
";

/// `text` with counts of its calls in the module `name`.
pub fn counted(text: &str, name: &str) -> String {
    let tokens = tokens(text);
    let mut out = String::new();
    let mut done = 0;
    for (at, _) in tokens.iter().enumerate().filter(|(_, token)| token.text == "fn") {
        // The body; a declaration has none, nor has the type of a function. `[i32; 3]` is a type.
        let is_named = tokens.get(at + 1).is_some_and(|name| name.text != "(");
        let mut depth = 0;
        let end = tokens[at..].iter().find(|token| {
            depth +=
                i32::from(["(", "["].contains(&&*token.text)) - i32::from([")", "]"].contains(&&*token.text));
            depth == 0 && ["{", ";"].contains(&&*token.text)
        });
        let Some(body) = end.filter(|end| is_named && end.text == "{") else { continue };
        out += &text[done..body.end];
        out += &format!(" let _call = crate::{name}::Call::new();");
        done = body.end;
    }
    out + &text[done..] + &COUNTER.replace("NAME", name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Editors on Windows end lines so.
    #[test]
    fn line_endings_and_letters_of_several_bytes_shift_nothing() {
        let text = "// a sum – or two\r\npub fn a(x: i32) -> i32 {\r\n    b(x) // é\r\n}\r\n\
                    fn b(x: i32) -> i32 { x }\r\n";
        let call = " let _call = crate::n::Call::new();";
        let expected = text.replace("i32 {", &format!("i32 {{{call}"));
        assert!(counted(text, "n").starts_with(&expected), "{}", counted(text, "n"));
    }

    #[test]
    fn every_body_counts_and_nothing_else_does() {
        let text = "pub fn a(x: &[i32; 3]) -> i32 { b(x) } // fn c() {\nfn b(f: fn(i32) -> i32) {\n    \
            \"fn d() {\"\n}\n";
        let call = " let _call = crate::n::Call::new();";
        let expected = format!(
            "pub fn a(x: &[i32; 3]) -> i32 {{{call} b(x) }} // fn c() {{\n\
             fn b(f: fn(i32) -> i32) {{{call}\n  \
            \x20 \"fn d() {{\"\n}}\n"
        );
        let found = counted(text, "n");
        assert_eq!(found.strip_suffix(&COUNTER.replace("NAME", "n")), Some(&*expected));
    }
}
