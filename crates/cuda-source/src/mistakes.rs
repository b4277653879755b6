//! A beginner's mistakes in CUDA, by a compiler's words and the line that they are about: what the rule is,
//! and what to write.

use std::collections::BTreeSet;

use super::functions::{Function, functions};
use super::lex::{Token, tokens};
use super::parameters::{Parameter, kernels, parameters};

/// What is wrong in the line `quoted` of `source`, if a compiler's `words` and the lines `rest` below them
/// mean one of these mistakes.
pub fn meant(words: &str, quoted: &str, rest: &[&str], source: &str) -> Option<String> {
    launch(words, quoted, source)
        .or_else(|| atomic(words, quoted, rest))
        .or_else(|| initializer(words, quoted))
        .or_else(|| length(words, quoted))
        .or_else(|| index(words, quoted))
        .or_else(|| fixed(words, quoted))
        .or_else(|| header(words, quoted, source))
        .or_else(|| instead(words, quoted))
        .or_else(|| restrict(words, quoted))
        .or_else(|| helper(words, rest, source))
}

/// What to write in the line `quoted` of a host's, which gives an allocation a pointer, and not where that
/// lies.
pub fn allocation(words: &str, quoted: &str) -> Option<String> {
    const CALLS: [&str; 5] =
        ["cudaMalloc", "cudaMallocManaged", "cudaMallocHost", "cudaMallocAsync", "cudaHostAlloc"];
    let name = words.split(['\'', '"']).nth(1).filter(|_| words.starts_with("no matching function"))?;
    let (_, behind) = quoted.split_once(name).filter(|_| CALLS.contains(&name))?;
    let pointer = first_argument(behind.trim_start().strip_prefix('(')?);
    let is_name = !pointer.is_empty() && pointer.chars().all(|c| c.is_alphanumeric() || "_.->[]".contains(c));
    is_name.then(|| format!("{name} writes the address of the memory into a pointer: give it &{pointer}"))
}

/// A launch outside of all functions.
fn launch(words: &str, quoted: &str, source: &str) -> Option<String> {
    let is_it =
        words.starts_with("unknown type name") || words.contains("no storage class or type specifier");
    let (name, _) = quoted.trim_start().split_once("<<<").filter(|_| is_it)?;
    let kernel = kernels(source).into_iter().find(|kernel| kernel.name == name.trim_end())?;
    let texts = kernel.parameters.split(',');
    let argument = |(text, Parameter { name, kind, .. }): (&str, Parameter)| match kind {
        Some(kind) if !text.contains(['*', '[']) => format!(" {kind}:…"),
        _ => format!(" @{name}"),
    };
    let arguments: String = texts.zip(parameters(source, kernel.name)).map(argument).collect();
    Some(format!("a launch is written as a comment: //@ launch {}<<<…>>>{arguments}", kernel.name))
}

/// What the atomic operations work on; in `cuda.h` of clang, and of CUDA.
const ATOMICS: [(&str, &str); 11] = [
    ("atomicAdd", "int, unsigned int, unsigned long long, float and double"),
    ("atomicSub", "int and unsigned int"),
    ("atomicExch", "int, unsigned int, unsigned long long and float"),
    ("atomicMin", "int, unsigned int, long long and unsigned long long"),
    ("atomicMax", "int, unsigned int, long long and unsigned long long"),
    ("atomicInc", "unsigned int"),
    ("atomicDec", "unsigned int"),
    ("atomicAnd", "int, unsigned int and unsigned long long"),
    ("atomicOr", "int, unsigned int and unsigned long long"),
    ("atomicXor", "int, unsigned int and unsigned long long"),
    ("atomicCAS", "int, unsigned int, unsigned long long and unsigned short"),
];

