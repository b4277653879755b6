//! Whether an answer in CUDA C++ is the learner's own work: what stands in its file, and nothing that comes
//! from elsewhere.

/// Words in C++, without underscores around them, that change what a compiler may take for granted, or say
/// what it does.
const STEERING: [&str; 8] =
    ["asm", "unreachable", "optimize", "optnone", "OPTIMIZE", "NO_INLINE", "CUDACC_DEBUG", "Pragma"];

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
}
