//! Parameters whose address a function takes: such a parameter lies on the stack, and the function's own copy
//! of it is read by `ld.local` and written by `st.local` (PTX ISA 5.1.6.3, "Device Function Parameters").

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::ptx::{FunctionAst, Instruction, Operand, Statement, Variable};

/// The name that the parameter has in the frame; its own is that of the copy.
pub fn in_frame(param: &str) -> String {
    format!("[{param}]")
}

/// The register by which they are copied.
pub const REGISTER: &str = "[copied]";

/// The parameters of a function whose addresses it takes.
pub struct Addressed<'a> {
    params: Vec<&'a Variable>,
    names: BTreeSet<&'a str>,
}

impl<'a> Addressed<'a> {
    /// Those of `function`. A kernel's have a space of their own.
    pub fn of(function: &'a FunctionAst) -> Addressed<'a> {
        let taken: BTreeSet<&str> = function.body.iter().flatten().filter_map(taken).collect();
        let is_taken = |param: &&Variable| !function.is_entry && taken.contains(&*param.name);
        let params: Vec<&Variable> = function.params.iter().filter(is_taken).collect();
        Addressed { names: params.iter().map(|param| &*param.name).collect(), params }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.params.is_empty()
    }

    /// Whether a parameter is one of them.
    pub fn contains(&self, param: &str) -> bool {
        self.names.contains(param)
    }

    /// The instructions that copy them to the stack.
    pub fn copies(&self) -> impl Iterator<Item = Copy> {
        self.params.iter().flat_map(|param| {
            let width = param.align.clamp(1, 8);
            (0..param.bytes()).step_by(width).map(move |offset| Copy {
                from: in_frame(&param.name),
                to: param.name.to_string(),
                offset: offset as i64,
                bits: 8 * width,
            })
        })
    }

    /// `instruction`, which reads such a parameter from its copy.
    pub fn redirected<'i, 'n>(&self, instruction: &'i Instruction<'n>) -> Cow<'i, Instruction<'n>> {
        let of_copy = match instruction.operands.get(1) {
            Some(Operand::Address(Some(name), _)) => self.contains(name),
            _ => false,
        };
        if !of_copy || !instruction.words.starts_with(&["ld", "param"]) {
            return Cow::Borrowed(instruction);
        }
        let mut read = instruction.clone();
        read.words[1] = "local";
        Cow::Owned(read)
    }
}

/// The variable whose address a statement takes.
fn taken<'a>(statement: &'a Statement) -> Option<&'a str> {
    let Statement::Instruction(Instruction { words, operands, .. }) = statement else { return None };
    match operands.get(1)? {
        Operand::Name(name) | Operand::Sum(name, _) if words[0] == "mov" => Some(name),
        _ => None,
    }
}

/// The copy of some bytes of a parameter.
pub struct Copy {
    from: String,
    to: String,
    offset: i64,
    bits: usize,
}

impl Copy {
    /// What it takes, in the function that begins at a line of the PTX.
    pub fn instructions(&self, line: u32, give: impl FnMut(Instruction)) {
        let ty = ["b8", "b16", "b32", "b64"][self.bits.trailing_zeros() as usize - 3];
        let register = Operand::Name(REGISTER);
        let from = Operand::Address(Some(&self.from), self.offset);
        let to = Operand::Address(Some(&self.to), self.offset);
        let load = (vec!["ld", "param", ty], vec![register.clone(), from]);
        let store = (vec!["st", "local", ty], vec![to, register]);
        [load, store]
            .map(|(words, operands)| Instruction { guard: None, words, operands, line })
            .into_iter()
            .for_each(give);
    }
}
