//! Whether an answer in CUDA C++ is the learner's own: the compiler names the files that its code comes from.

/// What would make an assembler read a file.
const ASSEMBLER: [&str; 2] = [".incbin", ".include"];

/// The source file other than `path`, and no header, from which code came to `ptx`, or that an assembler
/// would read: a sentence, if there is one.
pub fn foreign_file(ptx: &str, path: &str) -> Option<String> {
    let files = ptx.lines().filter_map(|line| line.trim_start().strip_prefix(".file")?.split('"').nth(1));
    let is_own =
        |file: &str| file == path || ["include/", "kernels/clang/"].iter().any(|at| file.starts_with(at));
    let foreign = files.into_iter().find(|file| !is_own(file));
    let foreign = foreign.or(ASSEMBLER.into_iter().find(|directive| ptx.contains(directive)));
    foreign.map(|what| format!("`{what}`: an answer stands in its own file alone"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
