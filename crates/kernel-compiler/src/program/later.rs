//! What clang cannot do for a device and finds itself: an array whose length is computed, and a variable
//! whose initializer is. Each is rewritten where clang's error stands, on the same lines.

use super::edits::Edit;
use cuda_source::lex::{Token, placed};

/// How clang's errors name the two.
const ARRAY: &str = "cannot use variable-length arrays in __host__ __device__ functions";
const INITIALIZER: &str = "dynamic initialization is not supported";

/// Whether these words of clang's are about what [`rewritten`] knows.
pub fn is_known(words: &str) -> bool {
    words.starts_with(ARRAY) || words.starts_with(INITIALIZER)
}

/// The edits of `text` for an error at `place`, a byte of it; `number` tells initializers of a program apart,
/// in the order in which they run.
///
/// # Errors
/// What the reader has to write instead.
pub fn rewritten(text: &str, place: usize, words: &str, number: usize) -> Result<Vec<Edit>, String> {
    let tokens = placed(text);
    let index = tokens.partition_point(|(start, _)| *start < place);
    if words.starts_with(ARRAY) {
        array(text, &tokens, index).ok_or_else(|| {
            "an array of computed length needs a form that the simulator knows: int a[n]; or use \
             std::vector"
                .to_owned()
        })
    } else {
        initializer(text, &tokens, index, number).ok_or_else(|| {
            "this variable's initializer is computed when the program runs: declare the variable on a line \
             of its own, with a named type, as in: Type name = value;"
                .to_owned()
        })
    }
}

/// `a[n]` becomes a pointer to room on the stack, and `sizeof a` asks how much that is.
fn array(text: &str, tokens: &[(usize, Token)], index: usize) -> Option<Vec<Edit>> {
    // clang names the array or its length.
    let open = (index.saturating_sub(2)..=index + 1)
        .find(|at| *at > 0 && tokens.get(*at).is_some_and(|(_, token)| token.is_mark("[")))?;
    let Token::Word(name) = tokens[open - 1].1 else { return None };
    let close = closing(tokens, open, "[", "]")?;
    let length = &text[tokens[open].0 + 1..tokens[close].0];
    // Further dimensions are the type of an element.
    let mut end = tokens[close].0 + 1;
    let mut last = close;
    while tokens.get(last + 1).is_some_and(|(_, token)| token.is_mark("[")) {
        last = closing(tokens, last + 1, "[", "]")?;
        end = tokens[last].0 + 1;
    }
    let element = text[tokens[close].0 + 1..end].trim();
    let declarator = if element.is_empty() { format!("*{name}") } else { format!("(*{name}){element}") };
    let declared = format!("{declarator} = (decltype({name}))__wb_alloca(sizeof(*{name}) * ({length}))");
    let mut edits = vec![Edit::replace(tokens[open - 1].0..end, declared)];
    let mut depth = 0;
    for (at, (place, token)) in tokens.iter().enumerate().skip(last + 1) {
        depth += i32::from(token.is_mark("{")) - i32::from(token.is_mark("}"));
        if depth < 0 {
            break;
        }
        let word = |offset: usize| tokens.get(at + offset).map(|(_, token)| token.text());
        if token.is_word("sizeof") && word(1) == Some("(") && word(2) == Some(name) && word(3) == Some(")") {
            edits.push(Edit::replace(*place..tokens[at + 3].0 + 1, format!("__wb_alloca_size({name})")));
        } else if token.is_word("sizeof")
            && word(1) == Some(name)
            && !matches!(word(2), Some("[" | "." | "->"))
        {
            let end = tokens[at + 1].0 + name.len();
            edits.push(Edit::replace(*place..end, format!("__wb_alloca_size({name})")));
        }
    }
    Some(edits)
}

