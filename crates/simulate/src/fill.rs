//! What the elements of a buffer are before a launch: parts, side by side.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files;
use super::types::Type;
use workbook::arguments::number;
use workbook::number::thousands;
use workbook::reduction::data;

/// Bytes that a buffer may have: how many addresses the simulator keeps for one.
const MAX_BYTES: u64 = 1 << 36;
/// Elements of a part that the host holds at a time.
const PIECE: usize = 1 << 20;

/// An address: `@0` is the buffer that is argument 0, `@name` one with a name, `@name+16` some bytes further.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointer {
    /// The buffer's name.
    pub buffer: String,
    /// Bytes from its start.
    pub offset: u64,
}

impl Pointer {
    /// Reads `@name+16`.
    pub fn parse(text: &str) -> Result<Pointer, String> {
        let wrong = || format!("`{text}` is no ptr: write @ and a buffer, like @0, @name or @name+16");
        let name = text.trim().strip_prefix('@').ok_or_else(wrong)?;
        let (buffer, offset) = name.split_once('+').unwrap_or((name, "0"));
        let offset = number(offset.trim(), u64::MAX).filter(|_| !buffer.is_empty()).ok_or_else(wrong)?;
        Ok(Pointer { buffer: buffer.trim().to_string(), offset })
    }
}

/// What the elements of a buffer are before the launch.
#[derive(Clone, Debug)]
pub struct Fill(Vec<Part>);

#[derive(Clone, Debug)]
enum Part {
    /// The same one, this many times.
    Repeat(u64, u64),
    /// 0, 1, 2 …, this many.
    Iota(u64),
    /// So many that nobody has written.
    Uninit(u64),
    /// So many by chance, from the least to the most.
    Random {
        seed: u64,
        least: f64,
        most: f64,
        times: u64,
    },
    /// Of a file: what it has, and which bytes of it are the elements, once it is open. If it is replaced
    /// meanwhile, what is open stays as it was.
    File {
        path: PathBuf,
        bytes: Range<u64>,
        open: Option<Arc<File>>,
    },
    Pointer(Pointer),
}

/// Elements as memory holds them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Content {
    /// 0 where something else says what is there.
    pub bytes: Vec<u8>,
    /// Bytes that nobody writes.
    pub unwritten: Vec<Range<usize>>,
    /// Addresses, by where they stand.
    pub pointers: Vec<(usize, Pointer)>,
}

impl Fill {
    /// Reads the elements of a buffer; the error says what is wrong with which part.
    pub fn parse(kind: Type, text: &str) -> Result<Fill, String> {
        if text.is_empty() {
            return Ok(Fill(Vec::new()));
        }
        if let Some(file) = text.strip_prefix("file=") {
            let bytes = 0..files::bytes(Path::new(file))?;
            return Ok(Fill(vec![Part::File { path: file.into(), bytes, open: None }]));
        }
        text.split(',').map(|part| Part::parse(kind, part.trim())).collect::<Result<_, _>>().map(Fill)
    }

    /// Opens the files among the parts; there is room for this many bytes.
    pub fn open_files(&mut self, kind: Type, room: u64) -> Result<(), String> {
        for part in &mut self.0 {
            if let Part::File { path, bytes, open } = part {
                let (file, elements) = files::open(path, kind, room)?;
                (*bytes, *open) = (elements, Some(Arc::new(file)));
            }
        }
        Ok(())
    }

    /// How many bytes the elements have.
    pub fn bytes(&self, kind: Type) -> u64 {
        self.len(kind) * kind.bytes() as u64
    }

    /// How many elements there are.
    pub fn len(&self, kind: Type) -> u64 {
        self.0.iter().map(|part| part.len(kind)).sum()
    }

    /// The elements of type `kind` as memory holds them, one piece after another, each with the byte that it
    /// begins at: a buffer may be as large as half of the host's memory.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn pieces(&self, kind: Type) -> impl Iterator<Item = Result<(u64, Content), String>> {
        let mut end = 0;
        self.0.iter().flat_map(move |part| {
            let (first, len) = (end, part.len(kind));
            end += len;
            (0..len).step_by(PIECE).map(move |from| {
                let content = part.content(kind, from..len.min(from + PIECE as u64))?;
                Ok(((first + from) * kind.bytes() as u64, content))
            })
        })
    }
}

