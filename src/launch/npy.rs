//! Buffers from files and to files: `.npy` as NumPy writes it, and anything else as bare bytes.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::number::Type;
use crate::files::{no_file, replace};
use crate::sim::Format;

const MAGIC: &[u8] = b"\x93NUMPY";
/// Headers of version 1 have fewer bytes, with what is before them.
const MOST_HEADER: u64 = 1 << 17;
/// The header and what is before it end at a multiple of this many bytes.
const ALIGNMENT: usize = 64;

/// An open file of elements. If it is replaced meanwhile, what is open stays as it was.
#[derive(Clone, Debug)]
pub struct Elements {
    pub path: PathBuf,
    file: Arc<File>,
    /// Which of its bytes they are.
    bytes: Range<u64>,
}

impl Elements {
    pub fn open(path: &Path, kind: Type) -> Result<Elements> {
        let name = path.display();
        let cannot = |error| anyhow!("cannot read {name}: {error}");
        let about = std::fs::metadata(path).map_err(cannot)?;
        // A device such as /dev/zero has no end.
        if let Some(what) = no_file(&about) {
            bail!("cannot read {name}: it is not a file but {what}");
        }
        let file = File::open(path).map_err(cannot)?;
        let mut whole = Elements { path: path.into(), file: file.into(), bytes: 0..about.len() };
        if is_npy(path) {
            let start = whole.part(0..about.len().min(MOST_HEADER))?;
            let found = elements(&start, about.len(), kind).map_err(|why| anyhow!("{name}: {why}"));
            whole.bytes = found?;
        }
        let (bytes, kind_name) = (whole.len(), kind.name());
        let fits = kind != Type::Ptr && bytes.is_multiple_of(kind.bytes() as u64);
        ensure!(fits, "{name} has {bytes} bytes, which are no elements of {kind_name}");
        Ok(whole)
    }

    /// Bytes of all elements.
    pub fn len(&self) -> u64 {
        self.bytes.end - self.bytes.start
    }

    /// Some of the bytes of the elements.
    pub fn part(&self, part: Range<u64>) -> Result<Vec<u8>> {
        let mut bytes = vec![0; (part.end - part.start) as usize];
        let mut file = &*self.file;
        let start = SeekFrom::Start(self.bytes.start + part.start);
        match file.seek(start).and_then(|_| file.read_exact(&mut bytes)) {
            Ok(()) => Ok(bytes),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                bail!("{} has been cut short while it was read", self.path.display())
            }
            Err(error) => bail!("cannot read {}: {error}", self.path.display()),
        }
    }
}

/// Writes elements to a file, of so many bytes, which `part` gives piece by piece.
pub fn write(
    path: &Path,
    kind: Type,
    bytes: usize,
    part: impl Fn(Range<usize>) -> Result<Vec<u8>>,
) -> Result<()> {
    let mut before_elements = Vec::new();
    if is_npy(path) {
        let (descr, len) = (descr(kind), bytes / kind.bytes());
        let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len},), }}");
        let before = MAGIC.len() + 4;
        let end = (before + header.len() + 1).next_multiple_of(ALIGNMENT);
        header += &" ".repeat(end - before - header.len() - 1);
        header.push('\n');
        let len = (header.len() as u16).to_le_bytes();
        before_elements = [MAGIC, &[1, 0], &len, header.as_bytes()].concat();
    }
    let pieces = (0..bytes).step_by(PIECE).map(|start| part(start..bytes.min(start + PIECE)));
    replace(path, |file| {
        file.write_all(&before_elements)?;
        pieces.into_iter().try_for_each(|piece| file.write_all(&piece.map_err(std::io::Error::other)?))
    })
    .map(drop)
    .map_err(|error| anyhow!("cannot write {}: {error}", path.display()))
}

/// Bytes that are held at a time beside the buffer itself.
pub const PIECE: usize = 1 << 22;

fn is_npy(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"))
}

/// What NumPy calls a type. It has none for bf16, of which others write the bytes.
fn descr(kind: Type) -> String {
    let letter = match kind {
        Type::Float(Format::BF16) => 'V',
        Type::Float(_) => 'f',
        Type::Signed(_) => 'i',
        _ => 'u',
    };
    format!("{}{letter}{}", if kind.bytes() == 1 { '|' } else { '<' }, kind.bytes())
}