/// `Type name = value;` becomes room for a `Type`, a reference to it called `name`, and what constructs it:
/// at file scope a function `__wb_init_…`, which the host calls before `main`, in the order of the names;
/// in a function the first time that it gets there.
fn initializer(text: &str, tokens: &[(usize, Token)], index: usize, number: usize) -> Option<Vec<Edit>> {
    let (place, Token::Word(name)) = *tokens.get(index)? else { return None };
    let mut start = index;
    while start > 0 && !ends_a_statement(&tokens[start - 1].1) && !is_directive_end(tokens, start) {
        start -= 1;
    }
    let specifiers: Vec<&str> = tokens[start..index]
        .iter()
        .filter(|(_, token)| *token != Token::LineEnd)
        .map(|(_, token)| token.text())
        .filter(|word| !["static", "inline", "extern", "thread_local", "__device__"].contains(word))
        .collect();
    let (first, kind) = if specifiers.is_empty() {
        let (_, before) = tokens.get(start.checked_sub(1)?)?;
        let is_behind_a_class = before.is_mark("}");
        (place, defined_type(tokens, start - 1).filter(|_| is_behind_a_class)?)
    } else {
        let (first, _) = tokens[start..index].iter().find(|(_, token)| *token != Token::LineEnd)?;
        (*first, joined(&specifiers))
    };
    let end = (index + 1..tokens.len()).find(|at| ends_a_declarator(tokens, index, *at))?;
    if !tokens[end].1.is_mark(";") {
        return None;
    }
    let given = text[place + name.len()..tokens[end].0].trim();
    // An array, `name[3]`, keeps its dimensions in its type.
    let dimensions = given.find(['=', '{', '(']).map_or(given, |end| given[..end].trim_end());
    if dimensions.contains("[]") || (!dimensions.is_empty() && !dimensions.starts_with('[')) {
        return None;
    }
    let value = given[dimensions.len()..].trim();
    let lines = text[first..tokens[end].0].matches('\n').count();
    let assigned = value.strip_prefix('=').map(str::trim);
    let construct = match assigned {
        Some(value) if !value.starts_with('{') => format!("({value})"),
        Some(value) => value.to_owned(),
        None => value.to_owned(),
    };
    let value = assigned.unwrap_or(value);
    let kind = if specifiers.contains(&"auto") { format!("wb::decayed<decltype{construct}>") } else { kind };
    let of = format!("wb_type_{number}");
    let room = format!("wb_room_{number}");
    let before = if specifiers.is_empty() { ";" } else { "" };
    let declared = format!(
        "{before} typedef {kind} {of}{dimensions}; alignas({of}) static unsigned char {room}[sizeof({of})];"
    );
    let named = format!("static {of} &{name} = reinterpret_cast<{of} &>({room});");
    let made = if dimensions.is_empty() {
        format!("::new ((void *){room}) {of}{construct}; wb::registered({name});")
    } else {
        format!("::new ((void *){room}) wb::held<{of}>{{{{{}}}}};", value.trim_matches(['{', '}']))
    };
    let is_local = is_in_function(tokens, start);
    let is_made = format!("wb_is_made_{number}");
    let whole = if is_local {
        format!("{declared} static bool {is_made}; {named} if (!{is_made}) {{ {is_made} = true; {made} }}")
    } else {
        format!("{declared} {named} extern \"C\" void __wb_init_{number:06}() {{ {made} }}")
    };
    let whole = whole.replace('\n', " ") + &"\n".repeat(lines);
    Some(vec![Edit::replace(first..tokens[end].0 + 1, whole)])
}

/// Tokens as a text, with a space where two words meet.
fn joined(tokens: &[&str]) -> String {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut text = String::new();
    for token in tokens {
        if text.ends_with(is_of_word) && token.starts_with(is_of_word) {
            text.push(' ');
        }
        text += token;
    }
    text
}

/// Whether the token before a declaration is none of it.
fn ends_a_statement(token: &Token) -> bool {
    [";", "{", "}"].iter().any(|mark| token.is_mark(mark))
}

/// Whether the line that ends before the token `at` is a directive.
fn is_directive_end(tokens: &[(usize, Token)], at: usize) -> bool {
    if tokens[at - 1].1 != Token::LineEnd {
        return false;
    }
    let first = (0..at - 1).rev().find(|before| tokens[*before].1 == Token::LineEnd).map_or(0, |end| end + 1);
    tokens[first].1.is_mark("#")
}

/// Whether a token is the `,` or `;` behind the declarator that begins at `index`.
fn ends_a_declarator(tokens: &[(usize, Token)], index: usize, at: usize) -> bool {
    if ![",", ";"].iter().any(|mark| tokens[at].1.is_mark(mark)) {
        return false;
    }
    let of = |open: &str, close: &str| -> i32 {
        let between = &tokens[index..at];
        between
            .iter()
            .map(|(_, token)| i32::from(token.is_mark(open)) - i32::from(token.is_mark(close)))
            .sum()
    };
    of("(", ")") == 0 && of("{", "}") == 0 && of("[", "]") == 0
}