impl Part {
    fn parse(kind: Type, text: &str) -> Result<Part, String> {
        let (what, times) = match text.split_once('*') {
            None if kind == Type::Ptr => return Pointer::parse(text).map(Part::Pointer),
            None => return kind.number(text).map(|number| Part::Repeat(number, 1)),
            Some(parts) => parts,
        };
        let most = MAX_BYTES / kind.bytes() as u64;
        let times = number(times.trim(), most).ok_or_else(|| {
            format!(
                "`{text}`: the number after * is 0 to {} elements of {}, {} bytes, written like 1000, 1_000 \
                 or 2^10",
                thousands(most as i64),
                kind.name(),
                thousands(MAX_BYTES as i64)
            )
        })?;
        match what.trim() {
            "zeros" => Ok(Part::Repeat(0, times)),
            "uninit" => Ok(Part::Uninit(times)),
            "iota" => iota(kind, text, times),
            what if what.starts_with("random") => random(kind, what, times),
            number => kind
                .number(number)
                .map(|number| Part::Repeat(number, times))
                .map_err(|error| format!("{error}; before * may also stand zeros, iota, random or uninit")),
        }
    }

    fn len(&self, kind: Type) -> u64 {
        match self {
            Part::Repeat(_, times) | Part::Iota(times) | Part::Uninit(times) => *times,
            Part::Random { times, .. } => *times,
            Part::File { bytes, .. } => (bytes.end - bytes.start) / kind.bytes() as u64,
            Part::Pointer(_) => 1,
        }
    }

    /// Some of its elements.
    fn content(&self, kind: Type, elements: Range<u64>) -> Result<Content, String> {
        let width = kind.bytes();
        let len = (elements.end - elements.start) as usize * width;
        let element = |bits: u64| bits.to_le_bytes().into_iter().take(width);
        let bytes = match self {
            Part::File { path, bytes: all, open } => {
                let start = all.start + elements.start * width as u64;
                files::part(path, open.as_deref().ok_or("it is not open")?, start, len)?
            }
            Part::Iota(_) => elements.flat_map(|n| element(kind.of_whole(n))).collect(),
            Part::Random { seed, least, most, .. } => {
                let one = |i| by_chance(kind, data::bits(*seed, i + 1), *least, *most);
                elements.flat_map(|i| element(one(i))).collect()
            }
            Part::Repeat(bits, _) if *bits != 0 => elements.flat_map(|_| element(*bits)).collect(),
            Part::Repeat(..) | Part::Uninit(_) | Part::Pointer(_) => vec![0; len],
        };
        let mut content = Content { bytes, ..Content::default() };
        match self {
            Part::Uninit(_) => content.unwritten.push(0..len),
            Part::Pointer(pointer) => content.pointers.push((0, pointer.clone())),
            _ => {}
        }
        Ok(content)
    }
}

fn iota(kind: Type, text: &str, times: u64) -> Result<Part, String> {
    let (_, most) = kind.range();
    if i128::from(times) > most + 1 {
        let (last, name) = (thousands(times as i64 - 1), kind.name());
        return Err(format!(
            "`{text}` counts to {last}, and {name} holds whole numbers to {most}; take a wider type"
        ));
    }
    Ok(Part::Iota(times))
}

/// `random`, `random:SEED` or `random:SEED:LEAST:MOST`.
fn random(kind: Type, text: &str, times: u64) -> Result<Part, String> {
    let wrong = || {
        format!("`{text}` is no random data: write random, random:SEED or random:SEED:LEAST:MOST before *")
    };
    let mut parts = text.strip_prefix("random").unwrap_or_default().split(':');
    if !parts.next().is_some_and(str::is_empty) {
        return Err(wrong());
    }
    let seed = parts.next().map_or(Some(1), |seed| number(seed, u64::MAX)).ok_or_else(wrong)?;
    let bound = |text: &str| {
        let bits = kind.number(text)?;
        let unused = 64 - 8 * kind.bytes();
        Ok::<f64, String>(match kind {
            kind if kind.is_float() => kind.to_float(bits),
            kind if kind.is_signed() => ((bits << unused) as i64 >> unused) as f64,
            _ => bits as f64,
        })
    };
    let (least, most) = match (parts.next(), parts.next(), parts.next()) {
        (None, ..) if kind.is_float() => (-1.0, 1.0),
        (None, ..) if kind.is_signed() => (-100.0, 100.0),
        (None, ..) => (0.0, 100.0),
        (Some(least), Some(most), None) => (bound(least)?, bound(most)?),
        _ => return Err(wrong()),
    };
    if kind == Type::Ptr || !(least <= most && (most - least).is_finite()) {
        return Err(wrong());
    }
    Ok(Part::Random { seed, least, most, times })
}

/// One element: every whole number from `least` to `most` as likely as the others, or floats between the two.
fn by_chance(kind: Type, bits: u64, least: f64, most: f64) -> u64 {
    let unit = (bits >> 11) as f64 / (1u64 << 53) as f64;
    match kind.is_float() {
        true => kind.of_float(least + unit * (most - least)),
        false => {
            let number = (least + (unit * (most - least + 1.0)).floor()).min(most) as i128;
            // A double may be 1 beyond the largest number of 64 bits.
            let (smallest, largest) = kind.range();
            number.clamp(smallest, largest) as u64
        }
    }
}
