//! Buffers from files and to files: `.npy` as NumPy writes it, and anything else as bare bytes.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use super::types::Type;
use workbook::files::{no_file, replace};
use workbook::number::thousands;

const MAGIC: &[u8] = b"\x93NUMPY";
/// Headers of version 1 have fewer bytes, with what is before them.
const MOST_HEADER: u64 = 1 << 17;
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

/// Opens a file of elements; which of its bytes they are. There is room for this many bytes.
pub fn open(path: &Path, kind: Type, room: u64) -> Result<(File, Range<u64>), String> {
    let name = path.display();
    let header = if is_npy(path) { MOST_HEADER } else { 0 };
    let len = bytes(path)?;
    if len > room.saturating_add(header) {
        let (len, room) = (thousands(len as i64), thousands(room as i64));
        return Err(format!("{name} has {len} bytes, and --memory allows {room}"));
    }
    let file = File::open(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    let mut elements = 0..len;
    if is_npy(path) {
        let start = part(path, &file, 0, len.min(MOST_HEADER) as usize)?;
        elements = self::elements(&start, len, kind).map_err(|why| format!("{name}: {why}"))?;
    }
    let bytes = elements.end - elements.start;
    match bytes % kind.bytes() as u64 {
        0 if kind != Type::Ptr => Ok((file, elements)),
        _ => Err(format!("{name} has {bytes} bytes, which are no elements of {}", kind.name())),
    }
}

/// So many bytes of an open file, from `start` on.
pub fn part(path: &Path, mut file: &File, start: u64, bytes: usize) -> Result<Vec<u8>, String> {
    let mut part = vec![0; bytes];
    let read = file.seek(SeekFrom::Start(start)).and_then(|_| file.read_exact(&mut part));
    match read {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
            Err(format!("{} has been cut short while it was read", path.display()))
        }
        read => read.map(|()| part).map_err(|error| format!("cannot read {}: {error}", path.display())),
    }
}

/// Writes elements to a file.
pub fn write(path: &Path, kind: Type, elements: &[u8]) -> Result<(), String> {
    let mut before_elements = Vec::new();
    if is_npy(path) {
        let (descr, len) = (descr(kind), elements.len() / kind.bytes());
        let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len},), }}");
        let before = MAGIC.len() + 4;
        let end = (before + header.len() + 1).next_multiple_of(ALIGNMENT);
        header += &" ".repeat(end - before - header.len() - 1);
        header.push('\n');
        let len = (header.len() as u16).to_le_bytes();
        before_elements = [MAGIC, &[1, 0], &len, header.as_bytes()].concat();
    }
    replace(path, |file| file.write_all(&before_elements).and_then(|()| file.write_all(elements)))
        .map(drop)
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
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

/// Where an `.npy` file of so many bytes has its elements, by what it starts with.
fn elements(start: &[u8], bytes: u64, kind: Type) -> Result<Range<u64>, String> {
    let wrong = || "this is no .npy file".to_string();
    let rest = start.strip_prefix(MAGIC).ok_or_else(wrong)?;
    let (version, rest) = rest.split_at_checked(2).ok_or_else(wrong)?;
    let (len, rest) = rest.split_at_checked(if version[0] == 1 { 2 } else { 4 }).ok_or_else(wrong)?;
    let len = len.iter().rev().fold(0usize, |all, byte| all << 8 | *byte as usize);
    let (header, rest) = rest.split_at_checked(len).ok_or_else(wrong)?;
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
    let sizes: Vec<u64> = sizes.map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?;
    let is_matrix = sizes.iter().filter(|size| **size > 1).count() > 1;
    if is_matrix && field("fortran_order").is_some_and(|text| text.starts_with("True")) {
        return Err("it is stored column by column; save np.ascontiguousarray(…)".to_string());
    }
    let first = (start.len() - rest.len()) as u64;
    let end = sizes.iter().fold(kind.bytes() as u64, |len, size| len.saturating_mul(*size));
    let end = end.saturating_add(first);
    if end > bytes { Err("it ends before its last element".to_string()) } else { Ok(first..end) }
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
                let (file, elements) = open(&path, kind, 48).unwrap();
                assert_eq!(part(&path, &file, elements.start, 48).unwrap(), bytes);
                assert_eq!(elements.end, file.metadata().unwrap().len());
            }
        }
        let path = folder.path().join("a.npy");
        write(&path, Type::F32, &[0; 8]).unwrap();
        let said = open(&path, Type::I32, 8).unwrap_err();
        assert!(said.contains("its elements are '<f4', and i32 is '<i4'"), "{said}");
        let said = open(&folder.path().join("none.npy"), Type::I32, 8).unwrap_err();
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
        let of_file = |file: &[u8]| {
            let range = elements(file, file.len() as u64, Type::I16)?;
            Ok::<_, String>(file[range.start as usize..range.end as usize].to_vec())
        };
        for shape in ["(4,)", "(2, 2)", "(4, 1)"] {
            assert_eq!(of_file(&file(&of("False", shape), &bytes)).unwrap(), bytes);
        }
        assert_eq!(of_file(&file(&of("False", "()"), &bytes)).unwrap(), [1, 0]);
        assert!(of_file(&file(&of("True", "(2, 2)"), &bytes)).unwrap_err().contains("column"));
        assert!(of_file(&file(&of("False", "(5,)"), &bytes)).unwrap_err().contains("ends"));
        for huge in ["(4294967296, 4294967296)", "(18446744073709551615, 2)"] {
            assert!(of_file(&file(&of("False", huge), &bytes)).unwrap_err().contains("ends"));
        }
        for wrong in ["(-1,)", "(4", "4,)", "(x,)", "(4, 99999999999999999999)"] {
            let said = of_file(&file(&of("False", wrong), &bytes));
            assert!(said.is_err(), "{wrong}");
        }
        let whole = file(&of("False", "(4,)"), &bytes);
        for end in 0..whole.len() {
            assert!(of_file(&whole[..end]).is_err(), "{end} bytes");
        }
        assert!(of_file(b"PK").unwrap_err().contains("no .npy file"));
        assert!(open(Path::new("."), Type::U8, 8).unwrap_err().contains("it is not a file but a directory"));
    }
}