/// Where an `.npy` file of so many bytes has its elements, by what it starts with.
fn elements(start: &[u8], bytes: u64, kind: Type) -> Result<Range<u64>> {
    let wrong = "this is no .npy file";
    let rest = start.strip_prefix(MAGIC).context(wrong)?;
    let (version, rest) = rest.split_at_checked(2).context(wrong)?;
    let (len, rest) = rest.split_at_checked(if version[0] == 1 { 2 } else { 4 }).context(wrong)?;
    let len = len.iter().rev().fold(0usize, |all, byte| all << 8 | *byte as usize);
    let (header, rest) = rest.split_at_checked(len).context(wrong)?;
    let header = String::from_utf8_lossy(header);
    let field = |name: &str| header.split(&format!("'{name}':")).nth(1).map(str::trim_start);
    let found = field("descr").and_then(|text| text.split('\'').nth(1)).context(wrong)?;
    let expected = descr(kind);
    let is_bool = kind == Type::Unsigned(8) && found == "|b1";
    if found.trim_start_matches(['|', '<', '=']) != &expected[1..] && !is_bool {
        bail!("its elements are '{found}', and {} is '{expected}'", kind.name());
    }
    let shape = field("shape").and_then(|text| text.strip_prefix('(')?.split(')').next());
    // `(4,)` has a comma behind its last size, and `()` has no size.
    let sizes = shape.context(wrong)?.split(',').map(str::trim).filter(|size| !size.is_empty());
    let sizes: Vec<u64> = sizes.map(|size| size.parse().ok()).collect::<Option<_>>().context(wrong)?;
    let is_matrix = sizes.iter().filter(|size| **size > 1).count() > 1;
    if is_matrix && field("fortran_order").is_some_and(|text| text.starts_with("True")) {
        bail!("it is stored column by column; save np.ascontiguousarray(…)");
    }
    let first = (start.len() - rest.len()) as u64;
    let end = sizes.iter().fold(kind.bytes() as u64, |len, size| len.saturating_mul(*size));
    let end = end.saturating_add(first);
    ensure!(end <= bytes, "it ends before its last element");
    Ok(first..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let folder = std::env::temp_dir().join(format!("workbook-npy-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for kind in ["i8", "u16", "f16", "bf16", "f32", "i64"].map(|name| Type::parse(name).unwrap()) {
            for name in ["a.npy", "a.bin"] {
                let (path, bytes) = (folder.join(name), (0..48).collect::<Vec<u8>>());
                write(&path, kind, 48, |part| Ok(bytes[part].to_vec())).unwrap();
                let file = Elements::open(&path, kind).unwrap();
                assert_eq!(file.part(0..48).unwrap(), bytes);
                assert_eq!(file.bytes.end, std::fs::metadata(&path).unwrap().len());
            }
        }
        let path = folder.join("a.npy");
        write(&path, Type::Float(Format::F32), 8, |_| Ok(vec![0; 8])).unwrap();
        let said = Elements::open(&path, Type::Signed(32)).unwrap_err().to_string();
        assert!(said.contains("its elements are '<f4', and i32 is '<i4'"), "{said}");
        let said = Elements::open(&folder.join("none.npy"), Type::Signed(32)).unwrap_err().to_string();
        assert!(said.contains("cannot read") && said.contains("none.npy"), "{said}");
        std::fs::remove_dir_all(folder).unwrap();
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
            let range = elements(file, file.len() as u64, Type::Signed(16))?;
            anyhow::Ok(file[range.start as usize..range.end as usize].to_vec())
        };
        for shape in ["(4,)", "(2, 2)", "(4, 1)"] {
            assert_eq!(of_file(&file(&of("False", shape), &bytes)).unwrap(), bytes);
        }
        assert_eq!(of_file(&file(&of("False", "()"), &bytes)).unwrap(), [1, 0]);
        assert!(of_file(&file(&of("True", "(2, 2)"), &bytes)).unwrap_err().to_string().contains("column"));
        assert!(of_file(&file(&of("False", "(5,)"), &bytes)).unwrap_err().to_string().contains("ends"));
        for huge in ["(4294967296, 4294967296)", "(18446744073709551615, 2)"] {
            assert!(of_file(&file(&of("False", huge), &bytes)).unwrap_err().to_string().contains("ends"));
        }
        for wrong in ["(-1,)", "(4", "4,)", "(x,)", "(4, 99999999999999999999)"] {
            let said = of_file(&file(&of("False", wrong), &bytes));
            assert!(said.is_err(), "{wrong}");
        }
        let whole = file(&of("False", "(4,)"), &bytes);
        for end in 0..whole.len() {
            assert!(of_file(&whole[..end]).is_err(), "{end} bytes");
        }
        assert!(of_file(b"PK").unwrap_err().to_string().contains("no .npy file"));
        let directory = Elements::open(Path::new("."), Type::Unsigned(8));
        assert!(directory.unwrap_err().to_string().contains("it is not a file but a directory"));
    }
}
