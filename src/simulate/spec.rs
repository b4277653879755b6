//! `--arg`: a number or a buffer, as text.

use clap::ValueEnum;

use crate::arguments::number;
use crate::number::thousands;

/// Bytes that a buffer may have: how many addresses the simulator keeps for one.
const MAX_BYTES: u64 = 1 << 36;

/// The types of numbers; an argument spells them in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "named as in Rust")]
pub enum Type {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Type {
    fn parse(name: &str) -> Result<Type, String> {
        Type::from_str(name, false).map_err(|_| {
            let names: Vec<String> = Type::value_variants().iter().map(|kind| kind.name()).collect();
            format!("`{name}` is no type; there are {}, and buf:TYPE: for a buffer", names.join(" "))
        })
    }

    /// `i32`
    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// Bytes of one number.
    pub fn bytes(self) -> usize {
        match self {
            Type::I8 | Type::U8 => 1,
            Type::I16 | Type::U16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::I64 | Type::U64 | Type::F64 => 8,
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }

    /// Whether it is a whole number with a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, Type::I8 | Type::I16 | Type::I32 | Type::I64)
    }

    /// The smallest and the largest whole number; of a float, those up to which it holds every one.
    fn range(self) -> (i128, i128) {
        let bits = 8 * self.bytes() as u32;
        match self {
            Type::F32 => (-(1 << 24), 1 << 24),
            Type::F64 => (-(1 << 53), 1 << 53),
            _ if self.is_signed() => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            _ => (0, (1 << bits) - 1),
        }
    }

    /// The number that `text` spells, in the low bytes.
    fn number(self, text: &str) -> Result<u64, String> {
        let text = text.trim();
        match self {
            Type::F32 | Type::F64 => float(text, self),
            _ => {
                let (least, most) = self.range();
                let fitting = whole(text).filter(|n| (least..=most).contains(n));
                fitting.map(|n| n as u64).ok_or_else(|| {
                    format!(
                        "`{text}` is no {}: those are whole numbers from {least} to {most}, written like 5, \
                         1_000, 0x1f, 2^4 or 1e6",
                        self.name()
                    )
                })
            }
        }
    }

    /// The whole number `n`, which is in range, in the low bytes.
    fn of_whole(self, n: u64) -> u64 {
        match self {
            Type::F32 => (n as f32).to_bits().into(),
            Type::F64 => (n as f64).to_bits(),
            _ => n,
        }
    }
}

/// A whole number with its sign.
fn whole(text: &str) -> Option<i128> {
    match text.strip_prefix('-') {
        Some(digits) => number(digits, u64::MAX).map(|n| -i128::from(n)),
        None => number(text.strip_prefix('+').unwrap_or(text), u64::MAX).map(i128::from),
    }
}

/// The bits of a decimal number, `inf`, `-inf` or `nan`. A number so large or so small that it would become
/// infinite or zero is refused: whoever means those writes them.
fn float(text: &str, kind: Type) -> Result<u64, String> {
    let (name, plain) = (kind.name(), text.replace('_', ""));
    let parsed = match kind {
        Type::F32 => plain.parse().map(|number: f32| (number.into(), number.to_bits().into())),
        _ => plain.parse().map(|number: f64| (number, number.to_bits())),
    };
    let (number, bits) = parsed.map_err(|_| {
        format!("`{text}` is no {name}: write a decimal number, like 1.5, -0 or 1e-3, or inf, -inf or nan")
    })?;
    if number.is_infinite() && text.bytes().any(|c| c.is_ascii_digit()) {
        return Err(format!("`{text}` is too large for {name}; write inf if you mean infinity"));
    }
    let mut digits = text.bytes().take_while(|c| !matches!(c, b'e' | b'E'));
    if number == 0.0 && digits.any(|c| matches!(c, b'1'..=b'9')) {
        return Err(format!("`{text}` is too close to zero for {name}; write 0 if you mean zero"));
    }
    Ok(bits)
}

/// One argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// As it was given.
    text: String,
    /// Of the number, or of each element.
    pub kind: Type,
    /// What the kernel gets.
    pub value: Value,
}

/// A number, or a buffer, whose address the kernel gets.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number, in the low bytes.
    Number(u64),
    /// The elements before the launch.
    Buffer(Fill),
}

/// What the elements of a buffer are before the launch.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// These.
    List(Vec<u64>),
    /// The same one, so many times.
    Repeat(u64, u64),
    /// 0, 1, 2 …, so many.
    Iota(u64),
    /// So many that nobody has written.
    Uninit(u64),
}

const FORMS: &str = "write TYPE:NUMBER, like i32:5, or buf:TYPE:ELEMENTS, like buf:i32:1,2,3, \
                     buf:f32:zeros*1024, buf:i32:iota*1000 or buf:u8:uninit*64";

impl Spec {
    /// Reads an argument; the error says what is wrong with which part.
    pub fn parse(text: &str) -> Result<Spec, String> {
        let (first, rest) = text.split_once(':').ok_or(FORMS)?;
        let (kind, value) = if first == "buf" {
            let (kind, elements) = rest.split_once(':').ok_or(FORMS)?;
            let kind = Type::parse(kind)?;
            (kind, Value::Buffer(Fill::parse(kind, elements.trim())?))
        } else {
            let kind = Type::parse(first)?;
            (kind, Value::Number(kind.number(rest)?))
        };
        Ok(Spec { text: text.to_string(), kind, value })
    }

