//! Statements → typed program: variables, scopes and the line table. What cannot be decoded is kept with its
//! text, and fails when its kernel is launched.

use std::cell::RefCell;

use super::active_mask::active_masks;
use super::addressed::{self, Addressed};
use super::exchange::Common;
use super::flow;
use super::lines::Lines;
use super::modifiers::Modifiers;
use super::names::{Names, RegisterKind};
use super::op::*;
use super::program::*;
use super::unknown;
use super::updates;
use super::uses;
use crate::arith::WARP;
use crate::diagnostic::{Diagnostic, Kind};
use crate::memory::shared;
use crate::ptx::{self, FunctionAst, Instruction, Space, Statement, Variable};

/// Reads and decodes a module.
pub fn decode(text: &str, name: &str) -> Result<Program, Box<Diagnostic>> {
    let ast = ptx::parse(text, name)?;
    let mut program = Program { name: name.to_string(), ..Program::default() };
    let bodies: Vec<&FunctionAst> = ast.functions.iter().filter(|f| f.body.is_some()).collect();
    for (number, function) in bodies.iter().enumerate() {
        program.by_name.insert(function.name.to_string(), number);
        if function.is_entry {
            program.kernels.push(function.name.to_string());
        }
    }
    let (in_shared, globals): (Vec<_>, Vec<_>) =
        ast.variables.iter().cloned().partition(|v| v.space == Space::Shared);
    program.globals = globals.into_iter().filter(|v| !v.external).collect();
    let mut lines = Lines::new(&ast.files);
    let declared = ast.functions.iter().map(|function| function.name).collect();
    let externals = RefCell::default();
    for &ast in &bodies {
        let out = Function {
            name: ast.name.to_string(),
            is_entry: ast.is_entry,
            bounds: ast.bounds,
            ..Function::default()
        };
        let names = Names::new(out, &program.by_name, (&declared, &externals));
        let body = Body { file: name, ast, names, globals: &mut program.globals, lines: &mut lines };
        program.functions.push(body.decode(&in_shared, &bodies)?);
    }
    program.locs = lines.locs;
    program.externals = externals.into_inner();
    // A kernel needs a grid's workspace if any function that it calls does.
    let workspace = reaching(&program.functions, |function| function.uses_grid_workspace);
    for (function, uses) in program.functions.iter_mut().zip(workspace) {
        function.uses_grid_workspace = uses;
    }
    watch_barriers(&mut program);
    program.has_clusters = program.functions.iter().any(|function| {
        let of_cluster =
            |op: &Op| matches!(op, Op::ClusterArrive { .. } | Op::ClusterWait {} | Op::MapShared { .. });
        function.bounds.cluster.is_some() || function.code.iter().any(|inst| of_cluster(&inst.op))
    });
    Ok(program)
}

/// For each function, whether `is` holds for it or for a function that it calls, directly or through others.
fn reaching(functions: &[Function], is: impl Fn(&Function) -> bool) -> Vec<bool> {
    let mut all: Vec<bool> = functions.iter().map(is).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (number, function) in functions.iter().enumerate() {
            if !all[number] && function.calls.iter().any(|callee| all[*callee]) {
                all[number] = true;
                changed = true;
            }
        }
    }
    all
}

/// Numbers the branches that decide whether a barrier is reached, and notes for each barrier behind which of
/// them it lies.
fn watch_barriers(program: &mut Program) {
    let of_block: (bool, fn(&Op) -> bool) = (false, is_block_barrier);
    for (of_cluster, is_barrier) in [of_block, (true, is_cluster_barrier)] {
        let has_barrier =
            reaching(&program.functions, |function| function.code.iter().any(|inst| is_barrier(&inst.op)));
        for function in &mut program.functions {
            let is_barrier = |op: &Op| match op {
                Op::Call { callee: Callee::Function(callee), .. } => has_barrier[*callee],
                op => is_barrier(op),
            };
            for (pc, [taken, rest]) in flow::watches(&function.code, is_barrier) {
                let number = program.watches.len() as u32;
                let inst = &mut function.code[pc as usize];
                inst.watch[usize::from(of_cluster)] = number;
                program.watches.push(Watched { loc: inst.loc, of_cluster });
                for (barriers, taken) in [(&taken, true), (&rest, false)] {
                    for barrier in barriers {
                        function.barrier_sites.entry(*barrier).or_default().push((number, taken));
                    }
                }
            }
        }
    }
}

