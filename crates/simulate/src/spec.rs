//! `--arg`: a number, a structure or a buffer, as text.

use super::fill::{Content, Fill, Pointer};
use super::types::Type;

/// One argument.
#[derive(Clone, Debug)]
pub struct Spec {
    /// As it was given.
    text: String,
    /// Of the number, or of each element.
    pub kind: Type,
    /// What the kernel gets.
    pub value: Value,
}

/// What a kernel gets.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number, in the low bytes.
    Number(u64),
    /// The address of a buffer that something else has made.
    Pointer(Pointer),
    /// A structure.
    Struct(Content),
    /// The address of a buffer with these elements.
    Buffer(Fill),
}

const FORMS: &str = "write TYPE:NUMBER, like i32:5; buf:TYPE:ELEMENTS, like buf:i32:1,2,3, \
                     buf:f32:zeros*1024, buf:i32:iota*1000 or buf:u8:uninit*64; struct:TYPE:NUMBER,…, like \
                     struct:i32:4,f32:0.5; bytes:HEX; or @BUFFER";

impl Spec {
    /// Reads an argument; the error says what is wrong with which part.
    pub fn parse(text: &str) -> Result<Spec, String> {
        let of = |kind, value| Ok(Spec { text: text.to_string(), kind, value });
        if text.starts_with('@') {
            return of(Type::Ptr, Value::Pointer(Pointer::parse(text)?));
        }
        let (first, rest) = text.split_once(':').ok_or(FORMS)?;
        match first {
            "buf" => {
                let (kind, fill) = elements(rest)?;
                of(kind, Value::Buffer(fill))
            }
            "struct" => of(Type::U8, Value::Struct(fields(rest)?)),
            "bytes" => of(Type::U8, Value::Struct(Content { bytes: hex(rest)?, ..Content::default() })),
            "ptr" => of(Type::Ptr, Value::Pointer(Pointer::parse(rest)?)),
            first => {
                let kind = Type::parse(first)?;
                of(kind, Value::Number(kind.number(rest)?))
            }
        }
    }

    /// Bytes that the buffer has; 0 for anything else.
    pub fn buffer_bytes(&self) -> u64 {
        match &self.value {
            Value::Buffer(fill) => fill.bytes(self.kind),
            _ => 0,
        }
    }
}

/// As it was given, cut off where it is long.
impl std::fmt::Display for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const MOST: usize = 32;
        let start: String = self.text.chars().take(MOST).collect();
        f.write_str(&start)?;
        if start.len() < self.text.len() { f.write_str("…") } else { Ok(()) }
    }
}

/// `TYPE:ELEMENTS`
pub fn elements(text: &str) -> Result<(Type, Fill), String> {
    let (kind, elements) = text.split_once(':').ok_or(FORMS)?;
    let kind = Type::parse(kind.trim())?;
    Ok((kind, Fill::parse(kind, elements.trim())?))
}

/// Fields side by side, each at a multiple of its size, as a compiler lays them out. A field without a type
/// has that of the one before.
fn fields(text: &str) -> Result<Content, String> {
    let mut content = Content::default();
    let (mut kind, mut align) = (None, 1);
    for field in text.split(',') {
        let (of, number) = match field.split_once(':') {
            Some((name, number)) => (Some(Type::parse(name.trim())?), number),
            None => (kind, field),
        };
        let of = of.ok_or_else(|| format!("`{field}`: the first field needs a type, like i32:{field}"))?;
        let at = content.bytes.len().next_multiple_of(of.bytes());
        content.bytes.resize(at + of.bytes(), 0);
        if of == Type::Ptr {
            content.pointers.push((at, Pointer::parse(number)?));
        } else {
            let bits = of.number(number)?.to_le_bytes();
            content.bytes[at..].copy_from_slice(&bits[..of.bytes()]);
        }
        (kind, align) = (Some(of), align.max(of.bytes()));
    }
    let size = content.bytes.len().next_multiple_of(align);
    content.bytes.resize(size, 0);
    Ok(content)
}

