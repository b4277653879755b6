//! Why the host cannot launch a kernel of a source that somebody has edited: it has another name there, or
//! other parameters. What is said is the same wherever a kernel is edited.

use std::fmt;

use text::near::nearest;
use text::say::visible;

use super::lex::{Lines, Token, placed};
use super::parameters::{Kernel, kernels, parameters};

/// What keeps the host from launching a kernel, as a compiler would say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// What is wrong, and what to do.
    pub what: String,
    /// The line of the source that is to be mended, if there is one.
    pub line: Option<u32>,
    /// The file, and the text of that line.
    quoted: (String, String),
}

impl Misfit {
    fn new(what: String, line: Option<u32>) -> Misfit {
        Misfit { what, line, quoted: Default::default() }
    }

    /// The same, to be shown with its line of `source`, which is the file `path`.
    pub fn of(self, path: &str, source: &str) -> Misfit {
        let line = self.line.and_then(|line| source.lines().nth(line as usize - 1));
        Misfit { quoted: (path.to_string(), visible(line.unwrap_or_default())), ..self }
    }
}

/// In the form of a compiler's messages, `x.cu(3): error: …`, then the line.
impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (path, text) = &self.quoted;
        match self.line {
            Some(line) if !path.is_empty() => write!(f, "{path}({line}): error: {}\n{text}", self.what),
            _ => write!(f, "error: {}", self.what),
        }
    }
}

impl std::error::Error for Misfit {}

/// There is no kernel named `wanted` among those that the compiler has made of `source`; `printed` is the
/// source that was edited, if it is known.
pub fn missing(source: &str, wanted: &str, printed: &str) -> Misfit {
    let all = kernels(source);
    let launches = format!("The host launches a kernel named {wanted}, and");
    if let Some(Kernel { line, is_template, .. }) = all.iter().find(|kernel| kernel.name == wanted) {
        let why = if *is_template {
            "a template is none by itself. Give the kernel back the head that it had."
        } else {
            "without extern \"C\" the compiler gives it another name. Put extern \"C\" before __global__."
        };
        return Misfit::new(format!("{launches} {why}"), Some(*line));
    }
    if let Some(line) = function(source, wanted) {
        let why = "without __global__ this is a function. Put extern \"C\" __global__ before it.";
        return Misfit::new(format!("{launches} {why}"), Some(line));
    }
    let known = kernels(printed);
    let is_new = |kernel: &&Kernel| known.iter().all(|other| other.name != kernel.name);
    let new: Vec<&str> = all.iter().filter(is_new).map(|kernel| kernel.name).collect();
    let renamed = match new[..] {
        [one] => Some(one),
        _ => nearest(wanted, new),
    };
    let there_are = match renamed {
        Some(name) => name.to_string(),
        None if all.is_empty() => "no kernel".to_string(),
        None => all.iter().map(|kernel| kernel.name).collect::<Vec<_>>().join(", "),
    };
    let line = all.iter().find(|kernel| Some(kernel.name) == renamed).map(|kernel| kernel.line);
    Misfit::new(
        format!(
            "{launches} the file has {there_are}. Give the kernel its name back, with extern \"C\" before it."
        ),
        line,
    )
}

/// The line where a function of this name is defined that is no kernel.
fn function(source: &str, name: &str) -> Option<u32> {
    let mut depth = 0;
    let tokens: Vec<(usize, Token)> = placed(source);
    for pair in tokens.windows(2) {
        let (place, token) = pair[0];
        depth += i32::from(token.is_mark("{")) - i32::from(token.is_mark("}"));
        if depth == 0 && token.is_word(name) && pair[1].1.is_mark("(") {
            return Some(Lines::new(source).line(place));
        }
    }
    None
}

/// An argument of a launch: the address of a buffer, or a number of so many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// An address.
    Address,
    /// Something else.
    Bytes(usize),
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Given::Address => write!(f, "address"),
            Given::Bytes(bytes) => write!(f, "{bytes}-byte number"),
        }
    }
}

/// `kernel` takes other parameters than the host gives; `printed` is the source that was edited, if it is
/// known.
pub fn other_parameters(source: &str, kernel: &str, given: &[Given], printed: &str) -> Misfit {
    let of = |source: &str| {
        let found = kernels(source).into_iter().find(|one| one.name == kernel);
        found.map(|one| (format!("({})", one.parameters), one.line))
    };
    let given: Vec<String> = given.iter().map(Given::to_string).collect();
    let (takes, line) = match of(source) {
        Some((takes, line)) => (takes, Some(line)),
        None => ("other parameters".to_string(), None),
    };
    let had = of(printed).map_or(String::new(), |(had, _)| format!(": {had}"));
    Misfit::new(
        format!(
            "The host launches {kernel} with ({}), and the kernel takes {takes}. Give it back the parameters \
             that it had{had}.",
            given.join(", ")
        ),
        line,
    )
}

