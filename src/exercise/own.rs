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
    let code = blanked(text, Language::Rust);
    let line = |at: usize| 1 + code[..at].matches('\n').count();
    if let Some((at, word)) = words(&code).find(|(_, word)| WORDS.contains(word)) {
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

fn foreign_file(root: &Path, exercise: &Exercise, text: &str) -> Option<String> {
    // As the preprocessor joins lines, with the other spelling of `#`.
    let text = text.replace("\r\n", "\n").replace("\\\n", "");
    let code = blanked(&text, Language::Cpp).replace("%:", "# ");
    let folder = root.join(&exercise.path);
    let folder = folder.parent()?;
    for (line, code) in text.lines().zip(code.lines()) {
        let directive = code.trim_start().strip_prefix('#').map(str::trim_start).unwrap_or_default();
        let word: String = directive.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let name = &line[line.len().min(code.len() - directive.len() + word.len())..];
        let is_own = match &*word {
            "include" => is_header(folder, name.trim()),
            "include_next" | "import" | "embed" => false,
            _ => true,
        };
        if !is_own {
            return Some(format!(
                "`{}`: an answer stands in its own file alone. Only the headers of CUDA and of the system \
                 may be included, by their names.",
                line.trim()
            ));
        }
    }
    None
}

/// Whether `name`, with what encloses it and what follows, is that of a header that lies with the compiler.
fn is_header(folder: &Path, name: &str) -> bool {
    let close = match name.chars().next() {
        Some('<') => '>',
        Some('"') => '"',
        _ => return false,
    };
    let Some((name, _)) = name[1..].split_once(close) else { return false };
    let outside =
        name.starts_with('/') || name.contains(['\\', ':']) || name.split('/').any(|part| part == "..");
    !outside && !folder.join(name).exists()
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

/// Whose comments and strings.
#[derive(Clone, Copy, PartialEq)]
pub enum Language {
    Rust,
    Cpp,
}

/// `text` with blanks in place of its comments, strings, characters and lifetimes; all else is where it was.
pub fn blanked(text: &str, language: Language) -> String {
    let mut out = String::new();
    let mut rest = text;
    let mut last = ' ';
    while let Some(c) = rest.chars().next() {
        let in_word = last.is_alphanumeric() || last == '_';
        let length = literal(rest, language, in_word).unwrap_or(0).min(rest.len());
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
fn literal(rest: &str, language: Language, in_word: bool) -> Option<usize> {
    let through =
        |from: usize, end: &str| rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len());
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return Some(if language == Language::Rust { nested(rest) } else { through(2, "*/") });
    }
    if !in_word && let Some(raw) = rest.strip_prefix(if language == Language::Rust { "r" } else { "R\"" }) {
        let hashes = raw.bytes().take_while(|byte| *byte == b'#').count();
        match language {
            Language::Rust if raw[hashes..].starts_with('"') => {
                return Some(through(hashes + 2, &format!("\"{}", "#".repeat(hashes))));
            }
            Language::Cpp => {
                let (delimiter, _) = raw.split_once('(')?;
                return Some(through(3 + delimiter.len(), &format!("){delimiter}\"")));
            }
            Language::Rust => {}
        }
    }
    let quote = rest.chars().next().filter(|c| *c == '"' || *c == '\'' && !in_word)?;
    if quote == '\'' && language == Language::Rust {
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
            assert_eq!(blanked(text, Language::Rust), code, "{text}");
        }
        assert_eq!(blanked("1'000 R\"x(\")\")x\" 'a' b", Language::Cpp), format!("1'000{}b", " ".repeat(16)));
        assert_eq!(blanked("/* /* */ b", Language::Cpp), "         b");
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
        ] {
            assert_eq!(foreign_in("2.1", text), None, "{text}");
        }
    }

    #[test]
    fn what_a_function_may_not_use_is_named_with_its_line() {
        for (text, said) in [
            ("use std as s; use s::{fs as f};", "`fs` in line 2"),
            ("static mut SUM: i32 = 0;", "`static` in line 2"),
            ("std::thread_local! {}", "`thread_local`"),
            ("include!(\"solutions/1_1_any_length.rs\");", "`include`"),
            ("mod solutions;", "Line 2 is a module"),
            ("#[path = \"x.rs\"] mod x {}", "Line 2 is a module"),
        ] {
            let found = foreign_in("1.1", &format!("fn f() {{}}\n{text}\n"));
            assert!(found.as_ref().is_some_and(|what| what.contains(said)), "{text}: {found:?}");
        }
        for text in ["fn f(s: &'static str) {}", "// static", "mod inner { fn g() {} }", "let s = \"fs\";"] {
            assert_eq!(foreign_in("1.1", text), None, "{text}");
        }
    }
}
