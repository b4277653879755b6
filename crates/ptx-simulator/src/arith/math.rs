//! The mathematics of C (`<math.h>`) and what CUDA adds to it (CUDA C++ Programming Guide, "Mathematical
//! Functions"): one table, for the host and for kernels whose compiler brings no bodies of its own.
//!
//! A row stands for two functions: `exp` computes with doubles, and `expf` is the same, rounded once. Where
//! that is not the function, the `float` one has a row of its own.

/// What a function computes, by what goes in and what comes out.
#[derive(Clone, Copy)]
enum Formula {
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
    Three(fn(f64, f64, f64) -> f64),
    Four(fn([f64; 4]) -> f64),
    Floats(fn([f32; 3]) -> f32),
    FloatToward(fn(f32, f64) -> f32),
    /// To an `int`, to a `long`.
    ToInt(fn(f64) -> i32),
    ToLong(fn(f64) -> i64),
    /// With an `int`, with a `long`.
    WithInt(fn(f64, i32) -> f64),
    WithLong(fn(f64, i64) -> f64),
    /// Of an `int` and a value.
    Order(fn(i32, f64) -> f64),
    /// A value, and an `int` through the pointer behind the arguments.
    AndInt(fn(f64) -> (f64, i32)),
    TwoAndInt(fn(f64, f64) -> (f64, i32)),
    /// A value, and another through a pointer.
    AndValue(fn(f64) -> (f64, f64)),
    /// Two values through pointers.
    Pair(fn(f64) -> (f64, f64)),
}

use Formula::*;

