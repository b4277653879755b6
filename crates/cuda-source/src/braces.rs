//! Where a `{` or a `}` is missing. A compiler notices at the next definition or at the end of the file; the
//! indentation tells which brace it is.

use super::lex::{Lines, Token, placed};

/// A brace too few, or too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unbalanced {
    /// Nothing closes the `{` of this line.
    Open {
        /// From 1.
        line: u32,
        /// The line where something else begins, or one behind the last: what a compiler says of that and of
        /// what follows is a consequence.
        until: u32,
    },
    /// Nothing opens what the `}` of this line closes.
    Extra {
        /// From 1.
        line: u32,
    },
}

/// An open brace.
struct Open {
    line: u32,
    indent: usize,
    /// Whether definitions stand in it: a namespace, `extern "C"`.
    is_scope: bool,
}

/// Begins a definition, where it begins a line.
const HEADS: [&str; 7] =
    ["__global__", "__device__", "__host__", "__constant__", "extern", "template", "namespace"];

/// The first brace of `source` that has no other.
pub fn unbalanced(source: &str) -> Option<Unbalanced> {
    let mut open: Vec<Open> = Vec::new();
    // A pair whose indentation differs: its `{` is probably not the one that the `}` was written for.
    let mut odd: Option<Unbalanced> = None;
    let lines = Lines::new(source);
    let mut line = 1;
    let mut indent = 0;
    let mut is_first = true;
    let mut is_directive = false;
    let mut head: Vec<Token> = Vec::new();
    let last = 1 + source.lines().count() as u32;
    for (place, token) in placed(source) {
        if token == Token::LineEnd {
            let is_continued = source[..place].trim_end_matches('\r').ends_with('\\');
            is_directive &= is_continued;
            is_first = true;
            continue;
        }
        if is_first {
            let start = source[..place].rfind('\n').map_or(0, |end| end + 1);
            line = lines.line(place);
            indent = place - start;
            is_directive |= token.is_mark("#");
        }
        let begins = std::mem::replace(&mut is_first, false);
        if is_directive {
            continue;
        }
        let is_head = begins && indent == 0 && HEADS.iter().any(|word| token.is_word(word));
        if is_head && open.iter().any(|open| !open.is_scope) {
            return Some(missing(&open, odd, line));
        }
        if token.is_mark("{") {
            let is_c =
                head.windows(2).any(|pair| pair[0].is_word("extern") && matches!(pair[1], Token::Quoted(_)));
            let is_definition = head.iter().any(|token| token.is_mark("("));
            let is_scope = !is_definition && (is_c || head.iter().any(|token| token.is_word("namespace")));
            open.push(Open { line, indent, is_scope });
        }
        if token.is_mark("}") {
            let Some(Open { line: opened, indent: left, is_scope }) = open.pop() else {
                return Some(
                    odd.filter(|odd| matches!(odd, Unbalanced::Extra { .. }))
                        .unwrap_or(Unbalanced::Extra { line }),
                );
            };
            if begins && opened != line && odd.is_none() && !is_scope {
                odd = match left.cmp(&indent) {
                    std::cmp::Ordering::Greater => Some(Unbalanced::Open { line: opened, until: last }),
                    std::cmp::Ordering::Less => Some(Unbalanced::Extra { line }),
                    std::cmp::Ordering::Equal => None,
                };
            }
            if open.iter().all(|open| open.is_scope) && !matches!(odd, Some(Unbalanced::Extra { .. })) {
                odd = None; // a definition that has its braces, however it is indented
            }
        }
        if ["{", "}", ";"].iter().any(|mark| token.is_mark(mark)) {
            head.clear();
        } else {
            head.push(token);
        }
    }
    (!open.is_empty()).then(|| missing(&open, odd, last))
}

/// The brace that is not closed where line `until` begins something else.
fn missing(open: &[Open], odd: Option<Unbalanced>, until: u32) -> Unbalanced {
    let first = open.iter().find(|open| !open.is_scope).or(open.first()).map_or(1, |open| open.line);
    let innermost = open.last().map_or(first, |open| open.line);
    let line = match odd {
        Some(Unbalanced::Open { line, .. }) if line >= first => line,
        _ => innermost,
    };
    Unbalanced::Open { line, until }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
#define BRACE {
extern \"C\" __global__ void a(int *p)
{
    for (int i = 0; i < 3; i++) {
        if (p[i]) { // }
            p[i] = '}';
        }
        p[0] = 1;
    }
}
// ANCHOR_END: a

extern \"C\" __global__ void b(int *p)
{
    p[0] = 2;
}
";

    /// What is said without line `gone`, counted from 1.
    fn without(gone: usize) -> Option<Unbalanced> {
        let mut lines: Vec<&str> = SOURCE.lines().collect();
        lines[gone - 1] = "";
        unbalanced(&lines.join("\n"))
    }

    #[test]
    fn the_line_that_opens_what_nothing_closes_is_found() {
        assert_eq!(unbalanced(SOURCE), None);
        assert_eq!(without(7), Some(Unbalanced::Open { line: 5, until: 13 }));
        assert_eq!(without(9), Some(Unbalanced::Open { line: 4, until: 13 }));
        assert_eq!(without(10), Some(Unbalanced::Open { line: 3, until: 13 }));
        assert_eq!(without(16), Some(Unbalanced::Open { line: 14, until: 16 }));
    }

    #[test]
    fn a_brace_too_many_is_found() {
        assert_eq!(without(3), Some(Unbalanced::Extra { line: 10 }));
        let more = SOURCE.replace("        p[0] = 1;", "        p[0] = 1;\n        }");
        assert_eq!(unbalanced(&more), Some(Unbalanced::Extra { line: 9 }));
        assert_eq!(unbalanced("void f() {}\n}\n"), Some(Unbalanced::Extra { line: 2 }));
    }

    #[test]
    fn scopes_and_any_indentation_are_no_mistake() {
        for source in [
            "extern \"C\" {\n__global__ void a() {\n}\n__global__ void b() {\n}\n}\n",
            "namespace lab {\ntemplate <int N> __device__ int f() { return N; }\n}\n",
            "__global__ void a()\n  {\nif (1) {\n    }\n      }\n__global__ void b() {}\n",
            "struct A { int x; };\n__global__ void b() { A a = {1}; int i[] = {1,\n2}; }\n",
        ] {
            assert_eq!(unbalanced(source), None, "{source}");
        }
    }
}
