//! Statements -> typed program: scopes, names, variables and the line table. What cannot be decoded is kept with
//! its text, and fails when its kernel is launched. The opcodes themselves are in `opcode.rs`.

use rustc_hash::FxHashMap;

use super::alu;
use super::diagnostic::{Diagnostic, Kind, Severity};
use super::flow;
use super::layout::{Lines, SharedLayout, place, place_shared, shared_variables};
use super::names::{Named, RegisterKind};
use super::parser;
use super::program::*;
use super::ptx::{self, FunctionAst, Instruction, Space, Statement, Variable};
use super::shared;

/// Reads and decodes a module.
pub fn decode(text: &str, name: &str) -> Result<Program, Box<Diagnostic>> {
    let ast = parser::parse(text, name)?;
    let mut program = Program {
        name: name.to_string(),
        functions: Vec::new(),
        by_name: FxHashMap::default(),
        kernels: Vec::new(),
        globals: Vec::new(),
        watches: Vec::new(),
        locs: Vec::new(),
    };
    let bodies: Vec<&FunctionAst> = ast.functions.iter().filter(|f| f.body.is_some()).collect();
    for (number, function) in bodies.iter().enumerate() {
        program.by_name.insert(function.name.clone(), number);
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
        let decoded = Decoder::new(name, function, &mut program, &layout, &mut lines)?.run()?;
        program.functions.push(decoded);
    }
    program.locs = lines.locs;
    share_workspace(&mut program.functions);
    watch_barriers(&mut program);
    Ok(program)
}

/// Numbers the branches that decide whether a barrier is reached, and tells the barriers which they lie behind.
fn watch_barriers(program: &mut Program) {
    let mut has_barrier: Vec<bool> = program
        .functions
        .iter()
        .map(|function| function.code.iter().any(|inst| is_block_barrier(&inst.op)))
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
            op => is_block_barrier(op),
        };
        for (pc, watch) in flow::watches(&function.code, is_barrier) {
            let number = program.watches.len() as u32;
            let inst = &mut function.code[pc as usize];
            inst.watch = number;
            program.watches.push(inst.loc);
            for (barriers, taken) in [(&watch.taken, true), (&watch.rest, false)] {
                for barrier in barriers {
                    function.barrier_sites.entry(*barrier).or_default().push((number, taken));
                }
            }
        }
    }
}

