//! `printf`: formats as C renders them, for kernels and for the host.

/// Most characters that a width or a precision can ask for: a mistake should not fill the host's memory.
const MAX_DIGITS: usize = 1024;

/// One conversion of a format: `%-08.3lld`.
struct Conversion<'a> {
    flags: &'a [u8],
    left: bool,
    width: usize,
    precision: Option<usize>,
    /// `h` counts down, `l` up.
    length: i32,
    letter: u8,
}

/// What is still to be read of a format.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn next_if(&mut self, is_wanted: impl Fn(u8) -> bool) -> Option<u8> {
        self.0.first().copied().filter(|byte| is_wanted(*byte))?;
        self.next()
    }

    fn while_in(&mut self, wanted: &[u8]) -> &'a [u8] {
        let end = self.0.iter().position(|byte| !wanted.contains(byte)).unwrap_or(self.0.len());
        let (found, rest) = self.0.split_at(end);
        self.0 = rest;
        found
    }
}

/// Renders a `printf` format as C does (CUDA C++ Programming Guide, "Formatted Output"). `argument(bytes)`
/// gives the next argument's bits, `text(address)` the string at an address. Gives the text and how many
/// arguments were used, which is what CUDA's `printf` returns. A conversion that is not known, or has no
/// argument, stays as it is written.
pub fn format(
    format: &[u8],
    mut argument: impl FnMut(usize) -> Option<u64>,
    text: impl Fn(u64) -> Option<Vec<u8>>,
) -> (Vec<u8>, u32) {
    let mut count = 0;
    let mut next = |bytes: usize| {
        let bits = argument(bytes)?;
        count += 1;
        Some(bits)
    };
    let mut out = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        out.extend(&rest[..at]);
        let mut tail = Rest(&rest[at + 1..]);
        rest = tail.0;
        let conversion = Conversion::parse(&mut tail, &mut next);
        match conversion.and_then(|conversion| conversion.render(&mut next, &text)) {
            Some(rendered) => {
                out.extend(rendered);
                rest = tail.0;
            }
            None => out.push(b'%'),
        }
    }
    out.extend(rest);
    (out, count)
}

impl Conversion<'_> {
    /// Reads what stands behind a `%`.
    fn parse<'a>(rest: &mut Rest<'a>, next: &mut impl FnMut(usize) -> Option<u64>) -> Option<Conversion<'a>> {
        let flags = rest.while_in(b"-+ #0");
        let mut number = |rest: &mut Rest| -> Option<i64> {
            if rest.next_if(|byte| byte == b'*').is_some() {
                return Some(next(4)? as i32 as i64);
            }
            let mut value = 0i64;
            while let Some(digit) = rest.next_if(|byte| byte.is_ascii_digit()) {
                value = (value * 10 + i64::from(digit - b'0')).min(MAX_DIGITS as i64);
            }
            Some(value)
        };
        let width = number(rest)?;
        let precision = match rest.next_if(|byte| byte == b'.') {
            Some(_) => usize::try_from(number(rest)?).ok().map(|digits| digits.min(MAX_DIGITS)),
            None => None,
        };
        let mut length = 0;
        while let Some(byte) = rest.next_if(|byte| b"hljztL".contains(&byte)) {
            length += if byte == b'h' { -1 } else { 1 };
        }
        let letter = rest.next()?;
        let left = flags.contains(&b'-') || width < 0;
        let width = width.unsigned_abs().min(MAX_DIGITS as u64) as usize;
        Some(Conversion { flags, left, width, precision, length, letter })
    }

    fn render(
        &self,
        next: &mut impl FnMut(usize) -> Option<u64>,
        text: &impl Fn(u64) -> Option<Vec<u8>>,
    ) -> Option<Vec<u8>> {
        let integer_bytes = if self.length > 0 { 8 } else { 4 };
        // Narrow integers are passed as int and cut here.
        let unused = match self.length {
            ..=-2 => 56,
            -1 => 48,
            0 => 32,
            _ => 0,
        };
        let (sign, body) = match self.letter {
            b'%' => return Some(vec![b'%']),
            b'd' | b'i' => {
                let value = (next(integer_bytes)? << unused) as i64 >> unused;
                (self.sign(value < 0), self.digits(value.unsigned_abs().to_string()))
            }
            b'u' | b'x' | b'X' | b'o' => {
                let value = next(integer_bytes)? << unused >> unused;
                let (prefix, digits) = match self.letter {
                    b'u' => ("", value.to_string()),
                    b'o' => ("0", format!("{value:o}")),
                    b'x' => ("0x", format!("{value:x}")),
                    _ => ("0X", format!("{value:X}")),
                };
                let has_prefix = self.flags.contains(&b'#') && value != 0;
                (if has_prefix { prefix } else { "" }, self.digits(digits))
            }
            b'p' => match next(8)? {
                0 => ("", b"(nil)".to_vec()),
                address => ("", format!("{address:#x}").into_bytes()),
            },
            b'c' => ("", vec![next(4)? as u8]),
            b's' => {
                let mut whole = text(next(8)?)?;
                whole.truncate(self.precision.unwrap_or(usize::MAX));
                ("", whole)
            }
            b'a' | b'A' => {
                let value = f64::from_bits(next(8)?);
                (self.sign(value.is_sign_negative()), self.hexadecimal(value.abs()))
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => {
                let value = f64::from_bits(next(8)?);
                (self.sign(value.is_sign_negative()), self.float(value.abs()))
            }
            _ => return None,
        };
        let is_numeric = !matches!(self.letter, b'c' | b's' | b'p');
        let is_float = b"fFeEgGaA".contains(&self.letter);
        // Zeros fill up numbers, but not names like `inf`, nor an integer whose digits the precision counts.
        let is_counted = self.precision.is_some() && !is_float;
        let is_named = matches!(&body[..], b"inf" | b"nan" | b"INF" | b"NAN");
        let has_zeros = self.flags.contains(&b'0') && is_numeric && !is_counted && !is_named;
        let missing = self.width.saturating_sub(sign.len() + body.len());
        let fill = |byte: u8, wanted: bool| vec![byte; if wanted { missing } else { 0 }];
        let before = fill(b' ', !self.left && !has_zeros);
        let zeros = fill(b'0', !self.left && has_zeros);
        let behind = fill(b' ', self.left);
        // `0x1.8p+1`: zeros stand behind the prefix.
        let split = if matches!(self.letter, b'a' | b'A') && !is_named { 2.min(body.len()) } else { 0 };
        let (prefix, digits) = body.split_at(split);
        Some([&before, sign.as_bytes(), prefix, &zeros, digits, &behind].concat())
    }

    fn sign(&self, negative: bool) -> &'static str {
        match () {
            _ if negative => "-",
            _ if self.flags.contains(&b'+') => "+",
            _ if self.flags.contains(&b' ') => " ",
            _ => "",
        }
    }

    /// At least as many digits as the precision says; no digits for 0 if it says none.
    fn digits(&self, digits: String) -> Vec<u8> {
        if self.precision == Some(0) && digits == "0" {
            return Vec::new();
        }
        format!("{digits:0>least$}", least = self.precision.unwrap_or(0)).into_bytes()
    }

    fn float(&self, value: f64) -> Vec<u8> {
        let digits = self.precision.unwrap_or(6);
        let body = match self.letter {
            _ if value.is_nan() => "nan".to_string(),
            _ if value.is_infinite() => "inf".to_string(),
            b'f' | b'F' => format!("{value:.digits$}"),
            b'e' | b'E' => exponent(value, digits),
            _ => general(value, digits.max(1), self.flags.contains(&b'#')),
        };
        self.cased(body)
    }

    /// `%a`: the digits of the fraction in hexadecimal, an exponent of two.
    fn hexadecimal(&self, value: f64) -> Vec<u8> {
        const FRACTION: u64 = (1 << 52) - 1;
        if !value.is_finite() {
            return self.float(value);
        }
        let bits = value.to_bits();
        let biased = (bits >> 52) as i64;
        let (mut whole, exponent) = match (biased, bits) {
            (_, 0) => (0, 0),
            (0, _) => (bits & FRACTION, -1022),
            _ => (bits & FRACTION | 1 << 52, biased - 1023),
        };
        let digits = match self.precision {
            Some(digits) if digits < 13 => {
                // To the nearest, to even.
                let unit = 1u64 << (52 - 4 * digits);
                let rest = whole & (unit - 1);
                whole &= !(unit - 1);
                if rest > unit / 2 || rest == unit / 2 && whole & unit != 0 {
                    whole += unit;
                }
                format!("{:013x}", whole & FRACTION)[..digits].to_string()
            }
            Some(digits) => format!("{:013x}{:0>more$}", whole & FRACTION, "", more = digits - 13),
            None => format!("{:013x}", whole & FRACTION).trim_end_matches('0').to_string(),
        };
        let point = if digits.is_empty() { "" } else { "." };
        self.cased(format!("0x{}{point}{digits}p{exponent:+}", whole >> 52))
    }

    fn cased(&self, body: String) -> Vec<u8> {
        let body = if self.letter.is_ascii_uppercase() { body.to_ascii_uppercase() } else { body };
        body.into_bytes()
    }
}

