//! What was meant by a word that is none of the language: a refusal names the word, and the nearest that is
//! right.

use cuda_source::parameters::kind;
use text::expression::split;
use text::near::nearest;

use super::scope::Names;

/// The names of types of numbers.
pub const NAMES: &str = "i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 ptr";

/// What a line begins with.
pub const STEPS: [&str; 5] = ["buffer", "symbol", "launch", "expect", "save"];

/// What is wrong with a line that begins with `what`, and goes on with `rest`.
pub fn step(what: &str, rest: &str) -> String {
    if what.contains("<<<") {
        return format!("`{what}`: write launch before it: {}", format!("launch {what} {rest}").trim_end());
    }
    match nearest(what, STEPS) {
        Some(step) => format!("`{what}` is not a step; write {step}"),
        None => format!("`{what}` is not a step; there are {}", STEPS.join(", ")),
    }
}

/// What is wrong with the name of a type that is not one.
pub fn of_type(name: &str) -> String {
    let alike =
        NAMES.split(' ').filter(|known| known[..1].eq_ignore_ascii_case(name.get(..1).unwrap_or_default()));
    let meant = kind(name).or_else(|| nearest(name, alike));
    match meant {
        Some(meant) => format!("`{name}` is not a type here; write {meant}"),
        None => format!("`{name}` is not a type; there are {NAMES}, and buf:TYPE: for a buffer"),
    }
}

/// What is wrong with what stands before the = of a buffer, where that is not a name: a declaration, perhaps.
/// `rest` stands behind the =.
pub fn name(text: &str, rest: &str) -> String {
    match declared(text, rest) {
        Some(right) => format!("`{text}`: only the name stands before the =; write {right}"),
        None => format!("`{text}` is not a name; take letters and digits"),
    }
}

/// A declaration of C++ as a buffer, `in = f32:zeros*64` for `float in[64]`. `rest` stands behind its =.
fn declared(text: &str, rest: &str) -> Option<String> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || "[](),;".contains(c))
        .map(|word| word.trim_matches('*'))
        .filter(|word| !word.is_empty())
        .collect();
    let name = words.iter().find(|word| is_name(word) && of_number(word).is_none())?;
    if rest.contains(':') {
        return Some(format!("{name} = {rest}"));
    }
    let types: Vec<&str> = words.iter().copied().filter(|word| of_number(word).is_some()).collect();
    let kind = of_number(&types.join(" ")).or(types.first().and_then(|word| of_number(word)));
    let kind = kind.unwrap_or("i32");
    let fill = if rest.is_empty() { "zeros" } else { rest };
    let of_sizes = |word: &&str| {
        word.split(['x', '*']).try_fold(1u64, |count, size| count.checked_mul(size.parse().ok()?))
    };
    let sizes: Vec<u64> = words.iter().filter_map(of_sizes).collect();
    Some(match sizes.iter().try_fold(1, |count: u64, size| count.checked_mul(*size)) {
        Some(count) if !sizes.is_empty() && !rest.contains('*') => format!("{name} = {kind}:{fill}*{count}"),
        _ if rest.is_empty() => format!("{name} = {kind}:zeros*1024"),
        _ => format!("{name} = {kind}:{fill}"),
    })
}

/// What this language calls a type of numbers, of its own or of C++.
fn of_number(words: &str) -> Option<&'static str> {
    kind(words).or(NAMES.split(' ').find(|known| *known == words))
}

/// What is wrong with `out[9] = f32:1`, where one element is expected to hold something.
pub fn expected_element(text: &str) -> Option<String> {
    let (element, value) = text.split_once('=')?;
    let element = element.trim();
    let (name, index) = element.strip_suffix(']')?.split_once('[')?;
    let value = right(value.trim())?;
    let (kind, value) = value.split_once(':')?;
    let right = format!("{} = {kind}:uninit*{},{value}", name.trim(), index.trim());
    Some(format!(
        "`{element}`: a whole buffer is compared, where uninit elements may hold anything; write {right} \
         and the elements behind that"
    ))
}

/// What is wrong with an argument without a type.
pub fn argument(text: &str) -> String {
    match right(text) {
        Some(right) if is_name(text) => {
            format!("`{text}` is not an argument; write {right} for the buffer of this name")
        }
        Some(right) => format!("`{text}` has no type; write {right}"),
        None => {
            format!("`{text}` is not an argument; write a number like i32:5, or @ and the name of a buffer")
        }
    }
}

