//! What the elements of a buffer are before a launch: parts, side by side.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use reduction::data;
use text::arguments::number;
use text::expression::{expression, split};
use text::files::no_file;
use text::number::thousands;

use super::nearest;
use super::number::Type;
use super::scope::{Names, Scope};
use super::shape::Shape;

/// Bytes that a buffer may have: how many addresses the simulator keeps for one.
const MAX_BYTES: u64 = 1 << 36;
/// Bytes that are made at a time.
const PIECE: u64 = 1 << 22;

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
    pub fn parse(text: &str) -> Result<Pointer> {
        let wrong = || format!("`{text}` is not a ptr: write @ and a buffer, like @0, @name or @name+16");
        let name = text.trim().strip_prefix('@').with_context(wrong)?;
        let (buffer, offset) = name.split_once('+').unwrap_or((name, "0"));
        let offset = number(offset.trim(), u64::MAX).filter(|_| !buffer.is_empty()).with_context(wrong)?;
        Ok(Pointer { buffer: buffer.trim().to_string(), offset })
    }
}

/// What the elements of a buffer are before the launch: their type, and parts of them with their lengths.
#[derive(Clone, Debug)]
pub struct Fill {
    /// Of the elements.
    pub kind: Type,
    parts: Vec<(Part, u64)>,
    /// Its rows and columns, if the text says them.
    pub shape: Option<Shape>,
}

/// How the elements of a part are made.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// The same one again and again.
    Repeat(u64),
    /// This one, the next one …
    Iota(u64),
    /// Nobody has written them.
    Uninit,
    /// By chance, from this seed.
    Random(u64),
    /// All of a file: where it lies, and what the text calls it.
    File(PathBuf, String),
    /// An address.
    Pointer(Pointer),
}

impl Fill {
    /// Reads `TYPE:ELEMENTS` or `TYPE ROWSxCOLUMNS[:ELEMENTS]`; the error says what is wrong with which part.
    pub fn parse(text: &str, scope: Scope) -> Result<Fill> {
        let of_shape = text.split(':').next().and_then(|head| head.trim().split_once(char::is_whitespace));
        match of_shape {
            Some((kind, shape)) if Type::parse(kind).is_ok() && shape.contains('x') => {
                let shape = Shape::parse(shape.trim(), scope.names)?;
                let elements = text.split_once(':').map_or("uninit", |(_, elements)| elements.trim());
                Fill::of_shape(kind, shape, elements, scope)
            }
            _ => Fill::of_elements(text, scope),
        }
    }

    /// A buffer of `shape`: what stands once is meant for all its elements.
    fn of_shape(kind: &str, shape: Shape, elements: &str, scope: Scope) -> Result<Fill> {
        let Shape { rows, columns, .. } = shape;
        let is_one = !elements.contains(['*', ',', '=']);
        let times = if is_one { format!("*({rows}*{columns})") } else { String::new() };
        let fill = Fill::of_elements(&format!("{kind}:{elements}{times}"), scope)?;
        ensure!(
            Some(fill.count()) == shape.count(),
            "{rows} rows of {columns} are {} elements, and {} are given",
            shape.count().map_or("too many".into(), |count| thousands(count as i64)),
            thousands(fill.count() as i64)
        );
        Ok(Fill { shape: Some(shape), ..fill })
    }

    fn of_elements(text: &str, scope: Scope) -> Result<Fill> {
        let (kind, elements) = text.split_once(':').with_context(|| nearest::elements(text))?;
        let kind = Type::parse(kind.trim())?;
        let elements = elements.trim();
        let parts = if let Some(file) = elements.strip_prefix("file=") {
            vec![of_file(&scope.files.to_read(file)?, file, kind)?]
        } else if elements.is_empty() {
            Vec::new()
        } else {
            split(elements, ',').map(|text| part(kind, text.trim(), scope.names)).collect::<Result<_>>()?
        };
        Ok(Fill { kind, parts, shape: None })
    }

    /// The parts, each with its number of elements.
    pub(super) fn parts(&self) -> &[(Part, u64)] {
        &self.parts
    }

    /// The buffers that its addresses point to.
    pub fn names(&self) -> Vec<&String> {
        let parts = self.parts.iter();
        parts
            .filter_map(|(part, _)| if let Part::Pointer(to) = part { Some(&to.buffer) } else { None })
            .collect()
    }

    pub(super) fn names_mut(&mut self) -> Vec<&mut String> {
        let parts = self.parts.iter_mut();
        parts
            .filter_map(|(part, _)| if let Part::Pointer(to) = part { Some(&mut to.buffer) } else { None })
            .collect()
    }

    /// How many elements nobody has written.
    pub fn uninit(&self) -> u64 {
        self.parts.iter().filter(|(part, _)| matches!(part, Part::Uninit)).map(|(_, len)| len).sum()
    }

    /// The number that is its only element, if it is a whole one and not negative.
    pub fn only_number(&self) -> Option<u64> {
        let [(Part::Repeat(bits), 1)] = self.parts[..] else { return None };
        match self.kind {
            Type::Float(format) => {
                let number = format.decode(bits);
                (number >= 0.0 && number.fract() == 0.0 && number < MAX_BYTES as f64).then_some(number as u64)
            }
            Type::Signed(_) => Some(bits).filter(|bits| (*bits as i64) >= 0),
            Type::Unsigned(_) => Some(bits),
            Type::Ptr => None,
        }
    }

    /// How many elements there are.
    pub fn count(&self) -> u64 {
        self.parts.iter().map(|(_, len)| len).sum()
    }

    /// How many bytes the elements have.
    pub fn bytes(&self) -> u64 {
        self.count() * self.kind.bytes() as u64
    }

