//! For which GPUs a source is compiled.

use cuda_source::lex::{Token, joined, tokens};

/// The compute capability that kernels are compiled for, 7.5: the oldest that the workbook's need.
pub const CAPABILITY: &str = "75";

/// The compute capability that `source` is compiled for unless one is asked for: 7.5, but 8.0 where it
/// reduces the values of a warp in one instruction (`__reduce_add_sync`), which older GPUs lack. A source
/// that asks for `__CUDA_ARCH__` has another way for those.
pub fn of(source: &str) -> &'static str {
    if !source.contains("__reduce_") {
        return CAPABILITY;
    }
    let source = joined(source);
    let tokens = tokens(&source);
    let reduces =
        tokens.iter().any(|token| matches!(token, Token::Word(word) if word.starts_with("__reduce_")));
    let asks = tokens.iter().any(|token| token.is_word("__CUDA_ARCH__"));
    if reduces && !asks { "80" } else { CAPABILITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reduces_a_warp_is_compiled_for_ampere_unless_it_has_another_way() {
        for (source, capability) in [
            ("int x;", "75"),
            ("x = __reduce_add_sync(~0u, x);", "80"),
            ("// __reduce_add_sync", "75"),
            ("#if __CUDA_ARCH__ >= 800\nx = __reduce_add_sync(~0u, x);\n#endif", "75"),
        ] {
            assert_eq!(of(source), capability, "{source}");
        }
    }
}
