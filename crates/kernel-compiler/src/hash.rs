//! Identity of sources and of compiled code: what an edit of a comment leaves as it is.

/// Identity of a text: the same with either line ending.
pub fn text_hash(text: &str) -> String {
    hash(text.replace("\r\n", "\n").as_bytes())
}

/// Identity of a kernel's source: its code, each piece in its line, since diagnostics name the lines. What a
/// comment says doesn't count, nor do spaces at the ends of lines.
pub fn source_hash(source: &str) -> String {
    let code = without_comments(source);
    text_hash(&code.lines().map(|line| line.trim_end().to_string() + "\n").collect::<String>())
}

/// CUDA C++ without what its comments say; every line is still there.
fn without_comments(source: &str) -> String {
    let mut code = String::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let comment = match rest.as_bytes() {
            [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            _ => 0,
        };
        // `'` in a number, as in 1'000, opens nothing.
        let opens = first == '"' || first == '\'' && !code.ends_with(|c: char| c.is_ascii_alphanumeric());
        let literal = if opens { 1 + end_of_literal(&rest[1..], first) } else { first.len_utf8() };
        match comment {
            0 => code.push_str(&rest[..literal]),
            _ => code.extend(std::iter::once(' ').chain(rest[..comment].chars().filter(|&c| c == '\n'))),
        }
        rest = &rest[if comment > 0 { comment } else { literal }..];
    }
    code
}

/// How far a literal reaches whose opening `quote` stands before `text`: behind the closing one, or to the
/// end of the line.
fn end_of_literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return at,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Identity of compiled code: the PTX without comments, `.version`, line numbers, file names and debug
/// sections. An edit of a comment in the source leaves it as it is.
pub fn code_hash(ptx: &str) -> String {
    let mut code = String::new();
    let mut in_section = false;
    for line in ptx.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let about = |directive: &str| line.split_whitespace().next() == Some(directive);
        in_section = in_section || about(".section");
        if !in_section && !line.is_empty() && !about(".version") && !about(".loc") && !about(".file") {
            code.push_str(line);
            code.push('\n');
        }
        in_section = in_section && line != "}";
    }
    hash(code.as_bytes())
}

/// FNV-1a, 64 bits, as 16 hexadecimal digits; definition and constants:
/// <http://www.isthe.com/chongo/tech/comp/fnv/>. It tells edits apart, it does not guard against forgery.
pub fn hash(bytes: &[u8]) -> String {
    let mixed = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{mixed:016x}")
}
