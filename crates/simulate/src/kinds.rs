//! What the buffers of a launch consist of, against what the kernel's pointers point to.

use cuda_source::parameters::{kernels, kind};
use launch::{Launch, Script, Spec, Type, Value};
use ptx_simulator::Severity;
use serde::Serialize;
use text::say;

use super::names;

/// What is probably wrong with a line of the script. As JSON it looks as a `Diagnostic` does.
#[derive(Clone, Debug, Serialize)]
pub struct Warning {
    kind: &'static str,
    severity: Severity,
    /// The file of the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its number, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    message: String,
}

/// The name of this kind, as a `Diagnostic` has one.
const KIND: &str = "argument-type";

/// Buffers of `launch` whose elements are of another type than the kernel's pointer in `source`: a sentence
/// for each. Nothing where that is not sure.
pub fn misfits(launch: &Launch, script: &Script, source: &str) -> Vec<String> {
    let name = launch.kernel.as_deref().map(names::short).unwrap_or_default();
    let list = only(source, name).unwrap_or_default();
    let pairs = list.split(',').map(str::trim).zip(&launch.args).enumerate();
    let said = |(number, (declaration, arg)): (usize, (&str, &Spec))| {
        let why = misfit(declaration, arg, script)?;
        Some(format!("argument {number} of {name} is `{declaration}`, and {why}"))
    };
    pairs.filter_map(said).collect()
}

/// The parameters of the kernel that has this name, if no other one has it too.
fn only(source: &str, name: &str) -> Option<String> {
    let mut all = kernels(source).into_iter().filter(|kernel| kernel.name == name);
    let first = all.next()?.parameters;
    all.all(|other| other.parameters == first).then_some(first)
}

/// What the buffer of `arg` holds instead of what `declaration` points to.
fn misfit(declaration: &str, arg: &Spec, script: &Script) -> Option<String> {
    let Value::Pointer(pointer) = &arg.value else { return None };
    let buffer = &script.buffers[script.buffer(&pointer.buffer).ok()?];
    let given = buffer.fill.kind;
    let expected = pointee(declaration)?;
    if pointer.offset > 0 || fits(expected, given) {
        return None;
    }
    let is_number = buffer.name.parse::<usize>().is_ok();
    let what = if is_number { "its buffer".to_string() } else { format!("@{}", buffer.name) };
    Some(format!("{what} holds {}: write {}", given.name(), expected.name()))
}

/// What a parameter points to, if that is a number of more than a byte; of a vector the type of its parts.
fn pointee(declaration: &str) -> Option<Type> {
    let (words, name) = match declaration.split_once('*') {
        Some(parts) => parts,
        None => declaration.strip_suffix("[]")?.rsplit_once(' ')?,
    };
    let is_plain = |c: char| c.is_alphanumeric() || c == '_' || c.is_whitespace();
    let words: Vec<&str> =
        words.split_whitespace().filter(|word| !matches!(*word, "const" | "volatile")).collect();
    let words = words.join(" ");
    let number = kind(&words).or_else(|| part(&words)).filter(|_| name.chars().all(is_plain))?;
    Type::parse(number).ok().filter(|number| number.bytes() > 1)
}

/// The type of the parts of a vector: `f32` of `float4`.
fn part(vector: &str) -> Option<&'static str> {
    match vector.strip_suffix(['1', '2', '3', '4'])? {
        "ushort" => Some("u16"),
        "longlong" => Some("i64"),
        "ulonglong" => Some("u64"),
        number => kind(number),
    }
}

/// Whether a pointer to `expected` may point to elements of type `given`. A sign changes nothing, and an
/// address is a whole number.
fn fits(expected: Type, given: Type) -> bool {
    let is_whole = |kind| !matches!(kind, Type::Float(_));
    expected == given || is_whole(expected) && is_whole(given) && expected.bytes() == given.bytes()
}

impl Warning {
    /// At a line of a file, or at none.
    pub fn new(file: Option<String>, line: Option<usize>, message: String) -> Warning {
        Warning { kind: KIND, severity: Severity::Warning, file, line, message }
    }

