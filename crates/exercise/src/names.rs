//! What the simulator calls `byte 8 of argument 0` is `g_data[2]` to whoever wrote the kernel.

use super::plan::{Case, Plan};
use workbook::launch::{Spec, Value};
use workbook::number::thousands;
use workbook::sim::Diagnostic;

/// Bytes of an element: all arrays of the exercises hold 32-bit numbers.
const ELEMENT: usize = 4;

/// The names of an answer: its source and its PTX.
pub struct Names<'a> {
    pub source: &'a str,
    pub ptx: &'a str,
    pub plan: &'a Plan,
}

impl Names<'_> {
    /// `found` with the names of the source.
    pub fn apply(&self, found: &mut Diagnostic, case: Case) {
        let running = found.kernel.clone().unwrap_or_default();
        // A child has the arguments of the kernel that the host launched, if it is the same one.
        let launches = &self.plan.launches;
        let launch = launches.iter().find(|launch| launch.kernel == running).or(launches.first());
        let Some(launch) = launch else { return };
        let names = parameters(self.source, &launch.kernel);
        let Ok(script) = self.plan.script(case) else { return };
        let bytes = |arg: &Spec| match &arg.value {
            Value::Pointer(pointer) => {
                script.buffer(&pointer.buffer).ok().map(|number| script.buffers[number].fill.bytes() as usize)
            }
            _ => None,
        };
        let mut message = beyond(&found.message, &names).unwrap_or_else(|| found.message.clone());
        for (number, name) in names.iter().enumerate() {
            message = renamed(&message, &format!("of argument {number}"), |byte| element(name, byte));
        }
        if !message.contains("dynamic shared memory") {
            message = renamed(&message, "of shared memory", |byte| {
                let (name, start, bytes) = variables(self.ptx, ".shared")
                    .into_iter()
                    .find(|(_, start, bytes)| (*start..start + bytes).contains(&byte))?;
                if bytes <= ELEMENT { Some(format!("`{name}`")) } else { element(&name, byte - start) }
            });
        }
        for (name, _, bytes) in variables(self.ptx, ".shared") {
            let of = format!("of the shared variable `{name}` of {bytes} bytes");
            let has = format!(", and `{name}` has {} elements", thousands((bytes / ELEMENT) as i64));
            message = renamed(&message, &of, |byte| Some(element(&name, byte)? + &has));
        }
        // A buffer has no name there, but a length; it tells which one it is, or the line does.
        let line = found.line.and_then(|line| self.source.lines().nth(line as usize - 1)).unwrap_or("");
        let long = |length: usize| {
            launch
                .args
                .iter()
                .zip(&names)
                .filter(move |(arg, _)| bytes(arg) == Some(length))
                .map(|(_, name)| name)
        };
        for length in launch.args.iter().filter_map(bytes) {
            let is_on_line = |name: &&String| line.contains(&format!("{name}["));
            let is_only = long(length).count() == 1;
            let name = if is_only { long(length).next() } else { long(length).find(is_on_line) };
            let Some(name) = name else { continue };
            let of = format!("of a buffer of {length} bytes");
            let has = format!(", and `{name}` has {} elements", thousands((length / ELEMENT) as i64));
            message = renamed(&message, &of, |byte| Some(element(name, byte)? + &has));
        }
        found.message = message;
    }
}

/// `byte 12 of argument 0, which has 12 bytes: element 3 of 3` as `` `g_data[3]`, and `g_data` has 3 elements
/// ``.
fn beyond(message: &str, names: &[String]) -> Option<String> {
    let (place, length) = message.split_once(", which has ")?;
    let count: i64 = length.split_once(": element ")?.1.rsplit_once(" of ")?.1.parse().ok()?;
    let (number, name) =
        names.iter().enumerate().find(|(number, _)| place.ends_with(&format!(" of argument {number}")))?;
    let place = renamed(place, &format!("of argument {number}"), |byte| element(name, byte));
    Some(format!(
        "{place}, and `{name}` has {} element{}",
        thousands(count),
        if count == 1 { "" } else { "s" }
    ))
}

/// `text` with `byte 8 OF` (after `at`, too) replaced by what `name` makes of 8.
fn renamed(text: &str, of: &str, name: impl Fn(usize) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("byte ") {
        let (before, after) = (&rest[..at], &rest[at + "byte ".len()..]);
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let end = after[digits..].strip_prefix(' ').and_then(|tail| tail.strip_prefix(of));
        let whole = end.filter(|tail| !tail.starts_with(|c: char| c.is_ascii_digit()));
        let named = whole.and_then(|tail| Some((name(after[..digits].parse().ok()?)?, tail)));
        match named {
            Some((name, tail)) => {
                out += before;
                out += &name;
                rest = tail;
            }
            None => {
                out += before;
                out += "byte ";
                rest = after;
            }
        }
    }
    out + rest
}

