//! Statements -> typed program: the reader's second half. Names become register numbers, offsets and targets;
//! opcodes become functions. What cannot be decoded is kept with its text, and fails when its kernel is launched.

use std::collections::HashMap;
use std::sync::Arc;

use super::alu::{self, AluFn, Lanes, TestFn};
use super::diagnostic::{Diagnostic, Kind, Severity};
use super::flow;
use super::ptx::{self, FunctionAst, Init, Instruction, Operand, Space, Statement, Variable};

/// Number of a register of a function. Numbers from [`Function::registers`] on name [`Function::constants`].
pub type Reg = u32;
/// Number of a predicate register.
pub type Pred = u32;
/// No register, no predicate, no place.
pub const NONE: u32 = u32::MAX;

/// A decoded module.
#[derive(Debug)]
pub struct Program {
    pub name: String,
    pub functions: Vec<Function>,
    pub by_name: HashMap<String, usize>,
    /// Kernels in the order of the text.
    pub kernels: Vec<String>,
    /// Module variables in global and constant memory, in the order of their numbers.
    pub globals: Vec<Variable>,
    /// Line table: what [`Inst::loc`] points into.
    pub locs: Vec<Loc>,
}

/// A source line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Loc {
    pub file: Arc<str>,
    pub line: u32,
}

#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub is_entry: bool,
    /// Name, offset and bytes of each parameter, and the bytes of all.
    pub params: Vec<Param>,
    pub param_bytes: usize,
    pub returns: Option<Param>,
    pub code: Vec<Inst>,
    pub registers: usize,
    pub predicates: usize,
    pub constants: Vec<Lanes>,
    /// Registers that hold the thread's place, filled when a warp starts: `%tid.x` and the like.
    pub places: Vec<(Place, Reg)>,
    /// Bytes of local memory and of call parameters that an activation needs, a lane.
    pub local_bytes: usize,
    pub frame_bytes: usize,
    /// Bytes of static shared memory, and the alignment the dynamic part needs.
    pub shared_bytes: usize,
    pub uses_grid_workspace: bool,
    /// Functions called directly.
    pub calls: Vec<usize>,
    /// The first thing that could not be decoded.
    pub unsupported: Option<Diagnostic>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    pub name: String,
    pub offset: usize,
    pub bytes: usize,
    /// The PTX type without the dot (`u64`); of one element where the parameter is an array.
    pub kind: String,
}

impl Param {
    fn new(variable: &Variable, offset: usize) -> Param {
        Param { name: variable.name.clone(), offset, bytes: variable.bytes(), kind: variable.kind.clone() }
    }
}

/// Special registers that do not change while a warp runs (PTX ISA 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    LaneId,
    WarpId,
    NWarpId,
    GridId,
    LaneMask(std::cmp::Ordering, bool),
    /// `%envreg1` and `%envreg2`: the halves of the address of a cooperative grid's workspace.
    Workspace(u32),
    DynamicSharedSize,
    TotalSharedSize,
    Zero,
}

#[derive(Debug)]
pub struct Inst {
    pub op: Op,
    /// The predicate that guards it, or [`NONE`].
    pub guard: Pred,
    pub negated: bool,
    /// Line in the PTX text.
    pub line: u32,
    /// Index into [`Program::locs`], or [`NONE`].
    pub loc: u32,
}

/// An address: base register (or [`NONE`]) plus offset.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    pub base: Reg,
    pub offset: i64,
}

