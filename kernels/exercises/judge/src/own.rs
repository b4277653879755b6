//! Whether an answer in CUDA C++ is the learner's own work: what stands in its file, and nothing that comes
//! from elsewhere.

use kernel_compiler::explain;
use kernel_compiler::lex::{Token, joined, placed};

/// The headers that an answer may include: those of C and C++ about types and numbers, and CUDA's.
const HEADERS: [&str; 36] = [
    "assert.h",
    "cassert",
    "cfloat",
    "climits",
    "cmath",
    "cooperative_groups.h",
    "cooperative_groups/memcpy_async.h",
    "cooperative_groups/reduce.h",
    "cooperative_groups/scan.h",
    "cstddef",
    "cstdint",
    "cstdio",
    "cuda.h",
    "cuda/atomic",
    "cuda/barrier",
    "cuda/pipeline",
    "cuda/std/atomic",
    "cuda/std/barrier",
    "cuda/std/climits",
    "cuda/std/cstdint",
    "cuda/std/limits",
    "cuda_bf16.h",
    "cuda_fp16.h",
    "cuda_pipeline.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "device_launch_parameters.h",
    "float.h",
    "limits",
    "limits.h",
    "math.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "type_traits",
    "utility",
];

/// Directives that bring in nothing, and leave the compiler's file names and lines as they are.
const DIRECTIVES: [&str; 12] = [
    "define", "undef", "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif", "error",
    "warning",
];
/// What a `#pragma` may begin with.
const PRAGMAS: [&str; 5] = ["unroll", "nounroll", "once", "nv_diag_suppress", "nv_diag_default"];
/// Words that ask what files there are, or read one.
const ASKING: [&str; 5] = ["__has_include", "__has_include_next", "__has_embed", "__pragma", "_Pragma"];
/// What would make an assembler read a file.
const ASSEMBLER: [&str; 2] = [".incbin", ".include"];

/// What `text`, an answer in CUDA at `path`, brings in from elsewhere, or may bring in, if so: as a compiler
/// says it, at its line.
pub fn not_allowed(path: &str, text: &str) -> Option<String> {
    let joined = joined(text);
    let (place, what) = foreign(&joined)?;
    let line = line(text, joined[..place].matches('\n').count());
    Some(explain::placed(path, text, line, "error", &what))
}

/// The number of the line of `text` that begins the line `number`, from 0, of the joined text.
fn line(text: &str, number: usize) -> u32 {
    let lines: Vec<&str> = text.split('\n').collect();
    let is_first = |place: &usize| place.checked_sub(1).is_none_or(|before| !is_continued(lines[before]));
    1 + (0..lines.len()).filter(is_first).nth(number).unwrap_or(0) as u32
}

fn is_continued(line: &str) -> bool {
    ["\\", "??/"].iter().any(|end| line.trim_end().ends_with(end))
}

/// What a joined text brings in from elsewhere, and where.
fn foreign(text: &str) -> Option<(usize, String)> {
    let tokens = placed(text);
    let is_raw = |pair: &&[(usize, Token)]| match pair {
        [(_, Token::Word(word)), (_, Token::Quoted(quoted))] => {
            word.ends_with('R') && quoted.starts_with('"')
        }
        _ => false,
    };
    if let Some(pair) = tokens.windows(2).find(is_raw) {
        let what = "a raw string (`R\"(…)\"`) is not allowed in an answer: write an ordinary one";
        return Some((pair[0].0, what.into()));
    }
    let asks = |token: &Token| ASKING.iter().any(|asking| token.is_word(asking));
    if let Some((place, word)) = tokens.iter().find(|(_, token)| asks(token)) {
        let word = word.text();
        let what = format!("`{word}` is not allowed in an answer: it needs nothing of what it asks for");
        return Some((*place, what));
    }
    tokens.split(|(_, token)| *token == Token::LineEnd).find_map(|line| {
        let tokens: Vec<Token> = line.iter().map(|(_, token)| *token).collect();
        Some((line.first()?.0, directive(&tokens)?))
    })
}

/// What is wrong with a line, if it is a directive that an answer may not have.
fn directive(line: &[Token]) -> Option<String> {
    let behind = match line {
        [first, rest @ ..] if first.is_mark("#") => rest,
        [first, second, rest @ ..] if first.is_mark("%") && second.is_mark(":") => rest,
        _ => return None,
    };
    let [name, rest @ ..] = behind else { return None };
    let written: String = rest.iter().map(Token::text).collect();
    if name.is_word("include") {
        let header = match rest {
            [Token::Quoted(quoted)] => quoted.trim_matches('"'),
            _ => written.strip_prefix('<').and_then(|header| header.strip_suffix('>')).unwrap_or_default(),
        };
        let why = || explain::header(header).unwrap_or_else(|| elsewhere(&format!("#include {written}")));
        return (!HEADERS.contains(&header)).then(why);
    }
    if name.is_word("pragma") {
        let is_allowed = rest.first().is_none_or(|first| PRAGMAS.contains(&first.text()));
        return (!is_allowed).then(|| format!("`#pragma {}` is not allowed in an answer", spaced(rest)));
    }
    let is_allowed = DIRECTIVES.iter().any(|directive| name.is_word(directive));
    (!is_allowed).then(|| elsewhere(&format!("#{}", spaced(behind))))
}

fn spaced(tokens: &[Token]) -> String {
    tokens.iter().map(Token::text).collect::<Vec<_>>().join(" ")
}

