//! What a program says: on stdout and stderr, in colour or not, and with which exit status it then ends.
//!
//! Whatever is said may quote a reader's option, file name or source line, or what a kernel printed. So a
//! terminal never gets a control character from here, apart from the colours of diagnostics: all others are
//! written out, as [`visible`] does. Nobody else writes on stdout and stderr what they did not make up.
//!
//! A reader that is gone (`| head`) is no mistake, and the program goes on in silence. Anything else that
//! keeps words from being written (a full disk) makes its exit status 2.

use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Result, Write, stderr, stdout};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// `text` with its control characters written out, `\u{1b}`: a program's words, which a terminal must not
/// obey. Line ends and tabs stay.
pub fn visible(text: &str) -> String {
    let show = |c: char| match c {
        '\n' | '\t' => c.to_string(),
        _ if c.is_control() || turns(c) => c.escape_unicode().to_string(),
        _ => c.to_string(),
    };
    text.replace("\r\n", "\n").chars().map(show).collect()
}

/// Whether `c` turns the direction of writing (Unicode 16, section 23.2): the text around it may be shown in
/// another order than it has.
pub fn turns(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// How a terminal shows parts of a diagnostic (SGR parameters, ECMA-48 8.3.117), and what ends that.
const STYLES: [&str; 6] = [END, BOLD, FRAME, ERROR, WARNING, NOTE];
/// What ends a style.
pub const END: &str = "0";
/// What a finding says, and the words `note` and `help`.
pub const BOLD: &str = "1";
/// Line numbers, bars and what is related.
pub const FRAME: &str = "1;94";
/// An error, and the place that it is about.
pub const ERROR: &str = "1;91";
/// The same for a warning.
pub const WARNING: &str = "1;93";
/// The same for a note.
pub const NOTE: &str = "1;92";

/// Whether words are lost.
static LOST: AtomicBool = AtomicBool::new(false);

/// Writes `text` on stdout. Whether it has been written: the reader may be gone, or the disk full.
pub fn out(text: &str) -> bool {
    written_on_stdout(&visible(text))
}

/// Writes `text` on stderr.
pub fn err(text: &str) {
    write_on_stderr(&visible(text));
}

/// [`out`] for a text that has diagnostics in colour.
pub fn out_in_colour(text: &str) -> bool {
    written_on_stdout(&visible_in_colour(text))
}

/// [`err`] for a diagnostic in colour.
pub fn err_in_colour(text: &str) {
    write_on_stderr(&visible_in_colour(text));
}

/// [`out`] for JSON, whose strings keep their value: characters that a terminal would obey are written as
/// `\u001b` there.
pub fn json(text: &str) -> bool {
    written_on_stdout(&escaped_json(text))
}

fn written_on_stdout(text: &str) -> bool {
    let mut stdout = stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    let is_there = written.is_ok();
    note(written);
    is_there
}

fn write_on_stderr(text: &str) {
    let mut stderr = stderr().lock();
    let written = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
    if is_loss(&written) {
        LOST.store(true, Ordering::Relaxed);
    }
}

/// [`visible`], except for the styles that diagnostics are shown in.
fn visible_in_colour(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for (place, part) in text.split('\x1b').enumerate() {
        if place == 0 {
            shown += &visible(part);
            continue;
        }
        let style = STYLES.iter().find_map(|style| part.strip_prefix(&format!("[{style}m")).zip(Some(style)));
        shown += &match style {
            Some((rest, style)) => format!("\x1b[{style}m{}", visible(rest)),
            None => visible(&format!("\x1b{part}")),
        };
    }
    shown
}

fn escaped_json(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        // Outside of strings JSON has no control characters but line ends, and within them none at all.
        if c != '\n' && (c.is_control() || turns(c)) {
            escaped += &format!("\\u{:04x}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Takes note of how writing to stdout has ended; the first loss is said on stderr.
pub fn note(written: Result<()>) {
    if is_loss(&written) && !LOST.swap(true, Ordering::Relaxed) {
        err(&format!(
            "error: cannot write to stdout: {}\n",
            written.err().map(|error| error.to_string()).unwrap_or_default()
        ));
    }
}

fn is_loss(written: &Result<()>) -> bool {
    written.as_ref().is_err_and(|error| error.kind() != ErrorKind::BrokenPipe)
}

/// The exit status of a program that would end with `status`: 2 if it could not say all it had to say.
pub fn status(status: u8) -> ExitCode {
    ExitCode::from(if LOST.load(Ordering::Relaxed) { 2 } else { status })
}

/// Ends the program with what its command line's parser says: help with status 0, a mistake with 2.
pub fn usage(said: &impl Display, status: i32) -> ! {
    let text = said.to_string();
    if status == 0 {
        out(&text);
    } else {
        err(&text);
    }
    std::process::exit(if LOST.load(Ordering::Relaxed) { 2 } else { status })
}

/// Whether `stream` shows a line that changes: it is a terminal, not a dumb one, and obeys escape codes. A
/// page says that its streams are such, and shows text.
pub fn is_lively(stream: &impl IsTerminal) -> bool {
    !cfg!(target_family = "wasm")
        && stream.is_terminal()
        && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
        && obeys_escape_codes()
}

/// Consoles before Windows 10 don't, and later ones have to be asked to.
#[cfg(windows)]
fn obeys_escape_codes() -> bool {
    use anstyle_query::windows::enable_ansi_colors;
    static OBEYS: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| {
        // If stdout leads into a file, this asks nothing of stderr; then TERM, which a Unix-like shell sets,
        // says whether that obeys.
        enable_ansi_colors() == Some(true) || anstyle_query::term_supports_ansi_color()
    });
    *OBEYS
}

#[cfg(not(windows))]
fn obeys_escape_codes() -> bool {
    true
}

/// Whether `stream` shows colours: a lively terminal without `NO_COLOR` (<https://no-color.org>).
pub fn has_colour(stream: &impl IsTerminal) -> bool {
    is_lively(stream) && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        let text = "\u{1b}[2Jgone\r\n\tback\u{8}\u{9b}1m \u{202e}abc \u{e9}\u{4e16}\r";
        let shown = "\\u{1b}[2Jgone\n\tback\\u{8}\\u{9b}1m \\u{202e}abc \u{e9}\u{4e16}\\u{d}";
        assert_eq!(visible(text), shown);
    }

    #[test]
    fn only_the_styles_of_diagnostics_reach_a_terminal() {
        let text = "\x1b[1;91merror\x1b[0m: \x1b[31mred \x1b[2J\x1b]0;title\x07 \u{202e}abc\x1b";
        let shown =
            "\x1b[1;91merror\x1b[0m: \\u{1b}[31mred \\u{1b}[2J\\u{1b}]0;title\\u{7} \\u{202e}abc\\u{1b}";
        assert_eq!(visible_in_colour(text), shown);
    }

    #[test]
    fn strings_of_json_keep_their_value() {
        let value = "\x1b[2J\u{7f}\u{9b}\u{202e}abc\n\t\u{e9}";
        let json = serde_json::to_string_pretty(&[value]).unwrap();
        let shown = escaped_json(&json);
        assert!(!shown.contains(|c: char| c != '\n' && (c.is_control() || turns(c))), "{shown}");
        assert_eq!(serde_json::from_str::<[String; 1]>(&shown).unwrap(), [value]);
    }

    #[test]
    fn a_closed_pipe_is_no_loss() {
        assert!(!is_loss(&Ok(())) && !is_loss(&Err(ErrorKind::BrokenPipe.into())));
        assert!(is_loss(&Err(ErrorKind::StorageFull.into())));
    }
}
