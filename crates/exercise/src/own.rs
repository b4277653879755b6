//! Whether an answer is the learner's own work: what stands in its file, and nothing that comes from
//! elsewhere.

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

/// Words in C++, without underscores around them, that change what a compiler may take for granted, or say
/// what it does.
const STEERING: [&str; 8] =
    ["asm", "unreachable", "optimize", "optnone", "OPTIMIZE", "NO_INLINE", "CUDACC_DEBUG", "Pragma"];

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

/// What `text`, an answer in CUDA, includes from elsewhere: a sentence, if so. It is compiled where nothing
/// else lies, so this is only the better message.
pub fn foreign_include(text: &str) -> Option<String> {
    let is_source = |line: &&str| line.starts_with('#') && (line.contains(".cu\"") || line.contains(".cu>"));
    text.lines().map(str::trim).find(is_source).map(elsewhere)
}

/// The source file other than `path`, and no header, from which code came to `ptx`: a sentence, if there is
/// one.
pub fn foreign_file(ptx: &str, path: &str) -> Option<String> {
    let files = ptx.lines().filter_map(|line| line.trim_start().strip_prefix(".file")?.split('"').nth(1));
    let is_own =
        |file: &str| file == path || ["include/", "kernels/clang/"].iter().any(|at| file.starts_with(at));
    files.into_iter().find(|file| !is_own(file)).map(elsewhere)
}

fn elsewhere(what: &str) -> String {
    format!(
        "`{what}`: an answer stands in its own file alone. Only the headers of CUDA and of the system may be \
         included, by their names."
    )
}

/// Whether `text`, an answer in C++, tells the compiler something, or asks what it is told: then what it
/// makes of it with optimisation and without may be two different things. Parts of words may hide one of
/// these.
pub fn steers_the_compiler(text: &str) -> bool {
    let lines = text.lines().map(|line| match line.trim_end().strip_suffix('\\') {
        Some(part) => part.to_string(),
        None => format!("{line}\n"),
    });
    let text: String = lines.collect();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    let says = |word: &&str| {
        word.starts_with("__builtin_")
            || word.ends_with("assume")
            || STEERING.contains(&word.trim_matches('_'))
    };
    let pragma = |pair: &[&str]| pair[0] == "pragma" && !["unroll", "once"].contains(&pair[1]);
    text.contains("##") || words.iter().any(says) || words.windows(2).any(pragma)
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
    fn what_is_included_from_elsewhere_is_named() {
        for line in ["#include \"solutions/2_1_barrier.cu\"", "  # include <../kernels/x.cu>"] {
            let found = foreign_include(&format!("int x;\n{line}\n"));
            assert!(found.is_some_and(|what| what.contains("its own file")), "{line}");
        }
        assert_eq!(foreign_include("#include <limits.h>\n// #include \"x.cu\"\n#define S(x) #x\n"), None);
    }

    #[test]
    fn code_from_other_sources_is_found_however_it_came() {
        let found =
            |file: &str| foreign_file(&format!("\t.file\t1 \"k/a.cu\"\n\t.file\t2 \"{file}\"\n"), "k/a.cu");
        assert!(found("k/solutions/a.cu").is_some_and(|what| what.contains("`k/solutions/a.cu`")));
        for file in ["include/cooperative_groups.h", "kernels/clang/cmath"] {
            assert_eq!(found(file), None);
        }
    }

    #[test]
    fn what_steers_the_compiler_is_found() {
        for text in [
            "__builtin_assume(gridDim.x >= 2);",
            "if (n > 5) __builtin_unreachable();",
            "__assume(x);",
            "[[assume(x > 2)]];",
            "__asm__ volatile(\"\");",
            "#  pragma GCC optimize(\"O0\")",
            "_Pragma(\"unroll\")",
            "#define J(a, b) a##b",
            "__builtin_\\ \nassume(x);",
        ] {
            assert!(steers_the_compiler(text), "{text}");
        }
        assert!(!steers_the_compiler(
            "#pragma unroll\nfor (;;) { plasma(\"a\"); } // we take it for granted"
        ));
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
