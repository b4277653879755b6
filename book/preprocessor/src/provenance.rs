//! Where a record came from, in words, and whether the code has changed since.

use anyhow::Result;
use workbook::device::DeviceKind;
use workbook::kernel_compiler::build::State;
use workbook::kernel_compiler::hash;
use workbook::kernels;
use workbook::record::Record;
use workbook::text::columns::escape;
use workbook::text::number::thousands;

use crate::html::{figure, note_unless};
use crate::page::Workbook;

/// Device, date and source, as HTML.
pub fn provenance(record: &Record) -> String {
    parts(record, Vec::new())
}

/// The same with driver and clocks.
pub fn full_provenance(record: &Record) -> String {
    let mut machine = Vec::new();
    if let Some(gpu) = &record.device.gpu {
        machine.extend(gpu.driver.as_ref().map(|driver| format!("driver {}", escape(driver))));
        machine.push(format!("CUDA {}", escape(&gpu.cuda)));
        machine.push(format!(
            "{} multiprocessors at up to {} MHz",
            gpu.multiprocessors,
            thousands(gpu.sm_clock_mhz.into())
        ));
        machine.push(format!("memory at up to {} MHz", thousands(gpu.memory_clock_mhz.into())));
    }
    machine.extend(record.device.cpu.as_ref().map(|cpu| format!("serial recursion on {}", escape(cpu))));
    machine.extend(record.device.threads.map(|threads| format!("{threads} threads")));
    parts(record, machine)
}

fn parts(record: &Record, machine: Vec<String>) -> String {
    let mut parts = vec![escape(&record.device.title())];
    parts.extend(machine);
    parts.push(format!("<time>{}</time>", escape(record.date.get(..10).unwrap_or(&record.date))));
    if record.device.kind == DeviceKind::Sim {
        parts.push("<a href=\"glossary.md#exact-counts\">exact counts</a>, no times".to_string());
    }
    parts.push(format!("source <code>{}</code>", escape(&record.source_hash)));
    // Older records do not say what compiled their code, but have the hash of a build that does.
    let build = || kernels::all().iter().find(|build| build.code_hash == record.source_hash);
    let compiler = record.compiler.clone().or_else(|| Some(build()?.compiler.to_string()));
    parts.extend(compiler.map(|name| escape(&name)));
    parts.join(" · ")
}

/// A figure of `content`, with where `records` came from and whether their code has changed since.
pub fn figure_of(book: &Workbook, mut content: String, records: &[&Record]) -> Result<String> {
    let mut sources: Vec<String> = Vec::new();
    for record in records {
        let source = provenance(record);
        if !sources.contains(&source) {
            content += &changed_since(book, record)?;
            sources.push(source);
        }
    }
    Ok(figure(&content, &sources.join("<br>")))
}

/// Whether `code` identifies the present code of the chapter's kernels.
pub fn is_current(book: &Workbook, stem: &str, code: &str) -> bool {
    book.fresh_kernels(stem).is_some_and(|build| build.code_hash == code)
}

/// A paragraph that says so if the code has changed since `record` was made; else nothing.
pub fn changed_since(book: &Workbook, record: &Record) -> Result<String> {
    let Some(kernel) = book.kernels(&record.stem)? else {
        // A chapter without a kernel: its identity is that of its host code.
        let file = format!("chapters/src/{}.rs", record.stem);
        let hash = hash::text_hash(&book.read(&file)?);
        return Ok(note(record, &file, Some(&hash)));
    };
    let hash = (kernel.state != State::Stale).then_some(&*kernel.code_hash);
    let other = record.compiler.as_deref().filter(|by| *by != kernel.compiler && hash.is_some());
    let Some(other) = other else { return Ok(note(record, &kernel.source_path, hash)) };
    // Another compiler makes other code.
    Ok(note_unless(
        false,
        &format!(
            "Compiled by {}; the present build of <code>{}</code> is by {}. Their sums can be compared, \
             their counts cannot.",
            escape(other),
            kernel.source_path,
            escape(&kernel.compiler)
        ),
    ))
}

/// `hash` is that of the present code in `file`; `None` if the file was edited and there is no compiler to
/// build it.
fn note(record: &Record, file: &str, hash: Option<&str>) -> String {
    let since = match hash {
        Some(_) => format!(
            "has changed since this record was made; run <code>{}</code> to make it again.",
            escape(&record.command)
        ),
        None => "has been edited, and there is no compiler to build it; this record is of an older version."
            .to_string(),
    };
    note_unless(hash == Some(&record.source_hash), &format!("<code>{file}</code> {since}"))
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
        assert_eq!(note(&record, "kernels/ch9.cu", Some("a")), "");
        assert!(note(&record, "kernels/ch9.cu", Some("b")).contains("has changed since this record"));
        assert!(note(&record, "kernels/ch9.cu", None).contains("no compiler to build it"));
    }
}
