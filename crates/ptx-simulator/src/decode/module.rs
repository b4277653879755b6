//! Statements → typed program: variables, scopes and the line table. What cannot be decoded is kept with its
//! text, and fails when its kernel is launched.

use rustc_hash::FxHashMap;

use super::flow;
use super::layout::{SharedLayout, place, place_shared, shared_variables};
use super::lines::Lines;
use super::names::{Named, Names, RegisterKind};
use super::op::*;
use super::program::*;
use super::unknown;
use super::uses;
use crate::arith::WARP;
use crate::diagnostic::{Diagnostic, Kind};
use crate::memory::shared;
use crate::ptx::{self, FunctionAst, Instruction, Space, Statement, Variable};

/// Reads and decodes a module.
pub fn decode(text: &str, name: &str) -> Result<Program, Box<Diagnostic>> {
    let ast = ptx::parse(text, name)?;
    let mut program = Program {
        name: name.to_string(),
        functions: Vec::new(),
        by_name: FxHashMap::default(),
        kernels: Vec::new(),
        globals: Vec::new(),
        watches: Vec::new(),
        has_clusters: false,
        locs: Vec::new(),
    };
    let mut by_name = FxHashMap::default();
    let bodies: Vec<&FunctionAst> = ast.functions.iter().filter(|f| f.body.is_some()).collect();
    for (number, function) in bodies.iter().enumerate() {
        by_name.insert(function.name.clone(), number);
        if function.is_entry {
            program.kernels.push(function.name.clone());
        }
    }
    let (in_shared, globals): (Vec<_>, Vec<_>) =
        ast.variables.iter().cloned().partition(|v| v.space == Space::Shared);
    program.globals = globals.into_iter().filter(|v| !v.external).collect();
    let layout = SharedLayout::new(&in_shared, &bodies);
    let mut lines = Lines::new(&ast.files);
    for function in bodies {
        let names = Names::new(function.is_entry, &by_name);
        let body =
            Body { file: name, ast: function, names, globals: &mut program.globals, lines: &mut lines };
        program.functions.push(body.decode(&layout)?);
    }
    (program.locs, program.by_name) = (lines.locs, by_name);
    share_workspace(&mut program.functions);
    watch_barriers(&mut program);
    let has_clusters = |function: &Function| {
        function.cluster.is_some()
            || function.code.iter().any(|inst| {
                matches!(inst.op, Op::ClusterArrive { .. } | Op::ClusterWait {} | Op::MapShared { .. })
            })
    };
    program.has_clusters = program.functions.iter().any(has_clusters);
    Ok(program)
}

/// Numbers the branches that decide whether a barrier is reached, and tells the barriers which they lie
/// behind.
fn watch_barriers(program: &mut Program) {
    for (of_cluster, is_barrier) in [is_block_barrier, is_cluster_barrier].into_iter().enumerate() {
        let mut has_barrier: Vec<bool> = program
            .functions
            .iter()
            .map(|function| function.code.iter().any(|inst| is_barrier(&inst.op)))
            .collect();
        let mut changed = true;
        while changed {
            changed = false;
            for number in 0..program.functions.len() {
                let calls_one = program.functions[number].calls.iter().any(|callee| has_barrier[*callee]);
                changed |= calls_one && !has_barrier[number];
                has_barrier[number] |= calls_one;
            }
        }
        for function in &mut program.functions {
            let is_barrier = |op: &Op| match op {
                Op::Call { callee: Callee::Function(callee), .. } => has_barrier[*callee],
                op => is_barrier(op),
            };
            for (pc, watch) in flow::watches(&function.code, is_barrier) {
                let number = program.watches.len() as u32;
                let inst = &mut function.code[pc as usize];
                inst.watch[of_cluster] = number;
                program.watches.push(Watched { loc: inst.loc, of_cluster: of_cluster == 1 });
                for (barriers, taken) in [(&watch.taken, true), (&watch.rest, false)] {
                    for barrier in barriers {
                        function.barrier_sites.entry(*barrier).or_default().push((number, taken));
                    }
                }
            }
        }
    }
}

/// A barrier for all threads of the block. One with a count is for this many of them, so a branch may lead
/// there.
fn is_block_barrier(op: &Op) -> bool {
    matches!(op, Op::Barrier { count, .. } if *count == NONE)
}

fn is_cluster_barrier(op: &Op) -> bool {
    matches!(op, Op::ClusterArrive { .. })
}

