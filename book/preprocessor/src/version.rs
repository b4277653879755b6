//! Whether the code that a record was made with is still the code of the repository.

use anyhow::{Context, Result};
use workbook::build::kernels::{self, State};
use workbook::build::prebuilt;
use workbook::record::Record;
use workbook::record::columns::escape;

use crate::Workbook;

/// What a page says, as HTML, if the code has changed since `record` was made; `None` if it has not.
pub fn changed_since(workbook: &Workbook, record: &Record) -> Result<Option<String>> {
    if let Some(kernel) = kernels::find(&record.stem)? {
        let hash = (kernel.state != State::Stale).then_some(kernel.code_hash);
        if let Some(by) = record.compiler.as_deref().filter(|by| *by != kernel.compiler && hash.is_some()) {
            return Ok(Some(other_compiler(kernel.source_path, by, kernel.compiler)));
        }
        return Ok(note(record, kernel.source_path, hash));
    }
    // A chapter without a kernel: its identity is that of its example.
    let file = format!("examples/{}.rs", record.stem);
    let source = std::fs::read_to_string(workbook.root.join(&file))
        .with_context(|| format!("there is neither a kernel of this name nor {file}"))?;
    Ok(note(record, &file, Some(&prebuilt::text_hash(&source))))
}

/// What a page says of a record whose kernels another compiler has compiled: that is other code.
fn other_compiler(file: &str, by: &str, present: &str) -> String {
    format!(
        "Compiled by {}; the present build of <code>{file}</code> is by {}. Their sums can be compared, \
         their counts cannot.",
        escape(by),
        escape(present)
    )
}

/// What compiled the code of `record`; older ones do not say so, but have the hash of a build that does.
pub fn compiler(record: &Record) -> Option<String> {
    let build = || kernels::all().into_iter().find(|build| build.code_hash == record.source_hash);
    record.compiler.clone().or_else(|| Some(build()?.compiler.to_string()))
}

/// `hash` is that of the present code in `file`; `None` if the file was edited and there is no compiler to
/// build it.
fn note(record: &Record, file: &str, hash: Option<&str>) -> Option<String> {
    match hash {
        Some(hash) if hash == record.source_hash => None,
        Some(_) => Some(format!(
            "<code>{file}</code> has changed since this record was made; run <code>{}</code> to \
             make it anew.",
            escape(&record.command)
        )),
        None => Some(format!(
            "<code>{file}</code> has been edited, and there is no compiler to build it; this record is of an \
             older version."
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edited_kernel_without_a_compiler_is_older_too() {
        let record: Record = serde_json::from_str(
            r#"{"schema": 1, "stem": "ch9", "device": {"kind": "sim", "name": "simulator"}, "date": "",
                "command": "cargo run",
                "source_hash": "a", "n": 0,
                "block": 0, "grid": 0, "seed": 0, "runs": [], "sweep": [], "ok": true}"#,
        )
        .unwrap();
        assert_eq!(note(&record, "kernels/ch9.cu", Some("a")), None);
        assert!(
            note(&record, "kernels/ch9.cu", Some("b")).unwrap().contains("has changed since this record")
        );
        assert!(note(&record, "kernels/ch9.cu", None).unwrap().contains("no compiler to build it"));
    }
}
