//! `printf` of device code: formats as C renders them.

use std::iter::Peekable;
use std::str::Chars;

/// Most characters that a width or a precision can ask for: a mistake should not fill the host's memory.
const MAX_DIGITS: usize = 1024;

/// One conversion of a format: `%-08.3lld`.
struct Conversion<'a> {
    flags: &'a str,
    left: bool,
    width: usize,
    precision: Option<usize>,
    /// `h` counts down, `l` up.
    length: i32,
    letter: char,
}

/// Renders a `printf` format as C does (CUDA C++ Programming Guide, "Formatted Output"). `argument(bytes)`
/// gives the next argument's bits, `text(address)` the string at an address. Gives the text and how many
/// arguments were used, which is what CUDA's `printf` returns. A conversion that is not known, or has no
/// argument, stays as it is written.
pub fn format(
    format: &str,
    mut argument: impl FnMut(usize) -> Option<u64>,
    text: impl Fn(u64) -> Option<String>,
) -> (String, u32) {
    let mut count = 0;
    let mut next = |bytes: usize| {
        let bits = argument(bytes)?;
        count += 1;
        Some(bits)
    };
    let mut out = String::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let tail = &rest[at + 1..];
        let rendered = Conversion::parse(tail, &mut next)
            .and_then(|(conversion, length)| Some((conversion.render(&mut next, &text)?, length)));
        match rendered {
            Some((rendered, length)) => {
                out.push_str(&rendered);
                rest = &tail[length..];
            }
            None => {
                out.push('%');
                rest = tail;
            }
        }
    }
    out.push_str(rest);
    (out, count)
}

impl Conversion<'_> {
    /// Reads what stands behind a `%`; with the length of it in bytes.
    fn parse<'a>(
        text: &'a str,
        next: &mut impl FnMut(usize) -> Option<u64>,
    ) -> Option<(Conversion<'a>, usize)> {
        let (flags, rest) = text.split_at(text.find(|c| !"-+ #0".contains(c))?);
        let mut chars = rest.chars().peekable();
        let mut number = |chars: &mut Peekable<Chars>| -> Option<i64> {
            if chars.next_if_eq(&'*').is_some() {
                return Some(next(4)? as i32 as i64);
            }
            let mut value = 0i64;
            while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                value = (value * 10 + digit as i64 - '0' as i64).min(MAX_DIGITS as i64);
            }
            Some(value)
        };
        let width = number(&mut chars)?;
        let precision = match chars.next_if_eq(&'.') {
            Some(_) => usize::try_from(number(&mut chars)?).ok().map(|digits| digits.min(MAX_DIGITS)),
            None => None,
        };
        let mut length = 0;
        while let Some(c) = chars.next_if(|c| "hljztL".contains(*c)) {
            length += if c == 'h' { -1 } else { 1 };
        }
        let letter = chars.next()?;
        let left = flags.contains('-') || width < 0;
        let width = width.unsigned_abs().min(MAX_DIGITS as u64) as usize;
        let behind: usize = chars.map(char::len_utf8).sum();
        Some((Conversion { flags, left, width, precision, length, letter }, text.len() - behind))
    }

    fn render(
        &self,
        next: &mut impl FnMut(usize) -> Option<u64>,
        text: &impl Fn(u64) -> Option<String>,
    ) -> Option<String> {
        let integer_bytes = if self.length > 0 { 8 } else { 4 };
        // Narrow integers are passed as int and cut here.
        let unused = match self.length {
            ..=-2 => 56,
            -1 => 48,
            0 => 32,
            _ => 0,
        };
        let (sign, body) = match self.letter {
            '%' => return Some("%".to_string()),
            'd' | 'i' => {
                let value = (next(integer_bytes)? << unused) as i64 >> unused;
                (self.sign(value < 0), self.digits(value.unsigned_abs().to_string()))
            }
            'u' | 'x' | 'X' | 'o' => {
                let value = next(integer_bytes)? << unused >> unused;
                let (prefix, digits) = match self.letter {
                    'u' => ("", value.to_string()),
                    'o' => ("0", format!("{value:o}")),
                    'x' => ("0x", format!("{value:x}")),
                    _ => ("0X", format!("{value:X}")),
                };
                let has_prefix = self.flags.contains('#') && value != 0;
                (if has_prefix { prefix } else { "" }, self.digits(digits))
            }
            'p' => ("", format!("{:#x}", next(8)?)),
            'c' => ("", char::from(next(4)? as u8).to_string()),
            's' => {
                let whole = text(next(8)?)?;
                ("", whole.chars().take(self.precision.unwrap_or(usize::MAX)).collect())
            }
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' => {
                let value = f64::from_bits(next(8)?);
                (self.sign(value.is_sign_negative()), self.float(value.abs()))
            }
            _ => return None,
        };
        let width = self.width;
        let numeric = !matches!(self.letter, 'c' | 's' | 'p');
        // Zeros fill up numbers, but not names like `inf`, nor an integer whose digits the precision counts.
        let counted = self.precision.is_some() && !"fFeEgG".contains(self.letter);
        let named = matches!(&body[..], "inf" | "nan" | "INF" | "NAN");
        let zeros = self.flags.contains('0') && numeric && !counted && !named;
        Some(if self.left {
            format!("{:<width$}", sign.to_string() + &body)
        } else if zeros {
            format!("{sign}{body:0>rest$}", rest = width.saturating_sub(sign.len()))
        } else {
            format!("{:>width$}", sign.to_string() + &body)
        })
    }

    fn sign(&self, negative: bool) -> &'static str {
        match () {
            _ if negative => "-",
            _ if self.flags.contains('+') => "+",
            _ if self.flags.contains(' ') => " ",
            _ => "",
        }
    }

    /// At least as many digits as the precision says.
    fn digits(&self, digits: String) -> String {
        format!("{digits:0>least$}", least = self.precision.unwrap_or(0))
    }

    fn float(&self, value: f64) -> String {
        let digits = self.precision.unwrap_or(6);
        let body = match self.letter {
            _ if value.is_nan() => "nan".to_string(),
            _ if value.is_infinite() => "inf".to_string(),
            'f' | 'F' => format!("{value:.digits$}"),
            'e' | 'E' => exponent(value, digits),
            _ => general(value, digits.max(1)),
        };
        if self.letter.is_uppercase() { body.to_ascii_uppercase() } else { body }
    }
}

/// `%e`: a sign and at least two digits of exponent.
fn exponent(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{mantissa}e{sign}{exponent:0>2}")
}

/// `%g`: the shorter of `%e` and `%f`, without trailing zeros.
fn general(value: f64, digits: usize) -> String {
    let scientific = exponent(value, digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let power: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        } else {
            text.to_string()
        }
    };
    if power < -4 || power >= digits as i32 {
        format!("{}e{exponent}", trim(mantissa))
    } else {
        trim(&format!("{:.*}", (digits as i32 - 1 - power).max(0) as usize, value))
    }
}