/// The bytes that pairs of hexadecimal digits spell.
fn hex(text: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<u32> = text.chars().filter(|c| *c != '_').map_while(|c| c.to_digit(16)).collect();
    let all = digits.len() == text.chars().filter(|c| *c != '_').count();
    match digits.len() % 2 {
        0 if all => Ok(digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()),
        _ => Err(format!("`{text}` are no bytes: write two hexadecimal digits for each, like 0100_0000")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> u64 {
        match Spec::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).value {
            Value::Number(bits) => bits,
            _ => panic!("{text} is no number"),
        }
    }

    fn content(text: &str) -> Content {
        let spec = Spec::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        match spec.value {
            Value::Buffer(fill) => {
                let mut all = Content::default();
                for piece in fill.pieces(spec.kind) {
                    let (start, Content { bytes, unwritten, pointers }) = piece.unwrap();
                    let start = start as usize;
                    assert_eq!(start, all.bytes.len());
                    all.bytes.extend(bytes);
                    all.unwritten.extend(unwritten.iter().map(|part| part.start + start..part.end + start));
                    all.pointers.extend(pointers.into_iter().map(|(at, to)| (at + start, to)));
                }
                all
            }
            Value::Struct(content) => content,
            _ => panic!("{text} has no bytes"),
        }
    }

    fn buffer(text: &str) -> Vec<u8> {
        content(text).bytes
    }

    fn refusal(text: &str) -> String {
        Spec::parse(text).map_or_else(|error| error, |spec| panic!("{text} is {spec:?}"))
    }

    #[test]
    fn every_type_has_its_range_and_its_ends() {
        for (kind, least, most) in [
            ("i8", "-128", "127"),
            ("u8", "0", "255"),
            ("i16", "-32768", "32767"),
            ("u16", "0", "65535"),
            ("i32", "-2147483648", "2147483647"),
            ("u32", "0", "4294967295"),
            ("i64", "-9223372036854775808", "9223372036854775807"),
            ("u64", "0", "18446744073709551615"),
        ] {
            let (low, high): (i128, i128) = (least.parse().unwrap(), most.parse().unwrap());
            assert_eq!(number(&format!("{kind}:{least}")), low as u64);
            assert_eq!(number(&format!("{kind}:{most}")), high as u64);
            for beyond in [low - 1, high + 1, i128::MAX] {
                let said = refusal(&format!("{kind}:{beyond}"));
                assert!(said.contains(&format!("`{beyond}` is no {kind}")), "{said}");
                assert!(said.contains(&format!("from {least} to {most}")), "{said}");
            }
        }
    }

    #[test]
    fn whole_numbers_are_read_as_people_write_them() {
        for (text, expected) in [
            ("5", 5),
            ("-5", -5),
            ("+5", 5),
            ("0x1F", 31),
            ("-0x80", -128),
            ("0xff_ff", 65_535),
            ("1_000", 1000),
            ("2^20", 1 << 20),
            (" 7 ", 7),
        ] {
            assert_eq!(number(&format!("i32:{text}")), expected as i64 as u64, "{text}");
        }
        for wrong in ["", "-", "x", "0x", "0x-1", "0x_", "1.5", "1e-3", "--5", "5 6", "nan", "0b1", "٣"] {
            assert!(refusal(&format!("i32:{wrong}")).contains("is no i32"), "{wrong}");
        }
    }

    #[test]
    fn floats_are_read_with_their_special_values() {
        let f32 = |text: &str| f32::from_bits(number(&format!("f32:{text}")) as u32);
        assert_eq!((f32("5"), f32("-1.5e3"), f32("1_000.5")), (5.0, -1500.0, 1000.5));
        assert_eq!(f32("1e-45").to_bits(), 1, "the smallest denormal");
        assert_eq!(f32("-0").to_bits(), 1 << 31);
        assert_eq!((f32("inf"), f32("-inf")), (f32::INFINITY, f32::NEG_INFINITY));
        assert!(f32("nan").is_nan() && f32("NaN").is_nan());
        assert_eq!(f32("0e9"), 0.0);
        assert_eq!(f64::from_bits(number("f64:5e-324")).to_bits(), 1);
        assert_eq!(f64::from_bits(number("f64:1e39")), 1e39);
        assert!(refusal("f32:1e39").contains("`1e39` is too large for f32; write inf"));
        assert!(refusal("f64:-1e309").contains("too large for f64"));
        assert!(refusal("f32:1e-46").contains("`1e-46` is too close to zero for f32"));
        for wrong in ["", "0x10", "1,5", "1e", "pi"] {
            assert!(refusal(&format!("f32:{wrong}")).contains("is no f32"), "{wrong}");
        }
    }

    #[test]
    fn a_buffer_is_a_list_of_parts() {
        assert_eq!(buffer("buf:i32:1,-2, 3"), [1i32, -2, 3].map(i32::to_le_bytes).concat());
        assert_eq!(buffer("buf:f32:0.5,nan").len(), 8);
        assert_eq!(buffer("buf:f32:zeros*3"), [0; 12]);
        assert_eq!(buffer("buf:i16:-1*2"), [0xff; 4]);
        assert_eq!(buffer("buf:u8:iota*256"), (0..=255).collect::<Vec<u8>>());
        assert_eq!(buffer("buf:f64:iota*3"), [0.0, 1.0, 2.0].map(f64::to_le_bytes).concat());
        assert_eq!(buffer("buf:f16:1.5,-2"), [0, 0x3e, 0, 0xc0]);
        assert_eq!(buffer("buf:bf16:1*2"), [0x80, 0x3f, 0x80, 0x3f]);
        assert_eq!(Spec::parse("buf:i64:uninit*2^10").unwrap().buffer_bytes(), 8192);
        for empty in ["buf:i32:", "buf:i32:zeros*0", "buf:f32:iota*0"] {
            assert!(buffer(empty).is_empty(), "{empty}");
        }
        let parts = content("buf:u8:7,uninit*2,iota*3,5*2,uninit*1");
        assert_eq!((parts.bytes, parts.unwritten), (vec![7, 0, 0, 0, 1, 2, 5, 5, 0], vec![1..3, 8..9]));
        let table = content("buf:ptr:@0,@table+16").pointers;
        assert_eq!((table[0].0, table[0].1.buffer.as_str(), table[0].1.offset), (0, "0", 0));
        assert_eq!((table[1].0, table[1].1.buffer.as_str(), table[1].1.offset), (8, "table", 16));
    }

    #[test]
    fn random_data_depends_on_the_seed_alone() {
        assert_eq!(buffer("buf:f32:random*100"), buffer("buf:f32:random:1*100"));
        assert_eq!(buffer("buf:f32:random:2*100"), buffer("buf:f32:random:2*200")[..400]);
        assert_ne!(buffer("buf:f32:random:2*100"), buffer("buf:f32:random:3*100"));
        let dice = buffer("buf:u8:random:7:1:6*600");
        assert!((1..=6).all(|eyes| dice.iter().filter(|die| **die == eyes).count() > 60));
        let signed = buffer("buf:i8:random*1000");
        assert!(
            signed.iter().all(|byte| (-100..=100).contains(&(*byte as i8)))
                && signed.contains(&(-99i8 as u8))
        );
    }

    #[test]
    fn a_structure_has_its_fields_where_a_compiler_has_them() {
        assert_eq!(buffer("struct:i32:1,2,3"), [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
        assert_eq!(buffer("struct:u8:1,u16:2,f32:1"), [1, 0, 2, 0, 0, 0, 0x80, 0x3f]);
        assert_eq!(buffer("struct:i64:1,u8:2").len(), 16);
        assert_eq!(buffer("bytes:0a0B_ff"), [10, 11, 255]);
        let matrix = content("struct:i32:16,16,ptr:@a");
        assert_eq!((matrix.bytes.len(), matrix.pointers[0].0), (16, 8));
        let Value::Pointer(pointer) = Spec::parse("@a+8").unwrap().value else { panic!() };
        assert_eq!((pointer.buffer.as_str(), pointer.offset), ("a", 8));
    }

    #[test]
    fn what_is_no_argument_is_refused_by_name() {
        for (text, part) in [
            ("5", "write TYPE:NUMBER, like i32:5"),
            ("buf", "write TYPE:NUMBER"),
            ("buf:i32", "buf:TYPE:ELEMENTS"),
            ("int:5", "`int` is no type; there are i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 ptr"),
            ("buf:f8:1", "`f8` is no type"),
            ("f16:65520", "`65520` is too large for f16"),
            ("struct:1", "the first field needs a type, like i32:1"),
            ("bytes:123", "two hexadecimal digits for each"),
            ("bytes:0g", "two hexadecimal digits for each"),
            ("buf:ptr:5", "`5` is no ptr"),
            ("ptr:0", "write @ and a buffer"),
            ("buf:i32:random:x*4", "`random:x` is no random data"),
            ("buf:i32:random:1:5*4", "random:SEED:LEAST:MOST"),
            ("buf:i32:file=none.npy", "cannot read none.npy"),
            ("buf:i32:1,,2", "`` is no i32"),
            ("buf:u8:1,256", "`256` is no u8"),
            ("buf:i32:ones*4", "before * may also stand zeros, iota, random or uninit"),
            ("buf:i32:zeros*-1", "0 to 17,179,869,184 elements of i32, 68,719,476,736 bytes"),
            ("buf:u8:zeros*68719476737", "0 to 68,719,476,736 elements of u8"),
            ("buf:f64:uninit*99999999999999999999999", "0 to 8,589,934,592 elements of f64"),
            ("buf:f64:uninit*2^63", "0 to 8,589,934,592 elements of f64"),
            ("buf:i32:zeros*", "the number after *"),
            ("buf:u8:iota*257", "counts to 256, and u8 holds whole numbers to 255"),
            ("buf:i8:iota*2^8", "counts to 255, and i8 holds whole numbers to 127"),
            ("buf:f32:iota*16777218", "counts to 16,777,217, and f32 holds whole numbers to 16777216"),
        ] {
            let said = refusal(text);
            assert!(said.contains(part), "{text}: no {part:?} in {said}");
        }
    }
}