/// What is wrong with the elements of a buffer, of which nothing says the type.
pub fn elements(text: &str) -> String {
    if let Some(right) = list(text) {
        return format!("`{text}`: a type and a colon come first; write {right}");
    }
    if let Some((name, count)) = text.strip_suffix(']').and_then(|text| text.split_once('[')) {
        let kind = kind(name.trim()).unwrap_or(name.trim());
        return format!("`{text}` are not elements; write {kind}:zeros*{count}");
    }
    if let Some(kind) = of_number(text) {
        return format!("`{text}`: the elements are missing; write {kind}:zeros*1024");
    }
    if let Some((name, count)) = text.split_once('*')
        && let Some(kind) = of_number(name.trim())
    {
        return format!(
            "`{text}`: {kind} is the type, the elements are missing; write {kind}:zeros*{}",
            count.trim()
        );
    }
    if let Some((name, elements)) = text.split_once(' ')
        && let Some(kind) = of_number(name)
    {
        return format!(
            "`{text}`: a colon stands between type and elements; write {kind}:{}",
            elements.trim()
        );
    }
    format!("`{text}` has no type; write i32:{text}, or f32:{text}")
}

/// `i32:0,1` of `= [0, 1]`, of `{0, 1}` and of `(0, 1)`, if those are numbers.
fn list(text: &str) -> Option<String> {
    let text = text.trim_start_matches('=').trim();
    let inside = [('[', ']'), ('{', '}'), ('(', ')')]
        .iter()
        .find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close))?;
    let numbers: Vec<String> = split(inside, ',').map(|part| right(part.trim())).collect::<Option<_>>()?;
    let values: Vec<(&str, &str)> = numbers.iter().filter_map(|number| number.split_once(':')).collect();
    if values.len() < numbers.len() {
        return None;
    }
    let kind = ["f32", "u32"].into_iter().find(|kind| values.iter().any(|(of, _)| of == kind));
    let values: Vec<&str> = values.iter().map(|(_, value)| *value).collect();
    Some(format!("{}:{}", kind.unwrap_or("i32"), values.join(",")))
}

/// What is wrong with what gives nothing to a name.
pub fn assignment(text: &str) -> String {
    let is_type = |word: &str| of_number(word.trim_end_matches('*')).is_some();
    let is_declaration = text.contains('[') || text.split_whitespace().any(is_type);
    if let Some(right) = declared(text, "").filter(|_| is_declaration && !text.contains(':')) {
        return format!("`{text}`: an = is missing; write {right}");
    }
    match text.split_once(char::is_whitespace) {
        Some((name, rest)) => format!("`{text}`: an = is missing; write {name} = {}", rest.trim_start()),
        None => format!("`{text}`: write a name, = and what it is, like in = i32:zeros*16"),
    }
}

/// An argument as C++ has it, in this language: `i32:5`, `f32:1.5`, `@in`.
fn right(text: &str) -> Option<String> {
    if text.starts_with('@') || text.contains(':') {
        return Some(text.to_string());
    }
    if is_name(text) {
        return Some(format!("@{text}"));
    }
    let number = text.trim_end_matches(['f', 'F']);
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    if digits.parse::<i64>().is_ok() {
        return Some(format!("{}:{digits}", if text.contains(['u', 'U']) { "u32" } else { "i32" }));
    }
    number.parse::<f64>().is_ok().then(|| format!("f32:{number}"))
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|c| c.is_alphanumeric() || c == '_')
}

/// What is wrong with arguments in parentheses or with commas, as C++ has them; nothing if they are not.
pub fn arguments(text: &str, head: &str) -> Option<String> {
    let list = text.trim().trim_end_matches(';').trim_end();
    let inside = list.strip_prefix('(').map(|list| list.strip_suffix(')').unwrap_or(list));
    let has_commas = list.split_whitespace().any(|word| word.ends_with(','));
    let parts = || split(inside.unwrap_or(list), ',').map(str::trim).filter(|part| !part.is_empty());
    let write = || {
        let words: Vec<String> = parts().map(|part| right(part).unwrap_or(part.to_string())).collect();
        format!("{head} {}", words.join(" "))
    };
    match inside {
        Some(_) => Some(format!(
            "`{list}`: arguments follow >>> without parentheses, parted by blanks; write {}",
            write()
        )),
        None if has_commas => {
            Some(format!("`{list}`: arguments are parted by blanks, not by commas; write {}", write()))
        }
        None => None,
    }
}

