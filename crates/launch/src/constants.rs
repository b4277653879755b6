//! The whole numbers that a source gives names to, for its launches: `#define N 1000`, `const int N = 1000;`.

use text::expression::{expression, split};

/// The constants of `source` with their values, the later ones in terms of the earlier ones. Of two with one
/// name neither counts.
pub fn constants(source: &str) -> Vec<(&str, u64)> {
    let mut known: Vec<(&str, u64)> = Vec::new();
    let mut twice: Vec<&str> = Vec::new();
    for (name, value) in source.lines().flat_map(given) {
        let is_known = known.iter().any(|(other, _)| *other == name);
        let value = expression(value, &known);
        match value {
            Some(value) if !is_known => known.push((name, value)),
            _ => twice.push(name),
        }
    }
    known.retain(|(name, _)| !twice.contains(name));
    known
}

/// The names that a line gives to values.
fn given(line: &str) -> Vec<(&str, &str)> {
    let line = line.split("//").next().unwrap_or_default().trim();
    if let Some(rest) = line.strip_prefix('#') {
        let definition = rest.trim_start().strip_prefix("define");
        let definition = definition.and_then(|rest| rest.trim().split_once(char::is_whitespace));
        return definition.map(|(name, value)| (name, value.trim())).into_iter().collect();
    }
    let is_constant = line.split_whitespace().any(|word| matches!(word, "const" | "constexpr"));
    let Some(declared) = line.strip_suffix(';').filter(|_| is_constant) else { return Vec::new() };
    let value = |part| str::split_once(part, '=').map(|(name, value)| (last_word(name), value.trim()));
    split(declared, ',').filter_map(value).collect()
}

fn last_word(text: &str) -> &str {
    text.split_whitespace().last().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_read_and_what_is_none_is_not() {
        let source = "#define N 1000 // elements\n# define THREADS 256u\n#define\tTILE\t16\n\
            #define SQUARE(x) ((x) * (x))\n\
            const int n = N, half = n / 2;\n\
            static constexpr unsigned BLOCKS = (N + THREADS - 1) / THREADS;\n\
            const float scale = 0.5f;\nint mutable_one = 5;\nconst int other = f();\n\
            const int i = 1;\nconst int i = 2;\n__global__ void k(const int *p, int m = 3);\n";
        let expected =
            [("N", 1000), ("THREADS", 256), ("TILE", 16), ("n", 1000), ("half", 500), ("BLOCKS", 4)];
        assert_eq!(constants(source), expected);
    }
}