#[rustfmt::skip]
static TABLE: &[(&str, Formula)] = &[
    ("acos", One(libm::acos)),
    ("acosh", One(libm::acosh)),
    ("asin", One(libm::asin)),
    ("asinh", One(libm::asinh)),
    ("atan", One(libm::atan)),
    ("atanh", One(libm::atanh)),
    ("cbrt", One(libm::cbrt)),
    ("ceil", One(libm::ceil)),
    ("cos", One(libm::cos)),
    ("cosh", One(libm::cosh)),
    ("cospi", One(|x| sine_and_cosine_of_pi(x).1)),
    ("cyl_bessel_i0", One(|x| bessel_i(0, x))),
    ("cyl_bessel_i1", One(|x| bessel_i(1, x))),
    ("erf", One(libm::erf)),
    ("erfc", One(libm::erfc)),
    ("erfcinv", One(erfcinv)),
    ("erfcx", One(erfcx)),
    ("erfinv", One(erfinv)),
    ("exp", One(libm::exp)),
    ("exp10", One(libm::exp10)),
    ("exp2", One(libm::exp2)),
    ("expm1", One(libm::expm1)),
    ("fabs", One(libm::fabs)),
    ("floor", One(libm::floor)),
    ("gamma", One(libm::lgamma)),
    ("j0", One(libm::j0)),
    ("j1", One(libm::j1)),
    ("lgamma", One(libm::lgamma)),
    ("log", One(libm::log)),
    ("log10", One(libm::log10)),
    ("log1p", One(libm::log1p)),
    ("log2", One(libm::log2)),
    ("logb", One(logb)),
    ("nearbyint", One(libm::rint)),
    ("normcdf", One(|x| 0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2))),
    ("normcdfinv", One(|p| -std::f64::consts::SQRT_2 * erfcinv(2.0 * p))),
    ("rcbrt", One(|x| 1.0 / libm::cbrt(x))),
    ("rint", One(libm::rint)),
    ("round", One(libm::round)),
    ("rsqrt", One(|x| 1.0 / libm::sqrt(x))),
    ("significand", One(|x| x / libm::exp2(logb(x)))),
    ("sin", One(libm::sin)),
    ("sinh", One(libm::sinh)),
    ("sinpi", One(|x| sine_and_cosine_of_pi(x).0)),
    ("sqrt", One(libm::sqrt)),
    ("tan", One(libm::tan)),
    ("tanh", One(libm::tanh)),
    ("tgamma", One(libm::tgamma)),
    ("trunc", One(libm::trunc)),
    ("y0", One(libm::y0)),
    ("y1", One(libm::y1)),
    ("atan2", Two(libm::atan2)),
    ("copysign", Two(libm::copysign)),
    ("drem", Two(libm::remainder)),
    ("fdim", Two(libm::fdim)),
    ("fdivide", Two(|x, y| x / y)),
    ("fmax", Two(libm::fmax)),
    ("fmin", Two(libm::fmin)),
    ("fmod", Two(libm::fmod)),
    ("hypot", Two(libm::hypot)),
    ("nextafter", Two(libm::nextafter)),
    ("nexttoward", Two(libm::nextafter)),
    ("pow", Two(libm::pow)),
    ("remainder", Two(libm::remainder)),
    ("rhypot", Two(|x, y| 1.0 / libm::hypot(x, y))),
    ("fma", Three(libm::fma)),
    ("norm3d", Three(|x, y, z| libm::hypot(libm::hypot(x, y), z))),
    ("rnorm3d", Three(|x, y, z| 1.0 / libm::hypot(libm::hypot(x, y), z))),
    ("norm4d", Four(|[x, y, z, w]| libm::hypot(libm::hypot(x, y), libm::hypot(z, w)))),
    ("rnorm4d", Four(|[x, y, z, w]| 1.0 / libm::hypot(libm::hypot(x, y), libm::hypot(z, w)))),
    ("nextafterf", Floats(|[x, y, _]| libm::nextafterf(x, y))),
    ("nexttowardf", FloatToward(|x, y| libm::nextafterf(x, toward(x, y)))),
    ("fdimf", Floats(|[x, y, _]| libm::fdimf(x, y))),
    ("fmaf", Floats(|[x, y, z]| libm::fmaf(x, y, z))),
    ("ilogb", ToInt(libm::ilogb)),
    ("lrint", ToLong(|x| libm::rint(x) as i64)),
    ("llrint", ToLong(|x| libm::rint(x) as i64)),
    ("lround", ToLong(|x| libm::round(x) as i64)),
    ("llround", ToLong(|x| libm::round(x) as i64)),
    ("ldexp", WithInt(libm::ldexp)),
    ("scalbn", WithInt(libm::scalbn)),
    ("scalbln", WithLong(|x, n| libm::scalbn(x, n.clamp(i32::MIN.into(), i32::MAX.into()) as i32))),
    ("jn", Order(|n, x| if is_near(n) { libm::jn(n, x) } else { 0.0 })),
    ("yn", Order(|n, x| if is_near(n) { libm::yn(n, x) } else { f64::NEG_INFINITY })),
    ("frexp", AndInt(libm::frexp)),
    ("lgamma_r", AndInt(libm::lgamma_r)),
    ("remquo", TwoAndInt(libm::remquo)),
    ("modf", AndValue(modf)),
    ("sincos", Pair(libm::sincos)),
    ("sincospi", Pair(sine_and_cosine_of_pi)),
];

/// The `float` function of a row that has another name than the row's with an `f` behind it.
const OTHER_NAMES: &[(&str, &str)] = &[("lgammaf_r", "lgamma_r")];

/// A function of `<math.h>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Math {
    row: u16,
    is_float: bool,
}

/// What a function gives back.
#[derive(Clone, Copy, Debug, Default)]
pub struct Results {
    /// Its value.
    pub value: u64,
    /// The bytes of it: none if it has none.
    pub bytes: usize,
    /// What goes where its pointers lead: the number of the argument, the value, the bytes of it.
    pub through: [Option<(usize, u64, usize)>; 2],
}

