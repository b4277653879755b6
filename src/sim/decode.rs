//! Statements -> typed program: scopes, names, variables and the line table. What cannot be decoded is kept with
//! its text, and fails when its kernel is launched. The opcodes themselves are in `opcode.rs`.

use std::collections::HashMap;

use super::alu;
use super::diagnostic::{Diagnostic, Kind, Severity};
use super::flow;
use super::layout::{Lines, SharedLayout, place, shared_variables};
use super::parser;
use super::program::*;
use super::ptx::{self, FunctionAst, Instruction, Operand, Space, Statement, Variable};

/// Reads and decodes a module.
pub fn decode(text: &str, name: &str) -> Result<Program, Box<Diagnostic>> {
    let ast = parser::parse(text, name)?;
    let mut program = Program {
        name: name.to_string(),
        functions: Vec::new(),
        by_name: HashMap::new(),
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
    let (shared, globals): (Vec<_>, Vec<_>) =
        ast.variables.iter().cloned().partition(|v| v.space == Space::Shared);
    program.globals = globals.into_iter().filter(|v| !v.external).collect();
    let shared = SharedLayout::new(&shared, &bodies);
    let mut lines = Lines::new(&ast.files);
    for function in bodies {
        let decoded = Decoder::new(name, function, &mut program, &shared, &mut lines)?.run()?;
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterKind {
    Predicate,
    /// Of at most 32 bits: an address in it wraps there.
    Narrow,
    Wide,
}

/// Where a name stands for something in the function being decoded.
#[derive(Clone, Debug)]
pub enum Named {
    Register {
        number: Reg,
        kind: RegisterKind,
    },
    KernelParam {
        offset: usize,
    },
    Frame {
        offset: usize,
        bytes: usize,
    },
    Local {
        offset: u64,
    },
    Shared {
        offset: u64,
    },
    /// Dynamic shared memory seen from a device function: where it starts depends on the kernel.
    DynamicShared,
    Global {
        number: usize,
    },
}

pub struct Decoder<'a, 'b> {
    pub file: &'a str,
    pub ast: &'a FunctionAst,
    pub program: &'a mut Program,
    pub lines: &'a mut Lines<'b>,
    pub scopes: Vec<HashMap<String, Named>>,
    /// `%r<5>` is kept as the prefix `%r` with its count.
    pub ranges: Vec<HashMap<String, (Reg, u32, RegisterKind)>>,
    /// Numbers of the open scopes, and the places of labels by the scope they stand in.
    open: Vec<u32>,
    labels: HashMap<(u32, String), u32>,
    pub targets: HashMap<String, Vec<String>>,
    carry: Option<Reg>,
    /// Why the instruction at hand cannot be decoded, where there is more to say than that it is not known.
    pub because: Option<String>,
    pub constants: HashMap<u64, Reg>,
    pub out: Function,
    /// Registers are numbered as they are declared; constants get numbers behind them once all are known, so
    /// until then a constant is `CONSTANT + index`.
    pub constant_values: Vec<u64>,
}

const CONSTANT: u32 = 1 << 30;
/// Bytes of parameters that a function can have (PTX ISA 5.1.6.1, since version 8.1).
const MOST_PARAM_BYTES: usize = 32_764;

type Decoded<T> = Result<T, Box<Diagnostic>>;

impl<'a, 'b> Decoder<'a, 'b> {
    fn new(
        file: &'a str,
        ast: &'a FunctionAst,
        program: &'a mut Program,
        shared: &SharedLayout,
        lines: &'a mut Lines<'b>,
    ) -> Decoded<Self> {
        let mut names = HashMap::new();
        for (number, variable) in program.globals.iter().enumerate() {
            names.insert(variable.name.clone(), Named::Global { number });
        }
        for ((function, name), &offset) in &shared.offsets {
            if function.as_ref().is_none_or(|function| *function == ast.name) {
                names.insert(name.clone(), Named::Shared { offset });
            }
        }
        let mut shared_bytes = shared.bytes;
        if ast.is_entry {
            for variable in shared_variables(ast) {
                let offset = place(&mut shared_bytes, variable) as u64;
                names.insert(variable.name.clone(), Named::Shared { offset });
            }
        }
        if !shared.dynamic.is_empty() {
            shared_bytes = shared_bytes.next_multiple_of(shared.dynamic_align);
        }
        for name in &shared.dynamic {
            let named = match ast.is_entry {
                true => Named::Shared { offset: shared_bytes as u64 },
                false => Named::DynamicShared,
            };
            names.insert(name.clone(), named);
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
            uses_grid_workspace: false,
            barrier_sites: HashMap::new(),
            calls: Vec::new(),
            unsupported: None,
        };
        Ok(Decoder {
            file,
            ast,
            program,
            lines,
            scopes: vec![names],
            ranges: vec![HashMap::new()],
            open: vec![0],
            labels: HashMap::new(),
            targets: HashMap::new(),
            carry: None,
            because: None,
            constants: HashMap::new(),
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
                    self.scopes.push(HashMap::new());
                    self.ranges.push(HashMap::new());
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

    fn name_scope(&mut self) -> &mut HashMap<String, Named> {
        if self.scopes.is_empty() {
            self.scopes.push(HashMap::new());
        }
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    fn range_scope(&mut self) -> &mut HashMap<String, (Reg, u32, RegisterKind)> {
        if self.ranges.is_empty() {
            self.ranges.push(HashMap::new());
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

    pub fn lookup(&self, name: &str) -> Option<Named> {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (prefix, number) = name.split_at(name.len() - digits);
        for (scope, ranges) in self.scopes.iter().zip(&self.ranges).rev() {
            if let Some(named) = scope.get(name) {
                return Some(named.clone());
            }
            if digits > 0
                && let Some((first, count, kind)) = ranges.get(prefix)
                && let Ok(number) = number.parse::<u32>()
                && number < *count
            {
                return Some(Named::Register { number: first + number, kind: *kind });
            }
        }
        None
    }

    pub fn constant(&mut self, value: u64) -> Reg {
        *self.constants.entry(value).or_insert_with(|| {
            self.constant_values.push(value);
            CONSTANT + self.constant_values.len() as u32 - 1
        })
    }

    pub fn scratch(&mut self) -> Reg {
        self.out.registers += 1;
        self.out.registers as u32 - 1
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

    pub fn predicate(&self, name: &str) -> Option<Pred> {
        match self.lookup(name)? {
            Named::Register { number, kind: RegisterKind::Predicate } => Some(number),
            _ => None,
        }
    }

    /// A register that an instruction writes; `_` is a register nobody reads.
    pub fn destination(&mut self, operand: &Operand) -> Option<Reg> {
        let Operand::Name(name) = operand else { return None };
        if name == "_" {
            return Some(self.scratch());
        }
        match self.lookup(name)? {
            Named::Register { kind: RegisterKind::Predicate, .. } => None,
            Named::Register { number, .. } => Some(number),
            _ => None,
        }
    }

    /// A value that an instruction reads: register, literal or special register. `ty` says how a float literal is
    /// meant.
    pub fn source(&mut self, operand: &Operand) -> Option<Reg> {
        match operand {
            Operand::Int(value) => Some(self.constant(*value)),
            Operand::F32(bits) => Some(self.constant(*bits as u64)),
            Operand::F64(bits) => Some(self.constant(*bits)),
            Operand::Name(name) => match self.lookup(name) {
                Some(Named::Register { number, kind }) if kind != RegisterKind::Predicate => Some(number),
                Some(Named::Shared { offset }) => Some(self.constant(offset)),
                Some(Named::KernelParam { offset }) => Some(self.constant(offset as u64)),
                Some(Named::DynamicShared) => Some(self.place(Place::DynamicShared)),
                Some(_) => None,
                None => self.special(name),
            },
            Operand::Sum(name, more) => match self.lookup(name)? {
                Named::Shared { offset } => Some(self.constant(offset.wrapping_add(*more as u64))),
                Named::KernelParam { offset } => {
                    Some(self.constant((offset as u64).wrapping_add(*more as u64)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Special registers (PTX ISA 10) and names that are constants.
    pub fn special(&mut self, name: &str) -> Option<Reg> {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let axis = |rest: &str| match rest {
            ".x" => Some(0),
            ".y" => Some(1),
            ".z" => Some(2),
            _ => None,
        };
        let place = if let Some(rest) = name.strip_prefix("%tid") {
            Place::Tid(axis(rest)?)
        } else if let Some(rest) = name.strip_prefix("%ntid") {
            Place::Ntid(axis(rest)?)
        } else if let Some(rest) = name.strip_prefix("%ctaid") {
            Place::Ctaid(axis(rest)?)
        } else if let Some(rest) = name.strip_prefix("%nctaid") {
            Place::Nctaid(axis(rest)?)
        } else {
            match name {
                "%laneid" => Place::LaneId,
                "%warpid" => Place::WarpId,
                "%nwarpid" => Place::NWarpId,
                "%gridid" => Place::GridId,
                "%lanemask_eq" => Place::LaneMask(Equal, false),
                "%lanemask_lt" => Place::LaneMask(Less, false),
                "%lanemask_le" => Place::LaneMask(Less, true),
                "%lanemask_gt" => Place::LaneMask(Greater, false),
                "%lanemask_ge" => Place::LaneMask(Greater, true),
                "%envreg1" | "%envreg2" => {
                    self.out.uses_grid_workspace = true;
                    Place::Workspace(if name == "%envreg2" { 0 } else { 1 })
                }
                "%dynamic_smem_size" => Place::DynamicSharedSize,
                "%total_smem_size" => Place::TotalSharedSize,
                "%smid" => Place::Zero,
                "%nsmid" => return Some(self.constant(1)),
                "WARP_SZ" => return Some(self.constant(alu::WARP as u64)),
                _ => return None,
            }
        };
        Some(self.place(place))
    }

    /// The register that holds a place.
    pub fn place(&mut self, place: Place) -> Reg {
        if let Some((_, register)) = self.out.places.iter().find(|(p, _)| *p == place) {
            return *register;
        }
        let register = self.scratch();
        self.out.places.push((place, register));
        register
    }

    /// `[base+offset]` for a state space.
    pub fn address(&mut self, operand: &Operand) -> Option<Address> {
        let Operand::Address(base, offset) = operand else { return None };
        let Some(name) = base else { return Some(Address { base: NONE, offset: *offset, narrow: false }) };
        match self.lookup(name) {
            Some(Named::Register { number, kind }) if kind != RegisterKind::Predicate => {
                Some(Address { base: number, offset: *offset, narrow: kind == RegisterKind::Narrow })
            }
            Some(Named::Shared { offset: start }) => {
                Some(Address { base: NONE, offset: (start as i64).wrapping_add(*offset), narrow: false })
            }
            Some(Named::KernelParam { offset: start }) => {
                Some(Address { base: NONE, offset: (start as i64).wrapping_add(*offset), narrow: false })
            }
            Some(Named::DynamicShared) => {
                Some(Address { base: self.place(Place::DynamicShared), offset: *offset, narrow: false })
            }
            _ => None,
        }
    }

    pub fn registers(&mut self, operand: &Operand, source: bool) -> Option<Vec<Reg>> {
        let one = |this: &mut Self, operand: &Operand| {
            if source { this.source(operand) } else { this.destination(operand) }
        };
        match operand {
            Operand::Vector(items) => items.iter().map(|item| one(self, item)).collect(),
            operand => Some(vec![one(self, operand)?]),
        }
    }
}
