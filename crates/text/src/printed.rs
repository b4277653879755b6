//! What kernels print, as it is shown: the first lines, and how many there are.

use super::number::thousands;
use super::say::visible;

/// Lines that are shown, at most.
pub const MAX_LINES: usize = 100;
/// The bytes of the simulator's buffer for what is printed: what does not fit is lost.
pub const ROOM: usize = 1 << 20;
/// Characters of a line that are shown, at most.
const MAX_CHARACTERS: usize = 300;

/// The first lines of what a kernel has `printed`, control characters written out, each with its end; and how
/// many lines there are, if there are more, and that some are lost if there was no room. Nothing for nothing.
pub fn first_lines(printed: &str) -> String {
    let mut text = String::new();
    for line in printed.lines().take(MAX_LINES) {
        let (shown, more) = match line.char_indices().nth(MAX_CHARACTERS) {
            Some((end, _)) => (&line[..end], "…"),
            None => (line, ""),
        };
        text += &format!("{}{more}\n", visible(shown));
    }
    let count = printed.lines().count();
    if count > MAX_LINES {
        let all = thousands(count as i64);
        text += &format!("… these are the first {MAX_LINES} of {all} lines\n");
    }
    if printed.len() >= ROOM {
        let room = thousands(ROOM as i64);
        text += &format!("… then printf's buffer of {room} bytes was full: what came later is lost\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_lines_the_first_are_shown_and_all_are_counted() {
        let lines = |count: usize| (0..count).map(|i| format!("{i}\n")).collect::<String>();
        assert_eq!(first_lines(&lines(MAX_LINES)), lines(MAX_LINES));
        let many = first_lines(&lines(40_000));
        assert!(many.starts_with("0\n1\n") && many.lines().count() == MAX_LINES + 1, "{many}");
        assert!(many.ends_with("\n99\n… these are the first 100 of 40,000 lines\n"), "{many}");
        let full = first_lines(&lines(200_000));
        let lost = "… then printf's buffer of 1,048,576 bytes was full: what came later is lost\n";
        assert!(full.ends_with(&format!(" of 200,000 lines\n{lost}")), "{full}");
        assert_eq!(first_lines(""), "");
        assert_eq!(first_lines("no end"), "no end\n");
        let long = first_lines(&"\u{1b}".repeat(1_000_000));
        assert!(long.len() < 3000 && long.starts_with("\\u{1b}") && long.ends_with("…\n"), "{long}");
    }
}