/// A kernel needs a grid's workspace if any function that it calls does.
fn share_workspace(functions: &mut [Function]) {
    let mut changed = true;
    while changed {
        changed = false;
        for number in 0..functions.len() {
            let called = functions[number].calls.iter().any(|&callee| functions[callee].uses_grid_workspace);
            if called && !functions[number].uses_grid_workspace {
                functions[number].uses_grid_workspace = true;
                changed = true;
            }
        }
    }
}

/// A function that is being decoded.
struct Body<'a, 'b> {
    file: &'a str,
    ast: &'a FunctionAst,
    names: Names<'a>,
    globals: &'a mut Vec<Variable>,
    lines: &'a mut Lines<'b>,
}

/// Bytes of parameters that a function can have (PTX ISA 5.1.6.1, since version 8.1).
const MOST_PARAM_BYTES: usize = 32_764;
/// Registers, and predicates, that a function can have.
const MOST_REGISTERS: usize = 1 << 16;

type Decoded<T> = Result<T, Box<Diagnostic>>;

impl Body<'_, '_> {
    fn decode(mut self, layout: &SharedLayout) -> Decoded<Function> {
        let ast = self.ast;
        let mut out = Function {
            name: ast.name.clone(),
            is_entry: ast.is_entry,
            most_threads: ast.most_threads,
            block: ast.block,
            cluster: ast.cluster,
            most_in_cluster: ast.most_in_cluster,
            explicit_cluster: ast.explicit_cluster,
            ..Function::default()
        };
        for (number, variable) in self.globals.iter().enumerate() {
            self.names.add(&variable.name, Named::Global { number });
        }
        self.shared(layout, &mut out)?;
        self.parameters(&mut out)?;
        self.find_labels();
        let end = self.statements(&mut out)?;
        // A body that runs off its end returns.
        let op = if ast.is_entry { Op::Exit {} } else { Op::Return {} };
        out.code.push(Inst { op, guard: NONE, negated: false, watch: [NONE; 2], line: ast.line, loc: end });
        let names = self.names;
        flow::set_reconvergence(&mut out.code);
        uses::set_uses(&mut out.code);
        Ok(Function {
            registers: names.registers,
            predicates: names.predicates,
            constants: names.constants.iter().map(|value| [*value; WARP]).collect(),
            places: names.places,
            uses_grid_workspace: names.uses_grid_workspace,
            calls: names.calls,
            ..out
        })
    }

    fn unreadable<T>(&self, line: u32, what: String) -> Decoded<T> {
        Err(ptx::unreadable(self.file, line, what))
    }

    /// The shared variables that the function sees.
    fn shared(&mut self, layout: &SharedLayout, out: &mut Function) -> Decoded<()> {
        let mut variables: Vec<shared::Variable> = Vec::new();
        for (function, variable) in &layout.variables {
            if function.as_ref().is_none_or(|function| *function == self.ast.name) {
                self.names.add(&variable.name, Named::Shared { address: shared::address(variables.len()) });
            }
            variables.push(variable.clone());
        }
        let mut bytes = layout.bytes;
        for variable in shared_variables(self.ast).filter(|_| self.ast.is_entry) {
            self.names.add(&variable.name, Named::Shared { address: shared::address(variables.len()) });
            variables.push(place_shared(&mut bytes, variable));
        }
        if variables.len() > shared::MOST_VARIABLES {
            let what = format!("more than {} shared variables", shared::MOST_VARIABLES);
            return self.unreadable(self.ast.line, what);
        }
        if !layout.dynamic.is_empty() {
            bytes = bytes.next_multiple_of(layout.dynamic_align);
        }
        for name in &layout.dynamic {
            self.names.add(name, Named::Shared { address: shared::DYNAMIC_ADDRESS });
        }
        (out.shared, out.shared_bytes) = (variables, bytes);
        Ok(())
    }

    /// A kernel's parameters have a space of their own; a function's, and what it returns, lie in its frame.
    fn parameters(&mut self, out: &mut Function) -> Decoded<()> {
        for param in &self.ast.params {
            let space = if self.ast.is_entry { &mut out.param_bytes } else { &mut out.frame_bytes };
            let offset = place(space, param);
            let in_frame = Named::Frame { offset, bytes: param.bytes() };
            let named = if self.ast.is_entry { Named::KernelParam { offset } } else { in_frame };
            self.names.add(&param.name, named);
            out.params.push(Param::new(param, offset));
        }
        if !self.ast.is_entry {
            out.param_bytes = out.frame_bytes;
        }
        for variable in &self.ast.returns {
            let offset = place(&mut out.frame_bytes, variable);
            self.names.add(&variable.name, Named::Frame { offset, bytes: variable.bytes() });
            out.returns = Some(Param::new(variable, offset));
        }
        if out.param_bytes.max(out.frame_bytes) > MOST_PARAM_BYTES {
            let what = format!("`{}` has more than {MOST_PARAM_BYTES} bytes of parameters", self.ast.name);
            return self.unreadable(self.ast.line, what);
        }
        Ok(())
    }

