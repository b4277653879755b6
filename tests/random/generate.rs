//! Writes one program: patterns filled with registers and constants, inside branches, loops, jump tables and functions.
//!
//! A program has a few registers of each class. All get a value at its start, and any instruction may read or overwrite
//! any of them, so that every part can be taken away and what is left is still a program. At the end each thread
//! stores all its registers.

use super::assembler::loses_its_guard;
use super::operations::{BLOCK, MEMORY, PLAIN, Pattern, WARP};
use super::program::{CELLS, Node, Piece, Program};
use super::rng::Random;

/// Words of 64 bits of a thread's inputs: pairs of 32-bit integers, 64-bit integers, pairs of singles, doubles, and a 0.
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

/// The registers of a kernel or function: its own, and scratch ones.
fn declarations(counts: Counts) -> Vec<Node> {
    let own = [counts.r, counts.l, counts.h, counts.f, counts.d];
    let mut lines: Vec<String> = CLASSES
        .iter()
        .zip(own)
        .filter(|(_, count)| *count > 0)
        .map(|(class, count)| format!(".reg .{} {}<{count}>;", bits(*class), prefix(*class)))
        .collect();
    lines.push(format!(".reg .pred %p<{PREDICATES}>, %q;"));
    lines.push(".reg .b32 %zero, %a, %b, %m, %c<3>;".into());
    lines.push(".reg .b64 %x, %y;".into());
    lines.push(".reg .b16 %u, %v;".into());
    lines.into_iter().map(Node::line).collect()
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

    /// A constant of a class. A float is a number other than 0 and 1: the assembler may drop an operation with these, and
    /// with it the NaN that it would have made.
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

    /// Instructions that a pattern stands for, without their semicolons; `None` if there is no register or cell for it.
    fn fill(&mut self, pattern: &str) -> Option<Vec<String>> {
        let chosen = self.choose(pattern);
        let (chosen, open) = match chosen.strip_suffix('~') {
            Some(chosen) => (chosen, true),
            None => (&chosen[..], false),
        };
        let mut places = Vec::new();
        let mut lines = Vec::new();
        for instruction in chosen.split("; ") {
            let (guard, instruction) = match instruction.strip_prefix("@$0 ") {
                Some(rest) => (format!("@{} ", places.first()?), rest),
                None => (String::new(), instruction),
            };
            let (opcode, operands) = instruction.split_once(' ')?;
            lines.push(format!("{guard}{opcode} {}", self.operands(operands, &mut places)?));
        }
        if open {
            let (ty, nan) = match places.first()?.starts_with("%f") {
                true => ("f32", "0f7fffffff"),
                false => ("f64", "0dfff8000000000000"),
            };
            lines.push(format!("setp.nan.{ty} %q, {0}, {0}", places[0]));
            lines.push(format!("@%q mov.{ty} {}, {nan}", places[0]));
        }
        Some(lines)
    }

    /// The pattern with one of each `<…>`.
    fn choose(&mut self, pattern: &str) -> String {
        let mut out = String::new();
        let mut rest = pattern;
        while let Some((before, from)) = rest.split_once('<') {
            let (group, after) = from.split_once('>').unwrap_or((from, ""));
            let separator = if group.contains('|') { '|' } else { ',' };
            let choices: Vec<&str> = group.split(separator).collect();
            out.push_str(before);
            out.push_str(self.random.pick(&choices));
            rest = after;
        }
        out + rest
    }

    fn operands(&mut self, pattern: &str, places: &mut Vec<String>) -> Option<String> {
        let mut out = String::new();
        let mut constant = false;
        let mut rest = pattern;
        while let Some(first) = rest.chars().next() {
            let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '%' | '$' | '\'' | '.' | '_');
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len()).max(1);
            let (word, after) = rest.split_at(end);
            rest = after;
            if word.len() > 2 || !first.is_ascii_alphabetic() && !word.starts_with('$') {
                out.push_str(word);
                continue;
            }
            if word == "$0" {
                out.push_str(places.first()?);
                continue;
            }
            let place = match first {
                'R' | 'L' | 'H' | 'F' | 'D' | 'P' => {
                    if self.count(first) < word.len() {
                        return None;
                    }
                    loop {
                        let register = self.register(first);
                        if word.len() == 1 || places.last() != Some(&register) {
                            break register;
                        }
                    }
                }
                'r' | 'l' | 'h' | 'f' | 'd' => {
                    let class = first.to_ascii_uppercase();
                    if self.count(class) == 0 {
                        return None;
                    }
                    if !constant && self.random.chance(15) {
                        constant = true;
                        self.constant(class)
                    } else {
                        self.register(class)
                    }
                }
                'p' => {
                    let not = if self.random.chance(30) { "!" } else { "" };
                    format!("{not}{}", self.register('P'))
                }
                'n' | 'k' => {
                    const AMOUNTS: [u32; 20] =
                        [0, 1, 2, 4, 5, 8, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 100, 255, 256];
                    let amounts = if first == 'n' { &AMOUNTS[..] } else { &AMOUNTS[..19] };
                    if self.random.chance(50) {
                        self.register('R')
                    } else {
                        self.random.pick(amounts).to_string()
                    }
                }
                'x' => format!("{:#04x}", self.random.below(256)),
                'i' | 'I' | 'g' | 'G' => self.input(first).to_string(),
                'c' => {
                    if self.cells == CELLS {
                        return None;
                    }
                    self.cells += 1;
                    (8 * (self.cells - 1)).to_string()
                }
                _ => return None,
            };
            out.push_str(&place);
            places.push(place);
        }
        Some(out)
    }

    /// One of the patterns, by their weights. Patterns of other classes than the program has are passed over.
    fn operation(&mut self, patterns: &[Pattern], only: &str, may_guard: bool) -> Vec<String> {
        let total: u32 = patterns.iter().map(|(weight, _)| weight).sum();
        loop {
            let mut at = self.random.below(total as usize) as u32;
            let Some((_, pattern)) = patterns.iter().find(|(weight, _)| {
                let found = at < *weight;
                at = at.saturating_sub(*weight);
                found
            }) else {
                continue;
            };
            if !pattern.starts_with(only) {
                continue;
            }
            let Some(mut lines) = self.fill(pattern) else { continue };
            let guarded = may_guard && !pattern.contains("; ") && self.random.chance(12);
            if guarded && !loses_its_guard(&lines[0]) {
                let not = self.random.pick(&["", "!"]);
                lines[0] = format!("@{not}{} {}", self.register('P'), lines[0]);
            }
            return lines.into_iter().map(|line| line + ";").collect();
        }
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

    /// A predicate to branch on, with what computes it.
    fn condition(&mut self) -> (Vec<String>, String) {
        if self.random.chance(40) {
            return (Vec::new(), self.guard());
        }
        let only = self.random.pick(&["setp", "setp", "setp", "testp"]);
        let only = if self.counts.f + self.counts.d == 0 { "setp" } else { only };
        let lines = self.operation(PLAIN, only, false);
        let first = lines[0].split([' ', ',', '|']).nth(1).unwrap_or("%p0").to_string();
        (lines, format!("@{}{first}", self.random.pick(&["", "!"])))
    }

    /// A body in which `place` holds.
    fn inside(&mut self, place: Place, depth: usize) -> Piece {
        let outside = self.place;
        self.place = if outside == Place::Function { outside } else { place };
        let size = 1 + self.random.below(4);
        let nodes = self.body(size, depth + 1);
        self.place = outside;
        Piece::Body(nodes)
    }

    fn structure(&mut self, depth: usize) -> Node {
        if self.place == Place::Block && self.random.chance(30) {
            return if self.random.chance(50) {
                self.uniform_branch(depth)
            } else {
                self.uniform_loop(depth)
            };
        }
        match self.random.below(10) {
            0..3 => self.branch(depth, false),
            3..6 => self.branch(depth, true),
            6..8 if self.depth < 2 => self.loop_of_threads(depth),
            6..8 => self.branch(depth, true),
            _ => self.jump_table(depth),
        }
    }

    fn branch(&mut self, depth: usize, otherwise: bool) -> Node {
        let (mut open, guard) = self.condition();
        let (other, end) = (self.label(), self.label());
        open.push(format!("{guard} bra {};", if otherwise { &other } else { &end }));
        let mut pieces = vec![Piece::Lines(open), self.inside(Place::Alone, depth)];
        if otherwise {
            pieces.push(Piece::Lines(vec![format!("bra {end};"), format!("{other}:")]));
            pieces.push(self.inside(Place::Alone, depth));
        }
        pieces.push(Piece::Lines(vec![format!("{end}:")]));
        Node::Structure(pieces)
    }

    /// All threads of the block, or of each warp, take the same way.
    fn uniform_branch(&mut self, depth: usize) -> Node {
        let block = self.random.chance(60);
        let (p, from) = (self.register('P'), self.guard().trim_start_matches('@').to_string());
        let how = self.random.pick(&["or", "and"]);
        let test = if block {
            format!("bar.red.{how}.pred {p}, 0, {from};")
        } else {
            format!("vote.sync.{}.pred {p}, {from}, 0xffffffff;", if how == "or" { "any" } else { "all" })
        };
        let end = self.label();
        Node::Structure(vec![
            Piece::Lines(vec![test, format!("@!{p} bra {end};")]),
            self.inside(if block { Place::Block } else { Place::Warp }, depth),
            Piece::Lines(vec![format!("{end}:")]),
        ])
    }

    /// All threads of the block go round equally often.
    fn uniform_loop(&mut self, depth: usize) -> Node {
        if self.depth == 2 {
            return self.uniform_branch(depth);
        }
        let counter = format!("%c{}", self.depth);
        let (head, end) = (self.label(), self.label());
        let mut open = if self.random.chance(50) {
            vec![format!("mov.u32 {counter}, {};", 1 + self.random.below(3))]
        } else {
            let from = self.register('P');
            vec![
                format!("bar.red.popc.u32 {counter}, 0, {from};"),
                format!("and.b32 {counter}, {counter}, 3;"),
            ]
        };
        open.extend([
            format!("{head}:"),
            format!("setp.eq.u32 %q, {counter}, 0;"),
            format!("@%q bra {end};"),
            format!("sub.u32 {counter}, {counter}, 1;"),
        ]);
        self.depth += 1;
        let body = self.inside(Place::Block, depth);
        self.depth -= 1;
        Node::Structure(vec![
            Piece::Lines(open),
            body,
            Piece::Lines(vec![format!("bra {head};"), format!("{end}:")]),
        ])
    }

    /// Each thread goes round as often as its register says.
    fn loop_of_threads(&mut self, depth: usize) -> Node {
        let counter = format!("%c{}", self.depth);
        let (head, next, end) = (self.label(), self.label(), self.label());
        let (from, most) = (self.register('R'), self.random.pick(&[3, 7]));
        let mut open = vec![format!("and.b32 {counter}, {from}, {most};"), format!("{head}:")];
        let mut close = vec![format!("{next}:")];
        let check = format!("setp.eq.u32 %q, {counter}, 0;");
        let step = format!("sub.u32 {counter}, {counter}, 1;");
        if self.random.chance(60) {
            open.extend([check, format!("@%q bra {end};"), step]);
            close.push(format!("bra {head};"));
        } else {
            close.extend([check, step, format!("@!%q bra {head};")]);
        }
        close.push(format!("{end}:"));
        self.depth += 1;
        self.loops.push((end, next));
        let body = self.inside(Place::Alone, depth);
        self.loops.pop();
        self.depth -= 1;
        Node::Structure(vec![Piece::Lines(open), body, Piece::Lines(close)])
    }

    fn jump_table(&mut self, depth: usize) -> Node {
        let arms: Vec<String> = (0..2 + self.random.below(3)).map(|_| self.label()).collect();
        let ways = arms.len() + self.random.below(3);
        let targets: Vec<String> = (0..ways)
            .map(|way| arms.get(way).cloned().unwrap_or_else(|| arms[self.random.below(arms.len())].clone()))
            .collect();
        let (end, list) = (self.label(), self.label());
        let from = self.register('R');
        let index = match self.random.below(2) {
            0 => format!("rem.u32 %a, {from}, {ways};"),
            _ => format!("min.u32 %a, {from}, {};", ways - 1),
        };
        let mut pieces = Vec::new();
        let mut open = vec![
            index,
            format!("{list}: .branchtargets {};", targets.join(", ")),
            format!("brx.idx %a, {list};"),
        ];
        for (at, arm) in arms.iter().enumerate() {
            open.push(format!("{arm}:"));
            pieces.push(Piece::Lines(std::mem::take(&mut open)));
            pieces.push(self.inside(Place::Alone, depth));
            // Some arms fall through to the next.
            if at + 1 < arms.len() && self.random.chance(75) {
                open.push(format!("bra {end};"));
            }
        }
        open.push(format!("{end}:"));
        pieces.push(Piece::Lines(open));
        Node::Structure(pieces)
    }

    /// Declarations, addresses, and a value for every register.
    fn prologue(&mut self, body: &[Node], words: usize) -> Vec<Node> {
        let mut text = String::new();
        body.iter().for_each(|node| node.write(1, &mut text));
        let row = 8 * ROW;
        let mut nodes = declarations(self.counts);
        let mut line = |text: String| nodes.push(Node::Lines(vec![text]));
        line(".reg .b32 %t, %threads, %area, %mine;".into());
        line(".reg .b64 %in, %out, %own, %cells, %local, %generic;".into());
        line("ld.param.u64 %in, [inputs];".into());
        line("ld.param.u64 %out, [outputs];".into());
        line("mov.u32 %t, %tid.x;".into());
        line("mov.u32 %threads, %ntid.x;".into());
        line(format!("mad.wide.u32 %in, %t, {row}, %in;"));
        line(format!("mad.wide.u32 %cells, %threads, {}, %out;", 8 * words));
        line(format!("mad.wide.u32 %out, %t, {}, %out;", 8 * words));
        line(format!("add.u64 %own, %out, {};", 8 * (words - 1)));
        line(format!("ld.global.b32 %zero, [%in+{}];", 8 * ZERO));
        if text.contains("%area") || text.contains("%mine") {
            line(".shared .align 8 .b8 area[768];".into());
            line("mov.u32 %area, area;".into());
            line("mad.lo.u32 %mine, %t, 8, %area;".into());
        }
        if text.contains("%local") || text.contains("%generic") {
            line(".local .align 8 .b8 local[64];".into());
            line("mov.u64 %local, local;".into());
            line("cvta.local.u64 %generic, %local;".into());
            line("mov.b64 %x, {%t, %zero};".into());
            for at in 0..8 {
                line(format!("st.local.b64 [%local+{}], %x;", 8 * at));
            }
        }
        for class in CLASSES {
            for index in 0..self.count(class) {
                let letter = match class {
                    'L' => 'I',
                    'F' => 'g',
                    'D' => 'G',
                    _ => 'i',
                };
                let offset = self.input(letter);
                nodes.push(Node::line(format!(
                    "ld.global.{} {}{index}, [%in+{offset}];",
                    bits(class),
                    prefix(class)
                )));
            }
        }
        for index in 0..PREDICATES {
            let (offset, than) = (self.input('i'), self.random.pick(&["0", "0", "32", "-100"]));
            nodes.push(Node::Lines(vec![
                format!("ld.global.b32 %a, [%in+{offset}];"),
                format!("setp.lt.s32 %p{index}, %a, {than};"),
            ]));
        }
        nodes
    }

    /// Stores all registers.
    fn epilogue(&mut self, words: usize) -> Vec<Node> {
        let mut stores = Vec::new();
        let Counts { r, l, h, f, d } = self.counts;
        stores.extend((0..r / 2).map(|k| format!("v2.b32 [AT], {{%r{}, %r{}}};", 2 * k, 2 * k + 1)));
        stores.extend((0..l).map(|k| format!("b64 [AT], %l{k};")));
        stores.extend((0..h / 4).map(|_| "v4.b16 [AT], {%h0, %h1, %h2, %h3};".to_string()));
        stores.extend((0..f / 2).map(|k| format!("v2.f32 [AT], {{%f{}, %f{}}};", 2 * k, 2 * k + 1)));
        stores.extend((0..d).map(|k| format!("f64 [AT], %d{k};")));
        let mut nodes = vec![Node::line("DONE:")];
        for (at, store) in stores.iter().enumerate() {
            nodes.push(Node::line(format!("st.global.{}", store.replace("AT", &format!("%out+{}", 8 * at)))));
        }
        let mut flags = vec!["mov.u32 %a, 0;".to_string()];
        for index in 0..PREDICATES {
            flags.push(format!("@%p{index} or.b32 %a, %a, {};", 1 << index));
        }
        flags.push(format!("st.global.b32 [%out+{}], %a;", 8 * (words - 2)));
        nodes.push(Node::Lines(flags));
        nodes.push(Node::line("ret;"));
        nodes
    }
}
