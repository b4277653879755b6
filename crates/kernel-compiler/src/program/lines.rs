//! Lines of the reader's own, for what clang has inlined from headers.

/// `ptx` with the reader's own line in place of that of a header, where a function of it is inlined. `is_own`
/// says whether a file is the reader's, by the path in its `.file` entry.
///
/// `.loc` has the innermost line, and clang's comment behind it all of them:
/// `/cpp/vector:4:2 @[ /cpp/vector:9:7 @[ x.cu:8:19 ] ]`.
pub fn with_own_lines(ptx: &str, is_own: impl Fn(&str) -> bool) -> String {
    let files: Vec<(&str, &str)> = ptx.lines().filter_map(file).collect();
    let own: Vec<(&str, &str)> = files.iter().copied().filter(|(_, path)| is_own(path)).collect();
    let mut text = String::with_capacity(ptx.len());
    for line in ptx.lines() {
        match line.split_once(" @[ ").and_then(|(_, chain)| outer(line, chain, &own)) {
            Some(loc) => text += &loc,
            None => text += line,
        }
        text.push('\n');
    }
    text
}

/// Number and path of a `.file` entry.
fn file(line: &str) -> Option<(&str, &str)> {
    let (number, path) = line.trim_start().strip_prefix(".file")?.split_once('"')?;
    Some((number.trim(), path.split('"').next()?))
}

/// What stands for a `.loc` whose comment has a `chain` of the lines that it is inlined at: itself if its own
/// file is the reader's, else the innermost of the chain that is.
fn outer(line: &str, chain: &str, own: &[(&str, &str)]) -> Option<String> {
    let (loc, _) = line.split_once("//")?;
    let inner = loc.trim_start().strip_prefix(".loc")?.split_whitespace().next()?;
    let is_own = own.iter().any(|(number, _)| *number == inner);
    let mut places = chain.split(" @[ ").filter_map(|place| named(place, own));
    match (is_own, places.next()) {
        (false, Some(place)) => Some(format!("\t.loc\t{place}")),
        _ => Some(loc.trim_end().to_owned()),
    }
}

/// File, line and column of a `path:line:column`, with the file's number, if it is one of the reader's.
fn named(place: &str, own: &[(&str, &str)]) -> Option<String> {
    let mut parts = place.trim_end_matches([' ', ']']).rsplitn(3, ':');
    let (column, line, path) = (parts.next()?, parts.next()?, parts.next()?);
    let is_it = |known: &str| known == path || known.ends_with(&format!("/{path}"));
    let (number, _) = own.iter().find(|(_, known)| is_it(known))?;
    Some(format!("{number} {line} {column}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: &str = "\t.file\t1 \"/w/x.cu\"\n\t.file\t2 \"/cpp/vector\"\n";

    /// What becomes of one `.loc`.
    fn rewritten(loc: &str) -> String {
        let text = with_own_lines(&format!("\t.loc\t{loc}\n{FILES}"), |path| path.ends_with(".cu"));
        text.strip_suffix(FILES).unwrap().trim().replace('\t', " ")
    }

    #[test]
    fn an_inlined_line_of_a_header_is_the_readers_innermost_line() {
        let chain = "2 4 2  // /cpp/vector:4:2 @[ /cpp/vector:9:7 @[ x.cu:8:19 @[ x.cu:15:5 ] ] ]";
        assert_eq!(rewritten(chain), ".loc 1 8 19");
    }

    #[test]
    fn a_line_of_the_readers_stays_and_so_does_one_that_nothing_of_the_readers_calls() {
        assert_eq!(rewritten("1 5 3  // x.cu:5:3 @[ /cpp/vector:9:7 @[ x.cu:8:19 ] ]"), ".loc 1 5 3");
        assert_eq!(rewritten("2 4 2  // /cpp/vector:4:2 @[ /cpp/vector:9:7 ]"), ".loc 2 4 2");
        assert_eq!(rewritten("1 5 3  // x.cu:5:3"), ".loc 1 5 3  // x.cu:5:3");
    }
}
