//! A program as a tree of lines, from which parts can be taken away.

/// A part of a program that stands or falls as a whole.
#[derive(Clone, Debug)]
pub enum Node {
    /// Instructions or declarations.
    Lines(Vec<String>),
    /// A branch, a loop, a function: its own lines, and bodies between them.
    Structure(Vec<Piece>),
}

#[derive(Clone, Debug)]
pub enum Piece {
    Lines(Vec<String>),
    Body(Vec<Node>),
}

impl Node {
    pub fn line(text: impl Into<String>) -> Node {
        Node::Lines(vec![text.into()])
    }

    pub fn write(&self, indent: usize, out: &mut String) {
        match self {
            Node::Lines(lines) => write_lines(lines, indent, out),
            Node::Structure(pieces) => {
                for piece in pieces {
                    match piece {
                        Piece::Lines(lines) => write_lines(lines, indent, out),
                        Piece::Body(nodes) => {
                            for node in nodes {
                                node.write(indent + 1, out);
                            }
                        }
                    }
                }
            }
        }
    }
}

fn write_lines(lines: &[String], indent: usize, out: &mut String) {
    for line in lines {
        // Labels and braces of functions stand out.
        let depth = if line.ends_with(':') { indent.saturating_sub(1) } else { indent };
        for _ in 0..depth {
            out.push_str("    ");
        }
        out.push_str(line);
        out.push('\n');
    }
}

/// One kernel with the functions that it calls.
#[derive(Clone, Debug)]
pub struct Program {
    /// 0 to 9,999, over all modules.
    pub number: usize,
    pub seed: u64,
    pub threads: usize,
    /// Results of a thread, in words of 64 bits.
    pub words: usize,
    pub nodes: Vec<Node>,
}

/// Words behind the threads' results, for atomics in which all threads meet.
pub const CELLS: usize = 16;

pub const HEADER: &str = ".version 7.8\n.target sm_80\n.address_size 64\n";

impl Program {
    pub fn kernel(&self) -> String {
        format!("program_{}", self.number)
    }

    /// Words of the results.
    pub fn results(&self) -> usize {
        self.threads * self.words + CELLS
    }

    /// Its functions and its kernel, without [`HEADER`].
    pub fn text(&self) -> String {
        let mut out = String::new();
        for node in &self.nodes {
            node.write(0, &mut out);
        }
        out
    }
}
