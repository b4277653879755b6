//! Buffers from files and to files: `.npy` as NumPy writes it, and anything else as bare bytes.

use std::path::Path;

use super::types::Type;
use workbook::files::{no_file, read_at_most, write_whole};
use workbook::number::thousands;

const MAGIC: &[u8] = b"\x93NUMPY";
/// Bytes that a header of version 1 has at most, with what is before it.
const MOST_HEADER: u64 = 1 << 16;
/// The header and what is before it end at a multiple of this many bytes.
const ALIGNMENT: usize = 64;

/// How many bytes a file has.
pub fn bytes(path: &Path) -> Result<u64, String> {
    let cannot = |why: &str| format!("cannot read {}: {why}", path.display());
    let about = std::fs::metadata(path).map_err(|error| cannot(&error.to_string()))?;
    // A device such as /dev/zero has no end.
    match no_file(&about) {
        Some(what) => Err(cannot(&format!("it is not a file but {what}"))),
        None => Ok(about.len()),
    }
}

/// The elements of a file, as memory holds them; there is room for this many bytes.
pub fn read(path: &Path, kind: Type, room: u64) -> Result<Vec<u8>, String> {
    let name = path.display();
    let header = if is_npy(path) { MOST_HEADER } else { 0 };
    let len = bytes(path)?;
    if len > room.saturating_add(header) {
        let (len, room) = (thousands(len as i64), thousands(room as i64));
        return Err(format!("{name} has {len} bytes, and --memory allows {room}"));
    }
    let bytes = read_at_most(path, len).map_err(|error| format!("cannot read {name}: {error}"))?;
    let elements =
        if is_npy(path) { elements(&bytes, kind).map_err(|why| format!("{name}: {why}"))? } else { bytes };
    match elements.len() % kind.bytes() {
        0 if kind != Type::Ptr => Ok(elements),
        _ => Err(format!("{name} has {} bytes, which are no elements of {}", elements.len(), kind.name())),
    }
}

