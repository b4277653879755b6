//! Whether an answer is the learner's own work: what stands in its file, and nothing that comes from
//! elsewhere.

use std::path::Path;

use super::source::{Exercise, Kind};

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

/// What `text`, the learner's file of `exercise` below `root`, brings in from elsewhere: a sentence, if so.
pub fn foreign(root: &Path, exercise: &Exercise, text: &str) -> Option<String> {
    match exercise.kind {
        Kind::Function(_) => foreign_word(text),
        Kind::Kernel(_) => foreign_file(root, exercise, text),
        // Only its numbers may differ from the task.
        Kind::Numbers { .. } => None,
    }
}

fn foreign_word(text: &str) -> Option<String> {
    let code = blanked(text);
    let line = |at: usize| 1 + code[..at].matches('\n').count();
    // Where `std` is not named, a helper may be called `process`.
    let has_std = words(&code).any(|(_, word)| word == "std");
    let leads_out = |word: &str| WORDS.contains(&word) && (has_std || !OF_STD.contains(&word));
    if let Some((at, word)) = words(&code).find(|(_, word)| leads_out(word)) {
        return Some(format!(
            "`{word}` in line {}: the function needs its numbers alone. It reads no files, starts no \
             programs, and remembers nothing from one call to the next.",
            line(at)
        ));
    }
    // `mod name;` and `#[path = …]` are other files, too.
    let at = words(&code).filter(|(_, word)| *word == "mod").map(|(at, _)| at);
    let elsewhere =
        |at: &usize| code[*at..].find([';', '{']).is_some_and(|end| code[at + end..].starts_with(';'));
    let attribute = code.match_indices("#[").map(|(at, _)| at).find(|at| {
        let end = code[*at..].find(']').map_or(code.len(), |end| at + end);
        words(&code[*at..end]).any(|(_, word)| word == "path")
    });
    at.into_iter().find(elsewhere).or(attribute).map(|at| {
        format!("Line {} is a module in another file: an answer stands in its own file alone.", line(at))
    })
}

/// Directives are looked for in the text as it stands: what is a comment or a string, and what an `#if`
/// leaves out, compilers may see otherwise. So none may stand at the beginning of a line of a comment,
/// either.
fn foreign_file(root: &Path, exercise: &Exercise, text: &str) -> Option<String> {
    let text = joined(text);
    let folder = root.join(&exercise.path);
    let folder = folder.parent()?;
    let starts = ["#", "%:", "??="].iter().flat_map(|mark| text.match_indices(mark));
    for (at, mark) in starts {
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = text[start..at].trim_matches(is_blank);
        if !before.is_empty() && !before.ends_with("*/") {
            continue;
        }
        let directive = past_comments(&text[at + mark.len()..]);
        let word: String = directive.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let is_own = match &*word {
            "include" => is_header(folder, past_comments(&directive[word.len()..])),
            "include_next" | "import" | "embed" => false,
            _ => true,
        };
        if !is_own {
            return Some(format!(
                "`{}`: an answer stands in its own file alone. Only the headers of CUDA and of the system \
                 may be included, by their names.",
                text[start..].lines().next().unwrap_or_default().trim()
            ));
        }
    }
    None
}

/// `text` as a preprocessor joins its lines: a backslash may have blanks after it, and a line may end as on
/// any system.
fn joined(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace("??/", "\\");
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        match line.trim_end_matches(is_blank).strip_suffix('\\') {
            Some(part) if line.ends_with('\n') => out += part,
            _ => out += line,
        }
    }
    out
}

/// What some compiler may pass over as a blank.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() || !c.is_ascii()
}

/// `text` without the blanks and comments that it begins with, up to the end of the line.
fn past_comments(text: &str) -> &str {
    let blanks = |text: &'_ str| text.find(|c| c == '\n' || !is_blank(c)).unwrap_or(text.len());
    let mut rest = &text[blanks(text)..];
    while let Some(comment) = rest.strip_prefix("/*") {
        let (_, after) = comment.split_once("*/").unwrap_or_default();
        rest = &after[blanks(after)..];
    }
    rest
}

/// Whether `name`, with what encloses it and what follows, is that of a header that lies with the compiler.
fn is_header(folder: &Path, name: &str) -> bool {
    let close = match name.chars().next() {
        Some('<') => '>',
        Some('"') => '"',
        _ => return false,
    };
    let line = name[1..].lines().next().unwrap_or_default();
    let Some((name, _)) = line.split_once(close) else { return false };
    let outside =
        name.starts_with('/') || name.contains(['\\', ':']) || name.split('/').any(|part| part == "..");
    !outside && !folder.join(name).exists()
}

/// Whether `text`, an answer in C++, tells the compiler something, or asks what it is told: then what it
/// makes of it with optimisation and without may be two different things. Parts of words may hide one of
/// these.
pub fn steers_the_compiler(text: &str) -> bool {
    let text = joined(text);
    let says = |word: &str| {
        word.starts_with("__builtin_")
            || word.ends_with("assume")
            || STEERING.contains(&word.trim_matches('_'))
    };
    let pragma = |line: &str| {
        let after = line.split_once("pragma").map(|(_, after)| past_comments(after));
        after.is_some_and(|what| !what.starts_with("unroll") && !what.starts_with("once"))
    };
    text.contains("##") || words(&text).any(|(_, word)| says(word)) || text.lines().any(pragma)
}

/// The identifiers and keywords of `code`, and where they begin.
pub fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let starts = code.char_indices().scan(false, move |inside, (at, c)| {
        let begins = is_part(c) && !*inside;
        *inside = is_part(c);
        Some((at, begins))
    });
    starts.filter(|(_, begins)| *begins).map(move |(at, _)| {
        let end = code[at..].find(|c| !is_part(c)).map_or(code.len(), |end| at + end);
        (at, &code[at..end])
    })
}

