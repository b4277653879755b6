//! Writes one program: patterns filled with registers and constants, inside branches, loops, jump tables and
//! functions.
//!
//! A program has a few registers of each class. All get a value at its start, and any instruction may read or
//! overwrite any of them, so that every part can be taken away and what is left is still a program. At the
//! end each thread stores all its registers.

mod fill;
mod frame;
mod structures;

use super::operations::{BLOCK, MEMORY, PLAIN, WARP};
use super::program::{Node, Piece, Program};
use super::rng::Random;
use frame::declarations;

/// Words of 64 bits of a thread's inputs: pairs of 32-bit integers, 64-bit integers, pairs of singles,
/// doubles, and a 0.
pub const ROW: usize = 24;
pub const PAIRS: std::ops::Range<usize> = 0..8;
pub const LONGS: std::ops::Range<usize> = 8..12;
pub const SINGLES: std::ops::Range<usize> = 12..18;
pub const DOUBLES: std::ops::Range<usize> = 18..22;
pub const ZERO: usize = 22;

const PREDICATES: usize = 4;

/// Registers of each class: 32, 64, 16 bits, singles, doubles.
#[derive(Clone, Copy, Debug)]
struct Counts {
    r: usize,
    l: usize,
    h: usize,
    f: usize,
    d: usize,
}

impl Counts {
    fn random(random: &mut Random) -> Counts {
        loop {
            let counts = Counts {
                r: random.pick(&[2, 4, 4, 6]),
                l: random.pick(&[0, 1, 2, 2]),
                h: random.pick(&[0, 0, 4]),
                f: random.pick(&[0, 2, 4, 4]),
                d: random.pick(&[0, 1, 2, 2]),
            };
            if (4..=8).contains(&counts.words()) {
                return counts;
            }
        }
    }

    /// Words of a thread's results: the registers, the predicates, and one that it uses as memory.
    fn words(self) -> usize {
        self.r / 2 + self.l + self.h / 4 + self.f / 2 + self.d + 2
    }
}

/// Who is sure to be where a statement stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The whole block; or each warp with all its lanes.
    Block,
    Warp,
    Alone,
    /// In a function, where there is neither input nor memory.
    Function,
}

/// The words of a function's parameters and result: type and register class.
#[derive(Clone, Debug)]
struct Signature {
    name: String,
    params: Vec<char>,
    result: char,
}

struct Writer {
    random: Random,
    counts: Counts,
    place: Place,
    labels: usize,
    cells: usize,
    /// Loops around the place, and the labels where those of single threads end and go on.
    depth: usize,
    loops: Vec<(String, String)>,
    functions: Vec<Signature>,
    /// Threads may leave: nobody waits for them any more.
    exits: bool,
    /// The class of the result, in a function.
    result: char,
}

/// The program of a seed.
pub fn program(number: usize, seed: u64) -> Program {
    let mut random = Random::new(seed);
    let counts = Counts::random(&mut random);
    let threads = random.pick(&[64, 64, 64, 96]);
    let mut nodes = Vec::new();
    let mut functions = Vec::new();
    for index in 0..random.pick(&[0, 0, 1, 1, 2]) {
        let (node, signature) = function(&mut random, format!("function_{number}_{index}"), &functions);
        nodes.push(node);
        functions.push(signature);
    }
    let mut writer = Writer {
        random,
        counts,
        place: Place::Block,
        labels: 0,
        cells: 0,
        depth: 0,
        loops: Vec::new(),
        functions,
        exits: false,
        result: 'R',
    };
    let words = counts.words();
    let together = 2 + writer.random.below(11);
    let mut body = writer.body(together, 0);
    writer.place = Place::Alone;
    writer.exits = true;
    let alone = 5 + writer.random.below(8);
    body.extend(writer.body(alone, 0));
    let mut all = writer.prologue(&body, words);
    all.extend(body);
    all.extend(writer.epilogue(words));
    nodes.push(Node::Structure(vec![
        Piece::Lines(vec![
            format!(".visible .entry program_{number}(.param .u64 inputs, .param .u64 outputs)"),
            "{".to_string(),
        ]),
        Piece::Body(all),
        Piece::Lines(vec!["}".to_string()]),
    ]));
    Program { number, seed, threads, words, nodes }
}

