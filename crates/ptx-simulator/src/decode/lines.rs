//! The line table: which source line an instruction comes from.

use rustc_hash::FxHashMap;
use std::sync::Arc;

use super::op::NONE;
use super::program::Loc;

/// Headers of a toolkit, and those that stand in for them.
pub fn is_header(path: &str) -> bool {
    path.contains("include/") || path.contains("clang/host/")
}

/// The line table. A line of a header that was inlined is followed to the reader's own line.
pub struct Lines<'a> {
    files: &'a [(u32, Arc<str>)],
    inlined: FxHashMap<(u32, u32, u32), (u32, u32, u32)>,
    index: FxHashMap<Loc, u32>,
    pub locs: Vec<Loc>,
}

impl<'a> Lines<'a> {
    pub fn new(files: &'a [(u32, Arc<str>)]) -> Lines<'a> {
        Lines { files, inlined: FxHashMap::default(), index: FxHashMap::default(), locs: Vec::new() }
    }

    fn path(&self, file: u32) -> Option<&'a Arc<str>> {
        self.files.iter().find(|(number, _)| *number == file).map(|(_, path)| path)
    }

    fn is_header(&self, file: u32) -> bool {
        self.path(file).is_some_and(|path| is_header(path))
    }

    /// The name of a header whose own synchronisation relies on what shuffles and matches order in practice:
    /// cooperative groups, and the state of pipelines.
    fn relies_on_practice(&self, file: u32) -> Option<Arc<str>> {
        let (_, name) = self.path(file)?.rsplit_once("include/")?;
        let name = name.trim_start_matches("cccl/");
        ["cooperative_groups/", "cuda/pipeline"]
            .iter()
            .any(|start| name.starts_with(start))
            .then(|| name.into())
    }

    /// The index for an instruction that no `.loc` stands before: its own line in the PTX.
    pub fn of_ptx(&mut self, file: &str, line: u32) -> u32 {
        self.add(Loc { file: file.into(), line, header: None, is_ptx: true })
    }

    fn add(&mut self, loc: Loc) -> u32 {
        *self.index.entry(loc.clone()).or_insert_with(|| {
            self.locs.push(loc);
            self.locs.len() as u32 - 1
        })
    }

    /// The index for a `.loc`, or [`NONE`] where it says "no line".
    pub fn find(&mut self, at: (u32, u32, u32), inlined_at: Option<(u32, u32, u32)>) -> u32 {
        match inlined_at {
            Some(outer) => self.inlined.insert(at, outer),
            None => self.inlined.remove(&at),
        };
        let mut at = at;
        let mut steps = 0;
        let mut header = None;
        while self.is_header(at.0) && steps < 64 {
            header = self.relies_on_practice(at.0).or(header);
            let Some(outer) = self.inlined.get(&at) else { break };
            at = *outer;
            steps += 1;
        }
        if at.1 == 0 {
            return NONE;
        }
        let file = self.path(at.0).cloned().unwrap_or_else(|| format!("file {}", at.0).into());
        self.add(Loc { file, line: at.1, header, is_ptx: false })
    }
}