/// The name of the class whose definition ends with the brace at `index`.
fn defined_type(tokens: &[(usize, Token)], index: usize) -> Option<String> {
    let mut depth = 0;
    let open = (0..=index).rev().find(|at| {
        depth += i32::from(tokens[*at].1.is_mark("}")) - i32::from(tokens[*at].1.is_mark("{"));
        depth == 0
    })?;
    let head = (0..open).rev().take_while(|at| !ends_a_statement(&tokens[*at].1));
    let keyword = head
        .into_iter()
        .find(|at| ["struct", "class", "union"].iter().any(|word| tokens[*at].1.is_word(word)))?;
    match tokens.get(keyword + 1)?.1 {
        Token::Word(name) => Some(name.to_owned()),
        _ => None,
    }
}

/// Whether a token lies in the body of a function: in braces that are no namespace's and no linkage's.
fn is_in_function(tokens: &[(usize, Token)], index: usize) -> bool {
    let mut depth = 0;
    for at in (0..index).rev() {
        depth += i32::from(tokens[at].1.is_mark("}")) - i32::from(tokens[at].1.is_mark("{"));
        if depth < 0 {
            depth = 0;
            let mut head = (0..at).rev().take_while(|before| !ends_a_statement(&tokens[*before].1));
            let is_scope = head.any(|before| {
                tokens[before].1.is_word("namespace") || tokens[before].1 == Token::Quoted("\"C\"")
            });
            if !is_scope {
                return true;
            }
        }
    }
    false
}

/// The token that closes what the one at `open` opens.
fn closing(tokens: &[(usize, Token)], open: usize, opens: &str, closes: &str) -> Option<usize> {
    let mut depth = 0;
    (open..tokens.len()).find(|at| {
        depth += i32::from(tokens[*at].1.is_mark(opens)) - i32::from(tokens[*at].1.is_mark(closes));
        depth == 0
    })
}

#[cfg(test)]
mod tests {
    use super::super::edits::edited;
    use super::*;

    fn said(text: &str, at: &str, words: &str) -> Result<String, String> {
        let place = text.find(at).unwrap();
        rewritten(text, place, words, 7).map(|edits| edited(text, edits))
    }

    #[test]
    fn an_array_of_computed_length_is_room_on_the_stack() {
        let room = "(decltype(a))__wb_alloca(sizeof(*a) * (n + 1))";
        for (text, expected) in [
            ("int x, a[n + 1], *b;", format!("int x, *a = {room}, *b;")),
            ("float a[n + 1][4];", format!("float (*a)[4] = {room};")),
            (
                "{ int a[n + 1]; f(a, sizeof(a), sizeof a[0]); } g(sizeof(a));",
                format!("{{ int *a = {room}; f(a, __wb_alloca_size(a), sizeof a[0]); }} g(sizeof(a));"),
            ),
        ] {
            assert_eq!(said(text, "n + 1", ARRAY), Ok(expected));
        }
        assert!(said("f(n + 1);", "n + 1", ARRAY).unwrap_err().contains("std::vector"));
    }

    #[test]
    fn a_global_is_made_before_main_and_a_static_at_its_first_use() {
        let room = "typedef std::string wb_type_7; alignas(wb_type_7) static unsigned char \
                    wb_room_7[sizeof(wb_type_7)]; static";
        let made = "::new ((void *)wb_room_7) wb_type_7(\"x\"); wb::registered(name);";
        let global = said("int a;\nstatic std::string name = \"x\";\nint b;", "name", INITIALIZER).unwrap();
        let expected = format!(
            "int a;\n {room} wb_type_7 &name = reinterpret_cast<wb_type_7 &>(wb_room_7); extern \"C\" void \
             __wb_init_000007() {{ {made} }}\nint b;"
        );
        assert_eq!(global, expected);
        let local = said("int f() { static std::string name(\"x\"); }", "name", INITIALIZER).unwrap();
        assert!(local.contains(&format!("{{ wb_is_made_7 = true; {made} }}")), "{local}");
        let lines = said("std::vector<int> v = {\n1,\n2};\nint b;", "v =", INITIALIZER).unwrap();
        assert_eq!(lines.lines().count(), 4, "{lines}");
        assert!(lines.contains(") wb_type_7{ 1, 2};"), "{lines}");
        let typed = said("struct S { S(); } s;", "s;", INITIALIZER).unwrap();
        assert!(typed.starts_with("struct S { S(); } ; typedef S wb_type_7;"), "{typed}");
        let two = said("int a = f(), b = g();", "a =", INITIALIZER);
        assert!(two.unwrap_err().contains("on a line of its own"));
    }
}