/// A barrier for all threads of the block. One with a count is for that many threads alone, so a branch may
/// well lead only some of them there.
fn is_block_barrier(op: &Op) -> bool {
    matches!(op, Op::Barrier { count, .. } if *count == NONE)
}

fn is_cluster_barrier(op: &Op) -> bool {
    matches!(op, Op::ClusterArrive { .. })
}

/// A function that is being decoded.
struct Body<'a, 'b> {
    file: &'a str,
    ast: &'a FunctionAst<'a>,
    names: Names<'a>,
    globals: &'a mut Vec<Variable>,
    lines: &'a mut Lines<'b>,
}

/// Bytes of parameters that a function can have (PTX ISA 5.1.6.1, since version 8.1).
const MAX_PARAM_BYTES: usize = 32_764;
/// Bytes of a frame: a function's own parameters, and those of all calls in it.
const MAX_FRAME_BYTES: usize = 64 * MAX_PARAM_BYTES;
/// Registers, and predicates, that a function can have.
const MAX_REGISTERS: usize = 1 << 16;

type Decoded<T> = Result<T, Box<Diagnostic>>;

impl Body<'_, '_> {
    fn decode(mut self, in_shared: &[Variable], bodies: &[&FunctionAst]) -> Decoded<Function> {
        let ast = self.ast;
        for (number, variable) in self.globals.iter().enumerate() {
            self.names.place(&variable.name, Base::Global(number as u32), 0, Space::Generic);
        }
        self.shared(in_shared, bodies)?;
        let addressed = Addressed::of(ast);
        self.parameters(&addressed)?;
        self.copy(&addressed);
        self.find_labels();
        let loc = self.statements(&addressed)?;
        // A body that runs off its end returns.
        let op = if ast.is_entry { Op::Exit {} } else { Op::Return {} };
        let Names { mut out, constants, .. } = self.names;
        out.code.push(Inst { op, guard: NONE, negated: false, watch: [NONE; 2], line: ast.line, loc });
        out.constants = constants.iter().map(|value| [*value; WARP]).collect();
        flow::set_reconvergence(&mut out.code);
        uses::set_looks(&mut out.code);
        uses::set_uses(&mut out.code);
        uses::set_follows(&mut out.code);
        updates::set_updates(&mut out.code);
        out.active_masks = active_masks(&out.code);
        let Function { code, registers, predicates, .. } = &mut out;
        out.common = Common::of(code.iter().map(|inst| &inst.op), registers, predicates);
        Ok(out)
    }

    fn unreadable<T>(&self, line: u32, what: String) -> Decoded<T> {
        Err(ptx::unreadable(self.file, line, what))
    }

