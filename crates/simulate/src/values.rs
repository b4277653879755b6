//! What a buffer holds, as text and as JSON.

use std::fmt::{Display, Formatter, Write};

use serde::ser::{Serialize, SerializeSeq, SerializeStruct, Serializer};

use super::types::Type;
use workbook::number::thousands;
use workbook::record::columns;
use workbook::sim::Written;

/// A buffer after the launch.
pub struct Held {
    /// What it was called.
    pub name: String,
    /// Which argument it is, from 0, if it is one.
    pub arg: Option<usize>,
    /// Of its elements.
    pub kind: Type,
    /// All of it, as memory holds it.
    pub bytes: Vec<u8>,
    /// Which of the bytes have been written; `None` if all have.
    pub written: Option<Written>,
}

/// Elements of a long buffer that the text shows at its start, and at its end. A multiple of every row's
/// length.
const SHOWN: usize = 32;

impl Held {
    /// Elements.
    pub fn count(&self) -> usize {
        self.bytes.len() / self.kind.bytes()
    }

    /// Whether an element is not what is expected, floats within a part of it.
    pub fn differs(&self, expected: &Held, index: usize, within: f64) -> bool {
        match (self.element(index), expected.element(index)) {
            (Element::Unwritten, _) => true,
            (Element::Float(is, _), Element::Float(be, _)) => {
                let both_nan = is.is_nan() && be.is_nan();
                !(is == be || both_nan || (is - be).abs() <= within * be.abs().max(1.0))
            }
            (is, be) => is != be,
        }
    }

    fn is_unwritten(&self, index: usize) -> bool {
        let width = self.kind.bytes();
        self.written.as_ref().is_some_and(|written| !written.all(index * width, width))
    }

    /// An element as it is printed.
    pub fn shown(&self, index: usize) -> String {
        self.element(index).to_string()
    }

    fn element(&self, index: usize) -> Element {
        if self.is_unwritten(index) {
            return Element::Unwritten;
        }
        let width = self.kind.bytes();
        let mut cell = [0; 8];
        cell[..width].copy_from_slice(&self.bytes[index * width..][..width]);
        let bits = u64::from_le_bytes(cell);
        let unused = 64 - 8 * width as u32;
        match self.kind {
            Type::Ptr => Element::Address(bits),
            kind if kind.is_float() => Element::Float(kind.to_float(bits), kind),
            kind if kind.is_signed() => Element::Signed((bits << unused) as i64 >> unused),
            _ => Element::Unsigned(bits),
        }
    }

    fn title(&self) -> String {
        self.arg.map_or(self.name.clone(), |arg| format!("argument {arg}"))
    }

    /// The elements in rows, each with the index of its first; the middle of a long buffer is left out.
    pub fn text(&self) -> String {
        let len = self.count();
        let elements = if len == 1 { "element" } else { "elements" };
        let mut text =
            format!("{}: {} {elements} of {}", self.title(), thousands(len as i64), self.kind.name());
        match (0..len).filter(|index| self.is_unwritten(*index)).count() {
            0 => {}
            all if all == len => text += ", which nobody has written (?)",
            some => text += &format!(", of which nobody has written {} (?)", thousands(some as i64)),
        }
        text.push('\n');
        let (head, tail) = if len <= 2 * SHOWN { (len, len) } else { (SHOWN, len - SHOWN) };
        let parts = [0..head, tail..len];
        let shown: Vec<Vec<String>> = parts
            .iter()
            .map(|part| part.clone().map(|index| self.element(index).to_string()).collect())
            .collect();
        let label = format!("[{}]", len.saturating_sub(1)).len();
        let width = shown.iter().flatten().map(String::len).max().unwrap_or(0) + 1;
        let fits = |row: &usize| label + 3 + row * width <= columns::width();
        let row = [16, 8, 4, 2].into_iter().find(fits).unwrap_or(1);
        for (part, elements) in parts.iter().zip(&shown) {
            if part.start > head {
                let left_out = thousands((tail - head) as i64);
                text += &format!("  {:label$}  … {left_out} more; --json prints them all\n", "");
            }
            for (number, elements) in elements.chunks(row).enumerate() {
                let first = format!("[{}]", part.start + number * row);
                let _ = write!(text, "  {first:>label$} ");
                for element in elements {
                    let _ = write!(text, "{element:>width$}");
                }
                text.push('\n');
            }
        }
        text
    }
}

/// `{"arg": 0, "type": "i32", "values": [1, 2, 3]}`
impl Serialize for Held {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Held", 3)?;
        match self.arg {
            Some(arg) => object.serialize_field("arg", &arg)?,
            None => object.serialize_field("name", &self.name)?,
        }
        object.serialize_field("type", &self.kind.name())?;
        object.serialize_field("values", &Elements(self))?;
        object.end()
    }
}

struct Elements<'a>(&'a Held);

impl Serialize for Elements<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let len = self.0.count();
        let mut list = serializer.serialize_seq(Some(len))?;
        for index in 0..len {
            list.serialize_element(&self.0.element(index))?;
        }
        list.end()
    }
}

#[derive(PartialEq)]
enum Element {
    Unwritten,
    Signed(i64),
    Unsigned(u64),
    /// As a double, and its own type.
    Float(f64, Type),
    Address(u64),
}