    /// A label's place is the number of instructions before it.
    fn find_labels(&mut self) {
        let mut at = 0;
        for statement in self.ast.body.iter().flatten() {
            match statement {
                Statement::Open => self.names.open(),
                Statement::Close => self.names.close(),
                Statement::Label(name) => self.names.add_label(name, at),
                Statement::Targets { label, targets } => self.names.targets.push((label, targets)),
                Statement::Instruction(_) => at += 1,
                _ => {}
            }
        }
        self.names.rewind();
    }

    /// Decodes the body; gives the source line of its last statement.
    fn statements(&mut self, out: &mut Function) -> Decoded<u32> {
        let mut loc = NONE;
        for statement in self.ast.body.iter().flatten() {
            match statement {
                Statement::Open => self.names.open(),
                Statement::Close => self.names.close(),
                Statement::Registers { is_pred, bytes, names, line } => {
                    let kind = match bytes {
                        _ if *is_pred => RegisterKind::Predicate,
                        0..=4 => RegisterKind::Narrow,
                        _ => RegisterKind::Wide,
                    };
                    for (name, count) in names {
                        self.names.declare(kind, name, *count);
                        if self.names.registers.max(self.names.predicates) > MOST_REGISTERS {
                            let what = "more than 65,536 registers in one function".to_string();
                            return self.unreadable(*line, what);
                        }
                    }
                }
                Statement::Variable(variable) => self.variable(variable, out)?,
                Statement::Loc { at, inlined_at } => match self.lines.find(*at, *inlined_at) {
                    // "No line" belongs to what stands around it.
                    NONE => {}
                    line => loc = line,
                },
                Statement::Label(_) | Statement::Targets { .. } | Statement::Prototype => {}
                Statement::Instruction(instruction) => {
                    let decoded = self.instruction(instruction, loc, out);
                    out.code.push(decoded);
                }
            }
        }
        Ok(loc)
    }

    fn variable(&mut self, variable: &Variable, out: &mut Function) -> Decoded<()> {
        let named = match variable.space {
            Space::Local => Named::Local { offset: place(&mut out.local_bytes, variable) as u64 },
            Space::Param => {
                let offset = place(&mut out.frame_bytes, variable);
                if out.frame_bytes > 64 * MOST_PARAM_BYTES {
                    let what = format!("the calls in `{}` have too many bytes of parameters", self.ast.name);
                    return self.unreadable(self.ast.line, what);
                }
                Named::Frame { offset, bytes: variable.bytes() }
            }
            Space::Shared => return Ok(()), // placed before the body was read
            _ => {
                self.globals.push(variable.clone());
                Named::Global { number: self.globals.len() - 1 }
            }
        };
        self.names.add(&variable.name, named);
        Ok(())
    }

    fn instruction(&mut self, instruction: &Instruction, loc: u32, out: &mut Function) -> Inst {
        let guard = match &instruction.guard {
            None => Some((NONE, false)),
            Some((name, negated)) => self.names.predicate(name).map(|p| (p, *negated)),
        };
        self.names.because = None;
        let line = instruction.line;
        let decoded = guard.zip(self.names.operation(instruction));
        let ((guard, negated), op) = decoded.unwrap_or_else(|| {
            out.unsupported.get_or_insert_with(|| {
                let place = self.lines.locs.get(loc as usize);
                let message = unknown::message(&instruction.opcode(), line, self.file)
                    + &self.names.because.take().unwrap_or_default();
                let help = "run this kernel on a GPU, or write this line another way";
                Diagnostic {
                    kernel: Some(self.ast.name.clone()),
                    file: Some(place.map_or(self.file.to_string(), |p| p.file.to_string())),
                    line: Some(place.map_or(line, |p| p.line)),
                    ..Diagnostic::new(Kind::UnsupportedInstruction, message, help)
                }
            });
            ((NONE, false), Op::Unsupported { opcode: instruction.opcode().into() })
        });
        Inst { op, guard, negated, watch: [NONE; 2], line, loc }
    }
}