    /// Bytes that the buffer has; 0 for a number.
    pub fn buffer_bytes(&self) -> u64 {
        match &self.value {
            Value::Number(_) => 0,
            Value::Buffer(fill) => fill.len() * self.kind.bytes() as u64,
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

impl Fill {
    fn parse(kind: Type, text: &str) -> Result<Fill, String> {
        if text.is_empty() {
            return Ok(Fill::List(Vec::new()));
        }
        let Some((what, times)) = text.split_once('*') else {
            let elements = text.split(',').map(|element| kind.number(element)).collect::<Result<_, _>>();
            return elements.map(Fill::List);
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
            "zeros" => Ok(Fill::Repeat(kind.of_whole(0), times)),
            "uninit" => Ok(Fill::Uninit(times)),
            "iota" => {
                let (_, most) = kind.range();
                if i128::from(times) > most + 1 {
                    let last = thousands(times as i64 - 1);
                    let name = kind.name();
                    return Err(format!(
                        "`{text}` counts to {last}, and {name} holds whole numbers to {most}; take a wider \
                         type"
                    ));
                }
                Ok(Fill::Iota(times))
            }
            number => kind
                .number(number)
                .map(|number| Fill::Repeat(number, times))
                .map_err(|error| format!("{error}; before * may also stand zeros, iota or uninit")),
        }
    }

    fn len(&self) -> u64 {
        match self {
            Fill::List(elements) => elements.len() as u64,
            Fill::Repeat(_, times) | Fill::Iota(times) | Fill::Uninit(times) => *times,
        }
    }

    /// The elements of type `kind` as memory holds them; `None` if nobody writes them.
    pub fn bytes(&self, kind: Type) -> Option<Vec<u8>> {
        let width = kind.bytes();
        let element = |bits: u64| bits.to_le_bytes().into_iter().take(width);
        Some(match self {
            Fill::Uninit(_) => return None,
            Fill::List(elements) => elements.iter().flat_map(|bits| element(*bits)).collect(),
            Fill::Repeat(0, times) => vec![0; *times as usize * width],
            Fill::Repeat(bits, times) => (0..*times).flat_map(|_| element(*bits)).collect(),
            Fill::Iota(times) => (0..*times).flat_map(|n| element(kind.of_whole(n))).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> u64 {
        match Spec::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).value {
            Value::Number(bits) => bits,
            Value::Buffer(_) => panic!("{text} is a buffer"),
        }
    }

    fn buffer(text: &str) -> Option<Vec<u8>> {
        let spec = Spec::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        match &spec.value {
            Value::Number(_) => panic!("{text} is a number"),
            Value::Buffer(fill) => fill.bytes(spec.kind),
        }
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
    fn a_buffer_is_a_list_or_a_pattern() {
        assert_eq!(buffer("buf:i32:1,-2, 3"), Some([1i32, -2, 3].map(i32::to_le_bytes).concat()));
        assert_eq!(buffer("buf:f32:0.5,nan").map(|bytes| bytes.len()), Some(8));
        assert_eq!(buffer("buf:f32:zeros*3"), Some(vec![0; 12]));
        assert_eq!(buffer("buf:i16:-1*2"), Some(vec![0xff; 4]));
        assert_eq!(buffer("buf:u8:iota*256"), Some((0..=255).collect()));
        assert_eq!(buffer("buf:f64:iota*3"), Some([0.0, 1.0, 2.0].map(f64::to_le_bytes).concat()));
        assert_eq!(buffer("buf:u8:uninit*64"), None);
        assert_eq!(Spec::parse("buf:i64:uninit*2^10").unwrap().buffer_bytes(), 8192);
        for empty in ["buf:i32:", "buf:i32:zeros*0", "buf:f32:iota*0"] {
            assert_eq!(buffer(empty), Some(vec![]), "{empty}");
        }
    }

    #[test]
    fn what_is_no_argument_is_refused_by_name() {
        for (text, part) in [
            ("5", "write TYPE:NUMBER, like i32:5"),
            ("buf", "write TYPE:NUMBER"),
            ("buf:i32", "buf:TYPE:ELEMENTS"),
            ("int:5", "`int` is no type; there are i8 u8 i16 u16 i32 u32 i64 u64 f32 f64"),
            ("buf:f16:1", "`f16` is no type"),
            ("buf:i32:1,,2", "`` is no i32"),
            ("buf:u8:1,256", "`256` is no u8"),
            ("buf:i32:ones*4", "before * may also stand zeros, iota or uninit"),
            ("buf:i32:zeros*-1", "0 to 17,179,869,184 elements of i32, 68,719,476,736 bytes"),
            ("buf:u8:zeros*68719476737", "0 to 68,719,476,736 elements of u8"),
            ("buf:f64:uninit*99999999999999999999999", "0 to 8,589,934,592 elements of f64"),
            ("buf:f64:uninit*2^63", "0 to 8,589,934,592 elements of f64"),
            ("buf:i32:zeros*", "the number after *"),
            ("buf:i32:1,2*3", "is no i32"),
            ("buf:u8:iota*257", "counts to 256, and u8 holds whole numbers to 255"),
            ("buf:i8:iota*2^8", "counts to 255, and i8 holds whole numbers to 127"),
            ("buf:f32:iota*16777218", "counts to 16,777,217, and f32 holds whole numbers to 16777216"),
        ] {
            let said = refusal(text);
            assert!(said.contains(part), "{text}: no {part:?} in {said}");
        }
    }
}