/// What is wrong with a launch that has no `<<<…>>>`.
pub fn launch(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() {
        return "the kernel is missing; write launch KERNEL<<<1, 256>>> and its arguments".to_string();
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').unwrap_or(text.len());
    let (kernel, rest) = text.split_at(end);
    let config = rest.trim_start_matches('<').split_once('>').filter(|_| rest.starts_with('<'));
    match config {
        Some((config, args)) => {
            let args = args.trim_start_matches('>');
            format!(
                "`{text}`: three < and three > stand around the sizes; write {kernel}<<<{config}>>>{args}"
            )
        }
        None if rest.starts_with('<') => format!("`{text}`: >>> is missing behind the sizes"),
        None => {
            format!(
                "`{text}`: the blocks and the threads per block are missing; write {kernel}<<<1, 256>>>{rest}"
            )
        }
    }
}

/// What is wrong with a size of a grid or a block; `names` may stand in it.
pub fn size(text: &str, names: Names) -> String {
    let text = text.trim();
    if let Some(name) = unknown(text, names).next() {
        return format!(
            "`{text}`: {name} is no constant of this file: write the number, like {}, or a line `const int \
             {name} = 1000;` above",
            in_numbers(text, names)
        );
    }
    format!("`{text}` is not a size; write a number, like 256, or several, like dim3(16, 16)")
}

/// The words in a size that are neither numbers, nor functions, nor `names`.
fn unknown<'a>(text: &'a str, names: Names<'a>) -> impl Iterator<Item = &'a str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| is_name(word));
    let is_known = move |word: &str| names.iter().any(|(name, _)| *name == word);
    let functions = ["max", "min", "ceil_div", "cuda", "std", "dim3"];
    words.filter(move |word| !functions.contains(word) && !is_known(word))
}

/// What `text` may be with numbers in place of names: `(1000+256-1)/256` of `(n+threads-1)/threads`.
fn in_numbers(text: &str, names: Names) -> String {
    let mut text = text.to_string();
    for number in ["1000", "256", "1"] {
        let Some(name) = unknown(&text, names).next().map(str::to_owned) else { break };
        text = with_number(&text, &name, number);
    }
    text
}

/// `text` with a `number` where the word `name` stands.
fn with_number(text: &str, name: &str, number: &str) -> String {
    let words = text.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_');
    let replaced = words.map(|word| {
        let end = word.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_').len();
        if &word[..end] == name { format!("{number}{}", &word[end..]) } else { word.to_string() }
    });
    replaced.collect()
}

/// What is wrong with four sizes in a row, if they are numbers: two dimensions of the grid, two of a block.
pub fn dimensions([x, y, block_x, block_y]: [&str; 4]) -> Option<String> {
    let is_number = |size: &str| size.parse::<u32>().is_ok_and(|size| size > 0);
    [x, y, block_x, block_y].into_iter().all(is_number).then(|| {
        format!(
            "`<<<{x}, {y}, {block_x}, {block_y}>>>`: several dimensions are written <<<dim3({x}, {y}), \
             dim3({block_x}, {block_y})>>>"
        )
    })
}

/// The sizes of the grid and of a block, if nothing but a blank stands between the two.
pub fn without_comma(text: &str) -> Option<String> {
    let words: Vec<&str> = split(text.trim(), ' ').filter(|word| !word.is_empty()).collect();
    let (grid, block) = match words[..] {
        [grid, block] => (grid, block),
        [one] => one.split_at(one.find(")dim3(").or(one.find(")("))? + 1),
        _ => return None,
    };
    let ends = grid.ends_with(|c: char| c.is_alphanumeric() || c == ')') && grid != "dim3";
    let begins = block.starts_with(|c: char| c.is_alphanumeric() || c == '(');
    let said = || format!("`<<<{text}>>>`: a comma is missing between the two: <<<{grid}, {block}>>>");
    (ends && begins).then(said)
}

/// What is wrong with a number of elements like `64x96` or `n`, behind the * of `what`; `names` may stand in
/// it.
pub fn count(what: &str, times: &str, names: Names) -> Option<String> {
    let times = times.trim();
    if let Some(name) = unknown(times, names).next() {
        return Some(format!("`{times}`: {name} is no constant of this file; write the number of elements"));
    }
    let sizes: Vec<&str> = times.split(['x', 'X', '*']).map(str::trim).collect();
    let are_numbers = sizes.len() > 1 && sizes.iter().all(|size| size.parse::<u64>().is_ok());
    are_numbers
        .then(|| format!("`{times}` is not a number; sizes multiply: {}*{}", what.trim(), sizes.join("*")))
}

