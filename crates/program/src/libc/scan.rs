//! `scanf`: text is read by a format, and gives values.

use super::numbers::{float, integer, is_space};

/// What text is read from.
pub trait Source {
    /// The next byte, which stays there; none at the end.
    fn peek(&mut self) -> Option<u8>;

    /// Takes it.
    fn take(&mut self);
}

impl Source for &[u8] {
    fn peek(&mut self) -> Option<u8> {
        self.first().copied()
    }

    fn take(&mut self) {
        *self = self.get(1..).unwrap_or_default();
    }
}

/// What reading has given.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    /// The bytes for each pointer, in their order.
    pub values: Vec<Vec<u8>>,
    /// What `scanf` returns: how many were read, -1 if the text ended before the first.
    pub count: i32,
}

/// A conversion: `%*5ld`.
struct Conversion<'f> {
    is_dropped: bool,
    width: usize,
    /// Bytes of a whole number; of a number with a fraction, 8 from `l` on.
    bytes: usize,
    is_long: bool,
    letter: u8,
    /// Of `%[…]`: the characters, and whether those are meant that are not among them.
    set: &'f [u8],
    is_without: bool,
}

/// Reads from `source` by a `scanf` format.
pub fn scan(format: &[u8], source: &mut dyn Source) -> Scanned {
    let mut scanned = Scanned::default();
    let mut taken = 0;
    let mut rest = format;
    while let Some((first, behind)) = rest.split_first() {
        if is_space(*first) {
            skip_space(source, &mut taken);
            rest = behind;
            continue;
        }
        let conversion = (*first == b'%').then(|| parse(behind)).flatten();
        let Some((conversion, behind)) = conversion else {
            if source.peek() != Some(*first) {
                return ended(scanned, source.peek().is_none());
            }
            source.take();
            taken += 1;
            rest = behind;
            continue;
        };
        rest = behind;
        if conversion.letter == b'n' {
            scanned.values.push(cut(taken as u64, conversion.bytes));
            continue;
        }
        if !matches!(conversion.letter, b'c' | b'[') {
            skip_space(source, &mut taken);
        }
        if source.peek().is_none() {
            return ended(scanned, true);
        }
        let Some(value) = convert(&conversion, source, &mut taken) else { return scanned };
        if conversion.letter != b'%' && !conversion.is_dropped {
            scanned.values.push(value);
            scanned.count += 1;
        }
    }
    scanned
}

/// The text does not fit, or is at its end.
fn ended(mut scanned: Scanned, is_at_end: bool) -> Scanned {
    if is_at_end && scanned.count == 0 {
        scanned.count = -1;
    }
    scanned
}

