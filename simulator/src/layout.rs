//! Where things stand: the line table, and the places of parameters and of shared variables.

use rustc_hash::FxHashMap;
use std::sync::Arc;

use super::program::{Loc, NONE};
use super::ptx::{FunctionAst, Space, Statement, Variable};
use super::shared;

/// Where shared variables lie: first those of the module and of device functions, which are at the same place for every
/// kernel, then a kernel's own, then the dynamic ones, which all start at one place.
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
                layout.variables.push((Some(function.name.clone()), placed));
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
pub fn shared_variables(function: &FunctionAst) -> impl Iterator<Item = &Variable> {
    function.body.iter().flatten().filter_map(|statement| match statement {
        Statement::Variable(variable) if variable.space == Space::Shared => Some(variable),
        _ => None,
    })
}

/// The line table. A line of a header that was inlined is followed to the reader's own line.
pub struct Lines<'a> {
    files: &'a FxHashMap<u32, String>,
    paths: FxHashMap<u32, Arc<str>>,
    inlined: FxHashMap<(u32, u32, u32), (u32, u32, u32)>,
    index: FxHashMap<Loc, u32>,
    pub locs: Vec<Loc>,
}

impl<'a> Lines<'a> {
    pub fn new(files: &'a FxHashMap<u32, String>) -> Lines<'a> {
        Lines {
            files,
            paths: FxHashMap::default(),
            inlined: FxHashMap::default(),
            index: FxHashMap::default(),
            locs: Vec::new(),
        }
    }

    fn is_header(&self, file: u32) -> bool {
        self.files.get(&file).is_some_and(|path| path.contains("include/"))
    }

    /// The index for a `.loc`, or [`NONE`] where it says "no line".
    pub fn find(&mut self, at: (u32, u32, u32), inlined_at: Option<(u32, u32, u32)>) -> u32 {
        match inlined_at {
            Some(outer) => self.inlined.insert(at, outer),
            None => self.inlined.remove(&at),
        };
        let (mut at, mut steps) = (at, 0);
        while self.is_header(at.0) && steps < 64 {
            let Some(outer) = self.inlined.get(&at) else { break };
            at = *outer;
            steps += 1;
        }
        if at.1 == 0 {
            return NONE;
        }
        let path = self.paths.entry(at.0).or_insert_with(|| {
            self.files.get(&at.0).map_or_else(|| format!("file {}", at.0).into(), |path| path.as_str().into())
        });
        let loc = Loc { file: path.clone(), line: at.1 };
        *self.index.entry(loc.clone()).or_insert_with(|| {
            self.locs.push(loc);
            self.locs.len() as u32 - 1
        })
    }
}

/// Places `variable` behind `offset`, aligned; returns where it starts.
pub fn place(offset: &mut usize, variable: &Variable) -> usize {
    let start = offset.next_multiple_of(variable.align.max(1));
    *offset = start + variable.bytes();
    start
}
