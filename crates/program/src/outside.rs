//! The world outside of a program: its streams and its files. The simulator itself has none.

/// A stream that a program writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standard {
    /// `stdout`
    Out,
    /// `stderr`
    Error,
}

/// What a program can reach.
pub trait Outside {
    /// Takes what the program writes.
    fn write(&mut self, to: Standard, bytes: &[u8]);

    /// Appends more of its standard input: a line, say; nothing at the end of it.
    fn read(&mut self, into: &mut Vec<u8>);

    /// What a file holds; `None` if the program may not read it, or it is not there.
    fn read_file(&mut self, path: &str) -> Option<Vec<u8>>;

    /// Whether the program could read a file.
    fn has_file(&mut self, path: &str) -> bool {
        self.read_file(path).is_some()
    }

    /// Replaces a file; whether the program may.
    fn write_file(&mut self, path: &str, bytes: &[u8]) -> bool;

    /// The text of a line of the source, from 1, if it is known: for the names of what is allocated there.
    fn source_line(&self, file: &str, line: u32) -> Option<String>;
}
