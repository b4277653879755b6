//! Arrays of dynamic shared memory that lie on each other: all of a kernel's begin at the same byte (CUDA C++
//! Programming Guide, "`__shared__`").

use std::ops::Range;

use super::functions::device_functions;
use super::lex::{Lines, Token, placed};

/// A declaration such as `extern __shared__ float tile[];`.
struct Declared<'a> {
    name: &'a str,
    line: u32,
    /// Where its tokens stand among those of the source.
    at: Range<usize>,
}

/// Two arrays that a function uses though they begin at the same byte, with the line of the later one.
pub fn overlaid(source: &str) -> Vec<(u32, [&str; 2])> {
    let lines = Lines::new(source);
    let all: Vec<(usize, Token)> =
        placed(source).into_iter().filter(|(_, token)| *token != Token::LineEnd).collect();
    let declared = declared(&all, &lines);
    if declared.len() < 2 {
        return Vec::new();
    }
    let functions = device_functions(source);
    let is_in = |line: u32, (first, last): (u32, u32)| (first..=last).contains(&line);
    let mut found = Vec::new();
    for function in &functions {
        let is_known = |one: &&Declared| {
            let is_outside = functions.iter().all(|other| !is_in(one.line, other.lines));
            is_outside || is_in(one.line, function.lines)
        };
        let is_used = |one: &&Declared| {
            let uses = all.iter().enumerate().filter(|(_, (_, token))| token.is_word(one.name));
            let mut uses = uses.filter(|(at, _)| !declared.iter().any(|other| other.at.contains(at)));
            uses.any(|(_, (place, _))| is_in(lines.line(*place), function.lines))
        };
        let mut used: Vec<&Declared> = Vec::new();
        for one in declared.iter().filter(is_known).filter(is_used) {
            if used.iter().all(|known| known.name != one.name) {
                used.push(one);
            }
        }
        found.extend(used.windows(2).map(|two| (two[1].line, [two[0].name, two[1].name])));
    }
    found.dedup();
    found
}

/// The declarations of arrays of dynamic shared memory.
fn declared<'a>(all: &[(usize, Token<'a>)], lines: &Lines) -> Vec<Declared<'a>> {
    let starts = all.windows(2).enumerate().filter_map(|(at, two)| {
        let [(place, first), (_, second)] = two else { return None };
        (first.is_word("extern") && second.is_word("__shared__")).then_some((at, *place))
    });
    let read = starts.filter_map(|(start, place)| {
        let end = start + all[start..].iter().position(|(_, token)| token.is_mark(";"))?;
        let bracket = all[start..end].iter().position(|(_, token)| token.is_mark("["))?;
        let (_, Token::Word(name)) = all[start + bracket - 1] else { return None };
        Some(Declared { name, line: lines.line(place), at: start..end })
    });
    read.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_arrays_that_a_kernel_uses_begin_at_the_same_byte() {
        let source = "__global__ void k(int *a)\n{\n    extern __shared__ int keys[];\n    extern __shared__ \
                      __align__(16) float w[];\n    keys[0] = a[0];\n    w[0] = 1;\n}\n";
        assert_eq!(overlaid(source), [(4, ["keys", "w"])]);
        let outside = "extern __shared__ int keys[];\nextern __shared__ float w[];\n\
                       __global__ void k(int *a) { keys[0] = a[0]; w[0] = 1; }\n";
        assert_eq!(overlaid(outside), [(2, ["keys", "w"])]);
    }

    #[test]
    fn one_array_for_each_kernel_or_type_is_fine() {
        for source in [
            "extern __shared__ int keys[];\nextern __shared__ float w[];\n\
             __global__ void k(int *a) { keys[0] = a[0]; }\n__global__ void l(int *a) { w[0] = a[0]; }\n",
            "template <class T> struct Shared { __device__ T *at(); };\n\
             template <> struct Shared<int>\n\
             { __device__ int *at() { extern __shared__ int i[]; return i; } };\n\
             template <> struct Shared<float>\n\
             { __device__ float *at() { extern __shared__ float f[]; return f; } };\n",
            "__global__ void k(int *a)\n{\n    extern __shared__ int all[];\n    int *keys = all;\n    \
             float *w = (float *)&all[32];\n    keys[0] = w[0];\n}\n",
            "__global__ void k() { extern __shared__ int all[]; all[0] = 1; }\n\
             __global__ void l() { extern __shared__ int all[]; all[0] = 1; }\n",
        ] {
            assert_eq!(overlaid(source), [], "{source}");
        }
    }
}