    /// As a diagnostic is shown, with its line of `source`; `color` for a terminal.
    pub fn text(&self, source: Option<&str>, color: bool) -> String {
        let styled = |style, words: &str| match color {
            true => format!("\x1b[{style}m{words}\x1b[{}m", say::END),
            false => words.to_string(),
        };
        let title = styled(say::WARNING, &format!("warning[{}]", self.kind));
        let head = title + &styled(say::BOLD, &format!(": {}", say::visible(&self.message))) + "\n";
        let (Some(file), Some(line)) = (&self.file, self.line) else { return head };
        let blanks = " ".repeat(line.to_string().len());
        let margin = |number: &str, bar: &str| styled(say::FRAME, &format!("{number}{bar}"));
        let place = format!("{} {file}:{line}\n", margin(&blanks, "-->"));
        let quoted = source.and_then(|source| source.lines().nth(line - 1)).map(|text| {
            let text = say::visible(text.trim());
            format!("{}\n{} {text}\n", margin(&blanks, " |"), margin(&line.to_string(), " |"))
        });
        head + &place + &quoted.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(parameter: &str, buffer: &str) -> Vec<String> {
        let source = format!("__global__ void k({parameter}, int n) {{}}\n");
        let text = format!("buffer in = {buffer}\nlaunch k<<<1, 1>>> @in i32:1\n");
        let script = Script::parse(&text, launch::Scope::default()).unwrap();
        let first = script.launches().next().unwrap();
        misfits(first, &script, &source)
    }

    #[test]
    fn elements_of_another_type_than_the_pointers_are_named() {
        for (parameter, buffer, write) in [
            ("float *in", "i32:1", "holds i32: write f32"),
            ("const float *__restrict__ in", "f64:1", "holds f64: write f32"),
            ("int *in", "u8:1", "holds u8: write i32"),
            ("unsigned long long in[]", "u32:1", "holds u32: write u64"),
            ("const float4 *in", "i32:zeros*4", "write f32"),
            ("half *in", "bf16:1", "write f16"),
            ("float const *const in", "ptr:@in", "write f32"),
        ] {
            let all = said(parameter, buffer);
            let is = format!("argument 0 of k is `{parameter}`, and @in ");
            assert!(all.len() == 1 && all[0].starts_with(&is) && all[0].ends_with(write), "{all:?}");
        }
    }

    #[test]
    fn nothing_is_said_where_the_elements_may_be_right() {
        for (parameter, buffer) in [
            ("float *in", "f32:1"),
            ("int *in", "u32:1"),
            ("size_t *in", "ptr:@in"),
            ("void *in", "i32:1"),
            ("unsigned char *in", "f32:1"),
            ("bool *in", "f32:1"),
            ("float4 *in", "f32:zeros*4"),
            ("Node *in", "f32:1"),
            ("T *in", "f32:1"),
            ("float **in", "ptr:@in"),
            ("float (*in)[32]", "i32:1"),
            ("unsigned long long in", "f32:1"),
        ] {
            assert!(said(parameter, buffer).is_empty(), "{parameter}: {:?}", said(parameter, buffer));
        }
        let two = "__global__ void k(int *x) {}\n__global__ void k(float *x) {}\n";
        let script = "buffer in = f64:1\nlaunch k<<<1, 1>>> @in\nlaunch other<<<1, 1>>> @in+8\n";
        let script = Script::parse(script, launch::Scope::default()).unwrap();
        let source = format!("{two}__global__ void other(float *x) {{}}\n");
        for launch in script.launches() {
            assert!(misfits(launch, &script, &source).is_empty(), "two kernels, or the middle of a buffer");
        }
    }

    #[test]
    fn a_warning_quotes_its_line() {
        let warning = Warning::new(Some("mine.cu".into()), Some(2), "this".into());
        let text = warning.text(Some("int x;\n  //@ launch k<<<1, 1>>>\n"), false);
        assert_eq!(text, "warning[argument-type]: this\n --> mine.cu:2\n  |\n2 | //@ launch k<<<1, 1>>>\n");
        assert_eq!(warning.text(None, false), "warning[argument-type]: this\n --> mine.cu:2\n");
        let colourful = warning.text(None, true);
        assert!(colourful.starts_with("\x1b[1;93mwarning[argument-type]\x1b[0m"), "{colourful:?}");
        assert_eq!(
            Warning::new(None, None, "this".into()).text(None, false),
            "warning[argument-type]: this\n"
        );
    }
}