/// The source file other than `path`, and no header, from which code came to `ptx`, or that an assembler
/// would read: a sentence, if there is one.
pub fn foreign_file(ptx: &str, path: &str) -> Option<String> {
    let files = ptx.lines().filter_map(|line| line.trim_start().strip_prefix(".file")?.split('"').nth(1));
    let is_own =
        |file: &str| file == path || ["include/", "kernels/clang/"].iter().any(|at| file.starts_with(at));
    let foreign = files.into_iter().find(|file| !is_own(file));
    foreign.or(ASSEMBLER.into_iter().find(|directive| ptx.contains(directive))).map(elsewhere)
}

fn elsewhere(what: &str) -> String {
    format!(
        "`{what}`: an answer stands in its own file alone. It may include these headers, by their names: {}",
        HEADERS.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_brought_in_from_elsewhere_is_named() {
        for line in [
            "#include \"solutions/2_1_barrier.cu\"",
            "  # include <../kernels/x.cu>",
            "#include \"/etc/passwd\"",
            "#include <limits.h/../../x>",
            "#include \"2_1_barrier.cu\"",
            "#define F \"x.cu\"\n#include F",
            "#include __FILE__",
            "#include_next <limits.h>",
            "#import \"x.cu\"",
            "#embed \"x.bin\"",
            "%:include \"x.cu\"",
            "??=include \"x.cu\"",
            "#inc\\\nlude \"x.cu\"",
            "#\\  \n  include \"x.cu\"",
            "/* */ # /* */ include /* */ \"x.cu\"",
            "/*\n*/#include \"x.cu\"",
            "char c = '\"'; // \"\n#include \"x.cu\"",
            "int i = 1'0, c = '/*';\n#include \"x.cu\" //*/",
            "#line 3 \"x.cu\"",
            "# 3 \"x.cu\"",
        ] {
            let found = not_allowed("x.cu", &format!("int x;\n{line}\n")).unwrap_or_else(|| panic!("{line}"));
            assert!(found.contains("its own file"), "{line}: {found}");
        }
        for line in [
            "const char *s = R\"(\" /*)\";\n#include \"x.cu\"",
            "#if __has_include(\"/etc/shadow\")",
            "#pragma include_alias(\"limits.h\", \"x.cu\")",
            "_Pragma(\"GCC dependency \\\"x.cu\\\"\")",
        ] {
            let found = not_allowed("x.cu", &format!("int x;\n{line}\n")).unwrap_or_else(|| panic!("{line}"));
            assert!(found.contains("is not allowed"), "{line}: {found}");
        }
    }

    #[test]
    fn a_header_of_the_standard_library_is_told_what_a_kernel_has() {
        let said = not_allowed("x.cu", "#define A \\\n 1\n\n#include <vector>\n").unwrap();
        let expected = "x.cu(4): error: there is no standard library on the device here; leave <vector> out: \
                        a kernel works on arrays and pointers\n#include <vector>\n";
        assert_eq!(said, expected);
    }

    #[test]
    fn what_is_not_allowed_stands_at_its_line() {
        for (line, text) in [
            (2, "int x;\n#inc\\\nlude \"x.cu\"\n"),
            (3, "int \\\nx;\n#include \"x.cu\"\n"),
            (2, "int x;\nconst char *s = R\"()\";\n"),
            (3, "int x;\n\n#if __has_include(<x>)\n"),
        ] {
            let said = not_allowed("x.cu", text).unwrap();
            assert!(said.starts_with(&format!("x.cu({line}): error: ")), "{said}");
        }
    }

    #[test]
    fn what_an_answer_may_include_and_say_is_left_alone() {
        for text in [
            "#include <limits.h>\n#include \"stdio.h\"\n# include <cuda/atomic> // for the ticket\n",
            "// #include \"x.cu\"\n/*\n#include \"x.cu\"\n*/\n",
            "#define S(x) #x\n#if defined(S) && 1'000 > 2\n#endif\n#\n",
            "#pragma unroll\nfor (;;) { printf(\"#include \\\"x.cu\\\"\\n\"); }\n",
            "int include = 3 %:: x;\n",
        ] {
            assert_eq!(not_allowed("x.cu", text), None, "{text}");
        }
    }

    #[test]
    fn clang_has_each_header_that_an_answer_may_include() {
        let folder = kernel_compiler::root().unwrap().join(kernel_compiler::clang::HEADERS);
        for header in HEADERS {
            assert!(folder.join(header).is_file(), "{header}");
        }
    }

    #[test]
    fn code_from_other_sources_is_found_however_it_came() {
        let found =
            |file: &str| foreign_file(&format!("\t.file\t1 \"k/a.cu\"\n\t.file\t2 \"{file}\"\n"), "k/a.cu");
        assert!(found("k/solutions/a.cu").is_some_and(|what| what.contains("`k/solutions/a.cu`")));
        for file in ["include/cooperative_groups.h", "kernels/clang/cmath"] {
            assert_eq!(found(file), None);
        }
        assert!(foreign_file("\t.incbin \"/etc/passwd\"\n", "k/a.cu").is_some());
    }

    /// Every exercise may be answered with what it is given.
    #[test]
    fn tasks_and_solutions_bring_in_nothing() {
        for exercise in super::super::catalogue::read(kernel_compiler::root().unwrap()).unwrap() {
            if exercise.path.ends_with(".cu") {
                assert_eq!(not_allowed(&exercise.path, &exercise.stub()), None, "{}", exercise.id);
                assert_eq!(not_allowed(&exercise.path, &exercise.solution()), None, "{}", exercise.id);
            }
        }
    }
}