    /// The elements as memory holds them, one piece after another, each with the byte that it begins at: a
    /// buffer may be as large as half of the host's memory. Nothing of a piece that nobody has written.
    /// `address` knows what pointers point to.
    ///
    /// # Errors
    /// A file that cannot be read; those of `address`.
    pub fn pieces<'a>(
        &'a self,
        address: &'a dyn Fn(&Pointer) -> Result<u64>,
    ) -> impl Iterator<Item = Result<(u64, u64, Option<Vec<u8>>)>> + 'a {
        let kind = self.kind;
        let width = self.kind.bytes() as u64;
        let mut end = 0;
        self.parts.iter().flat_map(move |(part, len)| {
            let first = end;
            end += len;
            let is_whole = matches!(part, Part::Uninit | Part::File(..));
            let most = if is_whole { u64::MAX } else { PIECE / width };
            (0..*len).step_by(most as usize).map(move |from| {
                let to = from.saturating_add(most).min(*len);
                Ok(((first + from) * width, (to - from) * width, part.content(kind, from..to, address)?))
            })
        })
    }
}

impl Part {
    /// Some of its elements.
    fn content(
        &self,
        kind: Type,
        elements: std::ops::Range<u64>,
        address: &dyn Fn(&Pointer) -> Result<u64>,
    ) -> Result<Option<Vec<u8>>> {
        let width = kind.bytes();
        let one = |i: u64| match self {
            Part::Repeat(bits) => *bits,
            Part::Iota(first) => kind.of_whole(first + i),
            Part::Random(seed) => by_chance(kind, data::bits(*seed, i + 1)),
            _ => 0,
        };
        Ok(match self {
            Part::Uninit => None,
            Part::Repeat(0) => Some(vec![0; (elements.end - elements.start) as usize * width]),
            Part::File(path, _) => {
                let bytes = std::fs::read(path).map_err(|why| cannot_read(path, why))?;
                ensure!(
                    bytes.len() as u64 == elements.end * width as u64,
                    "{} has been changed since its length was read",
                    path.display()
                );
                Some(bytes)
            }
            Part::Pointer(pointer) => Some(address(pointer)?.to_le_bytes().to_vec()),
            _ => Some(elements.flat_map(|i| one(i).to_le_bytes().into_iter().take(width)).collect()),
        })
    }
}

/// The raw bytes of a file that the text calls `called`, and how many elements they are.
fn of_file(path: &Path, called: &str, kind: Type) -> Result<(Part, u64)> {
    let about = std::fs::metadata(path).map_err(|why| cannot_read(path, why))?;
    // A device such as /dev/zero has no end.
    if let Some(what) = no_file(&about) {
        bail!(cannot_read(path, format!("it is not a file but {what}")));
    }
    let name = path.display();
    let bytes = about.len();
    let width = kind.bytes() as u64;
    let fits = kind != Type::Ptr && bytes.is_multiple_of(width);
    ensure!(fits, "{name} has {bytes} bytes, which is not a whole number of elements of {}", kind.name());
    Ok((Part::File(path.into(), called.into()), bytes / width))
}

fn cannot_read(path: &Path, why: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("cannot read {}: {why}", path.display())
}

/// One part, and how many elements it has.
fn part(kind: Type, text: &str, names: Names) -> Result<(Part, u64)> {
    let (what, times) = match text.split_once('*') {
        None if kind == Type::Ptr => return Ok((Part::Pointer(Pointer::parse(text)?), 1)),
        None => return Ok((Part::Repeat(kind.number(text, names)?), 1)),
        Some(parts) => parts,
    };
    let most = MAX_BYTES / kind.bytes() as u64;
    let count = expression(times, names).filter(|times| *times <= most);
    let times = count.with_context(|| {
        nearest::count(what, times, names).unwrap_or_else(|| format!(
            "`{text}`: the number after * is 0 to {} elements of {}, {} bytes, written like 1000, 1_000 or \
             2^10",
            thousands(most as i64),
            kind.name(),
            thousands(MAX_BYTES as i64)
        ))
    })?;
    let (word, rest) = what.trim().split_once(':').unwrap_or((what.trim(), ""));
    let after = |otherwise| if rest.is_empty() { Some(otherwise) } else { number(rest, u64::MAX) };
    let part = match word {
        "zeros" => Part::Repeat(0),
        "uninit" => Part::Uninit,
        "iota" => {
            let first = after(0).with_context(|| format!("`{what}`: write iota or iota:FIRST"))?;
            let last = i128::from(first) + i128::from(times) - 1;
            let (_, most) = kind.range();
            ensure!(
                last <= most,
                "`{text}` counts to {}, and {} holds whole numbers to {most}; take a wider type",
                thousands(last as i64),
                kind.name()
            );
            Part::Iota(first)
        }
        _ if word.starts_with("random") => {
            let seed = after(1).filter(|_| word == "random" && kind != Type::Ptr);
            let wrong = || format!("`{what}` is not random data: write random or random:SEED before *");
            Part::Random(seed.with_context(wrong)?)
        }
        _ => Part::Repeat(
            kind.number(what, names)
                .map_err(|error| anyhow!("{error}; before * may also stand zeros, iota, random or uninit"))?,
        ),
    };
    Ok((part, times))
}

/// One element: a whole number from -100 (unsigned: 0) to 100, or a float between -1 and 1.
fn by_chance(kind: Type, bits: u64) -> u64 {
    let unit = (bits >> 11) as f64 / (1u64 << 53) as f64;
    match kind {
        Type::Float(format) => format.nearest(2.0 * unit - 1.0),
        Type::Signed(_) => ((unit * 201.0) as i64 - 100) as u64,
        _ => (unit * 101.0) as u64,
    }
}
