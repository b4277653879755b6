//! Files that are made from others and committed, so that a reader needs no compiler. Tests make them: `cargo
//! test` and `.ci/run` compare them with those that are committed, and `cargo xtask renew` writes them.
//!
//! The name of such a test ends with what it needs: `…_renewed_by_nvcc`. `crates/xtask/src/main.rs` has the
//! list.

use std::path::Path;

/// The command that renews them all.
pub const HOW: &str = "cargo xtask renew";

/// Set where files are renewed: to `1` for all of them, or to the stem of one source for what is made of
/// that.
const VARIABLE: &str = "WORKBOOK_RENEW";

/// Whether to write what is made, in place of comparing it.
pub fn renewing() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

/// Whether what is made of the source `stem` is to be compared, or renewed.
pub fn is_wanted(stem: &str) -> bool {
    match std::env::var(VARIABLE) {
        Ok(wanted) => wanted == "1" || wanted == stem,
        Err(_) => true,
    }
}

/// Proves that the file at `path`, from the root of the repository, holds `made`. Where files are renewed it
/// writes that.
///
/// # Panics
/// The file holds something else, or can't be written; names it, and the first line that differs.
#[track_caller]
pub fn committed(path: impl AsRef<Path>, made: impl AsRef<[u8]>) {
    let path = path.as_ref();
    let made = made.as_ref();
    let file = kernel_compiler::root().unwrap_or_else(|why| panic!("{why}")).join(path);
    let held = std::fs::read(&file).unwrap_or_default();
    if held == made {
        return;
    }
    if renewing() {
        let written = file.parent().map_or(Ok(()), std::fs::create_dir_all);
        let written = written.and_then(|()| std::fs::write(&file, made));
        return written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    let [held, made] = [&held, made].map(String::from_utf8_lossy);
    let same = held.lines().zip(made.lines()).take_while(|(one, other)| one == other).count();
    let line =
        |text: &str| text.lines().nth(same).unwrap_or("(its end)").chars().take(200).collect::<String>();
    panic!(
        "{}:{} is not what its sources give; run `{HOW}`\n committed: {}\n      made: {}",
        path.display(),
        same + 1,
        line(&held),
        line(&made)
    );
}