/// Reads what stands behind a `%`.
fn parse(format: &[u8]) -> Option<(Conversion<'_>, &[u8])> {
    let (is_dropped, mut rest) = match format.split_first()? {
        (b'*', rest) => (true, rest),
        _ => (false, format),
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let width = std::str::from_utf8(&rest[..digits]).ok()?.parse().unwrap_or(usize::MAX);
    rest = &rest[digits..];
    let modifiers = rest.iter().take_while(|byte| b"hljztL".contains(byte)).count();
    let bytes = match &rest[..modifiers] {
        b"hh" => 1,
        b"h" => 2,
        b"" => 4,
        _ => 8,
    };
    let is_long = bytes == 8;
    let (letter, mut rest) = rest[modifiers..].split_first()?;
    let mut set: &[u8] = &[];
    let mut is_without = false;
    if *letter == b'[' {
        is_without = rest.first() == Some(&b'^');
        rest = &rest[usize::from(is_without)..];
        // A `]` at once is one of the set.
        let end = 1 + rest.iter().skip(1).position(|byte| *byte == b']')?;
        set = &rest[..end];
        rest = &rest[end + 1..];
    }
    let bytes = if *letter == b'p' { 8 } else { bytes };
    let is_known = b"diuxXopfFeEgGaAscn%[".contains(letter);
    let conversion = Conversion { is_dropped, width, bytes, is_long, letter: *letter, set, is_without };
    is_known.then_some((conversion, rest))
}

fn skip_space(source: &mut dyn Source, taken: &mut usize) {
    while source.peek().is_some_and(is_space) {
        source.take();
        *taken += 1;
    }
}

/// The low bytes of a value.
fn cut(value: u64, bytes: usize) -> Vec<u8> {
    value.to_le_bytes()[..bytes].to_vec()
}

/// What a conversion reads, if the text fits.
fn convert(conversion: &Conversion, source: &mut dyn Source, taken: &mut usize) -> Option<Vec<u8>> {
    let mut read = Vec::new();
    let mut read_while = |most: usize, fits: &dyn Fn(&[u8], u8) -> bool| {
        while let Some(byte) = source.peek().filter(|byte| read.len() < most && fits(&read, *byte)) {
            source.take();
            *taken += 1;
            read.push(byte);
        }
    };
    let width = conversion.width.max(1);
    match conversion.letter {
        b'%' => {
            read_while(1, &|_, byte| byte == b'%');
            (!read.is_empty()).then_some(read)
        }
        b'c' => {
            let wanted = if conversion.width == usize::MAX { 1 } else { width };
            read_while(wanted, &|_, _| true);
            (read.len() == wanted).then_some(read)
        }
        b's' => {
            read_while(width, &|_, byte| !is_space(byte));
            read.push(0);
            Some(read)
        }
        b'[' => {
            read_while(width, &|_, byte| is_in(conversion.set, byte) != conversion.is_without);
            let has_any = !read.is_empty();
            read.push(0);
            has_any.then_some(read)
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            read_while(width, &continues_float);
            let (double, single, end) = float(&read);
            let bits = if conversion.is_long { double.to_bits() } else { single.to_bits().into() };
            (end == read.len() && end > 0).then(|| cut(bits, if conversion.is_long { 8 } else { 4 }))
        }
        letter => {
            let base = match letter {
                b'i' => 0,
                b'x' | b'X' | b'p' => 16,
                b'o' => 8,
                _ => 10,
            };
            read_while(width, &|read, byte| continues_integer(read, byte, base));
            let number = integer(&read, base);
            let value =
                if matches!(letter, b'd' | b'i') { number.signed() as u64 } else { number.unsigned() };
            (number.end > 0).then(|| cut(value, conversion.bytes))
        }
    }
}

/// Whether a set such as `a-z_` has a character.
fn is_in(set: &[u8], byte: u8) -> bool {
    let is_range = |at: usize| set.get(at + 1) == Some(&b'-') && at + 2 < set.len();
    let mut at = 0;
    while at < set.len() {
        let last = if is_range(at) { set[at + 2] } else { set[at] };
        if (set[at]..=last).contains(&byte) {
            return true;
        }
        at += if is_range(at) { 3 } else { 1 };
    }
    false
}

/// Whether a whole number can go on with a character.
fn continues_integer(read: &[u8], byte: u8, base: u32) -> bool {
    let unsigned = read.strip_prefix(b"-").or(read.strip_prefix(b"+")).unwrap_or(read);
    match byte {
        b'+' | b'-' => read.is_empty(),
        b'x' | b'X' => matches!(base, 0 | 16) && unsigned == b"0",
        _ => {
            let is_hexadecimal = base == 16 || base == 0 && matches!(unsigned, [b'0', b'x' | b'X', ..]);
            let digits = match base {
                _ if is_hexadecimal => 16,
                0 if unsigned.first() == Some(&b'0') => 8,
                0 => 10,
                base => base,
            };
            char::from(byte).is_digit(digits)
        }
    }
}

/// Whether a number with a fraction can go on with a character.
fn continues_float(read: &[u8], byte: u8) -> bool {
    let unsigned = read.strip_prefix(b"-").or(read.strip_prefix(b"+")).unwrap_or(read);
    let lower = byte.to_ascii_lowercase();
    let is_named = |name: &[u8]| {
        let start = unsigned.to_ascii_lowercase();
        name.starts_with(&start) && name.get(start.len()) == Some(&lower)
    };
    if is_named(b"infinity") || is_named(b"nan") {
        return true;
    }
    let is_hexadecimal = matches!(unsigned, [b'0', b'x' | b'X', ..]);
    let letter = if is_hexadecimal { b'p' } else { b'e' };
    let exponent = unsigned.iter().position(|byte| byte.to_ascii_lowercase() == letter);
    match byte {
        b'+' | b'-' => read.is_empty() || exponent.is_some_and(|at| at + 1 == unsigned.len()),
        b'.' => exponent.is_none() && !unsigned.contains(&b'.'),
        b'x' | b'X' => unsigned == b"0",
        _ if byte.is_ascii_digit() => true,
        _ if lower == letter => exponent.is_none() && unsigned.iter().any(u8::is_ascii_hexdigit),
        _ => is_hexadecimal && exponent.is_none() && byte.is_ascii_hexdigit(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(format: &str, text: &str) -> (Vec<Vec<u8>>, i32, String) {
        let mut source = text.as_bytes();
        let Scanned { values, count } = scan(format.as_bytes(), &mut source);
        (values, count, String::from_utf8_lossy(source).into_owned())
    }

    fn word(value: i32) -> Vec<u8> {
        value.to_le_bytes().to_vec()
    }

    #[test]
    fn values_are_read_as_c_reads_them() {
        let (read, count, rest) = values("%d,%d %s", " 12,-7 name behind");
        assert_eq!((read, count), (vec![word(12), word(-7), b"name\0".to_vec()], 3));
        assert_eq!(rest, " behind");
        let (read, ..) = values("%*d %2d%d", "1 2345");
        assert_eq!(read, [word(23), word(45)]);
        let (read, ..) = values("%lf %f %x%n", "1.5e1 -2 ff");
        assert_eq!(read[0], 15f64.to_le_bytes());
        assert_eq!(read[1], (-2f32).to_le_bytes());
        assert_eq!(read[2..], [word(255), word(11)]);
        let (read, _, rest) = values("[%[a-c^]]%c", "[a^b]xy");
        assert_eq!((read, &rest[..]), (vec![b"a^b\0".to_vec(), b"x".to_vec()], "y"));
        let (read, ..) = values("%[^,],%ld", "two words,3");
        assert_eq!(read, [b"two words\0".to_vec(), 3i64.to_le_bytes().to_vec()]);
    }

    #[test]
    fn what_does_not_fit_stays() {
        assert_eq!(values("%d", "abc"), (vec![], 0, "abc".to_string()));
        assert_eq!(values("%d", "  "), (vec![], -1, String::new()));
        assert_eq!(values("%d %d", "5 x"), (vec![word(5)], 1, "x".to_string()));
        assert_eq!(values("a%d", "b1"), (vec![], 0, "b1".to_string()));
    }
}
