//! The statements of a PTX text, as written. What a word means is decided by `decode/opcodes.rs`; here an
//! instruction is its opcode split at the dots, and its operands.
//!
//! PTX ISA 9.0, chapters 4 (syntax), 5 (state spaces, types, variables) and 11 (directives).

use std::sync::Arc;

use super::space::Space;
use crate::diagnostic::{Diagnostic, Kind};

/// A whole module, as written.
#[derive(Debug, Default)]
pub struct Ast<'a> {
    pub functions: Vec<FunctionAst<'a>>,
    /// `.global`, `.const` and `.shared` variables outside functions.
    pub variables: Vec<Variable>,
    /// `.file` entries: number -> path.
    pub files: Vec<(u32, Arc<str>)>,
}

#[derive(Debug)]
pub struct FunctionAst<'a> {
    pub name: &'a str,
    pub is_entry: bool,
    pub returns: Vec<Variable>,
    pub params: Vec<Variable>,
    pub bounds: Bounds,
    /// `None` for a declaration.
    pub body: Option<Vec<Statement<'a>>>,
    pub line: u32,
}

/// The launches that a kernel is compiled for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// Threads of a block: at most this many (`.maxntid`), or just these (`.reqntid`).
    pub most_threads: Option<[u32; 3]>,
    pub block: Option<[u32; 3]>,
    /// Blocks of a cluster: just these (`.reqnctapercluster`), at most so many (`.maxclusterrank`); and
    /// whether every launch has to say how many (`.explicitcluster`).
    pub cluster: Option<[u32; 3]>,
    pub most_in_cluster: Option<u32>,
    pub explicit_cluster: bool,
}

/// A declared variable or parameter.
#[derive(Clone, Debug)]
pub struct Variable {
    pub space: Space,
    pub name: String,
    /// Bytes of one element and number of elements (1 for a scalar, 0 for `name[]`).
    pub element: usize,
    pub count: usize,
    pub align: usize,
    /// The element's type as written, without the dot: `u64`.
    pub kind: String,
    pub external: bool,
    pub init: Vec<Init>,
}

impl Variable {
    pub fn bytes(&self) -> usize {
        self.element.saturating_mul(self.count)
    }
}

/// One element of an initialiser.
#[derive(Clone, Debug)]
pub enum Init {
    Number(u64),
    /// The address of a variable or function, plus an offset; made generic where it says `generic(name)`.
    Symbol {
        name: String,
        offset: i64,
        generic: bool,
    },
}

#[derive(Debug)]
pub enum Statement<'a> {
    /// `{` and `}` of a scope.
    Open,
    Close,
    /// `.reg .b32 name<count>;` or plain names.
    Registers {
        is_pred: bool,
        bytes: usize,
        names: Vec<(&'a str, Option<u32>)>,
        line: u32,
    },
    Variable(Variable),
    Label(&'a str),
    /// `.loc file line column[, function_name …, inlined_at file line column]`
    Loc {
        at: (u32, u32, u32),
        inlined_at: Option<(u32, u32, u32)>,
    },
    /// `label: .branchtargets a, b;`
    Targets {
        label: &'a str,
        targets: Vec<&'a str>,
    },
    Instruction(Instruction<'a>),
}

#[derive(Clone, Debug)]
pub struct Instruction<'a> {
    /// `@p` or `@!p`: the register, and whether it is negated.
    pub guard: Option<(&'a str, bool)>,
    /// The opcode, split at its dots: `["ld", "global", "u32"]`.
    pub words: Vec<&'a str>,
    pub operands: Vec<Operand<'a>>,
    /// Line in the PTX text, from 1.
    pub line: u32,
}

impl Instruction<'_> {
    pub fn opcode(&self) -> String {
        self.words.join(".")
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Operand<'a> {
    /// A register, label, variable or special register.
    Name(&'a str),
    /// `!p`
    Not(&'a str),
    /// A literal, as 64 bits. Floats are kept as bits, with their width.
    Int(u64),
    F32(u32),
    F64(u64),
    /// `[base+offset]`; the base is missing for an absolute address.
    Address(Option<&'a str>, i64),
    /// `a|b`
    Pair(&'a str, &'a str),
    /// `{a, b, …}`
    Vector(Vec<Operand<'a>>),
    /// `(a, b, …)` of a call.
    List(Vec<Operand<'a>>),
    /// `name+offset` outside brackets.
    Sum(&'a str, i64),
    /// An address of another kind: a texture's with its coordinates, a tensor's.
    Other,
}

/// What is wrong with a text, and where.
pub fn unreadable(file: &str, line: u32, message: impl Into<String>) -> Box<Diagnostic> {
    let help = "the simulator reads PTX as nvcc 12 and 13 write it; compile the kernel again with -ptx";
    Box::new(Diagnostic {
        file: Some(file.to_string()),
        line: Some(line),
        ..Diagnostic::new(Kind::UnsupportedInstruction, message.into(), help)
    })
}

/// Bytes of a type word (PTX ISA 5.2), predicates apart.
pub fn type_bytes(word: &str) -> Option<usize> {
    Some(match word {
        "b8" | "s8" | "u8" => 1,
        "b16" | "s16" | "u16" | "f16" | "bf16" => 2,
        "b32" | "s32" | "u32" | "f32" | "f16x2" | "bf16x2" => 4,
        "b64" | "s64" | "u64" | "f64" => 8,
        "b128" => 16,
        _ => return None,
    })
}
