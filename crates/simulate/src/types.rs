//! Types of numbers, and numbers as people write them.

use clap::ValueEnum;

use super::half;
use workbook::arguments::number;

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
    F16,
    Bf16,
    F32,
    F64,
    /// The address of a buffer.
    Ptr,
}

impl Type {
    pub(super) fn parse(name: &str) -> Result<Type, String> {
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
            Type::I16 | Type::U16 | Type::F16 | Type::Bf16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::I64 | Type::U64 | Type::F64 | Type::Ptr => 8,
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F16 | Type::Bf16 | Type::F32 | Type::F64)
    }

    /// Whether it is a whole number with a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, Type::I8 | Type::I16 | Type::I32 | Type::I64)
    }

    /// The smallest and the largest whole number; of a float, those up to which it holds every one.
    pub fn range(self) -> (i128, i128) {
        let bits = 8 * self.bytes() as u32;
        match self {
            Type::F16 => (-(1 << 11), 1 << 11),
            Type::Bf16 => (-(1 << 8), 1 << 8),
            Type::F32 => (-(1 << 24), 1 << 24),
            Type::F64 => (-(1 << 53), 1 << 53),
            _ if self.is_signed() => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            _ => (0, (1 << bits) - 1),
        }
    }

    /// The number that `text` spells, in the low bytes.
    pub fn number(self, text: &str) -> Result<u64, String> {
        let text = text.trim();
        match self {
            Type::Ptr => {
                Err(format!("`{text}` is no ptr: write @ and the name of a buffer, like @table or @0"))
            }
            _ if self.is_float() => float(text, self),
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
    pub fn of_whole(self, n: u64) -> u64 {
        if self.is_float() { self.of_float(n as f64) } else { n }
    }

    /// The nearest float of this type, in the low bytes.
    pub fn of_float(self, number: f64) -> u64 {
        match self {
            Type::F16 => half::F16.narrow(number),
            Type::Bf16 => half::BF16.narrow(number),
            Type::F32 => (number as f32).to_bits().into(),
            _ => number.to_bits(),
        }
    }

    /// The number that these bits of a float stand for.
    pub fn to_float(self, bits: u64) -> f64 {
        match self {
            Type::F16 => half::F16.widen(bits),
            Type::Bf16 => half::BF16.widen(bits),
            Type::F32 => f32::from_bits(bits as u32).into(),
            _ => f64::from_bits(bits),
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
    let nearest = match kind {
        Type::F64 => plain.parse().map(|number: f64| number.to_bits()),
        Type::F32 => plain.parse().map(|number: f32| number.to_bits().into()),
        _ => plain.parse().map(|number: f64| kind.of_float(number)),
    };
    let bits = nearest.map_err(|_| {
        format!("`{text}` is no {name}: write a decimal number, like 1.5, -0 or 1e-3, or inf, -inf or nan")
    })?;
    let number = kind.to_float(bits);
    if number.is_infinite() && text.bytes().any(|c| c.is_ascii_digit()) {
        return Err(format!("`{text}` is too large for {name}; write inf if you mean infinity"));
    }
    let mut digits = text.bytes().take_while(|c| !matches!(c, b'e' | b'E'));
    if number == 0.0 && digits.any(|c| matches!(c, b'1'..=b'9')) {
        return Err(format!("`{text}` is too close to zero for {name}; write 0 if you mean zero"));
    }
    Ok(bits)
}
