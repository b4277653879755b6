//! An answer in CUDA C++ as its compiler reads it: continued lines joined, comments gone, in tokens (ISO C++,
//! [lex.phases]). Enough to see what a text includes, and where it subtracts.

/// A token of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// A name, a keyword.
    Word(&'a str),
    /// A number, with its digit separators.
    Number(&'a str),
    /// A literal in `"` or `'`, quotes included.
    Quoted(&'a str),
    /// `->`, `--`, `-=`; else one character.
    Mark(&'a str),
    /// The end of a line, behind which a directive may begin.
    LineEnd,
}

impl<'a> Token<'a> {
    /// Whether it is this word.
    pub fn is_word(&self, word: &str) -> bool {
        matches!(self, Token::Word(own) if *own == word)
    }

    /// The word that it is.
    pub fn word(&self) -> Option<&'a str> {
        match self {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Whether it is this mark.
    pub fn is_mark(&self, mark: &str) -> bool {
        matches!(self, Token::Mark(own) if *own == mark)
    }

    /// Its characters.
    pub fn text(&self) -> &'a str {
        match self {
            Token::Word(text) | Token::Number(text) | Token::Quoted(text) | Token::Mark(text) => text,
            Token::LineEnd => "\n",
        }
    }
}

/// Where the lines of a text end.
pub struct Lines {
    /// Bytes before each end of a line.
    ends: Vec<usize>,
}

impl Lines {
    /// Those of `text`.
    pub fn new(text: &str) -> Lines {
        Lines { ends: text.match_indices('\n').map(|(end, _)| end).collect() }
    }

    /// The line, from 1, of the byte at `place`.
    pub fn line(&self, place: usize) -> u32 {
        1 + self.ends.partition_point(|end| *end < place) as u32
    }
}

/// Marks of more than one character that begin as a subtraction does.
const LONG_MARKS: [&str; 3] = ["->", "--", "-="];

/// `text` without trigraphs and line continuations. gcc also joins lines where blanks stand behind the
/// backslash.
pub fn joined(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace("??=", "#").replace("??/", "\\");
    let mut joined = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.trim_end().strip_suffix('\\') {
            Some(start) if line.ends_with('\n') => joined += start,
            _ => joined += line,
        }
    }
    joined
}

/// The tokens of `text`, which is [`joined`]. A comment is none; a literal ends with its line at the latest.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    placed(text).into_iter().map(|(_, token)| token).collect()
}

/// [`tokens`], and where in `text` each begins, in bytes.
pub fn placed(text: &str) -> Vec<(usize, Token<'_>)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map_or(rest.len(), |end| end + 4)
        } else if first == '"' || first == '\'' {
            quoted(rest, first)
        } else if first.is_ascii_digit() {
            number(rest)
        } else if is_of_word(first) {
            rest.find(|c| !is_of_word(c)).unwrap_or(rest.len())
        } else {
            LONG_MARKS
                .iter()
                .find(|mark| rest.starts_with(**mark))
                .map_or(first.len_utf8(), |mark| mark.len())
        };
        let at = text.len() - rest.len();
        let (token, behind) = rest.split_at(length);
        rest = behind;
        let token = match first {
            '\n' => Token::LineEnd,
            '"' | '\'' => Token::Quoted(token),
            _ if first.is_whitespace() || token.starts_with("//") || token.starts_with("/*") => continue,
            _ if first.is_ascii_digit() => Token::Number(token),
            _ if is_of_word(first) => Token::Word(token),
            _ => Token::Mark(token),
        };
        found.push((at, token));
    }
    found
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Bytes of the literal that `text` begins with.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Bytes of the number that `text` begins with: `1'000`, `0x1p-3`, `1e+5f`.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = 1;
    while let Some(&byte) = bytes.get(end) {
        let is_sign = (byte == b'+' || byte == b'-') && matches!(bytes[end - 1], b'e' | b'E' | b'p' | b'P');
        let is_separator = byte == b'\'' && bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !(byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' || is_sign || is_separator) {
            break;
        }
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        tokens(&joined(text)).iter().map(|token| token.text().to_string()).collect()
    }

    #[test]
    fn a_text_is_read_as_a_compiler_reads_it() {
        assert_eq!(words("a/* - \n */-b // - c\n"), ["a", "-", "b", "\n"]);
        assert_eq!(words("in\\  \nclude"), ["include"]);
        assert_eq!(words("in??/\r\nclude ??=x"), ["include", "#", "x"]);
        assert_eq!(words("1'0 '/*' x"), ["1'0", "'/*'", "x"]);
        assert_eq!(words(r#""a\"/*" - 'b"' "#), [r#""a\"/*""#, "-", "'b\"'"]);
        assert_eq!(words("a->b -= c-- - 1e-5"), ["a", "->", "b", "-=", "c", "--", "-", "1e-5"]);
        assert_eq!(words("\"open\nx"), ["\"open", "\n", "x"]);
    }
}