    /// The shared variables that the function sees: first those of the module and of all device functions,
    /// which are at the same place for every kernel, then a kernel's own, then the dynamic ones, which all
    /// start at one place.
    fn shared(&mut self, in_shared: &[Variable], bodies: &[&FunctionAst]) -> Decoded<()> {
        let ast = self.ast;
        let of_functions = bodies.iter().filter(|function| !function.is_entry).flat_map(|function| {
            shared_variables(function).map(|variable| (function.name == ast.name, variable))
        });
        let own = shared_variables(ast).filter(|_| ast.is_entry).map(|variable| (true, variable));
        let of_module =
            in_shared.iter().filter(|variable| !variable.external).map(|variable| (true, variable));
        let mut shared = Vec::new();
        let mut bytes = 0;
        for (is_seen, variable) in of_module.chain(of_functions).chain(own) {
            if is_seen {
                self.names.place(&variable.name, Base::Zero, shared::address(shared.len()), Space::Shared);
            }
            let start = place(&mut bytes, variable);
            shared.push(shared::Variable { name: variable.name.clone(), start, bytes: variable.bytes() });
        }
        if shared.len() > shared::MAX_VARIABLES {
            let what = format!("more than {} shared variables", shared::MAX_VARIABLES);
            return self.unreadable(ast.line, what);
        }
        for variable in in_shared.iter().filter(|variable| variable.external) {
            bytes = bytes.next_multiple_of(variable.align.max(16));
            self.names.place(&variable.name, Base::Zero, shared::DYNAMIC_ADDRESS, Space::Shared);
        }
        self.names.out.shared = shared;
        self.names.out.shared_bytes = bytes;
        Ok(())
    }

    /// A kernel's parameters have a space of their own; a function's, and what it returns, lie in its frame.
    fn parameters(&mut self, addressed: &Addressed) -> Decoded<()> {
        let ast = self.ast;
        for param in &ast.params {
            let out = &mut self.names.out;
            let space = if ast.is_entry { &mut out.param_bytes } else { &mut out.frame_bytes };
            let offset = place(space, param);
            out.params.push(Param::new(param, offset));
            let base = if ast.is_entry { Base::Zero } else { Base::Frame };
            if addressed.contains(&param.name) {
                let copy = place(&mut out.local_bytes, param) as u64;
                self.names.place(&param.name, Base::Local, copy, Space::Local);
                self.names.place(&addressed::in_frame(&param.name), base, offset as u64, Space::Param);
            } else {
                self.names.place(&param.name, base, offset as u64, Space::Param);
            }
        }
        if !ast.is_entry {
            self.names.out.param_bytes = self.names.out.frame_bytes;
        }
        for variable in &ast.returns {
            let offset = self.in_frame(variable);
            self.names.out.returns = Some(Param::new(variable, offset));
        }
        let out = &self.names.out;
        if out.param_bytes.max(out.frame_bytes) > MAX_PARAM_BYTES {
            let what = format!("`{}` has more than {MAX_PARAM_BYTES} bytes of parameters", self.ast.name);
            return self.unreadable(self.ast.line, what);
        }
        Ok(())
    }

    /// Gives a variable its place in the frame.
    fn in_frame(&mut self, variable: &Variable) -> usize {
        let offset = place(&mut self.names.out.frame_bytes, variable);
        self.names.place(&variable.name, Base::Frame, offset as u64, Space::Param);
        offset
    }

    /// The function begins with copies of the parameters whose addresses it takes.
    fn copy(&mut self, addressed: &Addressed) {
        let line = self.ast.line;
        if addressed.is_empty() {
            return;
        }
        self.names.declare(RegisterKind::Wide, addressed::REGISTER, None);
        for copy in addressed.copies() {
            copy.instructions(line, |instruction| {
                let decoded = self.instruction(&instruction, NONE);
                self.names.out.code.push(decoded);
            });
        }
    }

