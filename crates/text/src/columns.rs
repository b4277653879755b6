//! Tables from columns: for the terminal, as Markdown and as HTML.

/// Columns of a line in the terminal.
pub const MAX_WIDTH: usize = 100;

/// Columns of a line in this terminal: what `COLUMNS` says, if that is less than [`MAX_WIDTH`].
pub fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.filter(|columns| *columns > 0).map_or(MAX_WIDTH, |columns: usize| columns.min(MAX_WIDTH))
}

/// The cell of a row that has no value.
pub const NONE: &str = "-";

/// A column: its title, and one cell per row.
#[derive(Clone)]
pub struct Column {
    name: String,
    cells: Vec<String>,
    right: bool,
}

impl Column {
    /// Cells that begin below each other.
    pub fn left(title: &str, cells: impl IntoIterator<Item = impl Into<String>>) -> Column {
        Column::new(title, cells.into_iter().map(Into::into).collect(), false)
    }

    /// Cells that end below each other.
    pub fn right(title: &str, cells: impl IntoIterator<Item = impl Into<String>>) -> Column {
        Column::new(title, cells.into_iter().map(Into::into).collect(), true)
    }

    fn new(title: &str, mut cells: Vec<String>, right: bool) -> Column {
        let words: Vec<_> =
            title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
        cells.insert(0, title.to_string());
        Column { name: words.join("-").to_ascii_lowercase(), cells, right }
    }

    /// The column under another name than its title's.
    pub fn named(self, name: &str) -> Column {
        Column { name: name.to_string(), ..self }
    }

    /// What a page calls the column: `ld-sectors` for the title `ld sectors`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The cells below the title.
    pub fn rows(&self) -> &[String] {
        self.cells.get(1..).unwrap_or_default()
    }

    /// Whether any row has a value.
    pub fn has_values(&self) -> bool {
        self.rows().iter().any(|cell| cell != NONE)
    }

    /// Whether a reader learns something from it: any row has a value that is not zero.
    pub fn has_something_to_say(&self) -> bool {
        self.rows().iter().any(|cell| cell != NONE && cell != "0")
    }

    /// Whether all rows that have a value have the same.
    pub fn is_constant(&self) -> bool {
        let mut values = self.rows().iter().filter(|cell| *cell != NONE);
        let first = values.next();
        values.all(|value| Some(value) == first)
    }

    /// Characters of the longest cell.
    fn width(&self) -> usize {
        self.cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0)
    }

    /// The cell of `row`, where row 0 is the title, as wide as the column.
    fn cell(&self, row: usize) -> String {
        let cell = self.cells.get(row).map_or("", String::as_str);
        let width = self.width();
        if self.right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
    }
}

/// Whether the columns, one blank apart, fit a line of the terminal.
pub fn fit<'a>(columns: impl IntoIterator<Item = &'a Column>) -> bool {
    columns.into_iter().map(|column| column.width() + 1).sum::<usize>() <= width()
}

/// The columns side by side, two blanks apart, or one where the line would grow too long. Where the terminal
/// is narrower than that, a list: what the first column has in a row, and below it the others, each with its
/// title. Ends in a newline.
pub fn text_table(columns: &[Column]) -> String {
    text_table_in_groups(columns, |_| false)
}

