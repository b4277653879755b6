//! What a host program does, in the launch language: it fills buffers and launches kernels.

use std::collections::BTreeMap;

use super::expression::{Known, comma, inside, size, split};
use crate::lex::{Token, placed};
use crate::parameters::{kind, parameters};

/// What is known while a host program is read.
#[derive(Default)]
pub struct Program<'a> {
    source: &'a str,
    known: Known<'a>,
    /// As they are written.
    floats: BTreeMap<&'a str, String>,
    /// What arrays hold: `iota`, `random`, `1.5`; `None` if that cannot be said.
    fills: BTreeMap<&'a str, Option<String>>,
    /// Names and how many elements, in their order.
    buffers: Vec<(&'a str, i128)>,
    launches: Vec<String>,
}

/// What says what a host program does.
pub struct Script {
    /// Buffers, then launches.
    pub lines: Vec<String>,
    /// Whether the data are the program's own.
    pub is_same: bool,
}

/// What of CUDA's runtime changes nothing that a kernel sees, by the beginning of its name.
const HARMLESS: [&str; 10] = [
    "cudaFree",
    "cudaDeviceSynchronize",
    "cudaDeviceReset",
    "cudaGet",
    "cudaPeekAtLastError",
    "cudaSetDevice",
    "cudaEvent",
    "cudaStreamSynchronize",
    "cudaMallocHost",
    "cudaProfiler",
];

/// Whether these tokens call nothing of CUDA's runtime but what is harmless.
pub fn is_harmless(tokens: &[Token]) -> bool {
    let calls = tokens.windows(2).filter(|pair| pair[1].is_mark("(")).map(|pair| pair[0].text());
    let mut of_runtime = calls.filter(|name| name.starts_with("cuda"));
    of_runtime.all(|name| HARMLESS.iter().any(|known| name.starts_with(known)))
}

impl<'a> Program<'a> {
    /// The script of a program whose functions' bodies are `body`; nothing if it does more than can be said.
    pub fn read(source: &'a str, outside: &[Token<'a>], body: &[Token<'a>]) -> Option<Script> {
        let mut program = Program { source, ..Program::default() };
        for line in source.lines() {
            let mut words = line.trim().strip_prefix("#define ").unwrap_or_default().splitn(2, ' ');
            if let (Some(name), Some(value)) = (words.next(), words.next()) {
                let value: Vec<Token> = placed(value).into_iter().map(|(_, token)| token).collect();
                program.assign(name, &value);
            }
        }
        program.statements(outside);
        program.statements(body)?;
        let all = program.buffers.iter().map(|(name, count)| {
            let kind = program.known.kinds.get(name)?;
            let fill = match program.fills.get(name) {
                None => "uninit",
                Some(fill) => fill.as_deref().unwrap_or("random"),
            };
            Some(format!("buffer {name} = {kind}:{fill}*{count}"))
        });
        let mut lines = all.collect::<Option<Vec<String>>>()?;
        if program.launches.is_empty() {
            return None;
        }
        let is_same = program.buffers.iter().all(|(name, _)| program.fills.get(name) != Some(&None));
        lines.extend(program.launches);
        Some(Script { lines, is_same })
    }

