//! Whole numbers as people write them: plain, or as a small expression of C.

use crate::arguments::number;

/// What names stand for in an expression.
pub type Names<'a> = &'a [(&'a str, u64)];

/// Bytes of an expression, at most.
const MAX_BYTES: usize = 128;

/// The whole number that an expression spells, as C has it: numbers and names, `+`, `-`, `*`, `/`, `%`, `<<`,
/// parentheses, and the functions `max`, `min` and `ceil_div` (libcu++'s), the quotient rounded up. With
/// `(n + 4 * block - 1) / (4 * block)` blocks there is a thread for every four of `n` numbers.
pub fn expression(text: &str, names: Names) -> Option<u64> {
    let text = text.trim();
    if text.len() > MAX_BYTES {
        return None;
    }
    if let Some((left, sign, right)) = operation(text) {
        let left = expression(left, names)?;
        let right = expression(right, names)?;
        return calculated(left, sign, right);
    }
    if let Some((function, inside)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        let values: Option<Vec<u64>> = split(inside, ',').map(|part| expression(part, names)).collect();
        return applied(function.trim_end(), &values?);
    }
    let named = names.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
    named.or_else(|| number(without_suffix(text), u64::MAX))
}

/// What is calculated last: of the operators that bind least, the one furthest to the right.
fn operation(text: &str) -> Option<(&str, char, &str)> {
    const LEVELS: [&[char]; 3] = [&['<'], &['+', '-'], &['*', '/', '%']];
    let last = |signs: &&[char]| outside(text, signs).last();
    let at = LEVELS.iter().find_map(last)?;
    let sign = text[at..].chars().next()?;
    let left = if sign == '<' { text[..at].strip_suffix('<')? } else { &text[..at] };
    Some((left, sign, &text[at + 1..]))
}

fn calculated(left: u64, sign: char, right: u64) -> Option<u64> {
    match sign {
        '+' => left.checked_add(right),
        '-' => left.checked_sub(right),
        '*' => left.checked_mul(right),
        '/' => left.checked_div(right),
        '%' => left.checked_rem(right),
        _ => left.checked_mul(2u64.checked_pow(right.try_into().ok()?)?),
    }
}

fn applied(function: &str, values: &[u64]) -> Option<u64> {
    let plain = function.rsplit("::").next().unwrap_or(function);
    match (plain, values) {
        ("", [value]) => Some(*value),
        ("max", values) => values.iter().max().copied(),
        ("min", values) => values.iter().min().copied(),
        ("ceil_div", [count, share]) if *share > 0 => Some(count.div_ceil(*share)),
        _ => None,
    }
}

/// `1000` of `1000u` and of `1000UL`.
fn without_suffix(text: &str) -> &str {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit());
    if is_number { text.trim_end_matches(['u', 'U', 'l', 'L']) } else { text }
}

/// The parts of a text between those `at` that stand outside of parentheses.
pub fn split(text: &str, at: char) -> impl Iterator<Item = &str> {
    let mut start = 0;
    let ends: Vec<usize> = outside(text, &[at]).chain([text.len()]).collect();
    ends.into_iter().map(move |end| &text[std::mem::replace(&mut start, end + at.len_utf8())..end])
}

/// Where one of `signs` stands outside of parentheses.
pub fn outside<'a>(text: &'a str, signs: &'a [char]) -> impl Iterator<Item = usize> + 'a {
    let mut depth = 0;
    text.char_indices().filter_map(move |(at, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (depth == 0 && signs.contains(&c)).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_those_of_c() {
        let names: Names = &[("n", 1000), ("block", 96)];
        for (text, value) in [
            ("n", 1000),
            ("n/block", 10),
            ("(n+block-1)/block", 11),
            ("ceil_div(n, block)", 11),
            ("cuda::ceil_div(n, 4 * block)", 3),
            ("max(7,n/block)", 10),
            ("std::min(7, n/(64*block))", 0),
            ("2*n/block*2", 40),
            ("1 << 10", 1024),
            ("1 << 2 + 1", 8),
            ("1 << 2 << 1", 8),
            ("n - 1 - 1", 998),
            ("n % block", 40),
            ("(2^10)", 1024),
            ("0x10", 16),
            ("1024u", 1024),
            ("1000UL", 1000),
        ] {
            assert_eq!(expression(text, names), Some(value), "{text}");
        }
        let deep = "(".repeat(200) + "1" + &")".repeat(200);
        for wrong in [
            "",
            "m",
            "n/0",
            "n%0",
            "n//2",
            "(n",
            "n)",
            "(n)(n)",
            "least(1,2)",
            "max()",
            "2^63*2",
            "-1",
            "1-2",
            "1<2",
            "1<<64",
            "1<<",
            "ceil_div(n)",
            "ceil_div(n,0)",
            "n+",
            "2^63+2^63",
            &deep,
        ] {
            assert_eq!(expression(wrong, names), None, "{wrong}");
        }
        assert_eq!(split("max(7,n),2,(3,4)", ',').collect::<Vec<_>>(), ["max(7,n)", "2", "(3,4)"]);
    }
}