/// A barrier for all threads of the block. One with a count is for so many of them, so a branch may lead there.
fn is_block_barrier(op: &Op) -> bool {
    matches!(op, Op::Barrier { count, .. } if *count == NONE)
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

pub struct Decoder<'a, 'b> {
    pub file: &'a str,
    pub ast: &'a FunctionAst,
    pub program: &'a mut Program,
    pub lines: &'a mut Lines<'b>,
    pub scopes: Vec<FxHashMap<String, Named>>,
    /// `%r<5>` is kept as the prefix `%r` with its count.
    pub ranges: Vec<FxHashMap<String, (Reg, u32, RegisterKind)>>,
    /// Numbers of the open scopes, and the places of labels by the scope they stand in.
    open: Vec<u32>,
    labels: FxHashMap<(u32, String), u32>,
    pub targets: FxHashMap<String, Vec<String>>,
    carry: Option<Reg>,
    /// Why the instruction at hand cannot be decoded, where there is more to say than that it is not known.
    pub because: Option<String>,
    pub constants: FxHashMap<u64, Reg>,
    pub out: Function,
    /// Registers are numbered as they are declared; constants get numbers behind them once all are known, so
    /// until then a constant is `CONSTANT + index`.
    pub constant_values: Vec<u64>,
}

pub const CONSTANT: u32 = 1 << 30;
/// Bytes of parameters that a function can have (PTX ISA 5.1.6.1, since version 8.1).
const MOST_PARAM_BYTES: usize = 32_764;

type Decoded<T> = Result<T, Box<Diagnostic>>;

impl<'a, 'b> Decoder<'a, 'b> {
    fn new(
        file: &'a str,
        ast: &'a FunctionAst,
        program: &'a mut Program,
        layout: &SharedLayout,
        lines: &'a mut Lines<'b>,
    ) -> Decoded<Self> {
        let mut names = FxHashMap::default();
        for (number, variable) in program.globals.iter().enumerate() {
            names.insert(variable.name.clone(), Named::Global { number });
        }
        let mut variables: Vec<shared::Variable> = Vec::new();
        for (function, variable) in &layout.variables {
            if function.as_ref().is_none_or(|function| *function == ast.name) {
                let address = shared::address(variables.len());
                names.insert(variable.name.clone(), Named::Shared { address });
            }
            variables.push(variable.clone());
        }
        let mut shared_bytes = layout.bytes;
        if ast.is_entry {
            for variable in shared_variables(ast) {
                let address = shared::address(variables.len());
                names.insert(variable.name.clone(), Named::Shared { address });
                variables.push(place_shared(&mut shared_bytes, variable));
            }
        }
        if variables.len() > shared::MOST_VARIABLES {
            let what = format!("more than {} shared variables", shared::MOST_VARIABLES);
            return Err(ptx::unreadable(file, ast.line, what));
        }
        if !layout.dynamic.is_empty() {
            shared_bytes = shared_bytes.next_multiple_of(layout.dynamic_align);
        }
        for name in &layout.dynamic {
            names.insert(name.clone(), Named::Shared { address: shared::DYNAMIC_ADDRESS });
        }
        let (mut params, mut param_bytes) = (Vec::new(), 0);
        let mut returns = None;
        let mut frame_bytes = 0;
        for param in &ast.params {
            let space = if ast.is_entry { &mut param_bytes } else { &mut frame_bytes };
            let offset = place(space, param);
            names.insert(
                param.name.clone(),
                if ast.is_entry {
                    Named::KernelParam { offset }
                } else {
                    Named::Frame { offset, bytes: param.bytes() }
                },
            );
            params.push(Param::new(param, offset));
        }
        if !ast.is_entry {
            param_bytes = frame_bytes;
        }
        for variable in &ast.returns {
            let offset = place(&mut frame_bytes, variable);
            names.insert(variable.name.clone(), Named::Frame { offset, bytes: variable.bytes() });
            returns = Some(Param::new(variable, offset));
        }
        if param_bytes.max(frame_bytes) > MOST_PARAM_BYTES {
            return Err(ptx::unreadable(
                file,
                ast.line,
                format!("`{}` has more than {MOST_PARAM_BYTES} bytes of parameters", ast.name),
            ));
        }
        let out = Function {
            name: ast.name.clone(),
            is_entry: ast.is_entry,
            params,
            param_bytes,
            returns,
            code: Vec::new(),
            registers: 0,
            predicates: 0,
            constants: Vec::new(),
            places: Vec::new(),
            local_bytes: 0,
            frame_bytes,
            shared_bytes,
            shared: variables,
            uses_grid_workspace: false,
            barrier_sites: FxHashMap::default(),
            calls: Vec::new(),
            unsupported: None,
        };
        Ok(Decoder {
            file,
            ast,
            program,
            lines,
            scopes: vec![names],
            ranges: vec![FxHashMap::default()],
            open: vec![0],
            labels: FxHashMap::default(),
            targets: FxHashMap::default(),
            carry: None,
            because: None,
            constants: FxHashMap::default(),
            out,
            constant_values: Vec::new(),
        })
    }

    fn run(mut self) -> Decoded<Function> {
        let body = self.ast.body.as_deref().unwrap_or(&[]);
        // Labels first: count the instructions that stand before each.
        let (mut at, mut scopes) = (0, 0);
        for statement in body {
            match statement {
                Statement::Open => {
                    scopes += 1;
                    self.open.push(scopes);
                }
                Statement::Close => {
                    self.open.pop();
                }
                Statement::Label(name) => {
                    let scope = self.open.last().copied().unwrap_or(0);
                    self.labels.insert((scope, name.clone()), at);
                }
                Statement::Targets { label, targets } => {
                    self.targets.insert(label.clone(), targets.clone());
                }
                Statement::Instruction(_) => at += 1,
                _ => {}
            }
        }
        let mut loc = NONE;
        scopes = 0;
        for statement in body {
            match statement {
                Statement::Open => {
                    scopes += 1;
                    self.open.push(scopes);
                    self.scopes.push(FxHashMap::default());
                    self.ranges.push(FxHashMap::default());
                }
                Statement::Close => {
                    self.open.pop();
                    self.scopes.pop();
                    self.ranges.pop();
                }
                Statement::Registers { is_pred, bytes, names, line } => {
                    let kind = if *is_pred {
                        RegisterKind::Predicate
                    } else if *bytes <= 4 {
                        RegisterKind::Narrow
                    } else {
                        RegisterKind::Wide
                    };
                    self.declare(kind, names, *line)?
                }
                Statement::Variable(variable) => self.variable(variable)?,
                Statement::Loc { at, inlined_at } => loc = self.lines.find(*at, *inlined_at),
                Statement::Label(_) | Statement::Targets { .. } | Statement::Prototype => {}
                Statement::Instruction(instruction) => self.instruction(instruction, loc),
            }
        }
        // A body that runs off its end returns.
        let end = if self.ast.is_entry { Op::Exit } else { Op::Return };
        self.out.code.push(Inst {
            op: end,
            guard: NONE,
            negated: false,
            watch: NONE,
            line: self.ast.line,
            loc,
        });
        let registers = self.out.registers as u32;
        self.out.constants = self.constant_values.iter().map(|value| [*value; alu::WARP]).collect();
        for inst in &mut self.out.code {
            inst.op.registers_mut(&mut |register| {
                if *register != NONE && *register >= CONSTANT {
                    *register = *register - CONSTANT + registers;
                }
            });
        }
        flow::set_reconvergence(&mut self.out.code);
        Ok(self.out)
    }

    fn declare(&mut self, kind: RegisterKind, names: &[(String, Option<u32>)], line: u32) -> Decoded<()> {
        let is_pred = kind == RegisterKind::Predicate;
        for (name, count) in names {
            let first = if is_pred { self.out.predicates } else { self.out.registers } as u32;
            let number = count.unwrap_or(1);
            match count {
                Some(count) => {
                    self.range_scope().insert(name.clone(), (first, *count, kind));
                }
                None => {
                    self.name_scope().insert(name.clone(), Named::Register { number: first, kind });
                }
            }
            let total = if is_pred { &mut self.out.predicates } else { &mut self.out.registers };
            *total += number as usize;
            if *total > 1 << 16 {
                return Err(ptx::unreadable(self.file, line, "more than 65,536 registers in one function"));
            }
        }
        Ok(())
    }

    fn name_scope(&mut self) -> &mut FxHashMap<String, Named> {
        if self.scopes.is_empty() {
            self.scopes.push(FxHashMap::default());
        }
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    fn range_scope(&mut self) -> &mut FxHashMap<String, (Reg, u32, RegisterKind)> {
        if self.ranges.is_empty() {
            self.ranges.push(FxHashMap::default());
        }
        let last = self.ranges.len() - 1;
        &mut self.ranges[last]
    }

    fn variable(&mut self, variable: &Variable) -> Decoded<()> {
        let named = match variable.space {
            Space::Local => Named::Local { offset: place(&mut self.out.local_bytes, variable) as u64 },
            Space::Param => {
                let offset = place(&mut self.out.frame_bytes, variable);
                if self.out.frame_bytes > 64 * MOST_PARAM_BYTES {
                    return Err(ptx::unreadable(
                        self.file,
                        self.ast.line,
                        format!("the calls in `{}` have too many bytes of parameters", self.ast.name),
                    ));
                }
                Named::Frame { offset, bytes: variable.bytes() }
            }
            Space::Shared => return Ok(()), // placed before the body was read
            _ => {
                self.program.globals.push(variable.clone());
                Named::Global { number: self.program.globals.len() - 1 }
            }
        };
        self.name_scope().insert(variable.name.clone(), named);
        Ok(())
    }

    /// Where a label of an open scope stands, the innermost first.
    pub fn label(&self, name: &str) -> Option<u32> {
        self.open.iter().rev().find_map(|scope| self.labels.get(&(*scope, name.to_string())).copied())
    }

    /// The register that holds the carry flag of `add.cc` and its like.
    pub fn carry(&mut self) -> Reg {
        match self.carry {
            Some(register) => register,
            None => {
                let register = self.scratch();
                *self.carry.insert(register)
            }
        }
    }

    fn instruction(&mut self, instruction: &Instruction, loc: u32) {
        let guard = match &instruction.guard {
            None => Some((NONE, false)),
            Some((name, negated)) => self.predicate(name).map(|p| (p, *negated)),
        };
        self.because = None;
        let decoded = guard.zip(self.operation(instruction));
        let (guard, op) = decoded.unwrap_or_else(|| {
            if self.out.unsupported.is_none() {
                let place = (loc != NONE).then(|| self.lines.locs[loc as usize].clone());
                self.out.unsupported = Some(Diagnostic {
                    kind: Kind::UnsupportedInstruction,
                    severity: Severity::Error,
                    kernel: Some(self.ast.name.clone()),
                    file: Some(place.as_ref().map_or(self.file.to_string(), |p| p.file.to_string())),
                    line: Some(place.map_or(instruction.line, |p| p.line)),
                    block: None,
                    thread: None,
                    message: format!(
                        "the simulator does not know `{}` (line {} of {}){}",
                        instruction.opcode(),
                        instruction.line,
                        self.file,
                        self.because.take().unwrap_or_default()
                    ),
                    help: "run this kernel on a GPU, or write it without what this instruction comes from"
                        .to_string(),
                    related: Vec::new(),
                });
            }
            ((NONE, false), Op::Unsupported(instruction.opcode().into()))
        });
        self.out.code.push(Inst {
            op,
            guard: guard.0,
            negated: guard.1,
            watch: NONE,
            line: instruction.line,
            loc,
        });
    }
}
