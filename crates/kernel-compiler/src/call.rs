//! What calling a compiler takes, whichever it is: which messages are about the reader's file, and what in
//! its output names this machine.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use text::path;
use text::say::visible;

use super::within;

/// How long a compiler may take to say which version it is. The first start after an installation may wait
/// for a virus scanner.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// What a compiler makes of a kernel file.
#[derive(Clone, Debug)]
pub struct Ptx {
    /// PTX for compute capability 7.5 and newer, with line information.
    pub text: String,
    /// The compiler's warnings; empty if there are none.
    pub warnings: String,
}

/// What a program answers on stdout within `limit`.
///
/// # Errors
/// It does not start, gives no answer in that time, or ends with another status than 0.
pub fn answer(command: &Command, limit: Duration) -> Result<String> {
    let program = Path::new(command.get_program()).display().to_string();
    let ran = within::run(command, "", limit, None).with_context(|| format!("cannot start {program}"))?;
    let status = ran.status.with_context(|| format!("{program} gave no answer in {} s", limit.as_secs()))?;
    ensure!(status.success(), "{program} ends with {status}");
    Ok(ran.stdout)
}

/// What a compiler `said` of the source `shown`: `FILE(LINE): error: …` with the line below, control
/// characters written out. Left out are notes on other files, such as every `atomicAdd` of a header that does
/// not fit, and the final count; the reason why the nearest of these does not fit stays: `note: REASON`.
pub fn messages(said: &str, shown: &str) -> String {
    let mut kept = String::new();
    let mut is_elsewhere = false;
    let mut reason: Option<String> = None;
    for line in visible(said).lines() {
        // The host's preprocessor, which nvcc calls, has a form of its own.
        let line = match line.strip_prefix(shown).and_then(|rest| rest.strip_prefix(':')?.split_once(':')) {
            Some((number, rest)) if number.parse::<u32>().is_ok() => {
                let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(':');
                format!("{shown}({number}):{rest}")
            }
            _ => line.to_owned(),
        };
        match head(&line) {
            Some((file, what)) => {
                is_elsewhere = what.starts_with("note") && file != shown;
                if !is_elsewhere {
                    kept.extend(reason.take().map(|reason| format!("note: {reason}\n")));
                } else if let Some((_, other)) = what.split_once("candidate function not viable: ") {
                    let is_nearer = reason.as_ref().is_none_or(|known| distance(other) < distance(known));
                    reason = if is_nearer { Some(other.to_string()) } else { reason };
                }
            }
            None if line.is_empty() => is_elsewhere = false,
            None => {}
        }
        let mut words = line.split(' ');
        let is_count = words.next().is_some_and(|word| word.parse::<u32>().is_ok())
            && words.next().is_some_and(|word| word.starts_with("error") || word.starts_with("warning"))
            && words.any(|word| word == "generated" || word == "detected");
        if !is_elsewhere && !is_count && line != "compilation terminated." {
            kept += &line;
            kept.push('\n');
        }
    }
    kept.extend(reason.map(|reason| format!("note: {reason}\n")));
    kept.trim_end().to_owned() + if kept.trim().is_empty() { "" } else { "\n" }
}

/// How far from fitting a function is, by the reason why it does not: where an `&` is missing, that is all.
fn distance(reason: &str) -> (bool, usize) {
    (!reason.contains("take the address"), reason.len())
}

/// `x.cu` and `error: …`, of the first line of a message.
fn head(line: &str) -> Option<(&str, &str)> {
    let (place, what) = line.split_once("): ")?;
    let (file, number) = place.rsplit_once('(')?;
    number.parse::<u32>().ok().map(|_| (file, what))
}

/// A `.file` entry without this machine: the source as shown, `include/…` for a header of the toolkit or
/// the system, a path from `root` or the workbook's own root for what else is there, or the bare name.
pub fn file_entry(root: &Path, path: &str, shown: &str) -> String {
    let path = path::committed(path);
    if path == shown || path.ends_with(&format!("/{shown}")) {
        return shown.to_owned();
    }
    if let Some((_, header)) = path.rsplit_once("/include/") {
        return format!("include/{header}");
    }
    let canonical = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let own = crate::root().unwrap_or(root);
    let roots = [root, canonical.as_path(), own];
    let inside = roots.iter().find_map(|root| path::below(&root.to_string_lossy(), &path));
    inside.unwrap_or_else(|| path.rsplit('/').next().unwrap_or_default().to_owned())
}

