//! Where the workbook's repository is. It is asked for at run time: a clone that was built may have been
//! moved since, and two clones may share a target folder.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Result, bail};

/// A file that the workbook has in its root, and hardly any other repository.
const MARK: &str = "kernels/exercises/judge/Cargo.toml";

/// The repository: in a page, the root of what that has of it.
///
/// Cargo tells the programs that it starts where their package is; else the working directory lies in the
/// repository, or the program itself, in `target/`.
///
/// # Errors
/// None of these lies in a clone.
pub fn root() -> Result<&'static Path> {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    if let Some(root) = ROOT.get() {
        return Ok(root);
    }
    if cfg!(target_family = "wasm") {
        return Ok(Path::new("/"));
    }
    let by_cargo = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let starts = [by_cargo, std::env::current_dir().ok(), std::env::current_exe().ok()];
    match starts.iter().flatten().find_map(|start| above(start)) {
        Some(root) => Ok(ROOT.get_or_init(|| root)),
        None => bail!(
            "the workbook's repository was not found: start this program from a folder inside it, or by \
             `cargo run` there"
        ),
    }
}

/// The clone that `start` lies in, if it lies in one.
fn above(start: &Path) -> Option<PathBuf> {
    start.ancestors().find(|folder| folder.join(MARK).is_file()).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_found_from_any_folder_in_it() {
        let root = root().unwrap();
        assert_eq!(above(&root.join("book/src/live")).as_deref(), Some(root));
        assert_eq!(above(root).as_deref(), Some(root));
        assert_eq!(above(Path::new("/")), None);
    }
}
