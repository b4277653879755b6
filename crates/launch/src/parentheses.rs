//! Texts are taken apart where no parenthesis is open.

/// The parts of a text between those `at` that stand outside of parentheses.
pub fn split(text: &str, at: char) -> impl Iterator<Item = &str> {
    let mut start = 0;
    let ends: Vec<usize> = outside(text, &[at]).chain([text.len()]).collect();
    ends.into_iter().map(move |end| &text[std::mem::replace(&mut start, end + at.len_utf8())..end])
}

/// Where one of `signs` stands outside of parentheses.
pub fn outside<'a>(text: &'a str, signs: &'a [char]) -> impl Iterator<Item = usize> + 'a {
    let mut depth = 0;
    text.char_indices().filter_map(move |(at, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (depth == 0 && signs.contains(&c)).then_some(at)
    })
}
