//! Host code in a source whose kernels alone run: which lines it is, and what says the same in the launch
//! language (`crates/launch/src/lib.rs`), if the host does no more than to fill buffers and to launch
//! kernels.

use std::collections::BTreeMap;

use super::lex::{Token, placed};
use super::parameters::{Parameter, kernels, kind, parameters};

/// The host code of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// The first line of it, from 1.
    pub line: u32,
    /// Whether it has a `main`.
    pub is_whole: bool,
    /// First and last line of each function.
    functions: Vec<(u32, u32)>,
    /// What says the same; or, where that is not known, what launches one of the kernels.
    script: Vec<String>,
    is_same: bool,
    /// Whether its cell has a line that launches a kernel.
    has_launch: bool,
}

impl Host {
    /// Whether this line is host code.
    pub fn concerns(&self, line: u32) -> bool {
        self.functions.iter().any(|(first, last)| (*first..=*last).contains(&line))
    }

    /// What is wrong with it, in a sentence; `has_own` of a source whose kernels a program of the workbook
    /// launches.
    pub fn what(&self, has_own: bool) -> String {
        let (first, last) = self.functions.last().copied().unwrap_or_default();
        let place = if first == last { format!("line {first}") } else { format!("lines {first} to {last}") };
        if has_own {
            let who = "a program of the workbook launches the kernels";
            return format!("host code does not run here: {who}; leave {place} out");
        }
        if self.has_launch {
            return "host code does not run here; the //@ lines are what runs".to_string();
        }
        match (&self.script[..], self.is_same) {
            ([], _) => "host code does not run here; a line //@ launch … launches a kernel".to_string(),
            (_, true) => format!("host code does not run here; in place of {place}, this says the same:"),
            (_, false) => {
                format!(
                    "host code does not run here; in place of {place}, a line like this launches a kernel:"
                )
            }
        }
    }

    /// The lines that take its place, each with its end.
    pub fn more(&self) -> String {
        let script = if self.has_launch { &[] } else { &self.script[..] };
        script.iter().map(|line| format!("    //@ {line}\n")).collect()
    }
}

/// A function that runs on the host, in tokens.
pub struct Function<'a> {
    /// Its name.
    pub name: &'a str,
    /// The first line and the last, from 1.
    pub lines: (u32, u32),
    /// What stands between its braces, and these.
    pub body: Vec<Token<'a>>,
}

/// The host code of `source`: a `main`, or a function that calls CUDA's runtime or launches a kernel.
pub fn found(source: &str) -> Option<Host> {
    let (all, outside) = functions(source);
    let launches = |body: &[Token]| body.windows(3).any(|three| three.iter().all(|token| token.is_mark("<")));
    let calls = |body: &[Token]| {
        body.windows(2).any(|pair| pair[0].text().starts_with("cuda") && pair[1].is_mark("("))
    };
    let is_host = |one: &&Function| one.name == "main" || launches(&one.body) || calls(&one.body);
    let host: Vec<&Function> = all.iter().filter(is_host).collect();
    let Function { lines: (line, _), .. } = host.first()?;
    let launching = host.iter().rfind(|one| launches(&one.body));
    let read =
        launching.filter(|_| host.len() == 1).and_then(|one| Program::read(source, &outside, &one.body));
    let is_same = read.is_some();
    let script = read.or_else(|| any_launch(source).map(|line| vec![line])).unwrap_or_default();
    let is_whole = host.iter().any(|one| one.name == "main");
    Some(Host {
        line: *line,
        is_whole,
        functions: host.iter().map(|one| one.lines).collect(),
        script,
        is_same,
        has_launch: has_launch(source, *line),
    })
}