impl Math {
    /// The function of this name.
    pub fn parse(name: &str) -> Option<Math> {
        let row = |name: &str| TABLE.iter().position(|(known, _)| *known == name).map(|row| row as u16);
        if let Some(row) = row(name) {
            return Some(Math { row, is_float: false });
        }
        let other = OTHER_NAMES.iter().find(|(known, _)| *known == name).map(|(_, of)| *of);
        let row = row(other.or(name.strip_suffix('f'))?)?;
        let is_float = |formula: &Formula| matches!(formula, Floats(_) | FloatToward(_));
        (!is_float(&TABLE[row as usize].1)).then_some(Math { row, is_float: true })
    }

    /// Its number, and the function that has it.
    pub fn number(self) -> u16 {
        self.row << 1 | u16::from(self.is_float)
    }

    /// See [`Math::number`].
    pub fn numbered(number: u16) -> Math {
        Math { row: number >> 1, is_float: number & 1 == 1 }
    }

    /// The names of all functions.
    pub fn names() -> impl Iterator<Item = String> {
        TABLE.iter().flat_map(|(name, formula)| {
            let has_float = !matches!(formula, Floats(_) | FloatToward(_))
                && TABLE.iter().all(|(known, _)| known.strip_suffix('f') != Some(name));
            [Some(name.to_string()), has_float.then(|| format!("{name}f"))].into_iter().flatten()
        })
    }

    /// The bytes of each argument that is read, in their order.
    pub fn reads(self) -> &'static [usize] {
        let (one, two, three, four): (&[usize], &[usize], &[usize], &[usize]) = match self.is_float {
            true => (&[4], &[4; 2], &[4; 3], &[4; 4]),
            false => (&[8], &[8; 2], &[8; 3], &[8; 4]),
        };
        match TABLE[self.row as usize].1 {
            One(_) | ToInt(_) | ToLong(_) | AndInt(_) | AndValue(_) | Pair(_) => one,
            Two(_) | TwoAndInt(_) => two,
            Three(_) => three,
            Four(_) => four,
            // Those of two ignore the third.
            Floats(_) if TABLE[self.row as usize].0 == "fmaf" => &[4; 3],
            Floats(_) => &[4; 2],
            FloatToward(_) => &[4, 8],
            WithInt(_) if self.is_float => &[4, 4],
            WithInt(_) => &[8, 4],
            WithLong(_) if self.is_float => &[4, 8],
            WithLong(_) => &[8, 8],
            Order(_) if self.is_float => &[4, 4],
            Order(_) => &[4, 8],
        }
    }

    /// Computes; `argument(number, bytes)` gives the bits of an argument.
    pub fn apply(self, mut argument: impl FnMut(usize, usize) -> u64) -> Results {
        let size = if self.is_float { 4 } else { 8 };
        let mut bits = [0; 4];
        for (number, bytes) in self.reads().iter().enumerate() {
            bits[number] = argument(number, *bytes);
        }
        let value = |number: usize| match self.is_float {
            true => f64::from(f32::from_bits(bits[number] as u32)),
            false => f64::from_bits(bits[number]),
        };
        let rounded = |value: f64| match self.is_float {
            true => u64::from((value as f32).to_bits()),
            false => value.to_bits(),
        };
        let given = |value: f64| Results { value: rounded(value), bytes: size, ..Results::default() };
        let int = |number: usize| bits[number] as u32 as i32;
        match TABLE[self.row as usize].1 {
            One(f) => given(f(value(0))),
            Two(f) => given(f(value(0), value(1))),
            Three(f) => given(f(value(0), value(1), value(2))),
            Four(f) => given(f([0, 1, 2, 3].map(value))),
            Floats(f) => {
                let [x, y, z, _] = bits.map(|bits| f32::from_bits(bits as u32));
                Results { value: f([x, y, z]).to_bits().into(), bytes: 4, ..Results::default() }
            }
            FloatToward(f) => {
                let result = f(f32::from_bits(bits[0] as u32), f64::from_bits(bits[1]));
                Results { value: result.to_bits().into(), bytes: 4, ..Results::default() }
            }
            ToInt(f) => Results { value: u64::from(f(value(0)) as u32), bytes: 4, ..Results::default() },
            ToLong(f) => Results { value: f(value(0)) as u64, bytes: 8, ..Results::default() },
            WithInt(f) => given(f(value(0), int(1))),
            WithLong(f) => given(f(value(0), bits[1] as i64)),
            Order(f) => given(f(int(0), value(1))),
            AndInt(f) => {
                let (result, other) = f(value(0));
                Results { through: [Some((1, u64::from(other as u32), 4)), None], ..given(result) }
            }
            TwoAndInt(f) => {
                let (result, other) = f(value(0), value(1));
                Results { through: [Some((2, u64::from(other as u32), 4)), None], ..given(result) }
            }
            AndValue(f) => {
                let (result, other) = f(value(0));
                Results { through: [Some((1, rounded(other), size)), None], ..given(result) }
            }
            Pair(f) => {
                let (first, second) = f(value(0));
                let through = [Some((1, rounded(first), size)), Some((2, rounded(second), size))];
                Results { through, ..Results::default() }
            }
        }
    }
}

