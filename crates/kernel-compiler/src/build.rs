//! What a kernel file becomes: [`Build`], the source with its PTX and its machine code.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// How a build came to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// The committed build, made from this very source.
    #[default]
    Prebuilt,
    /// Built by the reader's compiler.
    Built,
    /// The source has been edited and there is no compiler that can build it: PTX and fatbin are those of the
    /// older source, or empty if it was never built.
    Stale,
}

/// A text that the library holds, or that was made since.
pub type Text = Cow<'static, str>;

/// Registers of a thread, by kernel. PTX has none: they are those of machine code for compute capability 9.0.
pub type Registers = Cow<'static, [(Text, u32)]>;

/// One kernel file and its build. As JSON, for the simulator, it is without the fatbin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// `ch4_nested`
    pub stem: Text,
    /// Path of the source from the repository root: `kernels/ch4_nested.cu`.
    pub source_path: Text,
    /// The source text, as it was built.
    pub source: Text,
    /// The source that this one was edited from, if that is known; else empty.
    #[serde(skip)]
    pub printed: Text,
    /// What the simulator executes.
    pub ptx: Text,
    /// The same for newer GPUs, where the source has kernels for them alone; else empty.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub newer: Text,
    /// What a GPU gets: machine code for the major architectures, device-linked where needed. Empty for the
    /// kernel of 2020, which no GPU gets, and for what clang has built.
    #[serde(skip)]
    pub fatbin: Cow<'static, [u8]>,
    /// How many registers the fatbin's kernels use; empty where there is no fatbin.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub registers: Registers,
    /// Identity of the compiled code: [`code_hash`](super::hash::code_hash). A record carries it, so a page
    /// can tell that the kernel has changed since.
    pub code_hash: Text,
    /// The compiler: `nvcc 13.0.88`; that of the kernel of 2020 is NVRTC.
    pub compiler: Text,
    /// How the build came to be.
    #[serde(skip)]
    pub state: State,
    /// The edit of the chapter's source that was built, if it was edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what_if: Option<WhatIf>,
    /// What the reader should know of, in whole lines; empty if nothing.
    #[serde(skip)]
    pub warnings: String,
}

/// A small edit of a chapter's kernels, made to see what happens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhatIf {
    /// `no-barrier`: what an option and a file name call it.
    pub name: Text,
    /// `no barrier`
    pub label: Text,
}

impl Build {
    /// Why no GPU can run it, if so.
    pub fn simulator_only(&self) -> Option<&'static str> {
        let is_clangs = self.fatbin.is_empty() && self.what_if.is_none() && self.state == State::Built;
        is_clangs.then_some("clang has built this kernel, for the simulator; a GPU needs a build by nvcc")
    }
}