/// Memory order and scope of an access (PTX ISA 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Weak,
    Volatile,
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Cta,
    Gpu,
    System,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomOp {
    Add,
    AddF32,
    AddF64,
    MinU,
    MinS,
    MaxU,
    MaxS,
    And,
    Or,
    Xor,
    Exchange,
    CompareSwap,
    Inc,
    Dec,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    All,
    Any,
    Uniform,
    Ballot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarReduce {
    Popc,
    And,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bits {
    And,
    Or,
    Xor,
}

/// What the function at the other end of a call is.
#[derive(Clone, Debug)]
pub enum Callee {
    Function(usize),
    /// Through a register that holds a function's address.
    Register(Reg),
    /// A function of the device runtime or the library, by name.
    Runtime(super::runtime::Call),
}

#[derive(Debug)]
pub enum Op {
    Alu {
        f: AluFn,
        d: Reg,
        s: [Reg; 4],
    },
    /// `setp`: `d = test op combine`, `q = !test op combine`.
    Test {
        f: TestFn,
        d: Pred,
        q: Pred,
        a: Reg,
        b: Reg,
        combine: Option<(Bits, Pred, bool)>,
    },
    /// `set`: all ones (or 1.0) where the comparison holds.
    Set {
        f: TestFn,
        d: Reg,
        a: Reg,
        b: Reg,
        holds: u64,
    },
    Select {
        d: Reg,
        a: Reg,
        b: Reg,
        p: Pred,
        negated: bool,
    },
    /// Logic on predicates; `b` is [`NONE`] for a copy.
    Logic {
        bits: Bits,
        d: Pred,
        a: Pred,
        not_a: bool,
        b: Pred,
        not_b: bool,
    },
    PredConst {
        d: Pred,
        value: bool,
    },
    /// `testp`.
    TestFloat {
        d: Pred,
        a: Reg,
        class: fn(f64) -> bool,
        double: bool,
    },
    /// `mov` of a wide register from several narrow ones, and back.
    Pack {
        d: Reg,
        parts: Vec<Reg>,
        bits: u32,
    },
    Unpack {
        parts: Vec<Reg>,
        a: Reg,
        bits: u32,
    },
    /// The address of a local variable: the activation's base plus an offset.
    LocalAddress {
        d: Reg,
        offset: u64,
    },
    /// The address of a module variable, or of a function.
    GlobalAddress {
        d: Reg,
        global: usize,
        offset: i64,
    },
    Load {
        space: Space,
        d: Vec<Reg>,
        bytes: u32,
        signed: bool,
        at: Address,
        order: Order,
        scope: Scope,
    },
    Store {
        space: Space,
        s: Vec<Reg>,
        bytes: u32,
        at: Address,
        order: Order,
        scope: Scope,
    },
    /// Call parameters and return values, which live in the activation.
    LoadFrame {
        d: Vec<Reg>,
        bytes: u32,
        signed: bool,
        offset: usize,
    },
    StoreFrame {
        s: Vec<Reg>,
        bytes: u32,
        offset: usize,
    },
    Atomic {
        space: Space,
        op: AtomOp,
        bytes: u32,
        d: Reg,
        at: Address,
        b: Reg,
        c: Reg,
        order: Order,
        scope: Scope,
    },
    Fence {
        scope: Scope,
    },
    Barrier {
        id: Reg,
        count: Reg,
        arrive: bool,
        reduce: Option<(BarReduce, Reg, Pred, bool)>,
    },
    WarpBarrier {
        mask: Reg,
    },
    Shuffle {
        mode: Shuffle,
        d: Reg,
        p: Pred,
        a: Reg,
        b: Reg,
        c: Reg,
        mask: Reg,
    },
    Vote {
        mode: Vote,
        d: u32,
        p: Pred,
        negated: bool,
        mask: Reg,
    },
    Match {
        all: bool,
        d: Reg,
        p: Pred,
        a: Reg,
        wide: bool,
        mask: Reg,
    },
    Reduce {
        op: AtomOp,
        d: Reg,
        a: Reg,
        mask: Reg,
    },
    ActiveMask {
        d: Reg,
    },
    Clock {
        d: Reg,
    },
    Branch {
        target: u32,
        reconverge: u32,
    },
    BranchIndexed {
        index: Reg,
        targets: Vec<u32>,
        reconverge: u32,
    },
    Call {
        callee: Callee,
        args: Vec<usize>,
        ret: Option<usize>,
    },
    Return,
    Exit,
    Trap,
    Nop,
    Unsupported,
}

/// Addresses of functions: this plus the function's number. Nothing else lies there.
pub const FUNCTION_WINDOW: u64 = 0x08 << 56;

/// Reads and decodes a module.
pub fn decode(text: &str, name: &str) -> Result<Program, Box<Diagnostic>> {
    let ast = ptx::parse(text, name)?;
    let mut program = Program {
        name: name.to_string(),
        functions: Vec::new(),
        by_name: HashMap::new(),
        kernels: Vec::new(),
        globals: Vec::new(),
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
    program.globals = globals;
    let mut lines = Lines::new(&ast.files);
    for function in bodies {
        let decoded = Decoder::new(name, function, &mut program, &shared, &mut lines)?.run()?;
        program.functions.push(decoded);
    }
    program.locs = lines.locs;
    Ok(program)
}

/// The line table. A line of a header that was inlined is followed to the reader's own line.
struct Lines<'a> {
    files: &'a HashMap<u32, String>,
    paths: HashMap<u32, Arc<str>>,
    inlined: HashMap<(u32, u32, u32), (u32, u32, u32)>,
    index: HashMap<Loc, u32>,
    locs: Vec<Loc>,
}

impl<'a> Lines<'a> {
    fn new(files: &'a HashMap<u32, String>) -> Lines<'a> {
        Lines {
            files,
            paths: HashMap::new(),
            inlined: HashMap::new(),
            index: HashMap::new(),
            locs: Vec::new(),
        }
    }

    fn is_header(&self, file: u32) -> bool {
        self.files.get(&file).is_some_and(|path| path.contains("include/"))
    }

    /// The index for a `.loc`, or [`NONE`] where it says "no line".
    fn find(&mut self, at: (u32, u32, u32), inlined_at: Option<(u32, u32, u32)>) -> u32 {
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

/// Where a name stands for something in the function being decoded.
#[derive(Clone, Debug)]
enum Named {
    Registers { first: Reg, is_pred: bool },
    KernelParam { offset: usize },
    Frame { offset: usize },
    Local { offset: u64 },
    Shared { offset: u64 },
    Global { number: usize },
}

struct Decoder<'a, 'b> {
    file: &'a str,
    ast: &'a FunctionAst,
    program: &'a mut Program,
    lines: &'a mut Lines<'b>,
    scopes: Vec<HashMap<String, Named>>,
    /// `%r<5>` is kept as the prefix `%r` with its count.
    ranges: Vec<HashMap<String, (Reg, u32, bool)>>,
    labels: HashMap<String, u32>,
    targets: HashMap<String, Vec<String>>,
    constants: HashMap<u64, Reg>,
    out: Function,
    /// Registers are numbered as they are declared; constants get numbers behind them once all are known, so
    /// until then a constant is `CONSTANT + index`.
    constant_values: Vec<u64>,
}

const CONSTANT: u32 = 1 << 30;

type Decoded<T> = Result<T, Box<Diagnostic>>;

/// Places `variable` behind `offset`, aligned; returns where it starts.
fn place(offset: &mut usize, variable: &Variable) -> usize {
    let start = offset.next_multiple_of(variable.align.max(1));
    *offset = start + variable.bytes();
    start
}

impl<'a, 'b> Decoder<'a, 'b> {
    fn new(
        file: &'a str,
        ast: &'a FunctionAst,
        program: &'a mut Program,
        shared: &[Variable],
        lines: &'a mut Lines<'b>,
    ) -> Decoded<Self> {
        let mut names = HashMap::new();
        for (number, variable) in program.globals.iter().enumerate() {
            names.insert(variable.name.clone(), Named::Global { number });
        }
        let mut shared_bytes = 0;
        let (dynamic, fixed): (Vec<_>, Vec<_>) = shared.iter().partition(|v| v.external);
        for variable in fixed {
            let offset = place(&mut shared_bytes, variable) as u64;
            names.insert(variable.name.clone(), Named::Shared { offset });
        }
        // All dynamic arrays start at one place, behind the static ones of the module.
        if let Some(align) = dynamic.iter().map(|v| v.align).max() {
            shared_bytes = shared_bytes.next_multiple_of(align);
        }
        let (mut params, mut param_bytes) = (Vec::new(), 0);
        let mut returns = None;
        let mut frame_bytes = 0;
        for param in &ast.params {
            let space = if ast.is_entry { &mut param_bytes } else { &mut frame_bytes };
            let offset = place(space, param);
            names.insert(
                param.name.clone(),
                if ast.is_entry { Named::KernelParam { offset } } else { Named::Frame { offset } },
            );
            params.push(Param::new(param, offset));
        }
        if !ast.is_entry {
            param_bytes = frame_bytes;
        }
        for variable in &ast.returns {
            let offset = place(&mut frame_bytes, variable);
            names.insert(variable.name.clone(), Named::Frame { offset });
            returns = Some(Param::new(variable, offset));
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
            calls: Vec::new(),
            unsupported: None,
        };
        let mut decoder = Decoder {
            file,
            ast,
            program,
            lines,
            scopes: vec![names],
            ranges: vec![HashMap::new()],
            labels: HashMap::new(),
            targets: HashMap::new(),
            constants: HashMap::new(),
            out,
            constant_values: Vec::new(),
        };
        // Static shared variables of the function come before the dynamic ones too.
        for statement in ast.body.iter().flatten() {
            if let Statement::Variable(variable) = statement
                && variable.space == Space::Shared
                && !variable.external
            {
                let offset = place(&mut decoder.out.shared_bytes, variable) as u64;
                decoder.scopes[0].insert(variable.name.clone(), Named::Shared { offset });
            }
        }
        let offset = decoder.out.shared_bytes.next_multiple_of(16) as u64;
        for variable in shared.iter().filter(|v| v.external) {
            decoder.out.shared_bytes = offset as usize;
            decoder.scopes[0].insert(variable.name.clone(), Named::Shared { offset });
        }
        Ok(decoder)
    }

    fn run(mut self) -> Decoded<Function> {
        let body = self.ast.body.as_deref().unwrap_or(&[]);
        // Labels first: count the instructions that stand before each.
        let mut at = 0;
        for statement in body {
            match statement {
                Statement::Label(name) => {
                    self.labels.insert(name.clone(), at);
                }
                Statement::Targets { label, targets } => {
                    self.targets.insert(label.clone(), targets.clone());
                }
                Statement::Instruction(_) => at += 1,
                _ => {}
            }
        }
        let mut loc = NONE;
        for statement in body {
            match statement {
                Statement::Open => {
                    self.scopes.push(HashMap::new());
                    self.ranges.push(HashMap::new());
                }
                Statement::Close => {
                    self.scopes.pop();
                    self.ranges.pop();
                }
                Statement::Registers { is_pred, names, line } => self.declare(*is_pred, names, *line)?,
                Statement::Variable(variable) => self.variable(variable),
                Statement::Loc { at, inlined_at } => loc = self.lines.find(*at, *inlined_at),
                Statement::Label(_) | Statement::Targets { .. } | Statement::Prototype => {}
                Statement::Instruction(instruction) => self.instruction(instruction, loc),
            }
        }
        // A body that runs off its end returns.
        let end = if self.ast.is_entry { Op::Exit } else { Op::Return };
        self.out.code.push(Inst { op: end, guard: NONE, negated: false, line: self.ast.line, loc });
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

    fn declare(&mut self, is_pred: bool, names: &[(String, Option<u32>)], line: u32) -> Decoded<()> {
        for (name, count) in names {
            let first = if is_pred { self.out.predicates } else { self.out.registers } as u32;
            let number = count.unwrap_or(1);
            match count {
                Some(count) => {
                    self.range_scope().insert(name.clone(), (first, *count, is_pred));
                }
                None => {
                    self.name_scope().insert(name.clone(), Named::Registers { first, is_pred });
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

    fn range_scope(&mut self) -> &mut HashMap<String, (Reg, u32, bool)> {
        if self.ranges.is_empty() {
            self.ranges.push(HashMap::new());
        }
        let last = self.ranges.len() - 1;
        &mut self.ranges[last]
    }

    fn variable(&mut self, variable: &Variable) {
        let named = match variable.space {
            Space::Local => Named::Local { offset: place(&mut self.out.local_bytes, variable) as u64 },
            Space::Param => Named::Frame { offset: place(&mut self.out.frame_bytes, variable) },
            Space::Shared => return, // placed before the body was read
            _ => {
                self.program.globals.push(variable.clone());
                Named::Global { number: self.program.globals.len() - 1 }
            }
        };
        self.name_scope().insert(variable.name.clone(), named);
    }

    fn lookup(&self, name: &str) -> Option<Named> {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (prefix, number) = name.split_at(name.len() - digits);
        for (scope, ranges) in self.scopes.iter().zip(&self.ranges).rev() {
            if let Some(named) = scope.get(name) {
                return Some(named.clone());
            }
            if digits > 0
                && let Some((first, count, is_pred)) = ranges.get(prefix)
                && let Ok(number) = number.parse::<u32>()
                && number < *count
            {
                return Some(Named::Registers { first: first + number, is_pred: *is_pred });
            }
        }
        None
    }

    fn constant(&mut self, value: u64) -> Reg {
        *self.constants.entry(value).or_insert_with(|| {
            self.constant_values.push(value);
            CONSTANT + self.constant_values.len() as u32 - 1
        })
    }

    fn scratch(&mut self) -> Reg {
        self.out.registers += 1;
        self.out.registers as u32 - 1
    }

    fn instruction(&mut self, instruction: &Instruction, loc: u32) {
        let guard = match &instruction.guard {
            None => Some((NONE, false)),
            Some((name, negated)) => self.predicate(name).map(|p| (p, *negated)),
        };
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
                        "the simulator does not know `{}` (line {} of {})",
                        instruction.opcode(),
                        instruction.line,
                        self.file
                    ),
                    help: "run this kernel on a GPU, or write it without what this instruction comes from"
                        .to_string(),
                    related: Vec::new(),
                });
            }
            ((NONE, false), Op::Unsupported)
        });
        self.out.code.push(Inst { op, guard: guard.0, negated: guard.1, line: instruction.line, loc });
    }

    fn predicate(&self, name: &str) -> Option<Pred> {
        match self.lookup(name)? {
            Named::Registers { first, is_pred: true, .. } => Some(first),
            _ => None,
        }
    }

    /// A register that an instruction writes; `_` is a register nobody reads.
    fn destination(&mut self, operand: &Operand) -> Option<Reg> {
        let Operand::Name(name) = operand else { return None };
        if name == "_" {
            return Some(self.scratch());
        }
        match self.lookup(name)? {
            Named::Registers { first, is_pred: false, .. } => Some(first),
            _ => None,
        }
    }

    /// A value that an instruction reads: register, literal or special register. `ty` says how a float literal is
    /// meant.
    fn source(&mut self, operand: &Operand) -> Option<Reg> {
        match operand {
            Operand::Int(value) => Some(self.constant(*value)),
            Operand::F32(bits) => Some(self.constant(*bits as u64)),
            Operand::F64(bits) => Some(self.constant(*bits)),
            Operand::Name(name) => match self.lookup(name) {
                Some(Named::Registers { first, is_pred: false, .. }) => Some(first),
                Some(Named::Shared { offset }) => Some(self.constant(offset)),
                Some(Named::KernelParam { offset }) => Some(self.constant(offset as u64)),
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
    fn special(&mut self, name: &str) -> Option<Reg> {
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
        if let Some((_, register)) = self.out.places.iter().find(|(p, _)| *p == place) {
            return Some(*register);
        }
        let register = self.scratch();
        self.out.places.push((place, register));
        Some(register)
    }

    /// `[base+offset]` for a state space.
    fn address(&mut self, operand: &Operand) -> Option<Address> {
        let Operand::Address(base, offset) = operand else { return None };
        let Some(name) = base else { return Some(Address { base: NONE, offset: *offset }) };
        match self.lookup(name) {
            Some(Named::Registers { first, is_pred: false, .. }) => {
                Some(Address { base: first, offset: *offset })
            }
            Some(Named::Shared { offset: start }) => {
                Some(Address { base: NONE, offset: (start as i64).wrapping_add(*offset) })
            }
            Some(Named::KernelParam { offset: start }) => {
                Some(Address { base: NONE, offset: (start as i64).wrapping_add(*offset) })
            }
            Some(Named::Global { .. }) | Some(Named::Local { .. }) => None,
            _ => None,
        }
    }

    fn registers(&mut self, operand: &Operand, source: bool) -> Option<Vec<Reg>> {
        let one = |this: &mut Self, operand: &Operand| {
            if source { this.source(operand) } else { this.destination(operand) }
        };
        match operand {
            Operand::Vector(items) => items.iter().map(|item| one(self, item)).collect(),
            operand => Some(vec![one(self, operand)?]),
        }
    }

    fn operation(&mut self, i: &Instruction) -> Option<Op> {
        let words: Vec<&str> = i.words.iter().map(String::as_str).collect();
        let o = &i.operands;
        let ty = *words.last()?;
        match words[0] {
            "ld" | "ldu" => self.load(&words, o),
            "st" => self.store(&words, o),
            "atom" | "red" => self.atomic(&words, o),
            "mov" => self.mov(&words, o),
            "cvta" => self.cvta(&words, o),
            "setp" => self.setp(&words, o),
            "set" => {
                let compare = *words.get(1)?;
                let ftz = words.contains(&"ftz");
                let f = alu::test(compare, ty, ftz)?;
                let holds = match *words.get(words.len().checked_sub(2)?)? {
                    "f32" => 0x3f80_0000,
                    "u32" | "s32" => 0xffff_ffff,
                    _ => return None,
                };
                if o.len() != 3 {
                    return None;
                }
                Some(Op::Set {
                    f,
                    d: self.destination(&o[0])?,
                    a: self.source(&o[1])?,
                    b: self.source(&o[2])?,
                    holds,
                })
            }
            "selp" => {
                let (p, negated) = match o.get(3)? {
                    Operand::Name(name) => (self.predicate(name)?, false),
                    Operand::Not(name) => (self.predicate(name)?, true),
                    _ => return None,
                };
                Some(Op::Select {
                    d: self.destination(&o[0])?,
                    a: self.source(&o[1])?,
                    b: self.source(&o[2])?,
                    p,
                    negated,
                })
            }
            "testp" => {
                let class: fn(f64) -> bool = match *words.get(1)? {
                    "finite" => f64::is_finite,
                    "infinite" => f64::is_infinite,
                    "number" => |a| !a.is_nan(),
                    "notanumber" => f64::is_nan,
                    _ => return None,
                };
                let Operand::Name(d) = o.first()? else { return None };
                Some(Op::TestFloat {
                    d: self.predicate(d)?,
                    a: self.source(o.get(1)?)?,
                    class,
                    double: ty == "f64",
                })
            }
            "and" | "or" | "xor" | "not" if ty == "pred" => {
                let bits = match words[0] {
                    "and" => Bits::And,
                    "or" => Bits::Or,
                    _ => Bits::Xor,
                };
                let Operand::Name(d) = o.first()? else { return None };
                let d = self.predicate(d)?;
                let (a, not_a) = self.predicate_operand(o.get(1)?)?;
                if words[0] == "not" {
                    return Some(Op::Logic { bits, d, a, not_a: !not_a, b: NONE, not_b: false });
                }
                let (b, not_b) = self.predicate_operand(o.get(2)?)?;
                Some(Op::Logic { bits, d, a, not_a, b, not_b })
            }
            "bar" | "barrier" => self.barrier(&words, o),
            "membar" | "fence" => Some(Op::Fence {
                scope: match () {
                    _ if words.contains(&"cta") => Scope::Cta,
                    _ if words.contains(&"sys") => Scope::System,
                    _ => Scope::Gpu,
                },
            }),
            "shfl" => {
                let mode = match (words.get(1).copied()?, words.get(2).copied()?) {
                    ("sync", "up") => Shuffle::Up,
                    ("sync", "down") => Shuffle::Down,
                    ("sync", "bfly") => Shuffle::Butterfly,
                    ("sync", "idx") => Shuffle::Index,
                    _ => return None,
                };
                let (d, p) = match o.first()? {
                    Operand::Pair(d, p) => (self.destination(&Operand::Name(d.clone()))?, self.predicate(p)?),
                    d => (self.destination(d)?, NONE),
                };
                if o.len() != 5 {
                    return None;
                }
                Some(Op::Shuffle {
                    mode,
                    d,
                    p,
                    a: self.source(&o[1])?,
                    b: self.source(&o[2])?,
                    c: self.source(&o[3])?,
                    mask: self.source(&o[4])?,
                })
            }
            "vote" => {
                let mode = match (words.get(1).copied()?, words.get(2).copied()?) {
                    ("sync", "all") => Vote::All,
                    ("sync", "any") => Vote::Any,
                    ("sync", "uni") => Vote::Uniform,
                    ("sync", "ballot") => Vote::Ballot,
                    _ => return None,
                };
                let d = if mode == Vote::Ballot {
                    self.destination(o.first()?)?
                } else {
                    let Operand::Name(d) = o.first()? else { return None };
                    self.predicate(d)?
                };
                let (p, negated) = self.predicate_operand(o.get(1)?)?;
                Some(Op::Vote { mode, d, p, negated, mask: self.source(o.get(2)?)? })
            }
            "match" => {
                let all = match *words.get(1)? {
                    "any" => false,
                    "all" => true,
                    _ => return None,
                };
                let (d, p) = match o.first()? {
                    Operand::Pair(d, p) => (self.destination(&Operand::Name(d.clone()))?, self.predicate(p)?),
                    d => (self.destination(d)?, NONE),
                };
                Some(Op::Match {
                    all,
                    d,
                    p,
                    a: self.source(o.get(1)?)?,
                    wide: ty == "b64",
                    mask: self.source(o.get(2)?)?,
                })
            }
            "redux" => {
                let op = match (*words.get(2)?, ty) {
                    ("add", "u32" | "s32") => AtomOp::Add,
                    ("min", "u32") => AtomOp::MinU,
                    ("min", "s32") => AtomOp::MinS,
                    ("max", "u32") => AtomOp::MaxU,
                    ("max", "s32") => AtomOp::MaxS,
                    ("and", "b32") => AtomOp::And,
                    ("or", "b32") => AtomOp::Or,
                    ("xor", "b32") => AtomOp::Xor,
                    _ => return None,
                };
                Some(Op::Reduce {
                    op,
                    d: self.destination(o.first()?)?,
                    a: self.source(o.get(1)?)?,
                    mask: self.source(o.get(2)?)?,
                })
            }
            "activemask" => Some(Op::ActiveMask { d: self.destination(o.first()?)? }),
            "bra" => {
                let Operand::Name(label) = o.first()? else { return None };
                Some(Op::Branch { target: *self.labels.get(label)?, reconverge: NONE })
            }
            "brx" => {
                let Operand::Name(list) = o.get(1)? else { return None };
                let targets = self
                    .targets
                    .get(list)?
                    .iter()
                    .map(|l| self.labels.get(l).copied())
                    .collect::<Option<_>>()?;
                Some(Op::BranchIndexed { index: self.source(o.first()?)?, targets, reconverge: NONE })
            }
            "call" => self.call(o),
            "ret" => Some(if self.ast.is_entry { Op::Exit } else { Op::Return }),
            "exit" => Some(Op::Exit),
            "trap" => Some(Op::Trap),
            "nanosleep" | "prefetch" | "prefetchu" | "pmevent" | "brkpt" | "griddepcontrol"
            | "setmaxnreg" => Some(Op::Nop),
            "isspacep" | "discard" | "applypriority" => None,
            _ => {
                let (f, sources) = alu::select(&words)?;
                if o.len() != sources + 1 {
                    return None;
                }
                let d = self.destination(&o[0])?;
                let zero = self.constant(0);
                let mut s = [zero; 4];
                for (slot, operand) in s.iter_mut().zip(&o[1..]) {
                    *slot = self.source(operand)?;
                }
                Some(Op::Alu { f, d, s })
            }
        }
    }

    fn predicate_operand(&mut self, operand: &Operand) -> Option<(Pred, bool)> {
        match operand {
            Operand::Name(name) => Some((self.predicate(name)?, false)),
            Operand::Not(name) => Some((self.predicate(name)?, true)),
            Operand::Int(value) => {
                // A constant predicate gets a register of its own, set where it is used first.
                let d = self.out.predicates as u32;
                self.out.predicates += 1;
                // Predicates start false; "true" is read negated.
                Some((d, *value != 0))
            }
            _ => None,
        }
    }

    fn mov(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let ty = *words.last()?;
        if o.len() != 2 {
            return None;
        }
        if ty == "pred" {
            let Operand::Name(d) = &o[0] else { return None };
            let d = self.predicate(d)?;
            return match &o[1] {
                Operand::Int(value) => Some(Op::PredConst { d, value: *value != 0 }),
                other => {
                    let (a, not_a) = self.predicate_operand(other)?;
                    Some(Op::Logic { bits: Bits::Or, d, a, not_a, b: NONE, not_b: false })
                }
            };
        }
        let bits = ptx::type_bytes(ty)? as u32 * 8;
        match (&o[0], &o[1]) {
            (Operand::Vector(parts), a) => {
                let parts = parts.iter().map(|p| self.destination(p)).collect::<Option<Vec<_>>>()?;
                let part_bits = bits / parts.len().max(1) as u32;
                Some(Op::Unpack { parts, a: self.source(a)?, bits: part_bits })
            }
            (d, Operand::Vector(parts)) => {
                let parts = parts.iter().map(|p| self.source(p)).collect::<Option<Vec<_>>>()?;
                let part_bits = bits / parts.len().max(1) as u32;
                Some(Op::Pack { d: self.destination(d)?, parts, bits: part_bits })
            }
            (d, a) => {
                let d = self.destination(d)?;
                let (name, more) = match a {
                    Operand::Name(name) => (name.as_str(), 0),
                    Operand::Sum(name, more) => (name.as_str(), *more),
                    _ => ("", 0),
                };
                match self.lookup(name) {
                    Some(Named::Local { offset }) => {
                        return Some(Op::LocalAddress { d, offset: offset.wrapping_add(more as u64) });
                    }
                    Some(Named::Global { number }) => {
                        return Some(Op::GlobalAddress { d, global: number, offset: more });
                    }
                    None if matches!(
                        name,
                        "%clock" | "%clock64" | "%clock_hi" | "%globaltimer" | "%globaltimer_lo"
                    ) =>
                    {
                        return Some(Op::Clock { d });
                    }
                    None if self.program.by_name.contains_key(name) => {
                        let address = FUNCTION_WINDOW + self.program.by_name[name] as u64;
                        let a = self.constant(address);
                        return self.copy(d, a);
                    }
                    _ => {}
                }
                let a = self.source(a)?;
                self.copy(d, a)
            }
        }
    }

    fn copy(&mut self, d: Reg, a: Reg) -> Option<Op> {
        let (f, _) = alu::select(&["mov", "b64"])?;
        let zero = self.constant(0);
        Some(Op::Alu { f, d, s: [a, zero, zero, zero] })
    }

    /// `cvta.space` makes an address generic, `cvta.to.space` the other way round (PTX ISA 9.7.9.20).
    fn cvta(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let to = words.get(1) == Some(&"to");
        let space = words.iter().find_map(|word| Space::parse(word.split("::").next().unwrap_or(word)))?;
        let window = super::memory::window(space);
        let d = self.destination(o.first()?)?;
        let a = o.get(1)?;
        // The operand may be a variable's name, or a name plus an offset.
        let a = match a {
            Operand::Name(name) => match self.lookup(name) {
                Some(Named::Global { number }) => {
                    return Some(Op::GlobalAddress { d, global: number, offset: 0 });
                }
                Some(Named::Local { offset }) if !to => {
                    return Some(Op::LocalAddress { d, offset: offset.wrapping_add(window) });
                }
                _ => self.source(a)?,
            },
            _ => self.source(a)?,
        };
        if window == 0 {
            return self.copy(d, a);
        }
        let (f, _) = alu::select(&[if to { "sub" } else { "add" }, "u64"])?;
        let window = self.constant(window);
        let zero = self.constant(0);
        Some(Op::Alu { f, d, s: [a, window, zero, zero] })
    }

    fn setp(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let ty = *words.last()?;
        let compare = *words.get(1)?;
        let ftz = words.contains(&"ftz");
        let (d, q) = match o.first()? {
            Operand::Pair(d, q) => (self.predicate(d)?, if q == "_" { NONE } else { self.predicate(q)? }),
            Operand::Name(d) => (self.predicate(d)?, NONE),
            _ => return None,
        };
        let bits = words[2..words.len() - 1].iter().find_map(|word| match *word {
            "and" => Some(Bits::And),
            "or" => Some(Bits::Or),
            "xor" => Some(Bits::Xor),
            _ => None,
        });
        let combine = match bits {
            Some(bits) => {
                let (p, negated) = self.predicate_operand(o.get(3)?)?;
                Some((bits, p, negated))
            }
            None if o.len() == 3 => None,
            None => return None,
        };
        let f = alu::test(compare, ty, ftz)?;
        Some(Op::Test { f, d, q, a: self.source(o.get(1)?)?, b: self.source(o.get(2)?)?, combine })
    }

    fn order_and_scope(words: &[&str]) -> (Order, Scope) {
        let has = |word: &str| words.contains(&word);
        let order = match () {
            _ if has("acq_rel") => Order::AcquireRelease,
            _ if has("acquire") => Order::Acquire,
            _ if has("release") => Order::Release,
            _ if has("relaxed") => Order::Relaxed,
            _ if has("volatile") => Order::Volatile,
            _ => Order::Weak,
        };
        let scope = match () {
            _ if has("cta") => Scope::Cta,
            _ if has("sys") || order == Order::Volatile => Scope::System,
            _ => Scope::Gpu,
        };
        (order, scope)
    }

    fn space_of(words: &[&str]) -> Space {
        words
            .iter()
            .find_map(|word| Space::parse(word.split("::").next().unwrap_or(word)))
            .unwrap_or(Space::Generic)
    }

    fn known_modifiers(words: &[&str], more: &[&str]) -> bool {
        const CACHE: [&str; 17] = [
            "ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "v2", "v4", "weak", "volatile", "relaxed",
            "acquire", "release", "acq_rel", "mmio",
        ];
        words[1..words.len() - 1].iter().all(|word| {
            CACHE.contains(word)
                || more.contains(word)
                || Space::parse(word.split("::").next().unwrap_or(word)).is_some()
                || matches!(*word, "cta" | "gpu" | "sys" | "cluster")
                || word.starts_with("L1::")
                || word.starts_with("L2::")
        })
    }

    fn load(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let ty = *words.last()?;
        let bytes = ptx::type_bytes(ty)? as u32;
        if bytes > 8 || o.len() != 2 || !Self::known_modifiers(words, &[]) {
            return None;
        }
        let signed = ty.starts_with('s');
        let d = self.registers(&o[0], false)?;
        let space = Self::space_of(words);
        let (order, scope) = Self::order_and_scope(words);
        if let Operand::Address(Some(name), offset) = &o[1] {
            match self.lookup(name) {
                Some(Named::Frame { offset: start }) => {
                    let offset = usize::try_from(start as i64 + offset).ok()?;
                    return Some(Op::LoadFrame { d, bytes, signed, offset });
                }
                Some(Named::Global { .. }) | Some(Named::Local { .. }) => {
                    let at = self.variable_address(name, *offset)?;
                    return Some(Op::Load { space, d, bytes, signed, at, order, scope });
                }
                _ => {}
            }
        }
        let at = self.address(&o[1])?;
        Some(Op::Load { space, d, bytes, signed, at, order, scope })
    }

    /// The address of an access that names a global or local variable directly.
    fn variable_address(&self, name: &str, offset: i64) -> Option<Address> {
        match self.lookup(name)? {
            Named::Global { number } => Some(Address { base: GLOBAL_BASE | number as u32, offset }),
            Named::Local { offset: start } => {
                Some(Address { base: LOCAL_BASE, offset: (start as i64).wrapping_add(offset) })
            }
            _ => None,
        }
    }

    fn store(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let bytes = ptx::type_bytes(words.last()?)? as u32;
        if bytes > 8 || o.len() != 2 || !Self::known_modifiers(words, &[]) {
            return None;
        }
        let s = self.registers(&o[1], true)?;
        let space = Self::space_of(words);
        let (order, scope) = Self::order_and_scope(words);
        if let Operand::Address(Some(name), offset) = &o[0] {
            match self.lookup(name) {
                Some(Named::Frame { offset: start }) => {
                    let offset = usize::try_from(start as i64 + offset).ok()?;
                    return Some(Op::StoreFrame { s, bytes, offset });
                }
                Some(Named::Global { .. }) | Some(Named::Local { .. }) => {
                    let at = self.variable_address(name, *offset)?;
                    return Some(Op::Store { space, s, bytes, at, order, scope });
                }
                _ => {}
            }
        }
        let at = self.address(&o[0])?;
        Some(Op::Store { space, s, bytes, at, order, scope })
    }

    fn atomic(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let ty = *words.last()?;
        let returns = words[0] == "atom";
        let name = words[1..].iter().find(|word| {
            matches!(**word, "add" | "min" | "max" | "and" | "or" | "xor" | "exch" | "cas" | "inc" | "dec")
        })?;
        if !Self::known_modifiers(words, &[name]) {
            return None;
        }
        let op = match (*name, ty) {
            ("add", "f32") => AtomOp::AddF32,
            ("add", "f64") => AtomOp::AddF64,
            ("add", "u32" | "s32" | "u64") => AtomOp::Add,
            ("min", "u32" | "u64") => AtomOp::MinU,
            ("min", "s32" | "s64") => AtomOp::MinS,
            ("max", "u32" | "u64") => AtomOp::MaxU,
            ("max", "s32" | "s64") => AtomOp::MaxS,
            ("and", "b32" | "b64") => AtomOp::And,
            ("or", "b32" | "b64") => AtomOp::Or,
            ("xor", "b32" | "b64") => AtomOp::Xor,
            ("exch", "b32" | "b64") => AtomOp::Exchange,
            ("cas", "b16" | "b32" | "b64") => AtomOp::CompareSwap,
            ("inc", "u32") => AtomOp::Inc,
            ("dec", "u32") => AtomOp::Dec,
            _ => return None,
        };
        let (order, scope) = Self::order_and_scope(words);
        let order = if order == Order::Weak { Order::Relaxed } else { order };
        // `red` is `atom` without the first operand.
        let (d, o) = if returns { (self.destination(o.first()?)?, &o[1..]) } else { (NONE, o) };
        let at = match o.first()? {
            Operand::Address(Some(name), offset)
                if matches!(self.lookup(name), Some(Named::Global { .. } | Named::Local { .. })) =>
            {
                self.variable_address(name, *offset)?
            }
            operand => self.address(operand)?,
        };
        let b = self.source(o.get(1)?)?;
        let c = match o.get(2) {
            Some(operand) => self.source(operand)?,
            None => self.constant(0),
        };
        if o.len() != if op == AtomOp::CompareSwap { 3 } else { 2 } {
            return None;
        }
        let bytes = ptx::type_bytes(ty)? as u32;
        Some(Op::Atomic { space: Self::space_of(words), op, bytes, d, at, b, c, order, scope })
    }

    /// `bar.sync`, `bar.red`, `bar.arrive`, `bar.warp.sync`, and `barrier.…` (PTX ISA 9.7.13).
    fn barrier(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let words: Vec<&str> = words.iter().copied().filter(|w| !matches!(*w, "cta" | "aligned")).collect();
        match *words.get(1)? {
            "warp" => Some(Op::WarpBarrier { mask: self.source(o.first()?)? }),
            "sync" | "arrive" => {
                let id = self.source(o.first()?)?;
                let count = match o.get(1) {
                    Some(operand) => self.source(operand)?,
                    None => NONE,
                };
                Some(Op::Barrier { id, count, arrive: words[1] == "arrive", reduce: None })
            }
            "red" => {
                let (kind, d) = match (*words.get(2)?, o.first()?) {
                    ("popc", d) => (BarReduce::Popc, self.destination(d)?),
                    ("and", Operand::Name(d)) => (BarReduce::And, self.predicate(d)?),
                    ("or", Operand::Name(d)) => (BarReduce::Or, self.predicate(d)?),
                    _ => return None,
                };
                let id = self.source(o.get(1)?)?;
                let (count, p) = if o.len() == 4 { (self.source(&o[2])?, &o[3]) } else { (NONE, o.get(2)?) };
                let (p, negated) = self.predicate_operand(p)?;
                Some(Op::Barrier { id, count, arrive: false, reduce: Some((kind, d, p, negated)) })
            }
            _ => None,
        }
    }

    fn call(&mut self, o: &[Operand]) -> Option<Op> {
        let frame = |this: &Self, operand: &Operand| match operand {
            Operand::Name(name) => match this.lookup(name)? {
                Named::Frame { offset } => Some(offset),
                _ => None,
            },
            _ => None,
        };
        let (ret, rest) = match o.first()? {
            Operand::List(items) => (items.first(), &o[1..]),
            _ => (None, o),
        };
        let ret = match ret {
            Some(operand) => Some(frame(self, operand)?),
            None => None,
        };
        let Operand::Name(name) = rest.first()? else { return None };
        let args = match rest.get(1) {
            Some(Operand::List(items)) => {
                items.iter().map(|item| frame(self, item)).collect::<Option<Vec<_>>>()?
            }
            _ => Vec::new(),
        };
        let callee = if let Some(number) = self.program.by_name.get(name) {
            self.out.calls.push(*number);
            Callee::Function(*number)
        } else if let Some(Named::Registers { first, is_pred: false, .. }) = self.lookup(name) {
            Callee::Register(first)
        } else {
            Callee::Runtime(super::runtime::Call::parse(name)?)
        };
        Some(Op::Call { callee, args, ret })
    }
}

/// Bases of [`Address`] that are no registers: a module variable, and the activation's local memory.
pub const GLOBAL_BASE: u32 = 1 << 29;
pub const LOCAL_BASE: u32 = (1 << 29) - 1;

impl Op {
    /// Calls `f` with every (non-predicate) register that stands in the operation.
    fn registers_mut(&mut self, f: &mut impl FnMut(&mut Reg)) {
        match self {
            Op::Alu { d, s, .. } => {
                f(d);
                s.iter_mut().for_each(f);
            }
            Op::Test { a, b, .. } => {
                f(a);
                f(b);
            }
            Op::Set { d, a, b, .. } | Op::Select { d, a, b, .. } => {
                f(d);
                f(a);
                f(b);
            }
            Op::TestFloat { a, .. } => f(a),
            Op::Pack { d, parts, .. } => {
                f(d);
                parts.iter_mut().for_each(f);
            }
            Op::Unpack { parts, a, .. } => {
                f(a);
                parts.iter_mut().for_each(f);
            }
            Op::Load { d, at, .. } => {
                d.iter_mut().for_each(&mut *f);
                f(&mut at.base);
            }
            Op::Store { s, at, .. } => {
                s.iter_mut().for_each(&mut *f);
                f(&mut at.base);
            }
            Op::LoadFrame { d: parts, .. } | Op::StoreFrame { s: parts, .. } => parts.iter_mut().for_each(f),
            Op::Atomic { d, at, b, c, .. } => {
                f(d);
                f(&mut at.base);
                f(b);
                f(c);
            }
            Op::Barrier { id, count, reduce, .. } => {
                f(id);
                f(count);
                if let Some((BarReduce::Popc, d, ..)) = reduce {
                    f(d);
                }
            }
            Op::WarpBarrier { mask } => f(mask),
            Op::Shuffle { d, a, b, c, mask, .. } => {
                for register in [d, a, b, c, mask] {
                    f(register);
                }
            }
            Op::Vote { mask, .. } => f(mask),
            Op::Match { d, a, mask, .. } | Op::Reduce { d, a, mask, .. } => {
                f(d);
                f(a);
                f(mask);
            }
            Op::BranchIndexed { index, .. } => f(index),
            Op::Call { callee: Callee::Register(register), .. } => f(register),
            _ => {}
        }
    }
}

/// Bytes of a module variable's initial contents; symbols are filled in when the module is loaded.
pub fn initial_bytes(variable: &Variable, resolve: impl Fn(&str) -> Option<u64>) -> Vec<u8> {
    let mut bytes = vec![0u8; variable.bytes()];
    let scalar = if variable.init.len() > variable.count {
        variable.element / (variable.init.len() / variable.count.max(1)).max(1)
    } else {
        variable.element
    };
    for (i, init) in variable.init.iter().enumerate() {
        let value = match init {
            Init::Number(value) => *value,
            Init::Symbol(name, offset) => resolve(name).unwrap_or(0).wrapping_add(*offset as u64),
        };
        let start = i * scalar;
        let width = scalar.min(8);
        if let Some(slot) = bytes.get_mut(start..start + width) {
            slot.copy_from_slice(&value.to_le_bytes()[..width]);
        }
    }
    bytes
}
