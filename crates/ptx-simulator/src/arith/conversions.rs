//! `cvt` (PTX ISA 9.7.9.21): between integers, between floats, and from one to the other.

use super::float::saturate;
use super::lanes::{AluFn, Lanes, each, lanes};
use super::rounding::{self as round, Format, Mode};
use super::value::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Signed(u32),
    Unsigned(u32),
    Float(Format),
}

impl Type {
    fn parse(word: &str) -> Option<Type> {
        if let Some(format) = Format::parse(word) {
            return Some(Type::Float(format));
        }
        let width = word.get(1..)?.parse().ok().filter(|width| matches!(width, 8 | 16 | 32 | 64))?;
        match word.as_bytes()[0] {
            b's' => Some(Type::Signed(width)),
            b'u' | b'b' => Some(Type::Unsigned(width)),
            _ => None,
        }
    }
}

/// A conversion from or to a float, or one that saturates.
#[derive(Clone, Copy, Debug)]
pub struct Conversion {
    from: Type,
    to: Type,
    mode: Mode,
    /// `.rni` and the like: to an integral value, also in a float.
    integral: bool,
    ftz: bool,
    sat: bool,
    relu: bool,
    /// Two values into one register: the first source becomes the high half.
    pack: bool,
}

/// The conversion that `words` spell, and how many sources it has.
pub fn select(words: &[&str]) -> Option<(Conversion, usize)> {
    let [_, options @ .., to, from] = words else { return None };
    let (pack, to) = match to.strip_suffix("x2") {
        Some(half) => (true, half),
        None => (false, *to),
    };
    let from = Type::parse(from)?;
    let to = Type::parse(to)?;
    let rounding = options.iter().find(|word| Mode::parse(word).is_some());
    let is_float = |ty: Type| matches!(ty, Type::Float(_));
    let known = |word: &&str| match *word {
        "ftz" => from == Type::Float(Format::F32) || to == Type::Float(Format::F32),
        "sat" => true,
        "relu" => is_float(from) && is_float(to),
        word => Mode::parse(word).is_some() && (is_float(from) || is_float(to)),
    };
    if !options.iter().all(known) || !round::all_count(options) {
        return None;
    }
    if pack && !(is_float(to) && from == Type::Float(Format::F32)) {
        return None;
    }
    let has = |word: &str| options.contains(&word);
    let conversion = Conversion {
        from,
        to,
        mode: rounding.and_then(|word| Mode::parse(word)).unwrap_or(Mode::Nearest),
        integral: rounding.is_some_and(|word| word.ends_with('i')),
        ftz: has("ftz"),
        sat: has("sat"),
        relu: has("relu"),
        pack,
    };
    Some((conversion, 1 + pack as usize))
}

/// Integer to integer, the one conversion that every kernel is full of: the bits of the narrower type are
/// kept, and extended over the register by its sign, if it has one; of a wider unsigned result no more than
/// its own bits.
fn integers(from: Type, to: Type) -> Option<AluFn> {
    let (Type::Signed(has) | Type::Unsigned(has)) = from else { return None };
    let (Type::Signed(gets) | Type::Unsigned(gets)) = to else { return None };
    Some(match (if gets <= has { to } else { from }, to) {
        (Type::Signed(8), Type::Unsigned(16)) => looped!(u64, |a| a as i8 as u16),
        (Type::Signed(8), Type::Unsigned(32)) => looped!(u64, |a| a as i8 as u32),
        (Type::Signed(16), Type::Unsigned(32)) => looped!(u64, |a| a as i16 as u32),
        (Type::Signed(8), _) => looped!(u64, |a| a as i8 as u64),
        (Type::Signed(16), _) => looped!(u64, |a| a as i16 as u64),
        (Type::Signed(32), _) => looped!(u64, |a| a as i32 as u64),
        (Type::Unsigned(8), _) => looped!(u64, |a| a as u8),
        (Type::Unsigned(16), _) => looped!(u64, |a| a as u16),
        (Type::Unsigned(32), _) => looped!(u64, |a| a as u32),
        _ => looped!(u64, |a| a),
    })
}

impl Conversion {
    /// As a function of its own, where it has one.
    pub fn plain(&self) -> Option<AluFn> {
        if self.sat { None } else { integers(self.from, self.to) }
    }

    pub fn apply(&self, out: &mut Lanes, source: [&Lanes; 2], mask: u32) {
        for lane in lanes(mask) {
            out[lane] = self.one(source[0][lane], source[1][lane]);
        }
    }

    /// The same for one lane.
    pub fn one(&self, a: u64, b: u64) -> u64 {
        if self.pack { self.bits(a) << 16 | self.bits(b) } else { self.bits(a) }
    }

    fn bits(&self, bits: u64) -> u64 {
        let unused = |width: u32| 64 - width;
        match self.from {
            Type::Unsigned(width) => self.integer((bits << unused(width) >> unused(width)) as i128),
            Type::Signed(width) => self.integer(((bits << unused(width)) as i64 >> unused(width)) as i128),
            Type::Float(format) => {
                let value = self.flush(format.decode(bits), format);
                match self.to {
                    Type::Float(to) if value.is_nan() && self.keeps_nan(format, to) => {
                        format.widen_nan(bits, to)
                    }
                    Type::Float(to) => self.float(value, to),
                    _ => self.float_to_integer(value, format),
                }
            }
        }
    }

    /// `.ftz` is about single precision only.
    fn flush(&self, a: f64, format: Format) -> f64 {
        if self.ftz && format == Format::F32 && format.is_subnormal(a) { 0.0f64.copysign(a) } else { a }
    }

    /// Whether a NaN keeps its sign and fraction, as far as there is room, or becomes the canonical one. PTX
    /// leaves this open; so does an H200 do it.
    fn keeps_nan(&self, from: Format, to: Format) -> bool {
        let double = (from == Format::F64) != (to == Format::F64);
        let shift = from == Format::BF16 && to == Format::F32;
        (double || shift) && !self.sat && !self.relu
    }

    fn integer(&self, value: i128) -> u64 {
        match self.to {
            Type::Float(to) => to.encode(round::from_int(value, to, self.mode)),
            _ => self.clamp(value),
        }
    }

    /// The nearest value that an integer type has; a signed one is extended over the register.
    fn clamp(&self, value: i128) -> u64 {
        match self.to {
            Type::Signed(width) => value.clamp(-1 << (width - 1), (1 << (width - 1)) - 1) as u64,
            Type::Unsigned(width) => value.clamp(0, (1 << width) - 1) as u64,
            Type::Float(_) => 0,
        }
    }

    /// Rounded, then clamped to the type's range. The ISA says what a NaN gives: 0, but from double precision
    /// or to 64 bits the highest bit alone, which in a signed type is the lowest value and extended as such.
    fn float_to_integer(&self, value: f64, from: Format) -> u64 {
        let (Type::Signed(width) | Type::Unsigned(width)) = self.to else { return 0 };
        if value.is_nan() {
            let highest_bit = if matches!(self.to, Type::Signed(_)) { -1i64 } else { 1 } << (width - 1);
            return if from == Format::F64 || width == 64 { highest_bit as u64 } else { 0 };
        }
        self.clamp(round::integral(value, self.mode) as i128)
    }

    fn float(&self, mut value: f64, to: Format) -> u64 {
        if self.integral {
            value = round::integral(value, self.mode);
        }
        value = self.flush(round::narrow(value, to, self.mode), to);
        if self.sat {
            value = saturate(value);
        }
        if self.relu && value <= 0.0 {
            value = 0.0;
        }
        to.encode(value)
    }
}
