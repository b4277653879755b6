//! A diagnostic of the simulator as rustc would print it, with the source lines it is about.

use std::collections::HashSet;

use ptx_simulator::{Diagnostic, Severity};
use text::say::{self, visible};

/// Characters of a line that are quoted: one of millions is none that anybody wrote, nor reads.
const WIDEST: usize = 300;

/// What is said about one line.
struct Mark {
    line: u32,
    /// Whether this is the place of the diagnostic itself.
    primary: bool,
    label: String,
}

/// The advice of several findings, each said once.
#[derive(Default)]
pub struct Advice {
    said: HashSet<String>,
}

impl Advice {
    /// A finding as it is shown after others: without the help that one of them has.
    pub fn once(&mut self, found: &Diagnostic) -> Diagnostic {
        let is_new = self.said.insert(found.help.clone());
        let help = if is_new { found.help.clone() } else { String::new() };
        Diagnostic { help, ..found.clone() }
    }
}

/// `found` as text, with `source` for the text of a file where it is known; `color` for a terminal. Ends in
/// a newline.
pub fn render<'a>(found: &Diagnostic, source: impl Fn(&str) -> Option<&'a str>, color: bool) -> String {
    let (severity, style) = match found.severity {
        Severity::Error => ("error", say::ERROR),
        Severity::Warning => ("warning", say::WARNING),
        Severity::Note => ("note", say::NOTE),
    };
    let files = files(found);
    let lines = |(file, marks): &(String, Vec<Mark>)| {
        let lines: Vec<&str> = source(file)?.lines().collect();
        marks.iter().all(|mark| (1..=lines.len()).contains(&(mark.line as usize))).then_some(lines)
    };
    let texts: Vec<Option<Vec<&str>>> = files.iter().map(lines).collect();
    let quoted = files.iter().zip(&texts).filter(|(_, lines)| lines.is_some());
    let marks = quoted.flat_map(|((_, marks), _)| marks);
    let digits = marks.map(|mark| mark.line.to_string().len()).max().unwrap_or(0);
    let mut pen = Pen { text: String::new(), color, severity: style, digits };
    pen.put(style, &format!("{severity}[{}]", found.kind));
    pen.put(say::BOLD, &format!(": {}", found.message()));
    pen.text += "\n";
    let mut arrow = "-->";
    // A bar parts what is quoted from a note behind it, and from what stands before it.
    let mut bar = true;
    for ((file, marks), lines) in files.iter().zip(&texts) {
        bar = lines.is_some();
        if let Some(lines) = lines {
            if arrow == ":::" {
                pen.line("", " |", "");
            }
            pen.quote(file, marks, lines, arrow);
            arrow = ":::";
            continue;
        }
        for mark in marks {
            pen.line("", arrow, &format!(" {file}:{}", mark.line));
            pen.note("note", &mark.label);
            arrow = ":::";
        }
    }
    let mut notes = Vec::new();
    if found.file.is_none() && found.kernel.is_some() {
        notes.push(("note", who(found)));
    }
    if !found.help.is_empty() {
        notes.push(("help", found.help.clone()));
    }
    if bar && !notes.is_empty() {
        pen.line("", " |", "");
    }
    for (level, words) in notes {
        pen.note(level, &words);
    }
    pen.text
}

/// The place of the diagnostic, then those related to it, file by file; what is said about one line stands in
/// one label.
fn files(found: &Diagnostic) -> Vec<(String, Vec<Mark>)> {
    let first = found.file.clone().zip(found.line);
    let first = first.map(|(file, line)| (file, Mark { line, primary: true, label: who(found) }));
    let related = found.related().into_iter();
    let related =
        related.map(|site| (site.file, Mark { line: site.line, primary: false, label: site.message }));
    let mut files: Vec<(String, Vec<Mark>)> = Vec::new();
    for (file, mark) in first.into_iter().chain(related) {
        let Some((_, marks)) = files.iter_mut().find(|(known, _)| *known == file) else {
            files.push((file, vec![mark]));
            continue;
        };
        match marks.iter_mut().find(|known| known.line == mark.line) {
            Some(known) => known.label += &format!("; {}", mark.label),
            None => marks.push(mark),
        }
    }
    files
}