/// Whether a Bessel function of this order is computed, in as many steps: those of others are near their
/// limits.
fn is_near(order: i32) -> bool {
    order.unsigned_abs() < 1 << 16
}

/// The exponent as a value.
fn logb(x: f64) -> f64 {
    match x {
        _ if x.is_nan() => x,
        _ if x.is_infinite() => f64::INFINITY,
        0.0 => f64::NEG_INFINITY,
        _ => f64::from(libm::ilogb(x)),
    }
}

/// A `float` on the same side of `x` as `y` is.
fn toward(x: f32, y: f64) -> f32 {
    match f64::from(x).partial_cmp(&y) {
        Some(std::cmp::Ordering::Less) => f32::INFINITY,
        Some(std::cmp::Ordering::Greater) => f32::NEG_INFINITY,
        Some(std::cmp::Ordering::Equal) => y as f32,
        None => f32::NAN,
    }
}

/// The fraction, and the whole part.
fn modf(x: f64) -> (f64, f64) {
    let whole = libm::trunc(x);
    let fraction = if x.is_infinite() { 0.0 } else { x - whole };
    (libm::copysign(fraction, x), whole)
}

/// Sine and cosine of `pi * x`: exact where `x` is a multiple of a half.
fn sine_and_cosine_of_pi(x: f64) -> (f64, f64) {
    if !x.is_finite() {
        return (f64::NAN, f64::NAN);
    }
    // The nearest quarter turn, and what is left of it.
    let turns = libm::fmod(x, 2.0);
    let quarter = libm::rint(2.0 * turns);
    let (sine, cosine) = libm::sincos(std::f64::consts::PI * (turns - 0.5 * quarter));
    let (sine, cosine) = match (quarter as i64).rem_euclid(4) {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    };
    (if sine == 0.0 { libm::copysign(0.0, x) } else { sine }, cosine + 0.0)
}

/// The modified Bessel function of order 0 or 1, by its series (Abramowitz and Stegun, 9.6.10): all terms
/// have one sign.
fn bessel_i(order: i32, x: f64) -> f64 {
    let quarter = x * x / 4.0;
    let mut term = if order == 0 { 1.0 } else { x / 2.0 };
    let mut sum = term;
    let mut k = 1.0;
    while libm::fabs(term) > libm::fabs(sum) * f64::EPSILON / 4.0 && sum.is_finite() {
        term *= quarter / (k * (k + f64::from(order)));
        sum += term;
        k += 1.0;
    }
    sum
}

/// `exp(x^2) * erfc(x)`.
fn erfcx(x: f64) -> f64 {
    if x < 25.0 {
        return libm::exp(x * x) * libm::erfc(x);
    }
    // The asymptotic series (Abramowitz and Stegun, 7.1.23).
    let square = 2.0 * x * x;
    let series =
        [13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0].iter().fold(1.0, |rest, odd| 1.0 - odd * rest / square);
    series / (x * libm::sqrt(std::f64::consts::PI))
}