/// `%e`: a sign and at least two digits of exponent.
fn exponent(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{mantissa}e{sign}{exponent:0>2}")
}

/// `%g`: the shorter of `%e` and `%f`, without trailing zeros unless they are wanted.
fn general(value: f64, digits: usize, keeps_zeros: bool) -> String {
    let scientific = exponent(value, digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let power: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| {
        if text.contains('.') && !keeps_zeros {
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

#[cfg(test)]
mod tests {
    use super::format;

    fn of(text: &str, bits: u64) -> String {
        let (rendered, _) = format(text.as_bytes(), |_| Some(bits), |_| Some("Größe".into()));
        String::from_utf8_lossy(&rendered).into_owned()
    }

    #[test]
    fn values_are_rendered_as_glibc_does() {
        for (text, value, expected) in [
            ("%.0f %.2f", 2.5, "2 2.50"),
            ("%.2f", 0.125, "0.12"),
            ("%a", 3.0, "0x1.8p+1"),
            ("%.1a", 1.97, "0x2.0p+0"),
            ("%012a|", -0.5, "-0x000001p-1|"),
            ("%#g", 2.0, "2.00000"),
            ("%08.3f", -1.5, "-001.500"),
            ("%-9.2e|", 12345.0, "1.23e+04 |"),
            ("%5.1f", f64::NEG_INFINITY, " -inf"),
        ] {
            assert_eq!(of(text, f64::to_bits(value)), expected, "{text}");
        }
        for (text, bits, expected) in [
            ("%zu %5d|%-5d|%05d", 7, "7     7|7    |00007"),
            ("%hhd", 0x1ff, "-1"),
            ("%p", 0, "(nil)"),
            ("%.0d|", 0, "|"),
            ("%8s|%.3s|", 0, " Größe|Gr\u{fffd}|"),
        ] {
            assert_eq!(of(text, bits), expected, "{text}");
        }
    }

    #[test]
    fn bytes_stay_as_they_are() {
        let (rendered, count) = format(b"\xff%c\xe4%%", |_| Some(0xf6), |_| None);
        assert_eq!((&rendered[..], count), (&b"\xff\xf6\xe4%"[..], 1));
    }
}