/// `in reduceNeighbored, block (0, 0, 0), thread (6, 0, 0)`
fn who(found: &Diagnostic) -> String {
    let mut text = found.kernel.as_ref().map_or(String::from("here"), |kernel| format!("in {kernel}"));
    for (what, at) in [("block", found.block), ("thread", found.thread)] {
        if let Some([x, y, z]) = at {
            text += &format!(", {what} ({x}, {y}, {z})");
        }
    }
    text
}

/// A line as it is quoted: with blanks for tabs, and no longer than anybody reads.
fn shown(line: &str) -> String {
    let (shown, more) = line.char_indices().nth(WIDEST).map_or((line, ""), |(end, _)| (&line[..end], "…"));
    format!("{shown}{more}").replace('\t', "    ").trim_end().to_string()
}

/// Writes, in colours if the reader sees them.
struct Pen {
    text: String,
    color: bool,
    /// How the severity and the place of the diagnostic itself look.
    severity: &'static str,
    /// Digits of the largest line number.
    digits: usize,
}

impl Pen {
    fn put(&mut self, style: &str, words: &str) {
        let words = visible(words);
        self.text += &if self.color { format!("\x1b[{style}m{words}\x1b[{}m", say::END) } else { words };
    }

    /// A line number, or blanks as wide, and a bar or an arrow.
    fn margin(&mut self, number: &str, bar: &str) {
        self.put(say::FRAME, &format!("{number:>0$}{bar}", self.digits));
    }

    fn line(&mut self, number: &str, bar: &str, words: &str) {
        self.margin(number, bar);
        self.text += &format!("{}\n", visible(words));
    }

    fn note(&mut self, level: &str, words: &str) {
        self.margin("", " = ");
        self.put(say::BOLD, level);
        self.text += &format!(": {}\n", visible(words));
    }