/// The line without what C++ ends one with, and what to do about that.
pub fn without_ends_of_cpp(line: &str) -> impl Iterator<Item = (&str, &'static str)> {
    let code = line.split("//").next().unwrap_or_default().trim_end();
    let without_comment = (code, "a comment begins with # here, not with //");
    let bare = |text: &'static str| (code.trim_end_matches(';').trim_end(), text);
    let without_end = bare("leave the ; out");
    let without_both = bare("leave the ; out, and begin the comment with #");
    let ends = match (code != line, code.ends_with(';')) {
        (true, true) => vec![without_comment, without_both],
        (true, false) => vec![without_comment],
        (false, true) => vec![without_end],
        (false, false) => vec![],
    };
    ends.into_iter()
}

#[cfg(test)]
mod tests {
    use crate::{Launch, Scope, Script, Spec};

    fn launch(text: &str) -> String {
        Launch::parse(text, Scope::default()).map_or_else(|error| format!("{error:#}"), |_| String::new())
    }

    #[test]
    fn launches_of_cuda_are_read_or_told_what_they_are_here() {
        for (text, said) in [
            ("k<<<1, 64>>>(in, out, 1024);", "write k<<<1, 64>>> @in @out i32:1024"),
            ("k<<<1, 64>>>(a, 2.5f, 3u)", "write k<<<1, 64>>> @a f32:2.5 u32:3"),
            ("k<<<1, 64>>> @in, @out", "are parted by blanks, not by commas; write k<<<1, 64>>> @in @out"),
            ("k<<<1, 64>>> in", "`in` is not an argument; write @in for the buffer of this name"),
            ("k<<<1, 64>>> 1024", "`1024` has no type; write i32:1024"),
            ("k<<<1, 64>>> 1.5f", "`1.5f` has no type; write f32:1.5"),
            ("k<<<1, 64>>> int:5", "`int` is not a type here; write i32"),
            ("k<<<1, 64>>> float:5", "`float` is not a type here; write f32"),
            ("k<1, 64> @in", "three < and three > stand around the sizes; write k<<<1, 64>>> @in"),
            ("k @in", "the blocks and the threads per block are missing; write k<<<1, 256>>> @in"),
            ("k<<<1, 64> @in", "write k<<<1, 64>>> @in"),
            (
                "k<<<1.5, 256>>>",
                "`1.5` is not a size; write a number, like 256, or several, like dim3(16, 16)",
            ),
            ("k<<<n, 256>>>", "`n`: n is no constant of this file: write the number, like 1000, or a line"),
            ("k<<<n/256, 256>>>", "n is no constant of this file: write the number, like 1000/256, or"),
            ("k<<<(n + 255) / 256, 256>>>", "`(n+255)/256`: n is no constant of this file"),
            ("k<<<(n+t-1)/t, 32>>>", "like (1000+256-1)/256, or a line `const int n = 1000;` above"),
            ("k<<<dim3(w/16, h/16), 256>>>", "w is no constant of this file: write the number"),
            ("k<<<3, 2, 32, 8>>>", "several dimensions are written <<<dim3(3, 2), dim3(32, 8)>>>"),
            ("k<<<3, 64, 0, 8>>>", "`8`: there are no streams here"),
            (
                "k<<<dim3(3,2) dim3(32,8)>>>",
                "a comma is missing between the two: <<<dim3(3,2), dim3(32,8)>>>",
            ),
            ("k<<<dim3(3,2)dim3(32,8)>>>", "a comma is missing between the two: <<<dim3(3,2), dim3(32,8)>>>"),
            ("k<<<4 256>>>", "a comma is missing between the two: <<<4, 256>>>"),
            ("k<<<8 / 2>>>", "the threads per block are missing"),
            ("k<<<dim3 (8, 2)>>>", "the threads per block are missing"),
            ("k<<<1, 64, 0, s>>>", "`s`: there are no streams here"),
            ("k<<<1, 64, lots>>>", "`lots` is not a number of bytes of shared memory"),
        ] {
            assert!(launch(text).contains(said), "{text}: {}", launch(text));
        }
    }

