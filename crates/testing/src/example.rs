//! Programs that tests start: an example's, and scripts in place of a compiler.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The program of the example `name`, as Cargo has built it beside the test that asks.
///
/// # Panics
/// It is not built, or one of its sources has changed since: with `--test`, Cargo builds no examples.
pub fn program(name: &str) -> PathBuf {
    let missing = |what: &str| -> ! {
        panic!("the example {name} {what}; run `cargo build --examples` first, or all of `cargo test`")
    };
    // target/<profile>/deps/<test>-… -> target/<profile>/examples/<name>
    let test = std::env::current_exe().unwrap_or_default();
    let Some(profile) = test.parent().and_then(Path::parent) else { missing("is not built") };
    let program = profile.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let Some(built) = changed(&program) else { missing("is not built") };
    let made_of = std::fs::read_to_string(profile.join("examples").join(format!("{name}.d")));
    let target = profile.parent().unwrap_or(profile);
    let Ok(root) = kernel_compiler::root() else { return program };
    for source in sources(&made_of.unwrap_or_default(), root, target) {
        if changed(&source).is_some_and(|changed| changed > built) {
            missing(&format!("is older than {}", source.display()));
        }
    }
    program
}

/// Makes an executable script of `text`. Another process writes it: what this one has open, the children that
/// other tests start meanwhile have open too, and what is open for writing cannot be run (`ETXTBSY`).
///
/// # Panics
/// The file cannot be written.
#[cfg(unix)]
pub fn script(path: &Path, text: &str) {
    use std::io::Write;
    use std::process::{Command, Stdio};

    let mut writer = Command::new("sh")
        .args(["-c", r#"cat > "$0" && chmod 755 "$0""#])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("cannot start sh: {error}"));
    let written = writer.stdin.take().map(|mut to| to.write_all(text.as_bytes()));
    let has_ended = writer.wait().is_ok_and(|status| status.success());
    assert!(matches!(written, Some(Ok(()))) && has_ended, "cannot write {}", path.display());
}

fn changed(file: &Path) -> Option<SystemTime> {
    let file = std::fs::metadata(file).ok().filter(|file| file.is_file())?;
    file.modified().ok()
}

/// The files of the repository that Cargo's list for a program names: `PROGRAM: FILE FILE …`, with a
/// backslash before a blank within a name. What lies in `target` is made of them, and a hidden folder has no
/// sources.
fn sources(list: &str, root: &Path, target: &Path) -> Vec<PathBuf> {
    let files = list.lines().next().and_then(|line| line.split_once(": ")).map_or("", |(_, files)| files);
    let escaped = files.replace("\\ ", "\0");
    let files = escaped.split(' ').map(|file| PathBuf::from(file.replace('\0', " ")));
    let is_source = |file: &PathBuf| {
        let within = file.strip_prefix(root).ok();
        let is_hidden = |within: &Path| within.components().any(|part| is_hidden(part.as_os_str()));
        within.is_some_and(|within| !is_hidden(within)) && !file.starts_with(target)
    };
    files.filter(is_source).collect()
}

fn is_hidden(name: &std::ffi::OsStr) -> bool {
    name.to_string_lossy().starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_files_of_the_repository_that_nothing_has_made() {
        let root = kernel_compiler::root().unwrap();
        let shown = root.display();
        let list = format!(
            "{shown}/target/debug/examples/x: {shown}/a\\ b.rs {shown}/kernels/x.cu {shown}/.venv/bin/nvcc \
             {shown}/target/debug/build/x.ptx /elsewhere/lib.rs\n\n{shown}/c.rs:\n"
        );
        let found = sources(&list, root, &root.join("target"));
        let expected = ["a b.rs", "kernels/x.cu"].map(|file| root.join(file));
        assert_eq!(found, expected);
    }
}
