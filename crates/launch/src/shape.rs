//! Rows and columns of a buffer, as its line says them.

use anyhow::{Context, Result};
use text::expression::expression;

use super::scope::Names;

/// Rows one after another, each of as many elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How many.
    pub rows: u64,
    /// Elements of a row.
    pub columns: u64,
    /// Whether a launch says so, and not the buffer's line.
    pub is_of_launch: bool,
}

impl Shape {
    /// Reads `ROWSxCOLUMNS`, each an expression.
    pub(super) fn parse(text: &str, names: Names) -> Result<Shape> {
        let sizes = |(at, _)| Some((expression(&text[..at], names)?, expression(&text[at + 1..], names)?));
        let is_shape = |(rows, columns): &(u64, u64)| *rows > 0 && *columns > 0;
        let all = text.match_indices('x').find_map(sizes).filter(is_shape);
        let (rows, columns) =
            all.with_context(|| format!("`{text}` is not rows and columns; write them like 64x48"))?;
        Ok(Shape { rows, columns, is_of_launch: false })
    }

    /// Elements; `None` if there are too many to count.
    pub fn count(self) -> Option<u64> {
        self.rows.checked_mul(self.columns)
    }
}
