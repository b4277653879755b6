//! Which variables and parameters of a source are volatile.

use crate::lex::Token;

/// The variables and parameters that a source, given as its tokens, declares `volatile`.
pub fn volatiles<'a>(tokens: &[(usize, Token<'a>)]) -> Vec<&'a str> {
    const TYPES: [&str; 8] = ["int", "unsigned", "float", "double", "char", "short", "long", "bool"];
    let ends = |token: &Token| [",", ";", ")", "=", "[", "("].iter().any(|mark| token.is_mark(mark));
    let declared = |at: usize| {
        let rest = tokens[at + 1..].iter().map(|(_, token)| *token);
        let declaration: Vec<Token> = rest.take_while(|token| !ends(token)).collect();
        match declaration[..] {
            [_, .., Token::Word(name)] if !TYPES.contains(&name) => Some(name),
            _ => None,
        }
    };
    (0..tokens.len()).filter(|at| tokens[*at].1.is_word("volatile")).filter_map(declared).collect()
}