/// Whether a line `//@ launch` stands in the cell of this line.
fn has_launch(source: &str, line: u32) -> bool {
    let lines: Vec<&str> = source.lines().collect();
    let (before, behind) = lines.split_at((line as usize).min(lines.len()));
    let is_mark = |line: &&&str| line.starts_with("// %%");
    let is_launch = |line: &&str| {
        line.trim_start().strip_prefix("//@").is_some_and(|step| step.trim_start().starts_with("launch "))
    };
    let mut cell = before.iter().rev().take_while(|line| !is_mark(line));
    cell.any(is_launch) || behind.iter().take_while(|line| !is_mark(line)).any(is_launch)
}

/// The functions that are not for the device, and the tokens outside of all functions.
pub fn functions(source: &str) -> (Vec<Function<'_>>, Vec<Token<'_>>) {
    let mut all = Vec::new();
    let mut outside = Vec::new();
    let mut head: Vec<(usize, Token)> = Vec::new();
    let mut body: Option<Vec<Token>> = None;
    let mut depth = 0;
    let line_of = |place: usize| 1 + source[..place].matches('\n').count() as u32;
    let mut is_directive = false;
    let mut is_first = true;
    for (place, token) in placed(source) {
        if token == Token::LineEnd {
            is_directive = false;
            is_first = true;
            continue;
        }
        is_directive |= std::mem::replace(&mut is_first, false) && token.is_mark("#");
        if is_directive {
            continue;
        }
        if let Some(inside) = &mut body {
            depth += i32::from(token.is_mark("{")) - i32::from(token.is_mark("}"));
            inside.push(token);
            if depth == 0 {
                let is_devices =
                    head.iter().any(|(_, one)| one.is_word("__global__") || one.is_word("__device__"));
                let name = head.windows(2).find(|pair| pair[1].1.is_mark("("));
                if let (Some([(_, name), _]), false) = (name, is_devices) {
                    let first = head.first().map_or(place, |(place, _)| *place);
                    let lines = (line_of(first), line_of(place));
                    all.push(Function { name: name.text(), lines, body: body.take().unwrap_or_default() });
                }
                body = None;
                head.clear();
            }
        } else if token.is_mark("{") && head.iter().any(|(_, one)| one.is_mark("(")) {
            depth = 1;
            body = Some(vec![token]);
        } else {
            outside.push(token);
            head.push((place, token));
            if [";", "{", "}"].iter().any(|mark| token.is_mark(mark)) {
                head.clear();
            }
        }
    }
    (all, outside)
}

/// A line that launches the first kernel of `source` on some numbers.
fn any_launch(source: &str) -> Option<String> {
    let kernel = kernels(source).into_iter().next()?;
    let texts: Vec<&str> =
        kernel.parameters.split(',').map(str::trim).filter(|text| !text.is_empty()).collect();
    let of = |(text, Parameter { kind, .. }): (&&str, Parameter)| {
        let is_buffer = text.contains(['*', '[']);
        Some(match (is_buffer, kind?) {
            (true, kind) if text.contains("const") => format!("buf:{kind}:random*256"),
            (true, kind) => format!("buf:{kind}:zeros*256"),
            (false, kind) if kind.starts_with(['f', 'b']) => format!("{kind}:1"),
            (false, kind) => format!("{kind}:256"),
        })
    };
    let arguments: Option<Vec<String>> = texts.iter().zip(parameters(source, kernel.name)).map(of).collect();
    Some(format!("launch {}<<<1, 256>>> {}", kernel.name, arguments?.join(" ")))
}

/// What is known while a host program is read.
#[derive(Default)]
struct Program<'a> {
    source: &'a str,
    numbers: BTreeMap<&'a str, i128>,
    /// As they are written.
    floats: BTreeMap<&'a str, String>,
    dimensions: BTreeMap<&'a str, Vec<i128>>,
    /// What pointers and arrays point to.
    kinds: BTreeMap<&'a str, &'static str>,
    /// What arrays hold: `iota`, `random`, `1.5`.
    fills: BTreeMap<&'a str, String>,
    /// Names and how many elements, in their order.
    buffers: Vec<(&'a str, i128)>,
    launches: Vec<String>,
}