/// `ptx` with `entry` of the path in each `.file` entry.
pub fn with_files(ptx: &str, entry: impl Fn(&str) -> String) -> String {
    let mut text = String::with_capacity(ptx.len());
    for line in ptx.lines() {
        match line.split('"').collect::<Vec<_>>()[..] {
            [before, path, after] if before.trim_start().starts_with(".file") => {
                text += &format!("{before}\"{}\"{after}\n", entry(path));
            }
            _ => text.extend([line, "\n"]),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOWN: &str = "kernels/x.cu";

    #[test]
    fn messages_of_both_compilers_have_one_form() {
        let nvcc = "kernels/x.cu(5): error: no instance of overloaded function \"atomicAdd\"\n    \
                    atomicAdd(p);\n    ^\n\
                    /opt/include/atomics.hpp(292): note #3322-D: number of parameters\n  \
                    static double atomicAdd(double *, double)\n  ^\n\n\
                    kernels/x.cu(7): error: expected a \";\"\n    x\n    ^\n\n\
                    2 errors detected in the compilation of \"kernels/x.cu\".\n";
        let clang = "kernels/x.cu(5): error: no matching function for call to 'atomicAdd'\n  \
                     atomicAdd(p);\n  ^\n\
                     /w/kernels/clang/cuda.h(127): note: candidate function not viable\nWB_ATOMIC\n^\n\
                     kernels/x.cu(7): error: expected ';'\n  x\n   ^\n\
                     2 errors generated when compiling for sm_75.\n";
        for (said, text) in [(nvcc, "x\n    ^"), (clang, "x\n   ^")] {
            let said = messages(said, SHOWN);
            let heads: Vec<_> = said.lines().filter(|line| line.contains("): ")).collect();
            assert_eq!(heads.len(), 2, "{said}");
            assert!(heads[0].starts_with("kernels/x.cu(5): error: no "), "{said}");
            assert!(heads[1].starts_with("kernels/x.cu(7): error: expected"), "{said}");
            assert!(said.trim_end().ends_with(text) && !said.contains("cuda.h"), "{said}");
        }
        let reasons = clang.replace("viable", "viable: no known conversion from 'int' to 'int *'");
        assert!(messages(&reasons, SHOWN).contains("^\nnote: no known conversion from 'int' to 'int *'\n"));
        let host = "kernels/x.cu:1:10: fatal error: cuda/foo: No such file or directory\n    \
                    1 | #include <cuda/foo>\n\
                    compilation terminated.\n";
        let expected = "kernels/x.cu(1): fatal error: cuda/foo: No such file or directory\n    \
                        1 | #include <cuda/foo>\n";
        assert_eq!(messages(host, SHOWN), expected);
        assert_eq!(messages("ch9.cu\n", SHOWN), "ch9.cu\n");
        assert_eq!(messages("", SHOWN), "");
    }

    /// What `canonicalize` gives on Windows is the start of no path that clang writes.
    #[test]
    fn a_readers_own_header_keeps_its_folder() {
        for (root, path, expected) in [
            (r"\\?\C:\w", "C:/w/inc/mine.h", "inc/mine.h"),
            (r"C:\w", r"C:\\w\\inc\\mine.h", "inc/mine.h"),
            (r"C:\w", r"C:\\w\\kernels\\x.cu", SHOWN),
            (r"C:\w", r"C:\\CUDA\\include\\crt\\math.h", "include/crt/math.h"),
            (r"C:\w", "D:/other/mine.h", "mine.h"),
            ("/nowhere/w", "/nowhere/w/inc/mine.h", "inc/mine.h"),
        ] {
            assert_eq!(file_entry(Path::new(root), path, SHOWN), expected, "{root} {path}");
        }
    }

    /// A program that says nothing and does not end.
    #[cfg(unix)]
    #[test]
    fn an_answer_is_not_waited_for_for_ever() {
        let mut silent = Command::new("sh");
        silent.args(["-c", "sleep 3606.25; true"]);
        let error = answer(&silent, Duration::from_millis(50)).unwrap_err().to_string();
        assert_eq!(error, "sh gave no answer in 0 s");
    }
}
