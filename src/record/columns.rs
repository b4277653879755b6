//! Tables from columns: for the terminal, and as Markdown.

/// Columns of a line in the terminal.
pub const MAX_WIDTH: usize = 100;

/// A column: its title, and one cell per row.
pub struct Column {
    cells: Vec<String>,
    right: bool,
}

impl Column {
    /// Cells that begin below each other.
    pub fn left(title: &str, cells: impl IntoIterator<Item = impl Into<String>>) -> Column {
        let cells = cells.into_iter().map(Into::into);
        Column { cells: std::iter::once(title.to_string()).chain(cells).collect(), right: false }
    }

    /// Cells that end below each other.
    pub fn right(title: &str, cells: impl IntoIterator<Item = impl Into<String>>) -> Column {
        Column { right: true, ..Column::left(title, cells) }
    }

    /// Characters of the longest cell.
    fn width(&self) -> usize {
        self.cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0)
    }

    /// The cell of `row`, where row 0 is the title, as wide as the column.
    fn cell(&self, row: usize) -> String {
        let (cell, width) = (self.cells.get(row).map_or("", String::as_str), self.width());
        if self.right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
    }
}

/// Whether the columns, one blank apart, fit a line of the terminal.
pub fn fit<'a>(columns: impl IntoIterator<Item = &'a Column>) -> bool {
    columns.into_iter().map(|column| column.width() + 1).sum::<usize>() <= MAX_WIDTH
}

/// The columns side by side, two blanks apart, or one where the line would grow too long. Ends in a newline.
pub fn text_table(columns: &[Column]) -> String {
    text_table_in_groups(columns, |_| false)
}

/// The same, with a blank line above each row, counted from 0, that starts a group.
pub fn text_table_in_groups(columns: &[Column], starts_group: impl Fn(usize) -> bool) -> String {
    let wide = columns.iter().map(|column| column.width() + 2).sum::<usize>() > MAX_WIDTH;
    let gap = if wide { " " } else { "  " };
    let mut text = String::new();
    for row in 0..columns.first().map_or(0, |column| column.cells.len()) {
        if row > 0 && starts_group(row - 1) {
            text.push('\n');
        }
        let cells =
            columns.iter().map(|column| if column.right { gap } else { "" }.to_string() + &column.cell(row));
        text += cells.collect::<String>().trim_end();
        text.push('\n');
    }
    text
}

/// The columns as a Markdown table that also reads in a terminal. Ends in a newline.
pub fn markdown_table(columns: &[Column]) -> String {
    let line = |cell: &dyn Fn(&Column) -> String| {
        let cells: Vec<String> = columns.iter().map(cell).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule = |column: &Column| match column.right {
        true => format!("{:->1$}", ":", column.width().max(2)),
        false => "-".repeat(column.width().max(1)),
    };
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let body = (1..rows).map(|row| line(&|column| column.cell(row)));
    line(&|column| column.cell(0)) + &line(&rule) + &body.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> [Column; 2] {
        [Column::left("kernel", ["ours", "theirs"]), Column::right("µs", ["1.00", "20.0"])]
    }

    #[test]
    fn columns_are_aligned() {
        assert_eq!(text_table(&columns()), "kernel    µs\nours    1.00\ntheirs  20.0\n");
        let groups = text_table_in_groups(&columns(), |row| row == 1);
        assert_eq!(groups, "kernel    µs\nours    1.00\n\ntheirs  20.0\n");
        let markdown = "| kernel |   µs |\n| ------ | ---: |\n| ours   | 1.00 |\n| theirs | 20.0 |\n";
        assert_eq!(markdown_table(&columns()), markdown);
    }
}