/// The inverse of `erf`.
fn erfinv(y: f64) -> f64 {
    match libm::fabs(y) {
        1.0 => return libm::copysign(f64::INFINITY, y),
        size if size > 1.0 || size.is_nan() => return f64::NAN,
        // In the tails `erf` has lost what decides.
        size if size > 0.5 => return libm::copysign(erfcinv(1.0 - size), y),
        _ => {}
    }
    let mut x = y * libm::sqrt(std::f64::consts::PI) / 2.0;
    for _ in 0..8 {
        let slope = std::f64::consts::FRAC_2_SQRT_PI * libm::exp(-x * x);
        x -= (libm::erf(x) - y) / slope;
    }
    x
}

/// The inverse of `erfc`, by Halley's method.
fn erfcinv(y: f64) -> f64 {
    match y {
        0.0 => return f64::INFINITY,
        2.0 => return f64::NEG_INFINITY,
        _ if !(0.0..=2.0).contains(&y) => return f64::NAN,
        _ if y > 1.0 => return -erfcinv(2.0 - y),
        _ => {}
    }
    // From the start of Abramowitz and Stegun, 26.2.23.
    let t = libm::sqrt(-2.0 * libm::log(y / 2.0));
    let start = t
        - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    let mut x = start * std::f64::consts::FRAC_1_SQRT_2;
    for _ in 0..4 {
        let ratio = (libm::erfc(x) - y) / (-std::f64::consts::FRAC_2_SQRT_PI * libm::exp(-x * x));
        if !ratio.is_finite() {
            break;
        }
        x -= ratio / (1.0 + x * ratio);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(name: &str, arguments: &[f64]) -> f64 {
        let bits = |number: usize, _| arguments[number].to_bits();
        f64::from_bits(Math::parse(name).expect(name).apply(bits).value)
    }

    #[test]
    fn each_name_is_found_and_the_float_one_is_rounded_once() {
        for name in Math::names() {
            let math = Math::parse(&name).expect(&name);
            math.apply(|_, bytes| if bytes == 4 { 0x3f00_0000 } else { 0x3fe0_0000_0000_0000 });
        }
        assert_eq!(Math::parse("expp"), None);
        let expf = Math::parse("expf").expect("expf");
        let result = expf.apply(|_, _| 1f32.to_bits().into());
        assert_eq!((result.value as u32, result.bytes), ((std::f64::consts::E as f32).to_bits(), 4));
    }

    #[test]
    fn what_c_does_not_have_is_near_enough() {
        for (name, argument, expected) in [
            ("erfinv", 0.5, 0.4769362762044699),
            ("erfinv", 0.999, 2.326753765513525),
            ("erfcinv", 1e-20, 6.601580622355143),
            ("normcdf", 1.0, 0.8413447460685429),
            ("normcdfinv", 0.975, 1.959963984540054),
            ("erfcx", 30.0, 0.01879588886141675),
            ("cyl_bessel_i0", 2.0, 2.2795853023360673),
            ("cyl_bessel_i1", 2.0, 1.590636854637329),
            ("rcbrt", 8.0, 0.5),
        ] {
            let given = double(name, &[argument]);
            assert!((given - expected).abs() <= 4e-15 * expected, "{name}({argument}) = {given}");
        }
        assert_eq!(
            [double("sinpi", &[1.0]), double("cospi", &[0.5]), double("sinpi", &[2.5])],
            [0.0, 0.0, 1.0]
        );
    }

    #[test]
    fn what_goes_through_pointers_is_named_by_its_argument() {
        let frexpf = Math::parse("frexpf").expect("frexpf").apply(|_, _| 6f32.to_bits().into());
        assert_eq!((frexpf.value as u32, frexpf.through[0]), (0.75f32.to_bits(), Some((1, 3, 4))));
        let modf = Math::parse("modf").expect("modf").apply(|_, _| (-2.5f64).to_bits());
        assert_eq!((f64::from_bits(modf.value), modf.through[0]), (-0.5, Some((1, (-2f64).to_bits(), 8))));
    }
}
