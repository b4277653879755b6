//! The constants of the source that decide how much a program does: what to make smaller where that is too
//! much.

use text::expression::{expression, split};

use crate::outside::Outside;

/// A constant's name, and its line.
pub type Constant = (String, u32);

/// Lines above a statement in which the loop may begin that holds it.
const LINES_OF_A_LOOP: usize = 12;

/// `` make `N` in line 3 smaller ``, or the same without a name.
pub fn make_smaller(constant: Option<Constant>, otherwise: &str) -> String {
    match constant {
        Some((name, line)) => format!("make `{name}` in line {line} smaller"),
        None => format!("make the constant smaller that {otherwise}"),
    }
}

/// The largest constant above a line whose value is one of `sizes`.
fn constant_of(outside: &dyn Outside, (file, line): &(String, u32), sizes: &[u64]) -> Option<Constant> {
    let lines = above(outside, file, *line).into_iter();
    let constants = lines.filter_map(|(line, text)| Some((constant(&text)?, line)));
    let known = constants.filter(|((_, value), _)| sizes.contains(value));
    known.max_by_key(|((_, value), _)| *value).map(|((name, _), line)| (name, line))
}

/// [`constant_of`], or what the line itself, such as a launch, comes from.
pub fn constant_for(outside: &dyn Outside, place: &(String, u32), sizes: &[u64]) -> Option<Constant> {
    constant_of(outside, place, sizes).or_else(|| constant_behind(outside, place))
}

/// The largest constant that decides a line: one that stands in it or in the head of its loop, or from which
/// something is computed that stands there.
pub fn constant_behind(outside: &dyn Outside, (file, line): &(String, u32)) -> Option<Constant> {
    let lines = above(outside, file, *line);
    let is_loop = |text: &&String| is_head_of_loop(text);
    let mut near = lines.iter().map(|(_, text)| text).take(LINES_OF_A_LOOP);
    let mut names: Vec<String> = Vec::new();
    for text in lines.first().map(|(_, text)| text).into_iter().chain(near.find(is_loop)) {
        names.extend(words(text).map(str::to_string));
    }
    let mut largest: Option<(u64, Constant)> = None;
    for (line, text) in &lines {
        let Some((name, value)) = defined(text).filter(|(name, _)| names.iter().any(|known| known == name))
        else {
            continue;
        };
        match constant(text) {
            Some((_, value)) if value > 1 && largest.as_ref().is_none_or(|(known, _)| value > *known) => {
                largest = Some((value, (name.to_string(), *line)));
            }
            Some(_) => {}
            None => names.extend(words(value).map(str::to_string)),
        }
    }
    largest.map(|(_, constant)| constant)
}

/// Whether a line is the head of a loop.
pub fn is_head_of_loop(text: &str) -> bool {
    words(text).any(|word| ["for", "while", "do"].contains(&word))
}

/// The lines of a file from this one up to the first.
fn above(outside: &dyn Outside, file: &str, line: u32) -> Vec<(u32, String)> {
    (1..=line).rev().filter_map(|line| Some((line, outside.source_line(file, line)?))).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// What a line such as `#define N 2048`, `size_t bytes = n * 4;`, `dim3 grid(n / 16, n / 16);` defines, if it
/// is no pointer: the name, and the text of its value.
fn defined(line: &str) -> Option<(&str, &str)> {
    let rest = |word: &str| Some(line.trim().strip_prefix(word)?.trim());
    let (name, value) = if let Some(rest) = rest("#define ") {
        rest.split_once(' ')?
    } else if let Some(rest) = rest("dim3 ").filter(|rest| !rest.contains('=')) {
        rest.split_once(['(', '{'])?
    } else {
        line.split_once('=')?
    };
    let name = name.trim().rsplit([' ', '*']).next()?;
    let is_pointer = line.contains(&format!("*{name}")) || line.contains(&format!("* {name}"));
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_comparison = value.starts_with('=');
    (is_name && !is_pointer && !is_comparison).then_some((name, value))
}

/// The constant of a line such as `#define N 2048`, `const int n = 1 << 20;`: its name and value.
fn constant(line: &str) -> Option<(String, u64)> {
    let (name, value) = defined(line)?;
    let value = value.split("//").next()?.split(';').next()?;
    let value = split(value, ',').next()?.rsplit('=').next()?; // of `n = m = 2048`
    let value = expression(value, &[])?;
    Some((name.to_string(), value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outside::Standard;

    /// A file that a program is made of.
    struct Source(&'static str);

    impl Outside for Source {
        fn write(&mut self, _: Standard, _: &[u8]) {}

        fn read(&mut self, _: &mut Vec<u8>) {}

        fn read_file(&mut self, _: &str) -> Option<Vec<u8>> {
            None
        }

        fn has_file(&mut self, _: &str) -> bool {
            false
        }

        fn write_file(&mut self, _: &str, _: &[u8]) -> bool {
            false
        }

        fn source_line(&self, _: &str, line: u32) -> Option<String> {
            self.0.lines().nth(line as usize - 1).map(str::to_string)
        }
    }

    #[test]
    fn a_constant_has_its_name_and_its_value() {
        for (line, expected) in [
            ("#define N 2048", Some(("N", 2048))),
            ("#define N (1<<20) // elements", Some(("N", 1 << 20))),
            ("    const int n = 1 << 10, m = 3;", Some(("n", 1024))),
            ("int width = 64u;", Some(("width", 64))),
            ("constexpr int K = (1 << 11) + 7;", Some(("K", 2055))),
            ("int n = argc;", None),
            ("    n = m = 2048;", Some(("n", 2048))),
            ("if (n == 2048)", None),
            ("    n == 2048;", None),
        ] {
            let expected = expected.map(|(name, value)| (name.to_string(), value));
            assert_eq!(constant(line), expected, "{line}");
        }
    }

    #[test]
    fn the_constant_behind_a_line_is_named() {
        let source = Source(
            "#define M 64\n\
             const int n = 1 << 26;\n\
             size_t bytes = n * sizeof(float);\n\
             float *a = (float *)malloc(bytes);\n\
             for (int i = 0; i < n; i++) {\n\
                 a[i] = i;\n\
             }\n\
             for (int i = 0; i < count; i++) {\n\
                 a[i] = M;\n\
             }\n\
             int blocks = (n + M - 1) / M;\n\
             dim3 grid(blocks, blocks);\n\
             add<<<grid, M>>>(a);\n",
        );
        let behind = |line| constant_behind(&source, &("a.cu".to_string(), line));
        assert_eq!(behind(4), Some(("n".to_string(), 2)), "through what is computed from it");
        assert_eq!(behind(6), Some(("n".to_string(), 2)), "by the head of the loop");
        assert_eq!(behind(9), Some(("M".to_string(), 1)), "in the line itself");
        assert_eq!(behind(8), None);
        assert_eq!(behind(13), Some(("n".to_string(), 2)), "through the grid of a launch");
        let for_sizes = |sizes| constant_for(&source, &("a.cu".to_string(), 13), sizes);
        assert_eq!(for_sizes(&[64]), Some(("M".to_string(), 1)), "what has the size itself comes first");
        assert_eq!(for_sizes(&[65]), Some(("n".to_string(), 2)));
    }
}
