//! A smaller program that still shows a difference: parts are taken away as long as it stays.

use super::program::{Node, Piece, Program};

/// `program` without the parts that `differs` does not need. A structure goes as a whole, or leaves its
/// bodies behind.
pub fn reduce(program: &Program, mut differs: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    loop {
        let lines = best.lines();
        let mut at = 0;
        // Parts are numbered from the front; after one is gone, the next has its number.
        while at < count(&best.nodes) {
            let smaller = [false, true].iter().find_map(|bodies_stay| {
                let mut nodes = best.nodes.clone();
                let changed = take_away(&mut nodes, &mut { at }, *bodies_stay);
                let candidate = Program { nodes, ..best.clone() };
                (changed && differs(&candidate)).then_some(candidate)
            });
            match smaller {
                Some(smaller) => best = smaller,
                None => at += 1,
            }
        }
        if best.lines() == lines {
            return best;
        }
    }
}

fn count(nodes: &[Node]) -> usize {
    nodes.iter().map(|node| 1 + bodies(node).map(|body| count(body)).sum::<usize>()).sum()
}

fn bodies(node: &Node) -> impl Iterator<Item = &Vec<Node>> {
    let pieces: &[Piece] = match node {
        Node::Lines(_) => &[],
        Node::Structure(pieces) => pieces,
    };
    pieces.iter().filter_map(|piece| match piece {
        Piece::Body(nodes) => Some(nodes),
        Piece::Lines(_) => None,
    })
}

/// Takes part `at` out of `nodes`, counted down to 0; where its bodies are to stay, they take its place.
/// False if there is nothing to be done: no such part, or no body that could stay.
fn take_away(nodes: &mut Vec<Node>, at: &mut usize, bodies_stay: bool) -> bool {
    for index in 0..nodes.len() {
        if *at == 0 {
            let left: Vec<Node> =
                if bodies_stay { bodies(&nodes[index]).flatten().cloned().collect() } else { Vec::new() };
            if bodies_stay && left.is_empty() {
                return false;
            }
            nodes.splice(index..=index, left);
            return true;
        }
        *at -= 1;
        if let Node::Structure(pieces) = &mut nodes[index] {
            for piece in pieces {
                if let Piece::Body(body) = piece {
                    let inside = count(body);
                    if *at < inside {
                        return take_away(body, at, bodies_stay);
                    }
                    *at -= inside;
                }
            }
        }
    }
    false
}
