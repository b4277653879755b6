//! Answers that subtract two `int`s to see which is larger. The difference may not fit an `int`; C++ leaves
//! undefined what it is then ([expr.pre]), and a compiler that makes a comparison of it gives the right
//! result by luck. So such an answer is compiled once more, with differences that wrap as the machine's do.

use super::plan::Plan;
use cuda_source::lex::{Token, joined, placed};

/// A difference of `int`s that wraps: `a - b` becomes `a - wrapping::minus - b`, which binds as it did. All
/// other differences are what they were.
const MINUS: &str = "namespace wrapping {
struct Minus {};
template <class A> struct Left { A value; };
template <class A> __host__ __device__ constexpr Left<A> operator-(A value, Minus) { return {value}; }
template <class A, class B> __host__ __device__ constexpr auto difference(A a, B b) { return a - b; }
__host__ __device__ constexpr int difference(int a, int b) { return (int)((unsigned)a - (unsigned)b); }
template <class A, class B> __host__ __device__ constexpr auto operator-(Left<A> a, B b)
{
    return difference(a.value, b);
}
}
";
const INSERTED: &str = " wrapping::Minus() -";

/// What CUDA says of threads and blocks, in numbers without a sign.
const UNSIGNED: [&str; 4] = ["threadIdx", "blockIdx", "blockDim", "gridDim"];
/// Words that a number may follow, and that are none.
const OPERATORS: [&str; 3] = ["return", "case", "else"];

/// An answer with differences that wrap.
pub struct Wrapping {
    /// The whole file.
    pub text: String,
    /// The first line that subtracts what may be two `int`s.
    pub line: String,
}

/// An answer with differences that wrap, where that may give another result.
pub fn wrapped(plan: &Plan, text: &str) -> Option<Wrapping> {
    if plan.op.compares() { wrapping(text) } else { None }
}

/// `text`, an answer in CUDA C++, with differences that wrap; `None` if it subtracts no two `int`s.
pub fn wrapping(text: &str) -> Option<Wrapping> {
    let text = joined(text);
    let placed = placed(&text);
    let tokens: Vec<Token> = placed.iter().map(|(_, token)| *token).collect();
    let found: Vec<usize> = (0..tokens.len()).filter(|&at| is_signed_difference(&tokens, at)).collect();
    let first = placed[*found.first()?].0;
    let mut wrapping = text.clone();
    for at in found.iter().rev() {
        wrapping.insert_str(placed[*at].0 + 1, INSERTED);
    }
    let start = text[..first].rfind('\n').map_or(0, |end| end + 1);
    let line = text[start..].lines().next().unwrap_or_default().trim().to_string();
    Some(Wrapping { text: format!("{MINUS}{wrapping}"), line })
}

/// Whether the token at `at` subtracts what may be two `int`s, as far as names tell. One operand that is
/// unsigned makes the difference so, and numbers that are written out are small.
fn is_signed_difference(tokens: &[Token], at: usize) -> bool {
    let Some((before, [_, behind @ ..])) = tokens.split_at_checked(at) else { return false };
    let is_directive = before
        .rsplit(|token| *token == Token::LineEnd)
        .next()
        .is_some_and(|line| line.first().is_some_and(|first| first.is_mark("#") || first.is_mark("%")));
    if !tokens[at].is_mark("-") || is_directive {
        return false;
    }
    let before: Vec<Token> = before.iter().filter(|token| **token != Token::LineEnd).copied().collect();
    let mut behind = behind.iter().filter(|token| **token != Token::LineEnd);
    let left = match before[..] {
        [.., Token::Word(of), dot, Token::Word(_)] if dot.is_mark(".") => !UNSIGNED.contains(&of),
        [.., Token::Word(name)] => !OPERATORS.contains(&name) && !is_unsigned(tokens, name),
        [.., last] => last.is_mark(")") || last.is_mark("]"),
        [] => false,
    };
    let right = match (behind.next(), behind.next()) {
        (Some(Token::Number(_)), _) => false,
        (Some(Token::Word(name)), next) => {
            let is_array = next.is_some_and(|next| next.is_mark("["));
            !UNSIGNED.contains(name) && (is_array || !is_unsigned(tokens, name))
        }
        (Some(open), Some(Token::Word(name))) if open.is_mark("(") => *name != "unsigned",
        _ => true,
    };
    left && right
}

/// Whether `name` is declared as `unsigned`, `unsigned int` or `size_t`.
fn is_unsigned(tokens: &[Token], name: &str) -> bool {
    let types = |token: &Token| token.is_word("unsigned") || token.is_word("size_t");
    tokens.windows(3).any(|three| {
        let is_it = three[2].is_word(name);
        is_it && (types(&three[1]) || types(&three[0]) && three[1].is_word("int"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subtracts(text: &str) -> bool {
        wrapping(text).is_some()
    }

    #[test]
    fn differences_of_ints_are_found_and_others_are_left_alone() {
        for text in [
            "if (b - a > 0)",
            "return b - a > 0 ? b : a;",
            "int d = g_data[tid + stride] - g_data[tid];",
            "int d = x\n - // less\n y;",
            "(a) - (b)",
            "unsigned int i; int d = a - values[i];",
        ] {
            assert!(subtracts(text), "{text}");
        }
        for text in [
            "unsigned int size, first = blockIdx.x; int count = min(blockDim.x, size - first);",
            "unsigned int size; size - first > 0;",
            "x = -y; return -1; f(a, -b); i--; p->q; x -= y;",
            "gridDim.x - 1; n - 1; 5 - n; blockDim.x - n; n - blockDim.x",
            "(unsigned int)a[0] - (unsigned int)a[1]",
            "#if A - B\n#endif\n// a - b\n\"a - b\"",
        ] {
            assert!(!subtracts(text), "{text}");
        }
        let found = wrapping("int x;\n  if (b - a > 0) // larger\n").unwrap();
        assert_eq!(found.line, "if (b - a > 0) // larger");
        assert!(
            found.text.ends_with("int x;\n  if (b - wrapping::Minus() - a > 0) // larger\n"),
            "{}",
            found.text
        );
    }
}
