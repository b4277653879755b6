//! What a buffer holds, element by element.

use std::fmt::{Display, Formatter};

use ptx_simulator::{Format, Written};

use super::number::Type;
use super::shape::Shape;

/// A buffer or a variable after the launches.
pub struct Held {
    /// What it was called.
    pub name: String,
    /// Of its elements.
    pub kind: Type,
    /// All of it, as memory holds it.
    pub bytes: Vec<u8>,
    /// Which of the bytes have been written; `None` if all have.
    pub written: Option<Written>,
    /// Rows and columns, if it has two dimensions.
    pub shape: Option<Shape>,
}

/// An element as it is shown: floats with the fewest digits that give the same float again, `1e-45`, `-0.0`,
/// `inf`, `NaN`; `?` where nobody has written.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Element {
    Unwritten,
    Signed(i64),
    Unsigned(u64),
    /// As a double, and its own format.
    Float(f64, Format),
    Address(u64),
}

impl Held {
    /// Which argument it is, from 0, if it is one.
    pub fn arg(&self) -> Option<usize> {
        self.name.parse().ok()
    }

    /// Elements.
    pub fn count(&self) -> usize {
        self.bytes.len() / self.kind.bytes()
    }

    /// One element, of those that there are.
    pub fn element(&self, index: usize) -> Element {
        let width = self.kind.bytes();
        if self.written.as_ref().is_some_and(|written| !written.all(index * width, width)) {
            return Element::Unwritten;
        }
        let mut cell = [0; 8];
        cell[..width].copy_from_slice(&self.bytes[index * width..][..width]);
        let bits = u64::from_le_bytes(cell);
        let unused = 64 - 8 * width as u32;
        match self.kind {
            Type::Ptr => Element::Address(bits),
            Type::Float(format) => Element::Float(format.decode(bits), format),
            Type::Signed(_) => Element::Signed((bits << unused) as i64 >> unused),
            Type::Unsigned(_) => Element::Unsigned(bits),
        }
    }
}

impl Element {
    /// Whether it is what is `expected`, a float within a part of it.
    pub fn is(self, expected: Element, within: f64) -> bool {
        match (self, expected) {
            (Element::Float(is, _), Element::Float(be, _)) => {
                let both_nan = is.is_nan() && be.is_nan();
                is == be || both_nan || (is - be).abs() <= within * be.abs().max(1.0)
            }
            (is, be) => is == be && is != Element::Unwritten,
        }
    }
}

impl Display for Element {
    fn fmt(&self, f: &mut Formatter) -> std::fmt::Result {
        match *self {
            Element::Unwritten => f.write_str("?"),
            Element::Signed(n) => write!(f, "{n}"),
            Element::Unsigned(n) => write!(f, "{n}"),
            Element::Float(x, Format::F32) => write!(f, "{:?}", x as f32),
            Element::Float(x, format) => write!(f, "{:?}", fewest(x, format)),
            Element::Address(bits) => write!(f, "{bits:#x}"),
        }
    }
}

/// The shortest decimal number that stands for a float of 16 bits; a whole number, or a longer float, as it
/// is.
pub fn fewest(x: f64, format: Format) -> f64 {
    if format.bits() > 16 || x.fract() == 0.0 {
        return x;
    }
    let mut shorter = (0..6).map(|digits| format!("{x:.digits$e}").parse().unwrap_or(x));
    shorter.find(|short| format.nearest(*short) == format.nearest(x)).unwrap_or(x)
}