/// An atomic operation that gets something else than an address of the right type and a value.
fn atomic(words: &str, quoted: &str, rest: &[&str]) -> Option<String> {
    let is_it = words.starts_with("no matching function") || words.starts_with("no instance of");
    let name = words.split(['\'', '"']).nth(1).filter(|_| is_it)?;
    let plain = name.trim_end_matches("_block").trim_end_matches("_system");
    let (_, types) = ATOMICS.iter().find(|(known, _)| *known == plain)?;
    let is_count = rest.iter().any(|line| line.contains("arguments, but")) || {
        let needed = if plain == "atomicCAS" { 3 } else { 2 };
        nvccs_types(rest).is_some_and(|types| types.split(',').count() != needed)
    };
    let first = first_type(rest).filter(|_| !is_count);
    if let Some(kind) = first.and_then(|first| first.strip_suffix('*')) {
        let kind = kind.trim_end();
        return Some(format!("{name} works on {types}, and this is an address of {kind}"));
    }
    let (_, behind) = quoted.split_once(name)?;
    let argument = first_argument(behind.trim_start().strip_prefix('(')?);
    let address = match argument {
        "" => "&sum".to_string(),
        argument if argument.starts_with('*') => argument[1..].to_string(),
        argument if !argument.starts_with('&') && (first.is_some() || argument.ends_with(']')) => {
            format!("&{argument}")
        }
        argument => argument.to_string(),
    };
    Some(match plain {
        "atomicCAS" => {
            format!("{name} takes an address, what it expects there, and a value: {name}({address}, 0, 1)")
        }
        _ => format!("{name} takes an address and a value: {name}({address}, 1)"),
    })
}

/// The headers that a name needs, by how it begins.
const HEADERS: [(&str, &str); 13] = [
    ("cooperative_groups::reduce", "cooperative_groups/reduce.h"),
    ("cooperative_groups::inclusive_scan", "cooperative_groups/scan.h"),
    ("cooperative_groups::exclusive_scan", "cooperative_groups/scan.h"),
    ("cooperative_groups::memcpy_async", "cooperative_groups/memcpy_async.h"),
    ("cooperative_groups::wait", "cooperative_groups/memcpy_async.h"),
    ("cuda::atomic", "cuda/atomic"),
    ("cuda::barrier", "cuda/barrier"),
    ("cuda::memcpy_async", "cuda/barrier"),
    ("cuda::pipeline", "cuda/pipeline"),
    ("cuda::make_pipeline", "cuda/pipeline"),
    ("cuda::std::numeric_limits", "cuda/std/limits"),
    ("__pipeline_", "cuda_pipeline.h"),
    ("__mbarrier_", "cuda_awbarrier_primitives.h"),
];

/// That a name in the line `quoted` needs a header which `source` does not include, if a compiler's `words`
/// say that it is not there.
pub fn header(words: &str, quoted: &str, source: &str) -> Option<String> {
    let is_missing = [
        "no member",
        "no template named",
        "no type named",
        "undeclared identifier",
        "unknown type name",
        "is undefined",
        "must be a class or namespace name",
    ];
    if !is_missing.iter().any(|of| words.contains(of)) {
        return None;
    }
    let quoted = quoted.replace("cg::", "cooperative_groups::");
    let is_lacking =
        |(name, header): &&(&str, &str)| quoted.contains(name) && !source.contains(&format!("<{header}>"));
    let (_, header) = HEADERS.iter().find(is_lacking)?;
    Some(format!("add #include <{header}>"))
}

/// A name that no kernel has, or not any more, or not without a header.
fn instead(words: &str, quoted: &str) -> Option<String> {
    let is_of_namespace = words.contains("namespace name");
    if is_of_namespace && quoted.contains("cooperative_groups") {
        return Some("add #include <cooperative_groups.h>".to_string());
    }
    let is_variable =
        words.starts_with("reference to __host__ variable") || words.ends_with("is undefined in device code");
    let is_host = words.starts_with("calling a ") && words.contains("__host__ function");
    let is_undefined = words.contains("undeclared identifier")
        || words.contains("unknown type name")
        || words.contains("is undefined");
    let name = words.split(['\'', '"']).nth(1).filter(|_| is_variable || is_host || is_undefined)?;
    let name = name.split(['(', '<']).next()?;
    Some(match name {
        "__shfl" | "__shfl_up" | "__shfl_down" | "__shfl_xor" | "__ballot" | "__any" | "__all" => {
            format!(
                "write {name}_sync(0xffffffff, …): since CUDA 9 the first argument says which lanes take part"
            )
        }
        "cudaDeviceSynchronize" => {
            "since CUDA 12 a kernel cannot wait for its children: launch what comes after them into \
             cudaStreamTailLaunch"
                .to_string()
        }
        _ if name.starts_with("cudaMemcpy") || name.starts_with("cudaMemset") => {
            format!("{name} is for the host: a kernel copies in a loop")
        }
        "cooperative_groups" => "add #include <cooperative_groups.h>".to_string(),
        "__half" | "__half2" | "half" | "half2" | "__float2half" | "__half2float" | "__hadd" => {
            format!("for {name} add #include <cuda_fp16.h>")
        }
        "__nv_bfloat16" | "__nv_bfloat162" | "__float2bfloat16" | "__bfloat162float" => {
            format!("for {name} add #include <cuda_bf16.h>")
        }
        "fmax" | "fmin" | "fabs" if is_host => {
            format!("for whole numbers write {}(), not {name}()", name.trim_start_matches('f'))
        }
        _ if is_variable => {
            format!("{name} is a variable of the host: write const int {name} = …, or #define {name} …")
        }
        _ => return None,
    })
}