impl<'a> Program<'a> {
    /// The script of a program whose functions' bodies are `body`; nothing if it does more than can be said.
    fn read(source: &'a str, outside: &[Token<'a>], body: &[Token<'a>]) -> Option<Vec<String>> {
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
            let kind = program.kinds.get(name)?;
            let fill = program.fills.get(name).map_or("uninit", String::as_str);
            Some(format!("buffer {name} = {kind}:{fill}*{count}"))
        });
        let buffers: Option<Vec<String>> = all.collect();
        (!program.launches.is_empty()).then_some(())?;
        Some(buffers?.into_iter().chain(program.launches).collect())
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
            let from =
                from.and_then(|from| self.fills.get(from)).map_or("random", String::as_str).to_string();
            if let Some((name, _)) = self.buffers.iter().find(|(name, _)| Some(*name) == to) {
                self.fills.insert(name, from);
            }
            return Some(());
        }
        if let Some(arguments) = call("cudaMemset") {
            let [Token::Word(name)] = arguments.first()?[..] else { return None };
            let value = self.value(arguments.get(1)?)?;
            return (value == 0).then(|| _ = self.fills.insert(name, "zeros".into()));
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
                self.kinds.entry(name).or_insert(kind);
            }
            let [Token::Word(name), mark] = pair else { continue };
            let behind = &tokens[at + 2..];
            if mark.is_mark("=") {
                let end = comma(behind);
                self.assign(name, &behind[..end]);
            } else if mark.is_mark("(") && at > 0 && tokens[at - 1].is_word("dim3") {
                let all = inside(&tokens[at + 1..]).map(split).unwrap_or_default();
                if let Some(all) = all.iter().map(|one| self.value(one)).collect() {
                    self.dimensions.insert(name, all);
                }
            } else if mark.is_mark("[") {
                if let Some(kind) = kind {
                    self.kinds.entry(name).or_insert(kind);
                }
                self.fill(name, behind);
            }
        }
    }

    fn assign(&mut self, name: &'a str, value: &[Token<'a>]) {
        if let Some(number) = self.value(value) {
            self.numbers.insert(name, number);
        } else if let [Token::Number(number)] = value {
            self.floats.insert(name, number.trim_end_matches(['f', 'F']).to_string());
        } else if let [dim3, ..] = value
            && dim3.is_word("dim3")
            && let Some(all) = self.sizes(value)
        {
            self.dimensions.insert(name, all);
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
            "iota".to_string()
        } else if let Some(number) = self.value(value) {
            number.to_string()
        } else if let [Token::Number(number)] = value {
            number.trim_end_matches(['f', 'F']).to_string()
        } else {
            "random".to_string()
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
        let kind = self.kinds.get(name).copied().or_else(of_sizeof)?;
        self.kinds.insert(name, kind);
        let bytes = self.value(bytes)?;
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
            config.push(self.value(shared)?.to_string());
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
        if let Some(number) = self.value(tokens) {
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
            [Token::Word(name)] if self.dimensions.contains_key(name) => self.dimensions.get(name).cloned(),
            [dim3, rest @ ..] if dim3.is_word("dim3") => {
                split(inside(rest)?).iter().map(|one| self.value(one)).collect()
            }
            _ => Some(vec![self.value(tokens)?]),
        }
    }

    /// The whole number that an expression of C++ is, if it is known.
    fn value(&self, tokens: &[Token]) -> Option<i128> {
        let mut rest = tokens;
        let value = self.binary(&mut rest, 0)?;
        rest.is_empty().then_some(value)
    }

    /// An expression whose operators bind at least as strongly as `least` says.
    fn binary(&self, rest: &mut &[Token], least: usize) -> Option<i128> {
        let mut left = self.unary(rest)?;
        loop {
            let (sign, length, strength) = match rest {
                [one, other, ..] if one.text() == other.text() && ["<", ">"].contains(&one.text()) => {
                    (one.text(), 2, 0)
                }
                [one, ..] if ["+", "-"].contains(&one.text()) => (one.text(), 1, 1),
                [one, ..] if ["*", "/", "%"].contains(&one.text()) => (one.text(), 1, 2),
                _ => return Some(left),
            };
            if strength < least {
                return Some(left);
            }
            *rest = &rest[length..];
            let right = self.binary(rest, strength + 1)?;
            left = match sign {
                "<" => left.checked_shl(right.try_into().ok().filter(|bits| *bits < 64)?)?,
                ">" => left.checked_shr(right.try_into().ok().filter(|bits| *bits < 64)?)?,
                "+" => left.checked_add(right)?,
                "-" => left.checked_sub(right)?,
                "*" => left.checked_mul(right)?,
                "/" => left.checked_div(right)?,
                _ => left.checked_rem(right)?,
            };
        }
    }

    fn unary(&self, rest: &mut &[Token]) -> Option<i128> {
        let (first, behind) = rest.split_first()?;
        *rest = behind;
        match first {
            Token::Number(text) => {
                let text = text.trim_end_matches(['u', 'U', 'l', 'L']).replace('\'', "");
                text.parse().ok()
            }
            Token::Word("sizeof") => {
                let of = inside(rest)?;
                *rest = &rest[of.len() + 2..];
                let words = of.iter().map(Token::text).collect::<Vec<_>>().join(" ");
                let pointed = of.last().and_then(|name| self.kinds.get(name.text()));
                size(kind(&words).or(pointed.copied())?)
            }
            Token::Word(name) => self.numbers.get(name).copied(),
            mark if mark.is_mark("-") => self.unary(rest)?.checked_neg(),
            mark if mark.is_mark("(") => {
                let own = inside(&[&[*first], *rest].concat())?.to_vec();
                *rest = &rest[own.len() + 1..];
                let words = own.iter().map(Token::text).collect::<Vec<_>>().join(" ");
                if kind(&words).is_some_and(|kind| !kind.starts_with(['f', 'b'])) {
                    return self.unary(rest); // a cast
                }
                self.value(&own)
            }
            _ => None,
        }
    }
}

