//! All PTX of the repository can be decoded, but for the instructions that are there to be refused.

use std::fs;
use std::path::Path;

use super::{Op, decode};

/// Where the instructions stand that the simulator does not know, and what they are.
const UNKNOWN: [(&str, &str); 10] = [
    ("missing.ptx", "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes"),
    ("missing.ptx", "sust.b.2d.b32.trap"),
    ("missing.ptx", "tex.2d.v4.f32.f32"),
    ("missing.ptx", "wmma.load.a.sync.aligned.row.m16n16k16.global.s8"),
    ("missing.ptx", "wmma.load.b.sync.aligned.col.m16n16k16.global.s8"),
    ("missing.ptx", "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32"),
    ("missing.ptx", "wmma.store.d.sync.aligned.row.m16n16k16.global.s32"),
    ("unknown.ptx", "vabsdiff.u32.u32.u32.sat"),
    ("unknown.ptx", "vabsdiff.u32.u32.u32.sat"),
    ("unsupported.ptx", "frobnicate.sync.u32"),
];

/// The least number of texts: 1,353 files and 14 builds.
const TEXTS: usize = 1_367;

/// Calls `visit` with every PTX of the repository: in a file of its own, or in a build for the book.
fn each_text(folder: &Path, visit: &mut impl FnMut(&Path, &str)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_string();
        let is_committed = !name.starts_with('.') && !["target", "node_modules"].contains(&&name[..]);
        match name.rsplit('.').next() {
            _ if path.is_dir() && is_committed => each_text(&path, visit),
            Some("ptx") => visit(&path, &fs::read_to_string(&path).unwrap()),
            Some("json") => {
                let build = fs::read_to_string(&path).unwrap();
                let build: serde_json::Value = serde_json::from_str(&build).unwrap_or_default();
                if let Some(ptx) = build.get("ptx").and_then(|ptx| ptx.as_str()) {
                    visit(&path, ptx);
                }
            }
            _ => {}
        }
    }
}

#[test]
fn every_ptx_of_the_repository_is_decoded() {
    let mut texts = 0;
    let mut unknown = Vec::new();
    each_text(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), &mut |path, text| {
        let program = decode(text, "it").unwrap_or_else(|wrong| panic!("{}: {wrong}", path.display()));
        texts += 1;
        for inst in program.functions.iter().flat_map(|function| &function.code) {
            if let Op::Unsupported { opcode, .. } = &inst.op {
                let name = path.file_name().unwrap_or_default().to_string_lossy().to_string();
                unknown.push((name, opcode.to_string()));
            }
        }
    });
    unknown.sort();
    let unknown: Vec<(&str, &str)> = unknown.iter().map(|(name, opcode)| (&name[..], &opcode[..])).collect();
    assert_eq!(unknown, UNKNOWN);
    assert!(texts >= TEXTS, "only {texts} texts were found");
}