    /// The lines of one file, with what lies between two if that is a single one.
    fn quote(&mut self, file: &str, marks: &[Mark], lines: &[&str], arrow: &str) {
        let line = |number: u32| lines[number as usize - 1];
        let first = marks.iter().find(|mark| mark.primary).unwrap_or(&marks[0]);
        let column = line(first.line).chars().take_while(|c| c.is_whitespace()).count() + 1;
        self.line("", arrow, &format!(" {file}:{}:{column}", first.line));
        self.line("", " |", "");
        let quote = |pen: &mut Pen, number: u32| {
            let words = format!(" {}", shown(line(number)));
            pen.line(&number.to_string(), " |", words.trim_end());
        };
        let mut marks: Vec<&Mark> = marks.iter().collect();
        marks.sort_by_key(|mark| mark.line);
        let mut last = None;
        for mark in marks {
            match last.map(|last| mark.line - last) {
                None | Some(0 | 1) => {}
                Some(2) => quote(self, mark.line - 1),
                Some(_) => {
                    self.put(say::FRAME, "...");
                    self.text += "\n";
                }
            }
            last = Some(mark.line);
            quote(self, mark.line);
            let shown = shown(line(mark.line));
            let code = shown.trim_start();
            // Where the label beside the marks would leave the screen, they mark the first word.
            let word = code.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(0);
            let fits = code.len() + mark.label.len() < 90;
            let end = if fits || word == 0 { code.len() } else { word };
            let (under, style) = if mark.primary { ("^", self.severity) } else { ("-", say::FRAME) };
            let marked = under.repeat(code[..end].chars().count().max(1));
            self.margin("", " |");
            self.text += &" ".repeat(shown.chars().count() - code.chars().count() + 1);
            self.put(style, &format!("{marked} {}", mark.label));
            self.text += "\n";
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptx_simulator::{self as sim, Kind};

    fn site(file: &str, line: u32, message: &str) -> sim::Site {
        sim::Site { file: file.into(), line, message: message.into() }
    }

    fn what(related: Vec<sim::Site>) -> sim::What {
        sim::Words { message: "element 6 is written while it is read".into(), related }.into()
    }

    fn race() -> Diagnostic {
        Diagnostic {
            kind: Kind::DataRace,
            severity: sim::Severity::Error,
            shape: None,
            kernel: Some("reduce".into()),
            file: Some("kernels/x.cu".into()),
            line: Some(2),
            block: Some([0, 0, 0]),
            thread: Some([6, 0, 0]),
            what: what(vec![site("kernels/x.cu", 4, "read here")]),
            help: "put a barrier between the steps".into(),
        }
    }

    #[test]
    fn a_line_of_millions_of_characters_is_cut() {
        for word in ["x", "x ", "\u{e9}", "\t"] {
            let long = word.repeat(1_000_000);
            for line in [format!("a = {long};"), format!("{long}a;")] {
                let report = render(&race(), |_| Some(Box::leak(format!("\n{line}\n\nb\n").into())), false);
                assert!(report.len() < 4000 && report.contains("kernels/x.cu:2"), "{}", report.len());
            }
        }
    }

    #[test]
    fn the_source_lines_are_quoted() {
        let text = "void reduce()\n    a[t] += a[t + s];\n\n    b = a[6];\n";
        let report = render(&race(), |_| Some(text), false);
        for part in [
            "error[data-race]: element 6 is written while it is read",
            "--> kernels/x.cu:2:5",
            "a[t] += a[t + s];",
            "in reduce, block (0, 0, 0), thread (6, 0, 0)",
            "b = a[6];",
            "read here",
            "help: put a barrier between the steps",
        ] {
            assert!(report.contains(part), "no {part:?} in\n{report}");
        }
    }

    #[test]
    fn a_terminal_obeys_nothing_in_a_source_line() {
        let text = "void reduce()\n    a[t] += a[t + s]; // \x1b[2J\x1b[1m\u{202e}\n\n    b = a[6];\n";
        for color in [false, true] {
            let report = render(&race(), |_| Some(text), color);
            assert!(report.contains("a[t] += a[t + s]; // \\u{1b}[2J\\u{1b}[1m\\u{202e}\n"), "{report:?}");
        }
    }

    #[test]
    fn a_line_that_is_meant_twice_is_shown_once() {
        let race = Diagnostic { what: what(vec![site("kernels/x.cu", 2, "read here")]), ..race() };
        let report = render(&race, |_| Some("void reduce()\n    a[t] += a[t + s];\n"), false);
        assert!(report.contains("^ in reduce, block (0, 0, 0), thread (6, 0, 0); read here\n"), "{report}");
        assert_eq!(report.matches("a[t] += a[t + s];").count(), 1, "{report}");
    }

    #[test]
    fn the_layout_is_that_of_rustc() {
        let related = [("b.cu", 1), ("a.cu", 4), ("c.cu", 7), ("a.cu", 12)];
        let related = related.map(|(file, line)| site(file, line, &format!("line {line}"))).to_vec();
        let found = Diagnostic { file: Some("a.cu".into()), what: what(related), ..race() };
        let a = "one\n\ttwo(2);\n\n    four;\n".to_string() + &"x;\n".repeat(9);
        let source = |file: &str| match file {
            "a.cu" => Some(&*a),
            "b.cu" => Some("// b"),
            _ => None,
        };
        let plain = render(&found, source, false);
        assert_eq!(
            plain,
            "\
error[data-race]: element 6 is written while it is read
  --> a.cu:2:2
   |
 2 |     two(2);
   |     ^^^^^^^ in reduce, block (0, 0, 0), thread (6, 0, 0)
 3 |
 4 |     four;
   |     ----- line 4
...
12 | x;
   | -- line 12
   |
  ::: b.cu:1:1
   |
 1 | // b
   | ---- line 1
  ::: c.cu:7
   = note: line 7
   = help: put a barrier between the steps
"
        );
        let colored = render(&found, source, true);
        assert!(colored.contains("\x1b[1;91merror[data-race]\x1b[0m"), "{colored}");
        let mut shown = String::new();
        for (i, piece) in colored.split('\x1b').enumerate() {
            shown += if i == 0 { piece } else { piece.split_once('m').unwrap().1 };
        }
        assert_eq!(shown, plain, "colours change nothing else");
    }

    #[test]
    fn a_place_without_source_is_named_all_the_same() {
        for report in [
            render(&race(), |_| None, false),
            render(&Diagnostic { line: Some(99), ..race() }, |_| Some("one line"), false),
        ] {
            assert!(report.contains("kernels/x.cu:") && report.contains("thread (6, 0, 0)"), "{report}");
        }
    }
}