/// `text`, in Rust, with blanks in place of its comments, strings, characters and lifetimes; all else is
/// where it was.
pub fn blanked(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    let mut last = ' ';
    while let Some(c) = rest.chars().next() {
        let in_word = last.is_alphanumeric() || last == '_';
        let length = literal(rest, in_word).unwrap_or(0).min(rest.len());
        if length == 0 {
            out.push(c);
            (rest, last) = (&rest[c.len_utf8()..], c);
            continue;
        }
        let blank = |c: char| if c == '\n' { "\n".to_string() } else { " ".repeat(c.len_utf8()) };
        out.extend(rest[..length].chars().map(blank));
        (rest, last) = (&rest[length..], ' ');
    }
    out
}

/// The bytes of the comment, string, character or lifetime that `rest` begins with; to the end of the text if
/// it isn't closed. `in_word`: what comes before belongs to a word, like the `1` of `1'000`.
fn literal(rest: &str, in_word: bool) -> Option<usize> {
    let through =
        |from: usize, end: &str| rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len());
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return Some(nested(rest));
    }
    if !in_word && let Some(raw) = rest.strip_prefix('r') {
        let hashes = raw.bytes().take_while(|byte| *byte == b'#').count();
        if raw[hashes..].starts_with('"') {
            return Some(through(hashes + 2, &format!("\"{}", "#".repeat(hashes))));
        }
    }
    let quote = rest.chars().next().filter(|c| *c == '"' || *c == '\'' && !in_word)?;
    if quote == '\'' {
        // `'a'` and `'\n'` are characters, `'a` a lifetime.
        let mut chars = rest[1..].chars();
        let (first, second) = (chars.next()?, chars.next());
        if first != '\\' && second != Some('\'') {
            return Some(
                1 + rest[1..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len() - 1),
            );
        }
    }
    let mut escaped = false;
    let end = rest.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == quote && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    Some(end.map_or(rest.len(), |(at, c)| at + c.len_utf8()))
}

/// The bytes of a comment of Rust, in which others may be.
fn nested(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        let step = match &rest.as_bytes()[at..] {
            [b'/', b'*', ..] => 1,
            [b'*', b'/', ..] => -1,
            _ => 0,
        };
        depth += step;
        at += if step == 0 { 1 } else { 2 };
        if depth == 0 {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn foreign_in(id: &str, text: &str) -> Option<String> {
        let root = Path::new(workbook::ROOT);
        let exercises = super::super::catalogue::read(root).unwrap();
        let exercise = exercises.iter().find(|exercise| exercise.id.to_string() == id).unwrap();
        foreign(root, exercise, text)
    }

    #[test]
    fn comments_strings_characters_and_lifetimes_are_blanked_in_place() {
        for (text, code) in [
            ("a // b\nc", "a     \nc"),
            ("a/* /* b */ */c", "a             c"),
            ("\"\\\"x\" r#\"y\"z\"# k", "               k"),
            ("'\\'' 'x' &'static str", "         &        str"),
            ("\u{e9}\"\u{e9}\"", "\u{e9}    "),
            ("\"open", "     "),
            ("'", "'"),
        ] {
            assert_eq!(blanked(text), code, "{text}");
        }
    }

    #[test]
    fn other_files_are_found_however_they_are_written() {
        for text in [
            "#include \"solutions/2_1_barrier.cu\"",
            "#include <../kernels/x.cu>",
            "#include \"/tmp/x.cu\"",
            "#include \"2_2_any_length.cu\"",
            "  # /* here */ include \"solutions/2_1_barrier.cu\"",
            "#inc\\\nlude \"solutions/2_1_barrier.cu\"",
            "%:include \"solutions/2_1_barrier.cu\"",
            "#define F \"solutions/2_1_barrier.cu\"\n#include F",
            "#embed <x>",
            "#inc\\ \t\nlude \"solutions/2_1_barrier.cu\"",
            "// \r#include \"solutions/2_1_barrier.cu\"",
            "#if 0\n'\"'\"\n#endif\n#include \"solutions/2_1_barrier.cu\"\n// \"",
            "auto c = u8'\"';\n#include \"solutions/2_1_barrier.cu\"\nauto d = '\"';",
            "/*\n*/ #include \"solutions/2_1_barrier.cu\"",
            "#/*\n*/ include/**/\"solutions/2_1_barrier.cu\"",
            "\u{feff}#include \"solutions/2_1_barrier.cu\"",
        ] {
            let found = foreign_in("2.1", &format!("int x;\n{text}\n"));
            assert!(found.is_some_and(|what| what.contains("its own file")), "{text}");
        }
        for text in [
            "#include <limits.h>",
            "#include <cooperative_groups/reduce.h>",
            "#include \"cuda_runtime.h\"",
            "// #include \"solutions/2_1_barrier.cu\"",
            "#define N 3 // include \"x\"",
            "#define S(x) #x\r\n#include /* of the system */ <limits.h> // ..\r\n",
        ] {
            assert_eq!(foreign_in("2.1", text), None, "{text}");
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
        ] {
            let found = foreign_in("1.1", &format!("fn f() {{}}\n{text}\n"));
            assert!(found.as_ref().is_some_and(|what| what.contains(said)), "{text}: {found:?}");
        }
        for text in [
            "fn process(net: i32) {}",
            "fn f(s: &'static str) {}",
            "// static",
            "mod inner { fn g() {} }",
            "let s = \"fs\";",
        ] {
            assert_eq!(foreign_in("1.1", text), None, "{text}");
        }
    }
}
