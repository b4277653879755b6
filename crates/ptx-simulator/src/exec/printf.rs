//! `printf` of device code: formats as C renders them.

/// Most characters that a width or a precision can ask for: a mistake should not fill the host's memory.
const MOST_DIGITS: usize = 1024;

/// One conversion of a format: `%-08.3lld`.
#[derive(Debug, Default)]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zeros: bool,
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

impl Conversion {
    /// Reads what stands behind a `%`; with the length of it in bytes.
    fn parse(text: &str, next: &mut impl FnMut(usize) -> Option<u64>) -> Option<(Conversion, usize)> {
        let mut it = Conversion::default();
        let mut chars = text.char_indices().peekable();
        while let Some((_, c)) = chars.next_if(|(_, c)| "-+ #0".contains(*c)) {
            match c {
                '-' => it.left = true,
                '+' => it.plus = true,
                ' ' => it.space = true,
                '#' => it.alternative = true,
                _ => it.zeros = true,
            }
        }
        let mut number = |chars: &mut std::iter::Peekable<std::str::CharIndices>| -> Option<i64> {
            if chars.next_if(|(_, c)| *c == '*').is_some() {
                return Some(next(4)? as i32 as i64);
            }
            let mut value = 0i64;
            while let Some((_, digit)) = chars.next_if(|(_, c)| c.is_ascii_digit()) {
                value = (value * 10 + digit as i64 - '0' as i64).min(MOST_DIGITS as i64);
            }
            Some(value)
        };
        let width = number(&mut chars)?;
        it.left |= width < 0;
        it.width = width.unsigned_abs().min(MOST_DIGITS as u64) as usize;
        if chars.next_if(|(_, c)| *c == '.').is_some() {
            it.precision = usize::try_from(number(&mut chars)?).ok().map(|digits| digits.min(MOST_DIGITS));
        }
        while let Some((_, c)) = chars.next_if(|(_, c)| "hljztL".contains(*c)) {
            it.length += if c == 'h' { -1 } else { 1 };
        }
        let (at, letter) = chars.next()?;
        it.letter = letter;
        Some((it, at + letter.len_utf8()))
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
                let prefix = if self.alternative && value != 0 { self.letter } else { ' ' };
                match self.letter {
                    'u' => ("", self.digits(value.to_string())),
                    'o' => (if prefix == 'o' { "0" } else { "" }, self.digits(format!("{value:o}"))),
                    'x' => (if prefix == 'x' { "0x" } else { "" }, self.digits(format!("{value:x}"))),
                    _ => (if prefix == 'X' { "0X" } else { "" }, self.digits(format!("{value:X}"))),
                }
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
        let missing = self.width.saturating_sub(sign.len() + body.chars().count());
        let numeric = !matches!(self.letter, 'c' | 's' | 'p');
        // Zeros fill up numbers, but not names like `inf`, nor an integer whose digits the precision counts.
        let counted = self.precision.is_some() && !"fFeEgG".contains(self.letter);
        let named = matches!(&body[..], "inf" | "nan" | "INF" | "NAN");
        let zeros = self.zeros && numeric && !counted && !named;
        Some(if self.left {
            format!("{sign}{body}{}", " ".repeat(missing))
        } else if zeros {
            format!("{sign}{}{body}", "0".repeat(missing))
        } else {
            format!("{}{sign}{body}", " ".repeat(missing))
        })
    }

    fn sign(&self, negative: bool) -> &'static str {
        match () {
            _ if negative => "-",
            _ if self.plus => "+",
            _ if self.space => " ",
            _ => "",
        }
    }

    /// At least as many digits as the precision says.
    fn digits(&self, digits: String) -> String {
        let missing = self.precision.unwrap_or(0).saturating_sub(digits.len());
        "0".repeat(missing) + &digits
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

/// `%e`: at least two digits of exponent.
fn exponent(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let (sign, exponent) = match exponent.strip_prefix('-') {
                Some(exponent) => ('-', exponent),
                None => ('+', exponent),
            };
            format!("{mantissa}e{sign}{exponent:0>2}")
        }
        None => text,
    }
}

/// `%g`: the shorter of `%e` and `%f`, without trailing zeros.
fn general(value: f64, digits: usize) -> String {
    let scientific = format!("{:.*e}", digits - 1, value);
    let power: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    if power < -4 || power >= digits as i32 {
        let text = exponent(value, digits - 1);
        match text.split_once('e') {
            Some((mantissa, exponent)) => format!("{}e{exponent}", trim(mantissa)),
            None => text,
        }
    } else {
        trim(&format!("{:.*}", (digits as i32 - 1 - power).max(0) as usize, value))
    }
}
