//! What of a program's text clang does not take in device mode, said otherwise on the same lines.

use super::edits::{Edit, blank};
use cuda_source::lex::{Token, placed};

/// A launch whose marks have blanks between them: `k<< <1, 1>> >()`, as web pages print it.
pub fn spaced_launches(text: &str) -> Vec<Edit> {
    let tokens = placed(text);
    let mut edits = Vec::new();
    let mut is_open = false;
    let mut at = 0;
    while at + 2 < tokens.len() {
        let is_three = |mark: &str| tokens[at..at + 3].iter().all(|(_, token)| token.is_mark(mark));
        let is_launch = !is_open && is_three("<");
        let is_end =
            is_open && is_three(">") && tokens.get(at + 3).is_some_and(|(_, next)| next.is_mark("("));
        if !is_launch && !is_end {
            at += 1;
            continue;
        }
        let whole = tokens[at].0..tokens[at + 2].0 + 1;
        if whole.len() > 3 {
            edits.push(Edit::replace(whole, if is_launch { "<<<" } else { ">>>" }));
        }
        is_open = is_launch;
        at += 3;
    }
    edits
}

/// What ends the pragma by which functions are for both sides, and what begins it again.
const END: &str = "_Pragma(\"clang force_cuda_host_device end\") ";
const BEGIN: &str = " _Pragma(\"clang force_cuda_host_device begin\")";

/// The edits for the pass in which all code is the device's: a kernel is for no side, and nothing is thrown
/// or caught.
pub fn for_device(text: &str) -> Vec<Edit> {
    let tokens = placed(text);
    let mut edits = Vec::new();
    let mut behind = 0;
    for (index, (place, token)) in tokens.iter().enumerate() {
        if *place < behind {
            continue;
        }
        match token {
            Token::Word("__global__") if !is_in_directive(&tokens, index) => {
                if let Some(end) = end_of_declaration(&tokens, index) {
                    edits.push(Edit::insert(*place, END));
                    edits.push(Edit::insert(end, BEGIN));
                }
            }
            Token::Word("throw") => edits.extend(thrown(&tokens, index)),
            Token::Word("try") if is_mark(&tokens, index + 1, "{") => {
                edits.push(Edit::replace(*place..place + 3, "   "));
            }
            Token::Word("catch") => {
                if let Some(end) = end_of_declaration(&tokens, index) {
                    edits.push(Edit::replace(*place..end, blank(&text[*place..end])));
                    behind = end;
                }
            }
            _ => {}
        }
    }
    edits
}

/// The edit of a `throw`; none of an exception specification, `throw()`.
fn thrown(tokens: &[(usize, Token)], index: usize) -> Option<Edit> {
    let range = tokens[index].0..tokens[index].0 + "throw".len();
    if is_mark(tokens, index + 1, ";") {
        return Some(Edit::replace(range, "wb::thrown_again()"));
    }
    let is_specification = is_mark(tokens, index + 1, "(") && is_mark(tokens, index + 2, ")");
    (!is_specification).then(|| Edit::replace(range, "wb::thrown() ="))
}

fn is_mark(tokens: &[(usize, Token)], index: usize, mark: &str) -> bool {
    tokens.get(index).is_some_and(|(_, token)| token.is_mark(mark))
}

/// Whether a token is part of `#define` and the like, which may go on behind a backslash.
fn is_in_directive(tokens: &[(usize, Token)], index: usize) -> bool {
    let mut first = index;
    while first > 0 {
        let is_line_end = tokens[first - 1].1 == Token::LineEnd;
        let is_continued = first > 1 && tokens[first - 2].1.is_mark("\\");
        if is_line_end && !is_continued {
            break;
        }
        first -= 1;
    }
    tokens[first].1.is_mark("#")
}

/// Where the declaration that begins at a token ends: behind its `;`, or behind its body.
fn end_of_declaration(tokens: &[(usize, Token)], index: usize) -> Option<usize> {
    let mut parentheses = 0;
    let mut braces = 0;
    for (place, token) in &tokens[index..] {
        let Token::Mark(mark) = token else { continue };
        match *mark {
            "(" => parentheses += 1,
            ")" => parentheses -= 1,
            "{" => braces += 1,
            "}" => {
                braces -= 1;
                if braces == 0 && parentheses == 0 {
                    return Some(place + 1);
                }
            }
            ";" if parentheses == 0 && braces == 0 => return Some(place + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::edits::edited;
    use super::*;

    fn device(text: &str) -> String {
        edited(text, for_device(text))
    }

    #[test]
    fn a_launch_may_have_blanks_in_its_marks() {
        let said = |text: &str| edited(text, spaced_launches(text));
        assert_eq!(said("k<< <1, f(2)>> >(a);"), "k<<<1, f(2)>>>(a);");
        assert_eq!(said("k < < < 1, 2 > > > (a);"), "k <<< 1, 2 >>> (a);");
        for same in ["k<<<1, 1>>>(a);", "cout << 1 << 2;", "vector<vector<vector<int> > > (n);"] {
            assert_eq!(said(same), same);
        }
    }

    #[test]
    fn a_kernel_is_for_no_side() {
        let expected = |kernel: &str| format!("{END}{kernel}{BEGIN}");
        for kernel in ["__global__ void k(int *p);", "__global__ void k(int *p)\n{\n  if (p) { }\n}"] {
            assert_eq!(device(kernel), expected(kernel));
            assert_eq!(device(kernel).lines().count(), kernel.lines().count());
        }
        for same in ["#define KERNEL \\\n  __global__ void", "// __global__ void k();"] {
            assert_eq!(device(same), same);
        }
    }

    #[test]
    fn a_throw_ends_the_program_and_nothing_is_caught() {
        for (text, expected) in [
            ("if (x) throw Error(\"e\");", "if (x) wb::thrown() = Error(\"e\");"),
            ("throw;", "wb::thrown_again();"),
            ("void f() throw();", "void f() throw();"),
            ("try { f(); }\ncatch (E &e) {\n  g();\n}\nh();", "    { f(); }\n \n \n \nh();"),
            ("#define TRY(x) try { x; } \\\n catch (...) { \\\n }", "#define TRY(x)     { x; } \\\n  \\\n "),
        ] {
            assert_eq!(device(text), expected);
        }
    }
}
