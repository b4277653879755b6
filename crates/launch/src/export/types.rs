//! Types and numbers as C++ writes them, and what a kernel's parameters are declared as.

use cuda_source::parameters::{Kernel, kind};
use ptx_simulator::Format;
use text::expression::split;

use crate::number::Type;

/// A parameter as its kernel declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// All of it: `const float *in`.
    pub text: String,
    /// What it is, or points to, without qualifiers: `float`.
    pub words: String,
    /// How many pointers that is away.
    pub stars: usize,
}

impl Declared {
    /// `None` for references and functions.
    fn parse(text: &str) -> Option<Declared> {
        let text = text.split('=').next().unwrap_or_default().trim();
        if text.contains(['(', '&']) {
            return None;
        }
        let (text, is_array) =
            text.split_once('[').map_or((text, false), |(before, _)| (before.trim(), true));
        let name = text.rfind(|c: char| !(c.is_alphanumeric() || c == '_'))? + 1;
        let before = text[..name].split('*').next().unwrap_or_default();
        let is_type = |word: &&str| !matches!(*word, "const" | "volatile" | "struct" | "__restrict__");
        let words = before.split_whitespace().filter(is_type).collect::<Vec<_>>().join(" ");
        let stars = text.matches('*').count() + usize::from(is_array);
        Some(Declared { text: text.to_owned(), words, stars })
    }

    /// The type of the numbers that it is or points to, if it is known.
    pub fn number(&self) -> Option<Type> {
        Type::parse(kind(&self.words)?).ok()
    }

    /// `float *`, for a cast.
    pub fn cast(&self) -> String {
        let stars = "*".repeat(self.stars);
        if stars.is_empty() { self.words.clone() } else { format!("{} {stars}", self.words) }
    }
}

/// What the parameters of a kernel, `sum` or `gather<float>`, are declared as, as far as that is known;
/// `None` if there is no such kernel, or there are several with different parameters.
pub fn declared(kernels: &[Kernel], kernel: &str) -> Option<Vec<Option<Declared>>> {
    let (name, types) = kernel.trim_end_matches('>').split_once('<').unwrap_or((kernel, ""));
    let all: Vec<&Kernel> = kernels.iter().filter(|one| one.name == name.trim()).collect();
    let first = all.first().filter(|first| all.iter().all(|one| one.parameters == first.parameters))?;
    let given: Vec<&str> = types.split(',').map(str::trim).collect();
    let one = |text| made_for(Declared::parse(text)?, &first.types, &given);
    let is_empty = first.parameters.is_empty() || first.parameters == "void";
    Some(if is_empty { Vec::new() } else { split(&first.parameters, ',').map(one).collect() })
}

/// A parameter of a template with these `types`, where they are `given`.
fn made_for(one: Declared, types: &[&str], given: &[&str]) -> Option<Declared> {
    if let Some(place) = types.iter().position(|name| *name == one.words) {
        let is_known = types.len() == given.len();
        return is_known.then(|| Declared { words: given[place].to_owned(), ..one });
    }
    let is_of_types = one.words.split(|c: char| !c.is_alphanumeric()).any(|word| types.contains(&word));
    (!is_of_types).then_some(one)
}

/// The type of C++ for these elements; nothing for floats of 16 bits, which have none without a header.
pub fn cpp(kind: Type) -> Option<&'static str> {
    Some(match kind {
        Type::Signed(8) => "signed char",
        Type::Signed(16) => "short",
        Type::Signed(32) => "int",
        Type::Signed(_) => "long long",
        Type::Unsigned(8) => "unsigned char",
        Type::Unsigned(16) => "unsigned short",
        Type::Unsigned(32) => "unsigned",
        Type::Unsigned(_) => "unsigned long long",
        Type::Float(Format::F32) => "float",
        Type::Float(Format::F64) => "double",
        Type::Float(_) => return None,
        Type::Ptr => "void *",
    })
}

/// `float *d_in`
pub fn pointer(cpp: &str, name: &str) -> String {
    let blank = if cpp.ends_with('*') { "" } else { " " };
    format!("{cpp}{blank}*{name}")
}

/// A number as C++ writes it.
pub fn literal(kind: Type, bits: u64) -> String {
    match kind {
        Type::Float(format) => float(format.decode(bits), format),
        Type::Signed(64) if bits as i64 == i64::MIN => "INT64_MIN".to_owned(),
        Type::Signed(width) => ((bits << (64 - width)) as i64 >> (64 - width)).to_string(),
        Type::Unsigned(64) if bits > i64::MAX as u64 => format!("{bits}ULL"),
        Type::Unsigned(_) | Type::Ptr => bits.to_string(),
    }
}

fn float(number: f64, format: Format) -> String {
    match number {
        f64::INFINITY => "INFINITY".to_owned(),
        f64::NEG_INFINITY => "-INFINITY".to_owned(),
        _ if number.is_nan() => "NAN".to_owned(),
        _ if format == Format::F32 => format!("{:?}f", number as f32),
        _ => format!("{number:?}"),
    }
}

/// A text in quotes.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuda_source::parameters::kernels;

    #[test]
    fn a_parameter_is_what_its_kernel_declares() {
        let source = "template <typename T> __global__ void k(const float *__restrict__ in, unsigned long \
                      long n, int table[], Node **nodes, T *out, float (*f)(int), const Matrix m) {}";
        let casts = |kernel| {
            let one = |one: Option<Declared>| one.map_or("?".to_owned(), |one| one.cast());
            declared(&kernels(source), kernel).unwrap().into_iter().map(one).collect::<Vec<_>>()
        };
        let is = ["float *", "unsigned long long", "int *", "Node **", "short *", "?", "Matrix"];
        assert_eq!(casts("k<short>"), is);
        assert_eq!(casts("k<short, 4>")[4], "?", "a template with more than types");
        assert_eq!(declared(&kernels("__global__ void k(void) {}"), "k"), Some(Vec::new()));
        assert_eq!(
            declared(&kernels("__global__ void k(int x) {} __global__ void k(float x) {}"), "k"),
            None
        );
    }

    #[test]
    fn numbers_are_those_of_cpp() {
        for (kind, bits, text) in [
            (Type::Signed(8), 0xff, "-1"),
            (Type::Signed(32), (-5i64) as u64, "-5"),
            (Type::Signed(64), 1 << 63, "INT64_MIN"),
            (Type::Unsigned(64), u64::MAX, "18446744073709551615ULL"),
            (Type::Unsigned(32), 7, "7"),
            (Type::Float(Format::F32), 0.1f32.to_bits().into(), "0.1f"),
            (Type::Float(Format::F32), (-0.0f32).to_bits().into(), "-0.0f"),
            (Type::Float(Format::F64), 1e-300f64.to_bits(), "1e-300"),
            (Type::Float(Format::F64), f64::NEG_INFINITY.to_bits(), "-INFINITY"),
            (Type::Float(Format::F32), f32::NAN.to_bits().into(), "NAN"),
        ] {
            assert_eq!(literal(kind, bits), text);
        }
        assert_eq!(quoted("a\"\\"), r#""a\"\\""#);
    }
}
