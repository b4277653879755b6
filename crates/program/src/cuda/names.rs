//! What the source calls an allocation, an array or an argument.

use ptx_simulator::host::Call;

use super::allocations::Allocations;
use crate::runtime::Runtime;

/// The innermost line of the reader's own text.
pub fn user_place(runtime: &Runtime, call: &Call) -> Option<(String, u32)> {
    call.host.places().find(|(file, line)| runtime.outside.source_line(file, *line).is_some())
}

/// The text of that line.
pub fn user_line(runtime: &Runtime, call: &Call) -> String {
    let line = user_place(runtime, call).and_then(|(file, line)| runtime.outside.source_line(&file, line));
    line.unwrap_or_default()
}

/// What the source calls that which is allocated here: the variable that the line gives the address of, or
/// that it assigns. Of several calls in a line each has its turn.
pub fn name_of_target(runtime: &mut Runtime, call: &Call) -> String {
    let names = targets(&user_line(runtime, call));
    let place = user_place(runtime, call).unwrap_or_default();
    let turn = runtime.kept.get::<Allocations>().by_line.entry(place).or_default();
    let name = names.get(*turn % names.len().max(1)).cloned();
    *turn += 1;
    name.unwrap_or_default()
}

/// The arguments of the launch in a line, as they are written there; none if they can't be told.
pub fn launch_arguments(line: &str) -> Vec<String> {
    let Some((_, rest)) = line.split_once(">>>") else { return Vec::new() };
    let Some(rest) = rest.trim_start().strip_prefix('(') else { return Vec::new() };
    let mut arguments = Vec::new();
    let mut start = 0;
    let mut depth = 0;
    for (at, c) in rest.char_indices() {
        if depth == 0 && matches!(c, ',' | ')') {
            arguments.push(rest[start..at].trim().to_string());
            start = at + 1;
        }
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => return arguments,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    Vec::new()
}

/// The variable of the device that lies at an address which the program has not asked for.
pub fn by_name(runtime: &mut Runtime, call: &Call, address: u64) -> Option<String> {
    let (_, _, offset) = call.simulator.allocation(address)?;
    let allocations = runtime.kept.get::<Allocations>();
    let is_asked_for = allocations.symbols.contains(&(address - offset));
    let name = call.simulator.name_of(address);
    (allocations.variables.contains(&name) && !is_asked_for).then_some(name)
}

/// The name of the array of variable length that the line of a call declares, if it can be seen there.
pub fn name_of_array(runtime: &Runtime, call: &Call) -> String {
    let text = user_line(runtime, call);
    declared(&text).or(target(&text)).unwrap_or_default()
}

/// The only array of a line such as `float row[n];`.
fn declared(line: &str) -> Option<String> {
    let (before, rest) = line.split_once('[')?;
    let name = before.rsplit([' ', '*', '\t']).next()?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_only =
        !before.contains(['=', ',', '(']) && rest.split_once(']')?.1.trim_start().starts_with([';', '[']);
    (is_name && is_only).then(|| name.to_string())
}

/// The variables of the statements of a line.
fn targets(line: &str) -> Vec<String> {
    line.split(';').filter_map(target).collect()
}

/// The variable of a statement such as `cudaMalloc((void **)&d_a, bytes)` or `float *a = new float[n];`.
pub fn target(line: &str) -> Option<String> {
    const CALLS: [&str; 5] = ["cudaMalloc", "cudaHostAlloc", "cudaHostRegister", "posix_memalign", "malloc"];
    let calls = CALLS[..4].iter().filter_map(|call| line.find(call));
    let name = match calls.min() {
        Some(at) => {
            let rest = &line[at..];
            let args = &rest[rest.find('(')? + 1..];
            let first = args.split(',').next()?;
            first.rsplit(['&', ')', '*', ' ']).find(|part| !part.trim().is_empty())?.to_string()
        }
        None => {
            let before = line.split_once('=')?.0;
            before.rsplit(['*', ' ', '\t', '&']).find(|part| !part.trim().is_empty())?.to_string()
        }
    };
    let name = name.trim().to_string();
    let is_name = name.chars().all(|c| c.is_alphanumeric() || "_.->[]:".contains(c));
    (is_name && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::{declared, launch_arguments, target};

    #[test]
    fn an_array_of_variable_length_has_its_name_if_it_stands_alone() {
        for (line, name) in [
            ("    cudaDeviceProp prop[ngpus];", Some("prop")),
            ("float *rows[n + 1];", Some("rows")),
            ("int table[n][m]; // filled below", Some("table")),
            ("int a[n], b[n];", None),
            ("char *room = (char *)alloca(sizes[0]);", None),
        ] {
            assert_eq!(declared(line).as_deref(), name, "{line}");
        }
    }

    #[test]
    fn the_arguments_of_a_launch_are_told_apart() {
        let told = launch_arguments("    add<<<grid(n, 2), 64>>>(a, f(b, 1), &c[0]); // all");
        assert_eq!(told, ["a", "f(b, 1)", "&c[0]"]);
        assert!(launch_arguments("add<<<1, 64>>>(a,").is_empty() && launch_arguments("add(a);").is_empty());
    }

    #[test]
    fn an_allocation_has_the_name_of_its_variable() {
        for (line, name) in [
            ("    cudaMalloc((void **)&d_a, n * sizeof(int));", Some("d_a")),
            ("CHECK(cudaMalloc(&d_in, bytes));", Some("d_in")),
            ("cudaMallocManaged(&x, N*sizeof(float));", Some("x")),
            ("float *h_b = (float *)malloc(bytes);", Some("h_b")),
            ("int *a = new int[n];", Some("a")),
            ("h_c = (int*)malloc(4);", Some("h_c")),
            ("cudaMallocHost((float**)&buf[i], bytes);", Some("buf[i]")),
            ("use(new int[4]);", None),
        ] {
            assert_eq!(target(line).as_deref(), name, "{line}");
        }
    }
}