/// C's `restrict`.
fn restrict(words: &str, quoted: &str) -> Option<String> {
    let is_it = words.starts_with("expected ')'") || words.starts_with("expected a \")\"");
    let has_word = tokens(quoted).iter().any(|token| token.is_word("restrict"));
    (is_it && has_word).then(|| "C++ has no restrict: write __restrict__".to_string())
}

/// The types of the arguments, `int *, int`, as nvcc lists them.
fn nvccs_types<'a>(rest: &[&'a str]) -> Option<&'a str> {
    rest.iter()
        .find_map(|line| Some(line.split_once("argument types are: (")?.1.trim_end().trim_end_matches(')')))
}

/// The type of the first argument: nvcc lists it, and clang says it if it does not fit.
fn first_type<'a>(rest: &[&'a str]) -> Option<&'a str> {
    let clangs = || {
        let reason = rest.iter().find(|line| line.contains("for 1st argument"))?;
        reason.split_once("no known conversion from '")?.1.split('\'').next()
    };
    nvccs_types(rest).and_then(|types| types.split(',').next()).or_else(clangs)
}

/// The text up to the first comma or parenthesis that is not within others.
fn first_argument(text: &str) -> &str {
    let mut depth = 0;
    let is_end = |c: char| {
        let is_end = depth == 0 && [',', ')'].contains(&c);
        depth += i32::from("([".contains(c)) - i32::from(")]".contains(c));
        is_end
    };
    let end = text.find(is_end).unwrap_or(text.len());
    text[..end].trim()
}

/// A shared variable that is given a value where it is declared.
fn initializer(words: &str, quoted: &str) -> Option<String> {
    let is_it = words.contains("nitializ") && words.contains("__shared__");
    let (declared, value) = quoted.split_once("__shared__").filter(|_| is_it)?.1.split_once('=')?;
    let (name, sizes) = declared.split_once('[').unwrap_or((declared, ""));
    let name = name.split_whitespace().next_back()?.trim_start_matches('*');
    let value = value.split(['{', '}', ',', ';']).map(str::trim).find(|one| !one.is_empty()).unwrap_or("0");
    let by = match sizes.trim_end().strip_suffix(']') {
        None => format!("let a thread set it: if (threadIdx.x == 0) {name} = {value};"),
        Some(size) if !size.contains('[') => {
            format!("let the threads set it: if (threadIdx.x < {size}) {name}[threadIdx.x] = {value};")
        }
        Some(_) => "let each thread set its elements,".to_string(),
    };
    Some(format!("a __shared__ variable has no initializer; {by} then __syncthreads();"))
}

/// An array whose length is known only when the kernel runs.
fn length(words: &str, quoted: &str) -> Option<String> {
    let is_it = words.contains("variable-length array")
        || words.contains("variable length array")
        || words.contains("must have a constant value");
    if !is_it || !quoted.contains('[') {
        return None;
    }
    let Some((_, shared)) = quoted.split_once("__shared__") else {
        return Some("the size of an array in a kernel is a constant".to_string());
    };
    let (declared, _) = shared.split_once('[')?;
    let declared = declared.trim();
    Some(format!(
        "the size of a __shared__ array is a constant; or write extern __shared__ {declared}[]; \
         and give its bytes with the launch: <<<grid, block, bytes>>>"
    ))
}