/// A function of a few parameters, the first a 0 that the assembler cannot know.
fn function(random: &mut Random, name: String, known: &[Signature]) -> (Node, Signature) {
    let counts = Counts { r: 3, l: 2, h: 2, f: 2, d: random.pick(&[0, 2]) };
    let classes = if counts.d > 0 { &['R', 'R', 'L', 'F', 'D'][..] } else { &['R', 'R', 'L', 'F'] };
    let params: Vec<char> = (0..1 + random.below(3)).map(|_| random.pick(classes)).collect();
    let result = random.pick(classes);
    let mut writer = Writer {
        random: Random::new(random.bits()),
        counts,
        place: Place::Function,
        labels: 0,
        cells: 0,
        depth: 0,
        loops: Vec::new(),
        functions: known.to_vec(),
        exits: true,
        result,
    };
    let mut nodes = declarations(counts);
    nodes.push(Node::line("ld.param.b32 %zero, [zero];"));
    let mut given = [0; 5];
    for (position, class) in params.iter().enumerate() {
        let at = CLASSES.iter().position(|c| c == class).unwrap_or(0);
        let index = given[at] % writer.count(*class);
        nodes.push(Node::line(format!(
            "ld.param.{} {}{index}, [p{position}];",
            bits(*class),
            prefix(*class)
        )));
        given[at] += 1;
    }
    // What no parameter has set starts as a constant.
    for (class, given) in CLASSES.iter().zip(given) {
        for index in given.min(writer.count(*class))..writer.count(*class) {
            let constant = writer.constant(*class);
            nodes.push(Node::line(format!("mov.{} {}{index}, {constant};", bits(*class), prefix(*class))));
        }
    }
    for index in 0..PREDICATES {
        nodes.push(Node::line(format!("setp.lt.s32 %p{index}, %r{}, {};", index % 3, index as i32 - 2)));
    }
    let size = 3 + writer.random.below(6);
    nodes.extend(writer.body(size, 1));
    let value = writer.register(result);
    nodes.push(Node::Lines(vec![format!("st.param.{} [result], {value};", bits(result)), "ret;".into()]));
    let list: Vec<String> =
        params.iter().enumerate().map(|(at, class)| format!(", .param .{} p{at}", bits(*class))).collect();
    let head = format!(".func (.param .{} result) {name}(.param .b32 zero{})", bits(result), list.concat());
    let node = Node::Structure(vec![
        Piece::Lines(vec![head, "{".into()]),
        Piece::Body(nodes),
        Piece::Lines(vec!["}".into()]),
    ]);
    (node, Signature { name, params, result })
}

const CLASSES: [char; 5] = ['R', 'L', 'H', 'F', 'D'];

fn prefix(class: char) -> &'static str {
    match class {
        'R' => "%r",
        'L' => "%l",
        'H' => "%h",
        'F' => "%f",
        'D' => "%d",
        _ => "%p",
    }
}

fn bits(class: char) -> &'static str {
    match class {
        'H' => "b16",
        'L' => "b64",
        'F' => "f32",
        'D' => "f64",
        _ => "b32",
    }
}

impl Writer {
    fn count(&self, class: char) -> usize {
        match class {
            'R' => self.counts.r,
            'L' => self.counts.l,
            'H' => self.counts.h,
            'F' => self.counts.f,
            'D' => self.counts.d,
            _ => PREDICATES,
        }
    }

    fn register(&mut self, class: char) -> String {
        let index = self.random.below(self.count(class));
        format!("{}{index}", prefix(class))
    }

