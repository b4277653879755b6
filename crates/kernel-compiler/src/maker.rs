//! Whose compiler it is.

/// Whose compiler is wanted, where it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// NVIDIA's nvcc.
    Nvcc,
    /// LLVM's clang.
    Clang,
}

impl Maker {
    /// As commands and messages have it.
    pub fn name(self) -> &'static str {
        match self {
            Maker::Nvcc => "nvcc",
            Maker::Clang => "clang",
        }
    }
}

impl std::str::FromStr for Maker {
    type Err = String;

    fn from_str(text: &str) -> Result<Maker, String> {
        let known = [Maker::Nvcc, Maker::Clang].into_iter().find(|maker| maker.name() == text);
        known.ok_or("it is nvcc or clang".into())
    }
}