/// What has the axes `x`, `y` and `z`.
const INDICES: [&str; 4] = ["threadIdx", "blockIdx", "blockDim", "gridDim"];

/// What clang calls the type of `threadIdx`, which is not the reader's business.
const OWN_TYPE: &str = "WB_";

/// `words` with CUDA's names in place of those of `kernels/clang`.
pub fn with_cudas_names(words: &str) -> String {
    words.replace(&format!("const {OWN_TYPE}"), "").replace(OWN_TYPE, "")
}

/// An index without its axis, or with one that there is not.
fn index(words: &str, quoted: &str) -> Option<String> {
    let is_it = ["operand", "no viable", "no member", "has no member", "integral", "suitable conversion"]
        .iter()
        .any(|of| words.contains(of));
    let all = tokens(quoted);
    let axis_behind = |at: usize| match &all[at + 1..] {
        [dot, Token::Word(axis), ..] if dot.is_mark(".") => Some(*axis),
        _ => None,
    };
    let mut wrong: Vec<String> = Vec::new();
    for (at, token) in all.iter().enumerate() {
        let is_whole = axis_behind(at).is_some_and(|axis| ["x", "y", "z"].contains(&axis));
        let right = format!("{}.x", token.text());
        if INDICES.iter().any(|name| token.is_word(name)) && !is_whole && !wrong.contains(&right) {
            wrong.push(right);
        }
    }
    let has = if wrong.len() == 1 { "it has" } else { "each has" };
    let [before @ .., last] = &wrong[..] else { return None };
    let all = if before.is_empty() { last.clone() } else { format!("{} and {last}", before.join(", ")) };
    is_it.then(|| format!("write {all}: {has} three parts, .x, .y and .z"))
}

/// An index that is written to.
fn fixed(words: &str, quoted: &str) -> Option<String> {
    let is_it = words.starts_with("no setter defined") || words.contains("modifiable lvalue");
    let name = INDICES.iter().find(|name| quoted.trim_start().starts_with(**name)).filter(|_| is_it)?;
    Some(format!("{name} cannot be changed: copy it into a variable of your own"))
}

/// A function for the host that a kernel calls.
fn helper(words: &str, rest: &[&str], source: &str) -> Option<String> {
    let is_it =
        words.contains("__host__ function") || rest.iter().any(|line| line.contains("call to __host__"));
    let mut quotes = words.split(['\'', '"']).skip(1).step_by(2).filter(|_| is_it);
    let name = quotes.next()?.split('(').next()?;
    let Function { lines: (line, _), .. } = functions(source).into_iter().find(|one| one.name == name)?;
    Some(format!("{name}, in line {line}, has no __device__ before it: a kernel cannot call it"))
}

/// A function that is written or launched as a kernel is, without `__global__`.
pub struct Unmarked<'a> {
    function: Function<'a>,
    is_launched: bool,
}

impl Unmarked<'_> {
    /// Its first line.
    pub fn line(&self) -> u32 {
        self.function.lines.0
    }

    /// What is wrong, in a sentence.
    pub fn what(&self) -> String {
        let or = if self.is_launched { "" } else { ", or __device__ if a kernel calls it" };
        format!("{} has no __global__ before it{or}", self.function.name)
    }

    /// Whether a message with these words, of this line, is a consequence.
    pub fn explains(&self, line: u32, words: &str) -> bool {
        let (first, last) = self.function.lines;
        let of =
            ["no matching function", "no instance of", "host function", "__host__", "__device__ function"];
        (first..=last).contains(&line) && of.iter().any(|of| words.contains(of))
    }

    /// Whether a line `//@` launches it.
    pub fn is_launched(&self) -> bool {
        self.is_launched
    }
}