    /// A constant of a class. A float is a number other than 0 and 1: the assembler may drop an operation
    /// with these, and with it the NaN that it would have made.
    fn constant(&mut self, class: char) -> String {
        let random = &mut self.random;
        match class {
            'R' => format!("{:#x}", random.int_32()),
            'L' => format!("{:#x}", random.int_64()),
            'H' => format!("{:#x}", random.int_32() & 0xffff),
            'F' => format!("0f{:08x}", random.number_32()),
            _ => format!("0d{:016x}", random.number_64()),
        }
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    /// An offset into a thread's inputs.
    fn input(&mut self, letter: char) -> usize {
        let (slots, size) = match letter {
            'i' => (PAIRS.start..LONGS.end, 4),
            'I' => (PAIRS.start..LONGS.end, 8),
            'g' => (SINGLES, 4),
            _ => (DOUBLES, 8),
        };
        8 * slots.start + size * self.random.below(8 * slots.len() / size)
    }

    fn body(&mut self, size: usize, depth: usize) -> Vec<Node> {
        (0..size).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> Node {
        if depth < 3 && self.random.chance(22) {
            return self.structure(depth);
        }
        if !self.functions.is_empty() && self.random.chance(7) {
            return self.call();
        }
        if self.place == Place::Block && self.random.chance(22) {
            return Node::Lines(self.operation(BLOCK, "", false));
        }
        if matches!(self.place, Place::Block | Place::Warp) && self.random.chance(25) {
            return Node::Lines(self.operation(WARP, "", false));
        }
        if !self.loops.is_empty() && self.random.chance(8) {
            let (end, next) = self.loops[self.random.below(self.loops.len())].clone();
            let to = if self.random.chance(50) { end } else { next };
            let guard = self.guard();
            return Node::line(format!("{guard} bra {to};"));
        }
        if self.exits && depth > 0 && self.random.chance(5) {
            return self.exit();
        }
        if self.place != Place::Function && self.random.chance(20) {
            return Node::Lines(self.operation(MEMORY, "", true));
        }
        Node::Lines(self.operation(PLAIN, "", true))
    }

    fn guard(&mut self) -> String {
        let not = self.random.pick(&["", "!"]);
        format!("@{not}{}", self.register('P'))
    }

    /// Threads leave the kernel or function early.
    fn exit(&mut self) -> Node {
        let guard = self.guard();
        if self.place == Place::Function {
            let value = self.register(self.result);
            let ty = bits(self.result);
            return Node::Lines(vec![
                format!("{guard} st.param.{ty} [result], {value};"),
                format!("{guard} ret;"),
            ]);
        }
        Node::line(format!("{guard} {};", self.random.pick(&["bra DONE", "bra DONE", "exit", "ret"])))
    }

    fn call(&mut self) -> Node {
        let Signature { name, params, result } =
            self.functions[self.random.below(self.functions.len())].clone();
        let mut lines = vec!["{".to_string(), ".param .b32 arg_zero;".into()];
        let classes_are_here = params.iter().chain([&result]).all(|class| self.count(*class) > 0);
        if !classes_are_here {
            return Node::Lines(self.operation(PLAIN, "", true));
        }
        lines.extend(
            params.iter().enumerate().map(|(at, class)| format!(".param .{} arg{at};", bits(*class))),
        );
        lines.push(format!(".param .{} back;", bits(result)));
        lines.push("st.param.b32 [arg_zero], %zero;".into());
        let mut list = "arg_zero".to_string();
        for (at, class) in params.iter().enumerate() {
            let value = if self.random.chance(20) { self.constant(*class) } else { self.register(*class) };
            lines.push(format!("st.param.{} [arg{at}], {value};", bits(*class)));
            list += &format!(", arg{at}");
        }
        lines.push(format!("call (back), {name}, ({list});"));
        let to = self.register(result);
        lines.push(format!("ld.param.{} {to}, [back];", bits(result)));
        lines.push("}".into());
        Node::Lines(lines)
    }
}
