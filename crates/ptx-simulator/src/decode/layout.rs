//! Where variables lie: the places of parameters and of shared variables.

use crate::memory::shared;
use crate::ptx::{FunctionAst, Space, Statement, Variable};

/// Where shared variables lie: first those of the module and of device functions, which are at the same place
/// for every kernel, then a kernel's own, then the dynamic ones, which all start at one place.
pub struct SharedLayout {
    /// The static ones, each with the function that declares it, if it is not the module.
    pub variables: Vec<(Option<String>, shared::Variable)>,
    pub bytes: usize,
    pub dynamic: Vec<String>,
    pub dynamic_align: usize,
}

impl SharedLayout {
    pub fn new(module: &[Variable], bodies: &[&FunctionAst]) -> SharedLayout {
        let mut layout =
            SharedLayout { variables: Vec::new(), bytes: 0, dynamic: Vec::new(), dynamic_align: 16 };
        for variable in module {
            if variable.external {
                layout.dynamic.push(variable.name.clone());
                layout.dynamic_align = layout.dynamic_align.max(variable.align);
            } else {
                let placed = place_shared(&mut layout.bytes, variable);
                layout.variables.push((None, placed));
            }
        }
        for function in bodies.iter().filter(|f| !f.is_entry) {
            for variable in shared_variables(function) {
                let placed = place_shared(&mut layout.bytes, variable);
                layout.variables.push((Some(function.name.to_string()), placed));
            }
        }
        layout
    }
}

/// Places a shared variable behind `offset`.
pub fn place_shared(offset: &mut usize, variable: &Variable) -> shared::Variable {
    let start = place(offset, variable);
    shared::Variable { name: variable.name.clone(), start, bytes: variable.bytes() }
}

/// The shared variables that a function declares itself.
pub fn shared_variables<'a>(function: &'a FunctionAst) -> impl Iterator<Item = &'a Variable> {
    function.body.iter().flatten().filter_map(|statement| match statement {
        Statement::Variable(variable) if variable.space == Space::Shared => Some(variable),
        _ => None,
    })
}

/// Places `variable` behind `offset`, aligned; returns where it starts.
pub fn place(offset: &mut usize, variable: &Variable) -> usize {
    let start = offset.next_multiple_of(variable.align.max(1));
    *offset = start + variable.bytes();
    start
}