/// The functions that lack `__global__`.
pub fn unmarked<'a>(source: &'a str) -> Vec<Unmarked<'a>> {
    let is_devices = |token: &Token| {
        let text = token.text();
        let is_index = INDICES.iter().any(|name| token.is_word(name));
        matches!(token, Token::Word(_))
            && (is_index || ["__shared", "__sync", "__shfl", "atomic"].iter().any(|of| text.starts_with(of)))
    };
    // Before a macro's name it may be there, or the declaration has it.
    let is_hidden = |line: &str| line.trim_start().starts_with('#') && line.contains("__global__");
    if source.lines().any(is_hidden) {
        return Vec::new();
    }
    let known: BTreeSet<&str> = kernels(source).iter().map(|kernel| kernel.name).collect();
    let launched: BTreeSet<&str> = launched(source).collect();
    let of = |function: Function<'a>| {
        let is_launched = launched.contains(function.name);
        let is_kernels = is_launched || function.name != "main" && function.body.iter().any(is_devices);
        let is_known = known.contains(function.name);
        (is_kernels && !is_known).then_some(Unmarked { function, is_launched })
    };
    functions(source).into_iter().filter_map(of).collect()
}

/// What the lines `//@ launch` of a source launch.
fn launched(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter_map(|line| {
        let step = line.trim_start().strip_prefix("//@")?;
        let (name, _) = step.trim_start().strip_prefix("launch ")?.split_once("<<<")?;
        Some(name.trim())
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::explain::explained;
    use super::*;

    #[test]
    fn what_a_kernel_has_in_place_of_a_name_is_said() {
        for (words, better) in [
            ("use of undeclared identifier '__shfl_down'", "write __shfl_down_sync(0xffffffff, …)"),
            ("identifier \"__shfl_down\" is undefined", "write __shfl_down_sync(0xffffffff, …)"),
            ("use of undeclared identifier 'cudaDeviceSynchronize'", "since CUDA 12 a kernel cannot wait"),
            (
                "calling a __host__ function(\"cudaDeviceSynchronize\") from a __global__ function(\"k\") \
                 is not allowed",
                "since CUDA 12 a kernel cannot wait",
            ),
            ("use of undeclared identifier 'cooperative_groups'", "add #include <cooperative_groups.h>"),
            ("reference to __host__ variable 'N' in __global__ function", "N is a variable of the host"),
            ("unknown type name '__half'", "for __half add #include <cuda_fp16.h>"),
            (
                "calling a constexpr __host__ function(\"fmax\") from a __global__ function(\"k\") is not \
                 allowed",
                "for whole numbers write max(), not fmax()",
            ),
            (
                "identifier \"N\" is undefined in device code",
                "N is a variable of the host: write const int N",
            ),
            ("expected ')'", "C++ has no restrict: write __restrict__"),
            ("expected a \")\"", "C++ has no restrict: write __restrict__"),
        ] {
            let said = said("__global__ void k(float *restrict in)", words);
            assert!(said.starts_with(&format!("n.cu(1): error: {better}")), "{words}: {said}");
        }
    }

    #[test]
    fn a_name_without_its_header_is_told_which() {
        for (line, words, header) in [
            (
                "cg::reduce(w, x, f);",
                "no member named 'reduce' in namespace 'cooperative_groups'",
                "reduce.h",
            ),
            ("cg::reduce(w, x, f);", "namespace \"cooperative_groups\" has no member \"reduce\"", "reduce.h"),
            ("cuda::barrier<s> b;", "use of undeclared identifier 'cuda'", "cuda/barrier"),
            (
                "cuda::barrier<s> b;",
                "name followed by \"::\" must be a class or namespace name",
                "cuda/barrier",
            ),
            ("__pipeline_commit();", "use of undeclared identifier '__pipeline_commit'", "cuda_pipeline.h"),
            ("__pipeline_commit();", "identifier \"__pipeline_commit\" is undefined", "cuda_pipeline.h"),
        ] {
            let lacking = said(&format!("#include <cooperative_groups.h>\n{line}"), words);
            assert!(lacking.starts_with("n.cu(2): error: add #include <"), "{words}: {lacking}");
            assert!(lacking.contains(&format!("{header}>")), "{words}: {lacking}");
            let source = format!("#include <{header}>\n#include <cooperative_groups/{header}>\n{line}");
            assert!(!said(&source, words).contains("add #include"), "{words}");
        }
    }

    /// What is said of the last line of `source`, for which a compiler has said `words`.
    fn said(source: &str, words: &str) -> String {
        let line = source.lines().count();
        let said = explained(&format!("n.cu({line}): error: {words}\n"), "n.cu", source);
        said.trim_end().to_string()
    }

    #[test]
    fn a_launch_is_a_comment() {
        let source = "__global__ void turn(const float *in, float *out, int n) {}\n\
            turn<<<dim3(2, 2), 16>>>(a, b, 64);";
        for words in ["unknown type name 'turn'", "this declaration has no storage class or type specifier"] {
            let what = "a launch is written as a comment: //@ launch turn<<<…>>> @in @out i32:…";
            assert_eq!(said(source, words), format!("n.cu(2): error: {what}"));
        }
        assert!(said("other<<<1, 1>>>();", "unknown type name 'other'").contains("unknown type name"));
    }

    /// The types of the atomic operations that clang's header declares, with macros for most.
    fn declared() -> BTreeMap<String, BTreeSet<&'static str>> {
        let mut declared: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        // What a macro for several types declares, by its name.
        let mut several: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut defines = "";
        for line in include_str!("../../../kernels/clang/device.h").lines() {
            let (head, rest) = line.trim_start().split_once('(').unwrap_or_default();
            let words: Vec<&str> = rest.split([',', ')']).map(str::trim).collect();
            if let Some(name) = head.strip_prefix("#define ") {
                defines = name;
            } else if head == "WB_ATOMIC" && words[0] == "name" {
                several.entry(defines).or_default().push(words[2]);
            } else if head == "WB_ATOMIC" {
                declared.entry(format!("atomic{}", words[0])).or_default().insert(words[2]);
            } else if let Some(types) = several.get(head) {
                declared.entry(format!("atomic{}", words[0])).or_default().extend(types);
            } else if head == "WB_CAS" {
                declared.entry("atomicCAS".to_string()).or_default().insert(words[0]);
            } else if let Some((_, name)) = head.rsplit_once(" atomic") {
                let kind = words[0].trim_end_matches("*address").trim_end();
                declared.entry(format!("atomic{name}")).or_default().insert(kind);
            }
        }
        declared
    }

    #[test]
    fn the_types_of_atomic_operations_are_those_of_the_header() {
        let known = ATOMICS.iter().map(|(name, types)| {
            let types = types.split(" and ").flat_map(|some| some.split(", ")).collect();
            (name.to_string(), types)
        });
        assert_eq!(known.collect::<BTreeMap<_, BTreeSet<_>>>(), declared());
    }

    #[test]
    fn atomic_operations_are_said_with_their_form_or_their_types() {
        let clangs = "no matching function for call to";
        let of = |call: &str, name: &str, note: &str| said(call, &format!("{clangs} '{name}'\n{note}"));
        let address = "note: no known conversion from 'int' to 'int *' for 1st argument; take the address of \
            the argument with &";
        let form = "n.cu(1): error: atomicAdd takes an address and a value: atomicAdd(&bins[a(0, 1)], 1)";
        assert_eq!(of("atomicAdd(bins[a(0, 1)], 1);", "atomicAdd", address), form);
        let pointer = "n.cu(1): error: atomicAdd takes an address and a value: atomicAdd(total, 1)";
        assert_eq!(of("atomicAdd(*total, 1);", "atomicAdd", address), pointer);
        let count = "note: requires 2 arguments, but 1 was provided";
        assert_eq!(of("atomicAdd(&bins[a(0, 1)]);", "atomicAdd", count), form);
        assert!(of("atomicAdd(", "atomicAdd", count).ends_with("atomicAdd(&sum, 1)"));
        let kind = "note: no known conversion from 'int *' to 'unsigned int *' for 1st argument";
        let types = "n.cu(1): error: atomicInc works on unsigned int, and this is an address of int";
        assert_eq!(of("atomicInc(&n, 1);", "atomicInc", kind), types);
        let nvcc = |name: &str, types: &str| {
            let words = format!("no instance of overloaded function \"{name}\" matches the argument list");
            said(&format!("{name}(&n, 1);"), &format!("{words}\n   argument types are: ({types})"))
        };
        assert!(nvcc("atomicSub", "short *, int").contains("works on int and unsigned int, and this is"));
        assert!(nvcc("atomicCAS", "int *, int").contains("atomicCAS(&n, 0, 1)"));
        assert!(of("f(1);", "f", count).ends_with(count), "another function keeps clang's reason");
    }

    #[test]
    fn shared_memory_is_set_by_the_threads_and_has_a_constant_size() {
        let by = |declared: &str| said(declared, "initialization is not supported for __shared__ variables");
        let of = |end: &str| {
            format!("n.cu(1): error: a __shared__ variable has no initializer; {end} then __syncthreads();")
        };
        let array = "let the threads set it: if (threadIdx.x < 16) s[threadIdx.x] = 0;";
        assert_eq!(by("__shared__ int s[16] = {0};"), of(array));
        assert_eq!(by("__shared__ int t = 7;"), of("let a thread set it: if (threadIdx.x == 0) t = 7;"));
        assert_eq!(by("__shared__ int m[2][3] = {};"), of("let each thread set its elements,"));
        let clang = "n.cu(1): warning: variable length arrays in C++ are a Clang extension\n  x\n\
            n.cu(1): error: cannot use variable-length arrays in __global__ functions\n  x\n\
            n.cu(1): error: variable length array declaration cannot have 'static' storage duration\n";
        let said = explained(clang, "n.cu", "int n = p[0]; __shared__ int mine[n];");
        let what = "the size of a __shared__ array is a constant; or write extern __shared__ int mine[]; and \
            give its bytes with the launch: <<<grid, block, bytes>>>";
        assert_eq!(said, format!("n.cu(1): error: {what}\n  x\n"));
    }

    #[test]
    fn an_index_is_written_with_its_axis() {
        let three = "three parts, .x, .y and .z";
        for (line, words, end) in [
            ("p[threadIdx.X] = 1;", "no member named 'X' in 'WB_threadIdx'", "threadIdx.x: it has"),
            (
                "int i = threadIdx;",
                "no viable conversion from 'const WB_threadIdx' to 'int'",
                "threadIdx.x: it has",
            ),
            (
                "int i = blockIdx * blockDim + threadIdx;",
                "invalid operands to binary expression ('const WB_blockIdx' and 'const WB_blockDim')",
                "blockIdx.x, blockDim.x and threadIdx.x: each has",
            ),
        ] {
            assert_eq!(said(line, words), format!("n.cu(1): error: write {end} {three}"));
        }
        assert!(said("threadIdx.x = 3;", "no setter defined for property 'x'").contains("cannot be changed"));
        let of = said("f(threadIdx.x);", "'const WB_threadIdx' is no 'WB_blockDim'");
        assert_eq!(of, "n.cu(1): error: 'threadIdx' is no 'blockDim'");
    }

    #[test]
    fn an_allocation_takes_the_address_of_a_pointer() {
        let words = "no matching function for call to 'cudaMalloc'";
        let what = "cudaMalloc writes the address of the memory into a pointer: give it &d_a";
        assert_eq!(allocation(words, "cudaMalloc(d_a, bytes);").as_deref(), Some(what));
        assert_eq!(allocation(words, "cudaMalloc(&d_a);"), None);
    }

    #[test]
    fn a_kernel_without_its_word_is_named() {
        let source = "void count(int *p)\n{\n    atomicAdd(p, 1);\n}\n";
        let words = "n.cu(3): error: no matching function for call to 'atomicAdd'\n  x\n";
        let head = "n.cu(1): error: count has no __global__ before it";
        let quoted = "\nvoid count(int *p)\n";
        assert_eq!(
            explained(words, "n.cu", source),
            format!("{head}, or __device__ if a kernel calls it{quoted}")
        );
        let launched = format!("{source}//@ launch count<<<1, 32>>> @p\n");
        assert_eq!(explained(words, "n.cu", &launched), format!("{head}{quoted}"));
        assert_eq!(explained("", "n.cu", &launched), format!("{head}{quoted}"));
        for well in ["__global__ void count(int *p);\n", "#define KERNEL __global__\n"] {
            assert_eq!(explained("", "n.cu", &format!("{well}{launched}")), "");
        }
        let helper = "int square(int x) { return x * x; }\n__global__ void k(int *p) { p[0] = square(3); }";
        let words = "no matching function for call to 'square'\nn.cu(1): note: candidate function not \
            viable: call to __host__ function from __global__ function";
        let what = "square, in line 1, has no __device__ before it: a kernel cannot call it";
        assert_eq!(said(helper, words), format!("n.cu(2): error: {what}"));
    }
}