/// `` `g_data[2]` ``
fn element(name: &str, byte: usize) -> Option<String> {
    byte.is_multiple_of(ELEMENT).then(|| format!("`{name}[{}]`", byte / ELEMENT))
}

/// The names of the parameters of `kernel`.
fn parameters(source: &str, kernel: &str) -> Vec<String> {
    let code: String =
        source.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join(" ");
    let head = code.match_indices(kernel).find_map(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + kernel.len()..]);
        let list = after.trim_start().strip_prefix('(')?;
        before.trim_end().ends_with("void").then_some(list)
    });
    let list = head.and_then(|list| list.split(')').next()).unwrap_or("");
    let name = |parameter: &str| {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        parameter.trim_end_matches(|c| !word(c)).rsplit(|c| !word(c)).next().unwrap_or("").to_string()
    };
    list.split(',').map(name).collect()
}

/// The variables of a module in a state space, `.shared`: name, start and bytes, placed as the simulator
/// places them.
pub fn variables(ptx: &str, space: &str) -> Vec<(String, usize, usize)> {
    let mut end = 0usize;
    let mut variables = Vec::new();
    for line in ptx.lines() {
        // .shared .align 4 .b8 NAME[4096];
        let words: Vec<&str> = line.trim().trim_end_matches(';').split_whitespace().collect();
        let Some(at) = words.iter().position(|word| *word == space) else { continue };
        let [".align", align, kind, name, ..] = words[at + 1..] else { continue };
        let (name, count) = name.split_once('[').unwrap_or((name, "1"));
        let bits: usize = kind.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(8);
        let Ok(count) = count.trim_end_matches(']').parse::<usize>() else { continue };
        let start = end.next_multiple_of(align.parse().unwrap_or(1).max(1));
        let bytes = count.saturating_mul(bits / 8);
        end = start.saturating_add(bytes);
        variables.push((source_name(name).to_string(), start, bytes));
    }
    variables
}

/// `tile` for `_ZZ8blockSumiE4tile`.
fn source_name(name: &str) -> &str {
    let ends = |at: &usize| {
        let digits = name[*at..].bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && name[*at..*at + digits].parse() == Ok(name.len() - at - digits)
    };
    let at = (1..name.len()).filter(|at| name.starts_with("_Z") && name.is_char_boundary(*at)).find(ends);
    at.map_or(name, |at| name[at..].trim_start_matches(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "// void reduce(wrong)\nextern \"C\" __global__ void reduce(const int *g_a, \
        // first\n\x20                          unsigned int *g_odata, unsigned int size)\n{\n}\n";
    const PTX: &str =
        ".shared .align 4 .b8 _ZZ6reduceE4tile[4096];\n\t.shared .align 1 .u8 _ZZ6reduceE4last;\n";

    fn named(message: &str) -> String {
        let mut plan = Plan::default();
        plan.mark("launch", "reduce<<<n/block, block>>> @input @partials u32:n").unwrap();
        let mut found =
            Diagnostic::of_host(workbook::sim::Kind::DataRace, Some("reduce"), message.into(), "");
        let case = Case { n: 100, block: 32, schedule: 0 };
        Names { source: SOURCE, ptx: PTX, plan: &plan }.apply(&mut found, case);
        found.message
    }

    #[test]
    fn bytes_have_the_names_of_the_source() {
        for (message, says) in [
            ("thread 0 reads byte 8 of argument 0, which", "thread 0 reads `g_a[2]`, which"),
            ("writes byte 0 of argument 1", "writes `g_odata[0]`"),
            (
                "a load of 4 bytes at byte 12 of argument 0, which has 12 bytes: element 3 of 3",
                "a load of 4 bytes at `g_a[3]`, and `g_a` has 3 elements",
            ),
            ("reads byte 6 of argument 0", "reads byte 6 of argument 0"),
            ("reads byte 12 of argument 7", "reads byte 12 of argument 7"),
            ("reads byte 12 of shared memory, which", "reads `tile[3]`, which"),
            ("reads byte 4096 of shared memory", "reads `last`"),
            (
                "at byte 4096 of the shared variable `tile` of 4096 bytes",
                "at `tile[1024]`, and `tile` has 1,024 elements",
            ),
            ("at byte 400 of a buffer of 400 bytes", "at `g_a[100]`, and `g_a` has 100 elements"),
            ("at byte 16 of a buffer of 16 bytes", "at `g_odata[4]`, and `g_odata` has 4 elements"),
            ("at byte 20 of a buffer of 20 bytes", "at byte 20 of a buffer of 20 bytes"),
        ] {
            assert_eq!(named(message), says);
        }
    }
}