    /// A label's place is the number of instructions before it.
    fn find_labels(&mut self) {
        let mut at = self.names.out.code.len() as u32;
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
    fn statements(&mut self, addressed: &Addressed) -> Decoded<u32> {
        let mut loc = NONE;
        for statement in self.ast.body.iter().flatten() {
            match statement {
                Statement::Open => self.names.open(),
                Statement::Close => self.names.close(),
                Statement::Registers { is_pred, bytes, names, line } => {
                    let kind = if *is_pred {
                        RegisterKind::Predicate
                    } else if *bytes <= 4 {
                        RegisterKind::Narrow
                    } else {
                        RegisterKind::Wide
                    };
                    for (name, count) in names {
                        self.names.declare(kind, name, *count);
                        if self.names.out.registers.max(self.names.out.predicates) > MAX_REGISTERS {
                            let what = "more than 65,536 registers in one function".to_string();
                            return self.unreadable(*line, what);
                        }
                    }
                }
                Statement::Variable(variable) => self.variable(variable)?,
                Statement::Loc { at, inlined_at } => {
                    let found = self.lines.find(*at, *inlined_at);
                    // What has no line of its own counts to the line before it.
                    if found != NONE {
                        loc = found;
                    }
                }
                Statement::Label(_) | Statement::Targets { .. } => {}
                Statement::Instruction(instruction) => {
                    let decoded = self.instruction(&addressed.redirected(instruction), loc);
                    self.names.out.code.push(decoded);
                }
            }
        }
        Ok(loc)
    }

    fn variable(&mut self, variable: &Variable) -> Decoded<()> {
        match variable.space {
            Space::Local => {
                let offset = place(&mut self.names.out.local_bytes, variable) as u64;
                self.names.place(&variable.name, Base::Local, offset, Space::Local);
            }
            Space::Param => {
                self.in_frame(variable);
                if self.names.out.frame_bytes > MAX_FRAME_BYTES {
                    let what = format!("the calls in `{}` have too many bytes of parameters", self.ast.name);
                    return self.unreadable(self.ast.line, what);
                }
            }
            Space::Shared => {} // placed before the body was read
            _ => {
                let base = Base::Global(self.globals.len() as u32);
                self.names.place(&variable.name, base, 0, Space::Generic);
                self.globals.push(variable.clone());
            }
        }
        Ok(())
    }

    fn instruction(&mut self, instruction: &Instruction, loc: u32) -> Inst {
        let guard = match instruction.guard {
            None => Some((NONE, false)),
            Some((name, negated)) => self.names.predicate(name).map(|p| (p, negated)),
        };
        self.names.undefined = None;
        let line = instruction.line;
        let mut words = Modifiers::of(&instruction.words);
        let decoded = guard.zip(self.names.operation(instruction, &mut words));
        let left = words.first_left();
        let decoded = decoded.filter(|_| left.is_none());
        let is_unknown = decoded.is_none() || self.names.undefined.is_some();
        if is_unknown && self.names.out.unsupported.is_none() {
            self.names.out.unsupported = Some(self.unsupported(instruction, left, loc));
        }
        let ((guard, negated), op) = decoded.unwrap_or_else(|| {
            let opcode = instruction.opcode().into();
            ((NONE, false), Op::Unsupported { opcode, word: left.map(Box::from) })
        });
        let loc = if loc == NONE { self.lines.of_ptx(self.file, line) } else { loc };
        Inst { op, guard, negated, watch: [NONE; 2], line, loc }
    }

    /// `left` is the word of the instruction that is not known, if it is only one.
    fn unsupported(&self, instruction: &Instruction, left: Option<&str>, loc: u32) -> Diagnostic {
        let line = instruction.line;
        let (message, help) = match &self.names.undefined {
            Some(function) => (unknown::function(function, self.file), unknown::help_on(function)),
            None => (unknown::message(&instruction.opcode(), left, line, self.file), unknown::HELP),
        };
        let place = self.lines.locs.get(loc as usize);
        Diagnostic {
            kernel: Some(self.ast.name.to_string()),
            file: Some(place.map_or(self.file, |place| &place.file).to_string()),
            line: Some(place.map_or(line, |place| place.line)),
            ..Diagnostic::new(Kind::UnsupportedInstruction, message, help)
        }
    }
}

/// The shared variables that a function declares itself.
fn shared_variables<'a>(function: &'a FunctionAst) -> impl Iterator<Item = &'a Variable> {
    function.body.iter().flatten().filter_map(|statement| match statement {
        Statement::Variable(variable) if variable.space == Space::Shared => Some(variable),
        _ => None,
    })
}

/// Places `variable` behind `offset`, aligned; returns where it starts.
fn place(offset: &mut usize, variable: &Variable) -> usize {
    let start = offset.next_multiple_of(variable.align.max(1));
    *offset = start + variable.bytes();
    start
}