/// Writes elements to a file.
pub fn write(path: &Path, kind: Type, elements: &[u8]) -> Result<(), String> {
    let mut bytes = Vec::new();
    if is_npy(path) {
        let (descr, len) = (descr(kind), elements.len() / kind.bytes());
        let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len},), }}");
        let before = MAGIC.len() + 4;
        let end = (before + header.len() + 1).next_multiple_of(ALIGNMENT);
        header += &" ".repeat(end - before - header.len() - 1);
        header.push('\n');
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[1, 0]);
        bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
        bytes.extend_from_slice(header.as_bytes());
    }
    bytes.extend_from_slice(elements);
    write_whole(path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

fn is_npy(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"))
}

/// What NumPy calls a type. It has none for bf16, of which others write the bytes.
fn descr(kind: Type) -> String {
    let letter = match kind {
        Type::Bf16 => 'V',
        kind if kind.is_float() => 'f',
        kind if kind.is_signed() => 'i',
        _ => 'u',
    };
    format!("{}{letter}{}", if kind.bytes() == 1 { '|' } else { '<' }, kind.bytes())
}

/// The elements behind the header of an `.npy` file.
fn elements(bytes: &[u8], kind: Type) -> Result<Vec<u8>, String> {
    let wrong = || "this is no .npy file".to_string();
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(wrong)?;
    let (version, rest) = rest.split_at_checked(2).ok_or_else(wrong)?;
    let (len, rest) = rest.split_at_checked(if version[0] == 1 { 2 } else { 4 }).ok_or_else(wrong)?;
    let len = len.iter().rev().fold(0usize, |all, byte| all << 8 | *byte as usize);
    let (header, content) = rest.split_at_checked(len).ok_or_else(wrong)?;
    let header = String::from_utf8_lossy(header);
    let field = |name: &str| header.split(&format!("'{name}':")).nth(1).map(str::trim_start);
    let found = field("descr").and_then(|text| text.split('\'').nth(1)).ok_or_else(wrong)?;
    let expected = descr(kind);
    let is_bool = kind == Type::U8 && found == "|b1";
    if found.trim_start_matches(['|', '<', '=']) != &expected[1..] && !is_bool {
        return Err(format!("its elements are '{found}', and {} is '{expected}'", kind.name()));
    }
    let shape = field("shape").and_then(|text| text.strip_prefix('(')?.split(')').next());
    // `(4,)` has a comma behind its last size, and `()` has no size.
    let sizes = shape.ok_or_else(wrong)?.split(',').map(str::trim).filter(|size| !size.is_empty());
    let sizes: Vec<usize> = sizes.map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?;
    let is_matrix = sizes.iter().filter(|size| **size > 1).count() > 1;
    if is_matrix && field("fortran_order").is_some_and(|text| text.starts_with("True")) {
        return Err("it is stored column by column; save np.ascontiguousarray(…)".to_string());
    }
    let len = sizes.iter().fold(kind.bytes(), |len, size| len.saturating_mul(*size));
    content.get(..len).map(<[u8]>::to_vec).ok_or_else(|| "it ends before its last element".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        for kind in [Type::I8, Type::U16, Type::F16, Type::Bf16, Type::F32, Type::I64] {
            for name in ["a.npy", "a.bin"] {
                let (path, bytes) = (folder.path().join(name), (0..48).collect::<Vec<u8>>());
                write(&path, kind, &bytes).unwrap();
                assert_eq!(read(&path, kind, 48).unwrap(), bytes);
            }
        }
        let path = folder.path().join("a.npy");
        write(&path, Type::F32, &[0; 8]).unwrap();
        let said = read(&path, Type::I32, 8).unwrap_err();
        assert!(said.contains("its elements are '<f4', and i32 is '<i4'"), "{said}");
        let said = read(&folder.path().join("none.npy"), Type::I32, 8).unwrap_err();
        assert!(said.contains("cannot read") && said.contains("none.npy"), "{said}");
    }

    #[test]
    fn headers_of_numpy_are_read() {
        let file = |header: &str, content: &[u8]| {
            [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes(), content].concat()
        };
        let of = |order: &str, shape: &str| {
            format!("{{'descr': '<i2', 'fortran_order': {order}, 'shape': {shape}, }}\n")
        };
        let bytes = [1, 0, 2, 0, 3, 0, 4, 0];
        for shape in ["(4,)", "(2, 2)", "(4, 1)"] {
            assert_eq!(elements(&file(&of("False", shape), &bytes), Type::I16).unwrap(), bytes);
        }
        assert_eq!(elements(&file(&of("False", "()"), &bytes), Type::I16).unwrap(), [1, 0]);
        assert!(elements(&file(&of("True", "(2, 2)"), &bytes), Type::I16).unwrap_err().contains("column"));
        assert!(elements(&file(&of("False", "(5,)"), &bytes), Type::I16).unwrap_err().contains("ends"));
        for huge in ["(4294967296, 4294967296)", "(18446744073709551615, 2)"] {
            assert!(elements(&file(&of("False", huge), &bytes), Type::I16).unwrap_err().contains("ends"));
        }
        for wrong in ["(-1,)", "(4", "4,)", "(x,)", "(4, 99999999999999999999)"] {
            let said = elements(&file(&of("False", wrong), &bytes), Type::I16);
            assert!(said.is_err(), "{wrong}");
        }
        let whole = file(&of("False", "(4,)"), &bytes);
        for end in 0..whole.len() {
            assert!(elements(&whole[..end], Type::I16).is_err(), "{end} bytes");
        }
        assert!(elements(b"PK", Type::I16).unwrap_err().contains("no .npy file"));
        assert!(read(Path::new("."), Type::U8, 8).unwrap_err().contains("it is not a file but a directory"));
    }
}