/// `kernel` takes the parameters of `printed`, the source that was edited, in another order. Where their
/// types are alike, what the host gives still fits, and each is taken for another.
pub fn reordered(source: &str, kernel: &str, printed: &str) -> Option<Misfit> {
    if printed.is_empty() {
        return None;
    }
    let names = |source: &str| -> Vec<String> {
        parameters(source, kernel).into_iter().map(|parameter| parameter.name).collect()
    };
    let [now, had] = [source, printed].map(names);
    let moved: Vec<&str> =
        now.iter().zip(&had).filter(|(now, had)| now != had).map(|(now, _)| now.as_str()).collect();
    let [sorted, had_sorted] = [now.clone(), had].map(|mut names| {
        names.sort();
        names
    });
    let (last, others) = moved.split_last().filter(|_| sorted == had_sorted)?;
    let head = kernels(printed).into_iter().find(|one| one.name == kernel)?.parameters;
    let line = kernels(source).into_iter().find(|one| one.name == kernel)?.line;
    let what = format!(
        "{} and {last} have changed places: the host launches {kernel} with ({head}). Give the parameters \
         this order back.",
        others.join(", ")
    );
    Some(Misfit::new(what, Some(line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "extern \"C\" __global__ void sum(int *data,\n int *out, unsigned \
        n)\n{\n}\nextern \"C\" __global__ void other(int *x) {}\n";

    fn said(from: &str, to: &str) -> String {
        assert!(PRINTED.contains(from));
        let source = PRINTED.replacen(from, to, 1);
        missing(&source, "sum", PRINTED).of("kernels/x.cu", &source).to_string()
    }

    #[test]
    fn a_kernel_that_is_not_there_is_told_where_it_went() {
        for (from, to, expected) in [
            ("sum", "summ", "the file has summ. Give the kernel its name back, with extern \"C\" before it."),
            ("extern \"C\" ", "", "without extern \"C\" the compiler gives it another name. Put extern"),
            ("extern \"C\" __global__ ", "", "without __global__ this is a function. Put extern"),
            ("extern \"C\"", "template <int N>", "a template is none by itself. Give the kernel back"),
        ] {
            let said = said(from, to);
            let head = "kernels/x.cu(1): error: The host launches a kernel named sum, and ";
            assert!(said.starts_with(&format!("{head}{expected}")), "{said}");
            assert!(said.ends_with(&format!("\n{}", PRINTED.replacen(from, to, 1).lines().next().unwrap())));
        }
        let another = said("sum", "total");
        assert!(another.contains("x.cu(1): error: ") && another.contains("the file has total."), "{another}");
        let gone = missing("extern \"C\" __global__ void other(int *x) {}", "sum", PRINTED);
        assert!(gone.line.is_none() && gone.what.contains("the file has other."), "{gone}");
        assert!(missing("int x;", "sum", PRINTED).what.contains("the file has no kernel."));
        assert_eq!(missing("extern \"C\" __global__ void a() {}", "sum", "").line, Some(1));
    }

    #[test]
    fn parameters_that_do_not_fit_are_shown_beside_those_that_did() {
        let source = PRINTED.replace("int *out, unsigned n", "unsigned n, int *out");
        let given = [Given::Address, Given::Address, Given::Bytes(4)];
        let misfit = other_parameters(&source, "sum", &given, PRINTED);
        let expected = "The host launches sum with (address, address, 4-byte number), and the kernel \
            takes (int \
                        *data, unsigned n, int *out). Give it back the parameters that it had: (int \
                        *data, int \
                        *out, unsigned n).";
        assert_eq!((misfit.what.as_str(), misfit.line), (expected, Some(1)));
        assert!(other_parameters(&source, "sum", &given, "").what.ends_with("the parameters that it had."));
    }

    #[test]
    fn parameters_that_have_changed_places_are_named() {
        let swapped = PRINTED.replace("int *data,\n int *out", "int *out,\n int *data");
        let misfit = reordered(&swapped, "sum", PRINTED).unwrap();
        let expected = "out and data have changed places: the host launches sum with (int *data, int *out, \
                        unsigned n). Give the parameters this order back.";
        assert_eq!((misfit.what.as_str(), misfit.line), (expected, Some(1)));
        for other in ["int *data,\n int *result", "float *data,\n int *out", "int *data"] {
            let source = PRINTED.replace("int *data,\n int *out", other);
            assert_eq!(reordered(&source, "sum", PRINTED), None, "{other}");
        }
        assert_eq!(reordered(&swapped, "sum", ""), None);
    }
}
