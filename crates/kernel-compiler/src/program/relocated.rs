//! Objects that are passed by value. Device mode passes every object as its bytes, whatever its copy
//! constructor does, and the caller destroys the original. With `trivial_abi` the function that is called
//! destroys what it was given, so that each object is destroyed once (clang's documentation of the
//! attribute).

use super::edits::Edit;
use cuda_source::lex::{Token, placed};

const MOVED: &str = " __attribute__((trivial_abi))";

/// The edits that make the objects of all classes that `text` defines be moved as their bytes. clang leaves
/// out those that cannot be: a class with virtual functions, or with a member that cannot be moved so.
pub fn moved_as_bytes(text: &str) -> Vec<Edit> {
    let tokens: Vec<(usize, Token)> =
        placed(text).into_iter().filter(|(_, token)| *token != Token::LineEnd).collect();
    let is_class = |token: &Token| token.is_word("class") || token.is_word("struct");
    let heads = (0..tokens.len()).filter(|index| {
        let is_enumeration = *index > 0 && tokens[index - 1].1.is_word("enum");
        is_class(&tokens[*index].1) && !is_enumeration && is_definition(&tokens[index + 1..])
    });
    heads.map(|index| Edit::insert(tokens[index].0 + tokens[index].1.text().len(), MOVED)).collect()
}

/// Whether what follows `class` is the head of a definition: names and template arguments before `{` or `:`.
fn is_definition(tokens: &[(usize, Token)]) -> bool {
    let mut nested = 0;
    let mut rest = tokens.iter().map(|(_, token)| token).peekable();
    while let Some(token) = rest.next() {
        match token {
            Token::Mark("<" | "(" | "[") => nested += 1,
            Token::Mark(">" | ")" | "]") if nested == 0 => return false,
            Token::Mark(">" | ")" | "]") => nested -= 1,
            Token::Mark(":") if rest.next_if(|next| next.is_mark(":")).is_some() => {}
            Token::Mark("{" | ":") if nested == 0 => return true,
            Token::Mark(_) if nested == 0 => return false,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::edits::edited;

    #[test]
    fn classes_are_moved_as_bytes_where_they_are_defined() {
        for (text, moved) in [
            ("struct A { int n; };", "struct@ A { int n; };"),
            (
                "template <class T> class B final : public A<T> {};",
                "template <class T> class@ B final : public A<T> {};",
            ),
            ("template <> struct C<int (&)[2], 3>\n{};", "template <> struct@ C<int (&)[2], 3>\n{};"),
            ("class VISIBLE a::D { class E { }; };", "class@ VISIBLE a::D { class@ E { }; };"),
            ("class F; struct F f(struct F *g); enum class G : int { one };", ""),
            ("template <template <class> class H, class = int> void f();\nstruct F *g = {};", ""),
        ] {
            let expected = if moved.is_empty() { text.to_owned() } else { moved.replace('@', MOVED) };
            assert_eq!(edited(text, moved_as_bytes(text)), expected);
        }
    }
}
