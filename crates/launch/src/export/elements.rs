//! Arrays of the host that hold what a fill says.

use super::helpers::Helper;
use super::names::Names;
use super::types::{literal, quoted};
use crate::fill::{Fill, Part};
use crate::number::Type;

/// Columns of a line of C++, at most.
const WIDTH: usize = 100;

/// An array of the host.
pub struct Array {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub cpp: String,
    /// The constant that says how many these are.
    pub count: String,
}

/// The statements that declare and fill it. A vector begins with zeros, which so need no statement; nor do
/// elements that are `uninit`. `addresses` are those of the parts that are one.
pub fn filled(array: &Array, fill: &Fill, names: &mut Names, addresses: &[String]) -> String {
    let Array { name, cpp, count } = array;
    let vector = format!("std::vector<{cpp}> {name}");
    let value = |(number, (part, _)): (usize, &(Part, u64))| match part {
        Part::Repeat(bits) => Some(literal(fill.kind, *bits)),
        Part::Pointer(_) => addresses.get(number).cloned(),
        _ => None,
    };
    let values: Option<Vec<String>> =
        fill.parts().iter().enumerate().map(|part| value(part).filter(|_| part.1.1 == 1)).collect();
    if let Some(values) = values.filter(|values| !values.is_empty()) {
        return listed(&vector, &values);
    }
    if let [(Part::Repeat(bits), _)] = fill.parts() {
        let value = if *bits == 0 { String::new() } else { format!(", {}", literal(fill.kind, *bits)) };
        return format!("{vector}({count}{value});\n");
    }
    let mut text = format!("{vector}({count});\n");
    let mut first = 0;
    for (number, part) in fill.parts().iter().enumerate() {
        let is_all = fill.parts().len() == 1;
        let end = if is_all { count.clone() } else { (first + part.1).to_string() };
        text += &match &part.0 {
            Part::Uninit | Part::Repeat(0) => String::new(),
            Part::Repeat(_) | Part::Pointer(_) if part.1 == 1 => {
                format!("{name}[{first}] = {};\n", value((number, part)).unwrap_or_default())
            }
            Part::File(_, file) => {
                format!("{}({}, {name});\n", names.helper(Helper::Read), quoted(file))
            }
            part => {
                let one = element(part, fill.kind, first, names);
                format!("for (size_t i = {first}; i < {end}; ++i)\n    {name}[i] = {one};\n")
            }
        };
        first += part.1;
    }
    text
}

/// Element `i` of a part that begins at `first`.
fn element(part: &Part, kind: Type, first: u64, names: &mut Names) -> String {
    let place = if first == 0 { "i".to_owned() } else { format!("i - {first}") };
    match part {
        Part::Repeat(bits) => literal(kind, *bits),
        Part::Iota(from) if *from == first => "i".to_owned(),
        Part::Iota(from) if *from > first => format!("i + {}", from - first),
        Part::Iota(from) => format!("i - {}", first - from),
        Part::Random(seed) => {
            let unit = format!("{}({seed}, {place})", names.helper(Helper::Random));
            match kind {
                Type::Float(_) => format!("2.0 * {unit} - 1.0"),
                Type::Signed(_) => format!("int(201.0 * {unit}) - 100"),
                _ => format!("int(101.0 * {unit})"),
            }
        }
        Part::Uninit | Part::File(..) | Part::Pointer(_) => String::new(),
    }
}

/// `std::vector<int> h_in = {1, 2, 3};`, in several lines if there are many.
fn listed(vector: &str, values: &[String]) -> String {
    let line = format!("{vector} = {{{}}};\n", values.join(", "));
    if line.len() <= WIDTH {
        return line;
    }
    let mut rows = vec![String::new()];
    for value in values {
        let is_full = rows.last().is_some_and(|row| row.len() + value.len() + 2 > WIDTH - 8);
        if is_full {
            rows.push(String::new());
        }
        if let Some(row) = rows.last_mut() {
            *row += &format!("{}{value},", if row.is_empty() { "" } else { " " });
        }
    }
    format!("{vector} = {{\n    {}\n}};\n", rows.join("\n    "))
}

/// The elements that are not `uninit`: where each run of them begins, and where it ends.
pub fn written(fill: &Fill) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    let mut first = 0;
    for (part, count) in fill.parts() {
        let end = first + count;
        match runs.last_mut().filter(|(_, last)| *last == first) {
            _ if *count == 0 || matches!(part, Part::Uninit) => {}
            Some((_, last)) => *last = end,
            None => runs.push((first, end)),
        }
        first = end;
    }
    runs
}

/// What follows an array's start for a run of elements, and how many these are.
pub fn run_of((first, end): (u64, u64), fill: &Fill, array: &Array) -> (String, String) {
    let from = if first == 0 { String::new() } else { format!(" + {first}") };
    let is_all = first == 0 && end == fill.count();
    (from, if is_all { array.count.clone() } else { (end - first).to_string() })
}