/// Words of a type beside those that are one.
const TYPES: [&str; 6] = ["const", "constexpr", "static", "unsigned", "signed", "long"];

fn is_qualifier(word: &str) -> bool {
    ["const", "constexpr", "static"].contains(&word)
}

fn size(kind: &str) -> Option<i128> {
    let digits = kind.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    digits.parse::<i128>().ok().map(|bits| bits / 8)
}

/// What stands between the parenthesis that `tokens` begin with and its own.
fn inside<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<&'t [Token<'a>]> {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        depth += i32::from(token.is_mark("(")) - i32::from(token.is_mark(")"));
        if depth == 0 {
            return tokens.get(1..at);
        }
    }
    None
}

/// Where the first comma outside of parentheses stands, or the end.
fn comma(tokens: &[Token]) -> usize {
    let mut depth = 0;
    let is_end = |token: &Token| {
        depth += i32::from(token.is_mark("(")) - i32::from(token.is_mark(")"));
        depth < 0 || depth == 0 && token.is_mark(",")
    };
    tokens.iter().position(is_end).unwrap_or(tokens.len())
}

/// The parts between commas.
fn split<'a>(tokens: &[Token<'a>]) -> Vec<Vec<Token<'a>>> {
    let mut parts = Vec::new();
    let mut rest = tokens;
    while !rest.is_empty() {
        let end = comma(rest);
        parts.push(rest[..end].to_vec());
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    parts
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

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &str = "__global__ void add(const float *a, float *b, float by, int n) {}\n";

    fn said(host: &str) -> Host {
        found(&format!("{KERNEL}{host}")).unwrap_or_else(|| panic!("{host}"))
    }

    #[test]
    fn a_simple_program_is_said_in_the_launch_language() {
        let program = "#define BLOCK 256\nint main(void)\n{\n    const int n = 1 << 10;\n    \
            size_t bytes = n * sizeof(float);\n    float *h_a = (float *)malloc(bytes), *d_a, *d_b;\n    \
            for (int i = 0; i < n; i++) { h_a[i] = (float)i; }\n    cudaMalloc(&d_a, bytes);\n    \
            cudaMalloc((void **)&d_b, bytes);\n    float by = 2.5f;\n    \
            cudaMemcpy(d_a, h_a, bytes, cudaMemcpyHostToDevice);\n    cudaMemset(d_b, 0, bytes);\n    \
            dim3 grid((n + BLOCK - 1) / BLOCK);\n    add<<<grid, BLOCK>>>(d_a, d_b, by, n);\n    \
            cudaDeviceSynchronize();\n    cudaMemcpy(h_a, d_b, bytes, cudaMemcpyDeviceToHost);\n    \
            printf(\"%f\\n\", h_a[0]);\n    cudaFree(d_a);\n    return 0;\n}\n";
        let host = said(program);
        assert_eq!((host.line, host.is_whole), (3, true));
        assert!(
            host.concerns(8)
                && !host.concerns(1)
                && host.what(false).contains("lines 3 to 21, this says the same")
        );
        let script = "    //@ buffer d_a = f32:iota*1024\n    //@ buffer d_b = f32:zeros*1024\n    \
            //@ launch add<<<4, 256>>> @d_a @d_b f32:2.5 i32:1024\n";
        assert_eq!(host.more(), script);
    }

    #[test]
    fn several_dimensions_and_shared_memory_are_said() {
        let program = "int main() { int w = 64; int *d; cudaMalloc(&d, w * w * sizeof(int)); dim3 \
            block(16, 16);\n\
            t<<<dim3(w / block_x, 4), block, 2 * 16 * sizeof(int)>>>(d, w); }";
        assert!(!said(program).is_same, "w / block_x is not known");
        let host = said(&program.replace("w / block_x", "w / 16"));
        assert_eq!(host.script[1], "launch t<<<dim3(4, 4), dim3(16, 16), 128>>> @d i32:64");
    }

    #[test]
    fn what_is_not_simple_gets_a_launch_to_begin_with() {
        for program in [
            "int main() { for (int i = 0; i < 3; i++) add<<<1, 1>>>(0, 0, 1.0f, i); }",
            "int main() { int n = read(); float *d; cudaMalloc(&d, n); add<<<1, 1>>>(d, d, 1.0f, n); }",
            "int main() { return 0; }",
            "void run(float *d) { add<<<1, 32>>>(d, d, 1.0f, 3); }",
        ] {
            let host = said(program);
            let line = "launch add<<<1, 256>>> buf:f32:random*256 buf:f32:zeros*256 f32:1 i32:256";
            assert_eq!(host.script, [line], "{program}");
            assert!(
                host.what(false).contains("in place of line 2, a line like this"),
                "{}",
                host.what(false)
            );
        }
    }

    #[test]
    fn where_lines_launch_the_kernels_they_are_what_runs() {
        let main = "int main() { return 0; }\n";
        let lines = "//@ launch add<<<1, 1>>> @a @b f32:1 i32:1\n";
        for host in [format!("{main}{lines}"), format!("// %%\n{lines}{main}// %%\n")] {
            let host = said(&host);
            assert_eq!(host.what(false), "host code does not run here; the //@ lines are what runs");
            assert_eq!(host.more(), "");
        }
        assert!(!said(&format!("{lines}// %%\n{main}")).has_launch, "another cell's");
    }

    #[test]
    fn device_code_is_none_of_it() {
        for source in [
            "__global__ void k() { cudaGetLastError(); child<<<1, 1>>>(); }",
            "__device__ int f(int i) { return i; }\nint helper(int i) { return 2 * i; }\n#define main(x) \
                { x }\n",
            "template <class T> struct A { T main(T x) const; };",
        ] {
            assert_eq!(found(source), None, "{source}");
        }
    }
}