    /// Statement after statement; nothing for one that launches in a way that cannot be said.
    fn statements(&mut self, tokens: &[Token<'a>]) -> Option<()> {
        let mut depth = 0;
        let mut parens = 0;
        let mut start = 0;
        for (at, token) in tokens.iter().enumerate() {
            parens += i32::from(token.is_mark("(")) - i32::from(token.is_mark(")"));
            let is_end = token.is_mark(";") && parens <= 0 || token.is_mark("{") || token.is_mark("}");
            if is_end {
                self.statement(&tokens[start..at], depth)?;
                start = at + 1;
                parens = 0;
            }
            depth += i32::from(token.is_mark("{")) - i32::from(token.is_mark("}"));
        }
        Some(())
    }

    fn statement(&mut self, tokens: &[Token<'a>], depth: i32) -> Option<()> {
        if let Some(at) = tokens.windows(3).position(|three| three.iter().all(|token| token.is_mark("<"))) {
            // In a loop or behind a condition it may come many times, or never.
            return if depth == 1 && at == 1 { self.launch(tokens) } else { None };
        }
        let call = |name: &str| {
            let at = tokens.windows(2).position(|pair| pair[0].is_word(name) && pair[1].is_mark("("))?;
            Some(split(inside(&tokens[at + 1..])?))
        };
        if let Some(arguments) = call("cudaMalloc").or(call("cudaMallocManaged")) {
            return self.allocate(&arguments);
        }
        if let Some(arguments) = call("cudaMemcpy").or(call("cudaMemcpyAsync")) {
            let [to, from] =
                [arguments.first()?, arguments.get(1)?].map(|words| words.first().map(Token::text));
            if let Some((name, _)) = self.buffers.iter().find(|(name, _)| Some(*name) == to) {
                let fill = from.and_then(|from| self.fills.get(from)).cloned();
                self.fills.insert(name, fill.flatten());
            }
            return Some(());
        }
        if let Some(arguments) = call("cudaMemset") {
            let [Token::Word(name)] = arguments.first()?[..] else { return None };
            let value = self.known.value(arguments.get(1)?)?;
            return (value == 0).then(|| _ = self.fills.insert(name, Some("zeros".into())));
        }
        if !is_harmless(tokens) {
            return None;
        }
        self.declare(tokens);
        Some(())
    }

    /// `float *a, *b`, `int n = 1 << 20`, `dim3 block(16, 16)`, `a[i] = i`.
    fn declare(&mut self, tokens: &[Token<'a>]) {
        let is_word = |word: &str| kind(word).is_some() || TYPES.contains(&word);
        let is_type = |token: &Token| matches!(token, Token::Word(word) if is_word(word));
        let start = tokens.iter().position(|token| is_type(token) || token.is_word("dim3")).unwrap_or(0);
        let words: Vec<&str> = tokens[start..]
            .iter()
            .take_while(|token| is_type(token))
            .map(Token::text)
            .filter(|word| !is_qualifier(word))
            .collect();
        let kind = kind(&words.join(" "));
        for (at, pair) in tokens.windows(2).enumerate() {
            if let ([star, Token::Word(name)], Some(kind)) = (pair, kind)
                && star.is_mark("*")
            {
                self.known.kinds.entry(name).or_insert(kind);
            }
            let [Token::Word(name), mark] = pair else { continue };
            let behind = &tokens[at + 2..];
            if mark.is_mark("=") {
                let end = comma(behind);
                self.assign(name, &behind[..end]);
            } else if mark.is_mark("(") && at > 0 && tokens[at - 1].is_word("dim3") {
                let all = inside(&tokens[at + 1..]).map(split).unwrap_or_default();
                if let Some(all) = all.iter().map(|one| self.known.value(one)).collect() {
                    self.known.dimensions.insert(name, all);
                }
            } else if mark.is_mark("[") {
                if let Some(kind) = kind {
                    self.known.kinds.entry(name).or_insert(kind);
                    if let Some(elements) = self.elements(&tokens[at + 1..]) {
                        self.known.arrays.entry(name).or_insert(elements);
                    }
                }
                self.fill(name, behind);
            }
        }
    }

    /// Elements of an array, from its extents: `[16][17]`.
    fn elements(&self, extents: &[Token<'a>]) -> Option<i128> {
        let mut rest = extents;
        let mut elements = 1i128;
        while let [open, behind @ ..] = rest
            && open.is_mark("[")
        {
            let end = behind.iter().position(|token| token.is_mark("]"))?;
            elements = elements.checked_mul(self.known.value(&behind[..end])?)?;
            rest = &behind[end + 1..];
        }
        Some(elements)
    }

    fn assign(&mut self, name: &'a str, value: &[Token<'a>]) {
        if let Some(number) = self.known.value(value) {
            self.known.numbers.insert(name, number);
        } else if let [Token::Number(number)] = value {
            self.floats.insert(name, number.trim_end_matches(['f', 'F']).to_string());
        } else if let [dim3, ..] = value
            && dim3.is_word("dim3")
            && let Some(all) = self.sizes(value)
        {
            self.known.dimensions.insert(name, all);
        }
    }

    /// What `name[index] = value` makes of an array; `behind` begins with the index.
    fn fill(&mut self, name: &'a str, behind: &[Token<'a>]) {
        let Some(end) = behind.iter().position(|token| token.is_mark("]")) else { return };
        let [assign, value @ ..] = &behind[end + 1..] else { return };
        if !assign.is_mark("=") || value.first().is_some_and(|token| token.is_mark("=")) {
            return;
        }
        let index = &behind[..end];
        let value = uncast(value);
        let fill = if value == index {
            Some("iota".to_string())
        } else if let Some(number) = self.known.value(value) {
            Some(number.to_string())
        } else if let [Token::Number(number)] = value {
            Some(number.trim_end_matches(['f', 'F']).to_string())
        } else {
            value.iter().any(|token| token.is_word("rand")).then(|| "random".to_string())
        };
        self.fills.insert(name, fill);
    }

    /// `cudaMalloc(&name, bytes)`
    fn allocate(&mut self, arguments: &[Vec<Token<'a>>]) -> Option<()> {
        let [to, bytes, ..] = arguments else { return None };
        let Some(Token::Word(name)) = to.last() else { return None };
        let of_sizeof = || {
            let at = bytes.windows(2).position(|pair| pair[0].is_word("sizeof") && pair[1].is_mark("("))?;
            kind(&inside(&bytes[at + 1..])?.iter().map(Token::text).collect::<Vec<_>>().join(" "))
        };
        let kind = self.known.kinds.get(name).copied().or_else(of_sizeof)?;
        self.known.kinds.insert(name, kind);
        let bytes = self.known.value(bytes)?;
        let width = size(kind)?;
        (bytes > 0 && bytes % width == 0).then(|| self.buffers.push((name, bytes / width)))
    }

    /// `name<<<grid, block, shared>>>(arguments)`
    fn launch(&mut self, tokens: &[Token<'a>]) -> Option<()> {
        let [Token::Word(kernel), rest @ ..] = tokens else { return None };
        let end = rest.windows(3).position(|three| three.iter().all(|token| token.is_mark(">")))?;
        let sizes = split(&rest[3..end]);
        let ([grid, block] | [grid, block, _]) = &sizes[..] else { return None };
        let shown = |sizes: Vec<i128>| {
            let last = sizes.iter().rposition(|size| *size != 1).unwrap_or(0);
            let all: Vec<String> = sizes[..=last].iter().map(i128::to_string).collect();
            if last == 0 { all.concat() } else { format!("dim3({})", all.join(", ")) }
        };
        let mut config = vec![shown(self.sizes(grid)?), shown(self.sizes(block)?)];
        if let Some(shared) = sizes.get(2) {
            config.push(self.known.value(shared)?.to_string());
        }
        let arguments = split(inside(&rest[end + 3..])?);
        let named = parameters(self.source, kernel);
        let mut words = vec![format!("launch {kernel}<<<{}>>>", config.join(", "))];
        for (place, argument) in arguments.iter().enumerate() {
            let kind = named.get(place).and_then(|parameter| parameter.kind);
            words.push(self.argument(argument, kind)?);
        }
        self.launches.push(words.join(" "));
        Some(())
    }

    fn argument(&self, tokens: &[Token], kind: Option<&'static str>) -> Option<String> {
        let word = if let [Token::Word(word)] = tokens { *word } else { "" };
        if self.buffers.iter().any(|(name, _)| *name == word) {
            return Some(format!("@{word}"));
        }
        if let Some(number) = self.known.value(tokens) {
            return Some(format!("{}:{number}", kind.unwrap_or("i32")));
        }
        let number = match tokens {
            [Token::Number(number)] => number.trim_end_matches(['f', 'F']).to_string(),
            _ => self.floats.get(word)?.clone(),
        };
        Some(format!("{}:{number}", kind.unwrap_or("f32")))
    }

    /// One to three sizes: a number, `dim3(…)`, or a variable of either kind.
    fn sizes(&self, tokens: &[Token]) -> Option<Vec<i128>> {
        match tokens {
            [Token::Word(name)] if self.known.dimensions.contains_key(name) => {
                self.known.dimensions.get(name).cloned()
            }
            [dim3, rest @ ..] if dim3.is_word("dim3") => {
                split(inside(rest)?).iter().map(|one| self.known.value(one)).collect()
            }
            _ => Some(vec![self.known.value(tokens)?]),
        }
    }
}

/// Words of a type beside those that are one.
const TYPES: [&str; 6] = ["const", "constexpr", "static", "unsigned", "signed", "long"];

fn is_qualifier(word: &str) -> bool {
    ["const", "constexpr", "static"].contains(&word)
}

/// A value without the cast before it, `(float)i`.
fn uncast<'t, 'a>(tokens: &'t [Token<'a>]) -> &'t [Token<'a>] {
    match tokens {
        [open, Token::Word(word), close, rest @ ..]
            if open.is_mark("(") && close.is_mark(")") && kind(word).is_some() =>
        {
            rest
        }
        _ => tokens,
    }
}