/// The same, with a blank line above each row, counted from 0, that starts a group.
pub fn text_table_in_groups(columns: &[Column], starts_group: impl Fn(usize) -> bool) -> String {
    if width() < MAX_WIDTH && !fit(columns) {
        return list(columns);
    }
    let wide = columns.iter().map(|column| column.width() + 2).sum::<usize>() > width();
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

fn list(columns: &[Column]) -> String {
    let Some((first, others)) = columns.split_first() else { return String::new() };
    let title = |column: &Column| column.cells[0].trim().to_string();
    let widest = others.iter().map(|column| title(column).chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for row in 1..first.cells.len() {
        text += &first.cells[row];
        for column in others {
            let title = title(column);
            let cell = column.cells[row].trim();
            match (title.as_str(), cell) {
                (_, "") => {}
                ("", cell) => text += &format!(": {cell}"),
                (title, cell) => text += &format!("\n  {title:widest$}  {cell}"),
            }
        }
        text.push('\n');
    }
    text
}

/// `text` in lines of at most `width` characters, broken at blanks.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

/// The columns as a Markdown table that also reads in a terminal. Ends in a newline.
pub fn markdown_table(columns: &[Column]) -> String {
    let line = |cell: &dyn Fn(&Column) -> String| {
        let cells: Vec<String> = columns.iter().map(cell).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule = |column: &Column| {
        if column.right {
            format!("{:->1$}", ":", column.width().max(2))
        } else {
            "-".repeat(column.width().max(1))
        }
    };
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let body = (1..rows).map(|row| line(&|column| column.cell(row)));
    line(&|column| column.cell(0)) + &line(&rule) + &body.collect::<String>()
}

/// The columns as an HTML table without blank lines. The first names the rows; its long names may break
/// inside. Ends in a newline.
pub fn html_table(columns: &[Column]) -> String {
    let row = |row: usize| {
        let cell = |(place, column): (usize, &Column)| {
            let text = column.cells.get(row).map_or("", String::as_str);
            let class = if column.right { " class=\"number\"" } else { "" };
            match (row, place) {
                (0, _) if text.is_empty() => format!("<td{class}></td>"), // no title, and so no header
                (0, _) => format!("<th scope=\"col\"{class}>{}</th>", escape(text)),
                (_, 0) => format!("<th scope=\"row\">{}</th>", breakable(text)),
                _ => format!("<td{class}>{}</td>", escape(text)),
            }
        };
        format!("<tr>{}</tr>\n", columns.iter().enumerate().map(cell).collect::<String>())
    };
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let body: String = (1..rows).map(row).collect();
    format!("<table>\n<thead>\n{}</thead>\n<tbody>\n{body}</tbody>\n</table>\n", row(0))
}

/// `text` within HTML that stands within Markdown, which finds no mark of its own in it, no line end and no
/// directive of mdBook: the one place where what a record holds becomes part of a page.
pub fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => html += "&amp;",
            '<' => html += "&lt;",
            '>' => html += "&gt;",
            '"' => html += "&quot;",
            '\'' | '`' | '{' | '}' | '[' | ']' | '*' | '_' | '~' | '|' | '\\' | '#' | '\n' | '\t' => {
                html += &format!("&#{};", c as u32);
            }
            // XML has no such characters, and no text of ours turns the direction of writing.
            c if c.is_control() || crate::say::turns(c) => html.push(char::REPLACEMENT_CHARACTER),
            c => html.push(c),
        }
    }
    html
}

/// `name` within HTML, with places where a narrow page may break it: `gpu<wbr>Recursive<wbr>Reduce`.
pub fn breakable(name: &str) -> String {
    let mut text = String::new();
    let mut before = ' ';
    for c in name.chars() {
        if before == '_' || (before.is_lowercase() && c.is_uppercase()) {
            text.push_str("<wbr>");
        }
        text.push_str(&escape(c.encode_utf8(&mut [0; 4])));
        before = c;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_named_and_long_names_may_break() {
        let columns = [
            Column::left("kernel", ["reduceSingleLaunch_sum_i32"]),
            Column::right("GB/s", ["<1"]).named("gbps"),
        ];
        assert_eq!(
            html_table(&columns),
            "<table>\n<thead>\n<tr><th scope=\"col\">kernel</th><th scope=\"col\" class=\"number\">GB/s</th>\
             </tr>\n</thead>\n<tbody>\n<tr><th \
             scope=\"row\">reduce<wbr>Single<wbr>Launch&#95;<wbr>sum&#95;<wbr>i32</th>\
             <td class=\"number\">&lt;1</td></tr>\n</tbody>\n</table>\n"
        );
        let untitled = html_table(&[Column::left("counts", ["barriers"]), Column::right("", ["6"])]);
        assert!(untitled.contains("counts</th><td class=\"number\"></td></tr>\n</thead>"), "{untitled}");
        assert_eq!(columns[1].name(), "gbps");
        assert_eq!(Column::right("warp inst.", ["0"]).name(), "warp-inst");
        assert!(!Column::right("warp inst.", ["0", "-"]).has_something_to_say());
    }

    fn columns() -> [Column; 2] {
        [Column::left("kernel", ["ours", "theirs"]), Column::right("µs", ["1.00", "20.0"])]
    }

    #[test]
    fn no_text_of_a_record_turns_the_direction_of_writing() {
        assert_eq!(escape("H200 \u{202e}002H\u{2066}"), "H200 \u{fffd}002H\u{fffd}");
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