/// Floats with the fewest digits that give the same float again: `1e-45`, `-0.0`, `inf`, `NaN`. `?` where
/// nobody has written.
impl Display for Element {
    fn fmt(&self, f: &mut Formatter) -> std::fmt::Result {
        match self {
            Element::Unwritten => f.write_str("?"),
            Element::Signed(n) => write!(f, "{n}"),
            Element::Unsigned(n) => write!(f, "{n}"),
            Element::Float(x, Type::F64) => write!(f, "{x:?}"),
            Element::Float(x, Type::F32) => write!(f, "{:?}", *x as f32),
            Element::Float(x, kind) => write!(f, "{:?}", fewest(*x, *kind)),
            Element::Address(bits) => write!(f, "{bits:#x}"),
        }
    }
}

/// JSON has no number for `"NaN"`, `"Infinity"` and `"-Infinity"`: these are strings. Every other float is a
/// number with the fewest digits that give the same float again, negative zero `-0.0`. `null` where nobody
/// has written.
impl Serialize for Element {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let special = |x: f64| match x {
            f64::INFINITY => "Infinity",
            f64::NEG_INFINITY => "-Infinity",
            _ => "NaN",
        };
        match *self {
            Element::Unwritten => serializer.serialize_none(),
            Element::Signed(n) => serializer.serialize_i64(n),
            Element::Unsigned(n) => serializer.serialize_u64(n),
            Element::Float(x, _) if !x.is_finite() => serializer.serialize_str(special(x)),
            Element::Float(x, Type::F64) => serializer.serialize_f64(x),
            Element::Float(x, Type::F32) => serializer.serialize_f32(x as f32),
            Element::Float(x, kind) => serializer.serialize_f64(fewest(x, kind)),
            Element::Address(bits) => serializer.serialize_str(&format!("{bits:#x}")),
        }
    }
}

/// The shortest decimal number that stands for a float of 16 bits; a whole number as it is.
fn fewest(x: f64, kind: Type) -> f64 {
    if x.fract() == 0.0 {
        return x;
    }
    let shorter = (0..6).map(|digits| format!("{x:.digits$e}").parse().unwrap_or(x));
    shorter.into_iter().find(|short| kind.of_float(*short) == kind.of_float(x)).unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(kind: Type, bytes: Vec<u8>) -> Held {
        Held { name: "1".to_string(), arg: Some(1), kind, bytes, written: None }
    }

    fn json(kind: Type, bytes: Vec<u8>) -> String {
        let text = serde_json::to_string(&held(kind, bytes)).unwrap();
        text.split_once("\"values\":").unwrap().1.trim_end_matches('}').to_string()
    }

    #[test]
    fn elements_have_the_sign_and_width_of_their_type() {
        assert_eq!(json(Type::I8, vec![0xff, 0x80, 0x7f]), "[-1,-128,127]");
        assert_eq!(json(Type::U8, vec![0xff]), "[255]");
        assert_eq!(json(Type::I16, vec![0, 0x80]), "[-32768]");
        assert_eq!(json(Type::U16, vec![0, 0x80]), "[32768]");
        assert_eq!(json(Type::U32, vec![0xff; 4]), "[4294967295]");
        assert_eq!(json(Type::I64, i64::MIN.to_le_bytes().into()), "[-9223372036854775808]");
        assert_eq!(json(Type::U64, vec![0xff; 8]), "[18446744073709551615]");
        assert_eq!(json(Type::U64, vec![]), "[]");
    }

    #[test]
    fn every_float_survives_json() {
        let f32s = [1.5, -0.0, 1e-45, f32::MAX, 0.1, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        let text = json(Type::F32, f32s.map(f32::to_le_bytes).concat());
        assert_eq!(text, "[1.5,-0.0,1e-45,3.4028235e+38,0.1,\"Infinity\",\"-Infinity\",\"NaN\"]");
        let f64s = [5e-324, f64::MIN, -0.0, 0.1, f64::NAN];
        let text = json(Type::F64, f64s.map(f64::to_le_bytes).concat());
        assert_eq!(text, "[5e-324,-1.7976931348623157e+308,-0.0,0.1,\"NaN\"]");
    }

    #[test]
    fn what_nobody_has_written_is_no_number() {
        let mut held = held(Type::I16, vec![1, 0, 0xcd, 0xcd]);
        let mut written = Written::default();
        written.set(0, 3, true);
        held.written = Some(written);
        assert_eq!(
            held.text(),
            "argument 1: 2 elements of i16, of which nobody has written 1 (?)\n  [0]  1 ?\n"
        );
        assert!(serde_json::to_string(&held).unwrap().ends_with("\"values\":[1,null]}"));
        held.written = Some(Written::default());
        assert!(held.text().starts_with("argument 1: 2 elements of i16, which nobody has written (?)\n"));
    }

    #[test]
    fn a_long_buffer_shows_its_ends() {
        let bytes = |n: i32| (0..n).flat_map(i32::to_le_bytes).collect();
        let short = held(Type::I32, bytes(64)).text();
        assert!(short.starts_with("argument 1: 64 elements of i32\n   [0]   0  1  2"), "{short}");
        assert!(short.contains("\n  [48]  48 49 50") && !short.contains('…'), "{short}");
        let long = held(Type::I32, bytes(1000)).text();
        assert!(long.contains("\n   [16]   16  17") && long.contains("… 936 more; --json prints"), "{long}");
        assert!(long.contains("\n  [968]  968 969") && long.ends_with(" 998 999\n"), "{long}");
        assert!(!long.contains("  32 ") && !long.contains(" 967"), "{long}");
        assert_eq!(held(Type::I32, bytes(0)).text(), "argument 1: 0 elements of i32\n");
        let wide = held(Type::F64, [f64::MIN; 99].map(f64::to_le_bytes).concat()).text();
        assert!(wide.lines().all(|line| line.chars().count() <= columns::MAX_WIDTH), "{wide}");
    }
}
