//! For which GPUs an answer is compiled.

use kernel_compiler::compiler::CAPABILITY;

use super::lex::{Token, joined, tokens};

/// The compute capability that an answer is compiled for: 7.5, but 8.0 where it reduces the values of a warp
/// in one instruction (`__reduce_add_sync`), which older GPUs lack.
pub fn capability(text: &str) -> &'static str {
    let reduces = |token: &Token| matches!(token, Token::Word(word) if word.starts_with("__reduce_"));
    if tokens(&joined(text)).iter().any(reduces) { "80" } else { CAPABILITY }
}
