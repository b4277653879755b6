//! What a buffer holds, as text and as JSON.

use std::fmt::Write;
use std::ops::Range;

use launch::{Element, Held, fewest};
use ptx_simulator::Format;
use serde::ser::{Serialize, SerializeSeq, SerializeStruct, Serializer};
use text::columns;
use text::number::thousands;

/// Elements of a long buffer that the text shows at its start, and at its end. A multiple of every row's
/// length.
const SHOWN: usize = 32;

/// What a buffer is called: `in`, or `argument 0`.
pub fn name(held: &Held) -> String {
    held.arg().map_or(held.name.clone(), |arg| format!("argument {arg}"))
}

/// How many elements nobody has written.
pub fn unwritten(held: &Held) -> usize {
    let is_unwritten = |index: &usize| held.element(*index) == Element::Unwritten;
    if held.written.is_some() { (0..held.count()).filter(is_unwritten).count() } else { 0 }
}

/// `argument 0: 64 elements of i32`, and how many of them nobody has written.
pub fn title(held: &Held) -> String {
    let len = held.count();
    let elements = if len == 1 { "element" } else { "elements" };
    let mut text = format!("{}: {} {elements} of {}", name(held), thousands(len as i64), held.kind.name());
    match unwritten(held) {
        0 => {}
        all if all == len => text += ", never written (?)",
        some => text += &format!(", {} never written (?)", thousands(some as i64)),
    }
    text
}

/// The elements that are shown, at its start and at its end.
pub fn shown(held: &Held) -> [Range<usize>; 2] {
    let len = held.count();
    if len <= 2 * SHOWN { [0..len, len..len] } else { [0..SHOWN, len - SHOWN..len] }
}

/// The elements in rows, each with the index of its first; the middle of a long buffer is left out.
pub fn text(held: &Held) -> String {
    let mut text = title(held) + "\n";
    let len = held.count();
    let [Range { end: head, .. }, Range { start: tail, .. }] = shown(held);
    let shown = shown(held)
        .map(|part| (part.start, part.map(|index| held.element(index).to_string()).collect::<Vec<_>>()));
    let label = format!("[{}]", len.saturating_sub(1)).len();
    let width = shown.iter().flat_map(|(_, elements)| elements).map(String::len).max().unwrap_or(0) + 1;
    let fits = |row: &usize| label + 3 + row * width <= columns::width();
    let row = [16, 8, 4, 2].into_iter().find(fits).unwrap_or(1);
    for (start, elements) in shown {
        if start > head {
            let left_out = thousands((tail - head) as i64);
            text += &format!("  {:label$}  … {left_out} more; --json prints them all\n", "");
        }
        for (number, elements) in elements.chunks(row).enumerate() {
            let _ = write!(text, "  {:>label$} ", format!("[{}]", start + number * row));
            for element in elements {
                text += &format!("{element:>width$}");
            }
            text.push('\n');
        }
    }
    text
}

/// `{"arg": 0, "type": "i32", "values": [1, 2, 3]}`
pub struct Json<'a>(pub &'a Held);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Held", 3)?;
        match self.0.arg() {
            Some(arg) => object.serialize_field("arg", &arg)?,
            None => object.serialize_field("name", &self.0.name)?,
        }
        object.serialize_field("type", self.0.kind.name())?;
        object.serialize_field("values", &Values(self.0))?;
        object.end()
    }
}

struct Values<'a>(&'a Held);

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let len = self.0.count();
        let mut list = serializer.serialize_seq(Some(len))?;
        (0..len).try_for_each(|index| list.serialize_element(&Value(self.0.element(index))))?;
        list.end()
    }
}