    #[test]
    fn steps_and_buffers_are_told_the_nearest_that_is_right() {
        let said = |text: &str| format!("{:#}", Script::parse(text, Scope::default()).unwrap_err());
        for (text, expected) in [
            ("lanch k<<<1, 1>>>", "1: `lanch` is not a step; write launch"),
            ("k<<<1, 64>>> @in", "1: `k<<<1,`: write launch before it: launch k<<<1, 64>>> @in"),
            ("buffer in i32:zeros*4", "1: `in i32:zeros*4`: an = is missing; write in = i32:zeros*4"),
            ("buffer in = float[64]", "1: `float[64]` are not elements; write f32:zeros*64"),
            (
                "buffer in = i32 iota*4",
                "1: `i32 iota*4`: a colon stands between type and elements; write i32:iota*4",
            ),
            ("buffer in = zeros*4", "1: `zeros*4` has no type; write i32:zeros*4, or f32:zeros*4"),
            (
                "buffer in i32 8x4 = iota",
                "1: `in i32 8x4`: only the name stands before the =; write in = i32:iota*32",
            ),
            (
                "buffer float out[16] = zeros",
                "1: `float out[16]`: only the name stands before the =; write out = f32:zeros*16",
            ),
            ("buffer int x = 5", "1: `int x`: only the name stands before the =; write x = i32:5"),
            ("buffer a b = u8:1,2", "1: `a b`: only the name stands before the =; write a = u8:1,2"),
            ("buffer 1 + 2 = i32:1", "1: `1 + 2` is not a name; take letters and digits"),
            ("buffer float in[64*96]", "1: `float in[64*96]`: an = is missing; write in = f32:zeros*6144"),
            (
                "buffer unsigned char in[8]",
                "1: `unsigned char in[8]`: an = is missing; write in = u8:zeros*8",
            ),
            (
                "buffer in[64] = f32:iota*64",
                "1: `in[64]`: only the name stands before the =; write in = f32:iota*64",
            ),
            (
                "buffer in = f32*6144",
                "1: `f32*6144`: f32 is the type, the elements are missing; write f32:zeros*6144",
            ),
            ("buffer in = f32:iota*64x96", "1: `64x96` is not a number; sizes multiply: iota*64*96"),
            (
                "buffer in = f32:zeros*n",
                "1: `n`: n is no constant of this file; write the number of elements",
            ),
            ("buffer float* in", "1: `float* in`: an = is missing; write in = f32:zeros*1024"),
            (
                "expect out[9] = 5",
                "1: `out[9]`: a whole buffer is compared, where uninit elements may hold anything; write \
                 out = i32:uninit*9,5 and the elements behind that",
            ),
            ("buffer in = f32:iota*64;", "1: `buffer in = f32:iota*64;`: leave the ; out"),
            (
                "buffer in = f32:uninit*6140  // first row",
                "1: `buffer in = f32:uninit*6140  // first row`: a comment begins with # here, not with //",
            ),
            (
                "buffer in = f32:1; // one",
                "1: `buffer in = f32:1; // one`: leave the ; out, and begin the comment with #",
            ),
            (
                "expect out[9] = f32:1",
                "1: `out[9]`: a whole buffer is compared, where uninit elements may hold anything; write \
                 out = f32:uninit*9,1 and the elements behind that",
            ),
            (
                "buffer in = i32:1\nbuffer in = i32:2",
                "2: two buffers are named in; give this one another name",
            ),
            (
                "launch k<<<1, 1>>> buf:i32:1\nlaunch k<<<1, 1>>> buf:i32:1",
                "2: two buffers are named 0, the number of the argument that makes one: name one of them \
                 with a line `buffer NAME = …`, and write @NAME for the argument",
            ),
            ("buffer in = i32", "1: `i32`: the elements are missing; write i32:zeros*1024"),
            ("expect out == [0, 1]", "1: `= [0, 1]`: a type and a colon come first; write i32:0,1"),
            ("expect out = (16, 2)", "1: `(16, 2)`: a type and a colon come first; write i32:16,2"),
            ("expect out = {1.5f, 2}", "1: `{1.5f, 2}`: a type and a colon come first; write f32:1.5,2"),
        ] {
            assert_eq!(said(text), expected);
        }
        assert!(Script::parse("buffer in = f32:iota*6 # first row", Scope::default()).is_ok());
        assert!(Spec::parse("f8:1", Scope::default()).unwrap_err().to_string().contains("there are i8 u8"));
    }
}
