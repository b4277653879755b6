//! Branches, loops and jump tables around statements.

use super::super::operations::PLAIN;
use super::super::program::{Node, Piece};
use super::{Place, Writer};

impl Writer {
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

    pub(super) fn structure(&mut self, depth: usize) -> Node {
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
        let other = self.label();
        let end = self.label();
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
        let p = self.register('P');
        let from = self.guard().trim_start_matches('@').to_string();
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
        let head = self.label();
        let end = self.label();
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
        let head = self.label();
        let next = self.label();
        let end = self.label();
        let from = self.register('R');
        let most = self.random.pick(&[3, 7]);
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
        let end = self.label();
        let list = self.label();
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
}