/// JSON has no number for `"NaN"`, `"Infinity"` and `"-Infinity"`: these are strings. Every other float is a
/// number with the fewest digits that give the same float again, negative zero `-0.0`. `null` where nobody
/// has written.
struct Value(Element);

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Element::Unwritten => serializer.serialize_none(),
            Element::Signed(n) => serializer.serialize_i64(n),
            Element::Unsigned(n) => serializer.serialize_u64(n),
            Element::Float(f64::INFINITY, _) => serializer.serialize_str("Infinity"),
            Element::Float(f64::NEG_INFINITY, _) => serializer.serialize_str("-Infinity"),
            Element::Float(x, _) if x.is_nan() => serializer.serialize_str("NaN"),
            Element::Float(x, Format::F32) => serializer.serialize_f32(x as f32),
            Element::Float(x, kind) => serializer.serialize_f64(fewest(x, kind)),
            address @ Element::Address(_) => serializer.collect_str(&address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use launch::Type;
    use ptx_simulator::Written;

    fn held(kind: Type, bytes: Vec<u8>) -> Held {
        Held { name: "1".to_string(), kind, bytes, written: None, shape: None }
    }

    fn json(kind: Type, bytes: Vec<u8>) -> String {
        let text = serde_json::to_string(&Json(&held(kind, bytes))).unwrap();
        text.split_once("\"values\":").unwrap().1.trim_end_matches('}').to_string()
    }

    #[test]
    fn elements_have_the_sign_and_width_of_their_type() {
        assert_eq!(json(Type::Signed(8), vec![0xff, 0x80, 0x7f]), "[-1,-128,127]");
        assert_eq!(json(Type::Unsigned(8), vec![0xff]), "[255]");
        assert_eq!(json(Type::Signed(16), vec![0, 0x80]), "[-32768]");
        assert_eq!(json(Type::Unsigned(16), vec![0, 0x80]), "[32768]");
        assert_eq!(json(Type::Unsigned(32), vec![0xff; 4]), "[4294967295]");
        assert_eq!(json(Type::Signed(64), i64::MIN.to_le_bytes().into()), "[-9223372036854775808]");
        assert_eq!(json(Type::Unsigned(64), vec![0xff; 8]), "[18446744073709551615]");
        assert_eq!(json(Type::Unsigned(64), vec![]), "[]");
    }

    #[test]
    fn every_float_survives_json() {
        let f32s = [1.5, -0.0, 1e-45, f32::MAX, 0.1, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        let text = json(Type::Float(Format::F32), f32s.map(f32::to_le_bytes).concat());
        assert_eq!(text, "[1.5,-0.0,1e-45,3.4028235e+38,0.1,\"Infinity\",\"-Infinity\",\"NaN\"]");
        let f64s = [5e-324, f64::MIN, -0.0, 0.1, f64::NAN];
        let text = json(Type::Float(Format::F64), f64s.map(f64::to_le_bytes).concat());
        assert_eq!(text, "[5e-324,-1.7976931348623157e+308,-0.0,0.1,\"NaN\"]");
    }

    #[test]
    fn what_nobody_has_written_is_no_number() {
        let mut held = held(Type::Signed(16), vec![1, 0, 0xcd, 0xcd]);
        let mut written = Written::default();
        written.set(0, 3, true);
        held.written = Some(written);
        assert_eq!(text(&held), "argument 1: 2 elements of i16, 1 never written (?)\n  [0]  1 ?\n");
        assert!(serde_json::to_string(&Json(&held)).unwrap().ends_with("\"values\":[1,null]}"));
        held.written = Some(Written::default());
        assert!(text(&held).starts_with("argument 1: 2 elements of i16, never written (?)\n"));
    }

    #[test]
    fn a_long_buffer_shows_its_ends() {
        let bytes = |n: i32| (0..n).flat_map(i32::to_le_bytes).collect();
        let short = text(&held(Type::Signed(32), bytes(64)));
        assert!(short.starts_with("argument 1: 64 elements of i32\n   [0]   0  1  2"), "{short}");
        assert!(short.contains("\n  [48]  48 49 50") && !short.contains('…'), "{short}");
        let long = text(&held(Type::Signed(32), bytes(1000)));
        assert!(long.contains("\n   [16]   16  17") && long.contains("… 936 more; --json prints"), "{long}");
        assert!(long.contains("\n  [968]  968 969") && long.ends_with(" 998 999\n"), "{long}");
        assert!(!long.contains("  32 ") && !long.contains(" 967"), "{long}");
        assert_eq!(text(&held(Type::Signed(32), bytes(0))), "argument 1: 0 elements of i32\n");
        let wide = text(&held(Type::Float(Format::F64), [f64::MIN; 99].map(f64::to_le_bytes).concat()));
        assert!(wide.lines().all(|line| line.chars().count() <= columns::MAX_WIDTH), "{wide}");
    }
}
