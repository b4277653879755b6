//! PTX text -> statements: the reader's first half. It knows the grammar, not the instructions.
//!
//! PTX ISA 9.0, chapters 4 (syntax), 5 (state spaces, types, variables) and 11 (directives). What a word means
//! is decided in `program.rs`; here an instruction is its opcode split at the dots, and its operands.

use std::collections::HashMap;

use super::diagnostic::{Diagnostic, Kind, Severity};

/// A whole module, as written.
#[derive(Debug, Default)]
pub struct Ast {
    pub functions: Vec<FunctionAst>,
    /// `.global`, `.const` and `.shared` variables outside functions.
    pub variables: Vec<Variable>,
    /// `.file` entries: number -> path.
    pub files: HashMap<u32, String>,
    /// Names declared without a body: `vprintf`, the device runtime, functions of other modules.
    pub externs: Vec<String>,
}

#[derive(Debug)]
pub struct FunctionAst {
    pub name: String,
    pub is_entry: bool,
    pub returns: Vec<Variable>,
    pub params: Vec<Variable>,
    /// `None` for a declaration.
    pub body: Option<Vec<Statement>>,
    pub line: u32,
}

/// A declared variable or parameter.
#[derive(Clone, Debug)]
pub struct Variable {
    pub space: Space,
    pub name: String,
    /// Bytes of one element and number of elements (1 for a scalar, 0 for `name[]`).
    pub element: usize,
    pub count: usize,
    pub align: usize,
    /// The element's type as written, without the dot: `u64`.
    pub kind: String,
    pub external: bool,
    pub init: Vec<Init>,
}

impl Variable {
    pub fn bytes(&self) -> usize {
        self.element.saturating_mul(self.count)
    }
}

/// One element of an initialiser.
#[derive(Clone, Debug)]
pub enum Init {
    Number(u64),
    /// The address of a variable or function, plus an offset; made generic where it says `generic(name)`.
    Symbol {
        name: String,
        offset: i64,
        generic: bool,
    },
}

/// State spaces (PTX ISA 5.1). `Generic` is an address without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    Generic,
    Global,
    Shared,
    Local,
    Const,
    Param,
}

impl Space {
    pub fn parse(word: &str) -> Option<Space> {
        Some(match word {
            "global" => Space::Global,
            "shared" => Space::Shared,
            "local" => Space::Local,
            "const" => Space::Const,
            "param" => Space::Param,
            _ => return None,
        })
    }
}

#[derive(Debug)]
pub enum Statement {
    /// `{` and `}` of a scope.
    Open,
    Close,
    /// `.reg .b32 name<count>;` or plain names.
    Registers {
        is_pred: bool,
        bytes: usize,
        names: Vec<(String, Option<u32>)>,
        line: u32,
    },
    Variable(Variable),
    Label(String),
    /// `.loc file line column[, function_name …, inlined_at file line column]`
    Loc {
        at: (u32, u32, u32),
        inlined_at: Option<(u32, u32, u32)>,
    },
    /// `label: .branchtargets a, b;`
    Targets {
        label: String,
        targets: Vec<String>,
    },
    /// `label: .callprototype (…) _ (…);`
    Prototype,
    Instruction(Instruction),
}

#[derive(Debug)]
pub struct Instruction {
    /// `@p` or `@!p`: the register, and whether it is negated.
    pub guard: Option<(String, bool)>,
    /// The opcode, split at its dots: `["ld", "global", "u32"]`.
    pub words: Vec<String>,
    pub operands: Vec<Operand>,
    /// Line in the PTX text, from 1.
    pub line: u32,
}

impl Instruction {
    pub fn opcode(&self) -> String {
        self.words.join(".")
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register, label, variable or special register.
    Name(String),
    /// `!p`
    Not(String),
    /// A literal, as 64 bits. Floats are kept as bits, with their width.
    Int(u64),
    F32(u32),
    F64(u64),
    /// `[base+offset]`; the base is missing for an absolute address.
    Address(Option<String>, i64),
    /// `a|b`
    Pair(String, String),
    /// `{a, b, …}`
    Vector(Vec<Operand>),
    /// `(a, b, …)` of a call.
    List(Vec<Operand>),
    /// `name+offset` outside brackets.
    Sum(String, i64),
    /// An address of another kind: a texture's with its coordinates, a tensor's.
    Other,
}

/// What is wrong with a text, and where.
pub fn unreadable(file: &str, line: u32, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic {
        kind: Kind::UnsupportedInstruction,
        severity: Severity::Error,
        kernel: None,
        file: Some(file.to_string()),
        line: Some(line),
        block: None,
        thread: None,
        message: message.into(),
        help: "the simulator reads PTX as nvcc 12 and 13 write it; compile the kernel again with -ptx"
            .to_string(),
        related: Vec::new(),
    })
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Punct(char),
}

/// Splits a text into tokens, each with its line.
fn tokens(text: &str, file: &str) -> Result<Vec<(Token, u32)>, Box<Diagnostic>> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(text.len() / 4);
    let (mut i, mut line) = (0, 1u32);
    let is_word = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'%' | b'.');
    while i < bytes.len() {
        match bytes[i] {
            b'\n' => {
                line += 1;
                i += 1;
            }
            c if c.is_ascii_whitespace() => i += 1,
            b'/' if bytes.get(i + 1) == Some(&b'/') => {
                while i < bytes.len() && bytes[i] != b'\n' {
                    i += 1;
                }
            }
            b'/' if bytes.get(i + 1) == Some(&b'*') => {
                let start = line;
                i += 2;
                loop {
                    match bytes.get(i) {
                        None => return Err(unreadable(file, start, "a comment is not closed")),
                        Some(b'*') if bytes.get(i + 1) == Some(&b'/') => break,
                        Some(b'\n') => line += 1,
                        Some(_) => {}
                    }
                    i += 1;
                }
                i += 2;
            }
            b'"' => {
                let start = i + 1;
                i = start;
                while i < bytes.len() && bytes[i] != b'"' {
                    if bytes[i] == b'\n' {
                        return Err(unreadable(file, line, "a string is not closed"));
                    }
                    i += 1;
                }
                if i == bytes.len() {
                    return Err(unreadable(file, line, "a string is not closed"));
                }
                out.push((Token::Text(String::from_utf8_lossy(&bytes[start..i]).into_owned()), line));
                i += 1;
            }
            c if is_word(c) => {
                let start = i;
                let joins = |c: u8, i: usize| c == b':' && bytes.get(i + 1) == Some(&b':');
                while i < bytes.len() && (is_word(bytes[i]) || joins(bytes[i], i)) {
                    // `.reg.b32` is two words: a directive ends where the next begins.
                    if c == b'.' && bytes[i] == b'.' && i > start {
                        break;
                    }
                    // `::` joins a qualifier: `.shared::cta`.
                    i += if bytes[i] == b':' { 2 } else { 1 };
                }
                out.push((Token::Word(text[start..i].to_string()), line));
            }
            c if c.is_ascii() => {
                out.push((Token::Punct(c as char), line));
                i += 1;
            }
            _ => {
                return Err(unreadable(file, line, "a character that is not ASCII stands outside a comment"));
            }
        }
    }
    Ok(out)
}

/// Reads a module. `file` stands in messages.
pub fn parse(text: &str, file: &str) -> Result<Ast, Box<Diagnostic>> {
    let tokens = tokens(text, file)?;
    let mut parser = Parser { tokens, at: 0, file };
    let mut ast = Ast::default();
    while parser.at < parser.tokens.len() {
        parser.top_level(&mut ast)?;
    }
    Ok(ast)
}

/// Braces within braces, in an operand or an initialiser.
const MOST_NESTED: usize = 64;

struct Parser<'a> {
    tokens: Vec<(Token, u32)>,
    at: usize,
    file: &'a str,
}

type Parsed<T> = Result<T, Box<Diagnostic>>;

impl Parser<'_> {
    fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |t| t.1)
    }

    fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(unreadable(self.file, self.line(), message))
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|t| &t.0)
    }

    fn next_is(&self, c: char) -> bool {
        self.peek() == Some(&Token::Punct(c))
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.next_is(c);
        self.at += found as usize;
        found
    }

    fn expect(&mut self, c: char) -> Parsed<()> {
        if self.eat(c) {
            return Ok(());
        }
        let found = self.describe();
        self.error(format!("expected `{c}`, found {found}"))
    }

    fn describe(&self) -> String {
        match self.peek() {
            None => "the end of the text".to_string(),
            Some(Token::Word(w)) => format!("`{w}`"),
            Some(Token::Text(t)) => format!("\"{t}\""),
            Some(Token::Punct(c)) => format!("`{c}`"),
        }
    }

    fn word(&mut self) -> Parsed<String> {
        if let Some(Token::Word(w)) = self.peek() {
            let w = w.clone();
            self.at += 1;
            return Ok(w);
        }
        let found = self.describe();
        self.error(format!("expected a name, found {found}"))
    }

    fn peek_word(&self) -> Option<&str> {
        match self.peek() {
            Some(Token::Word(w)) => Some(w),
            _ => None,
        }
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == Some(word);
        self.at += found as usize;
        found
    }

    fn number(&mut self) -> Parsed<i64> {
        let negative = self.eat('-');
        let line = self.line();
        let word = self.word()?;
        match literal(&word) {
            Some(Operand::Int(value)) => {
                Ok(if negative { (value as i64).wrapping_neg() } else { value as i64 })
            }
            _ => Err(unreadable(self.file, line, format!("expected a number, found `{word}`"))),
        }
    }

    fn small(&mut self) -> Parsed<u32> {
        let line = self.line();
        let number = self.number()?;
        u32::try_from(number)
            .map_err(|_| unreadable(self.file, line, format!("{number} is out of range here")))
    }

    /// Skips to behind the next `;`.
    fn skip_statement(&mut self) -> Parsed<()> {
        while !self.eat(';') {
            if self.peek().is_none() {
                return self.error("a statement does not end with `;`");
            }
            self.at += 1;
        }
        Ok(())
    }

    fn top_level(&mut self, ast: &mut Ast) -> Parsed<()> {
        let line = self.line();
        let mut external = false;
        loop {
            let word = self.word()?;
            match word.as_str() {
                ".version" | ".address_size" => {
                    self.at += 1;
                    return Ok(());
                }
                ".target" => {
                    self.at += 1;
                    while self.eat(',') {
                        self.at += 1;
                    }
                    return Ok(());
                }
                ".file" => {
                    let number = self.small()?;
                    match self.peek().cloned() {
                        Some(Token::Text(path)) => {
                            self.at += 1;
                            ast.files.insert(number, path);
                        }
                        _ => return self.error("`.file` without a path"),
                    }
                    while self.eat(',') {
                        self.at += 1;
                    }
                    return Ok(());
                }
                ".section" => {
                    self.at += 1;
                    self.expect('{')?;
                    let mut depth = 1;
                    while depth > 0 {
                        match self.peek() {
                            Some(Token::Punct('{')) => depth += 1,
                            Some(Token::Punct('}')) => depth -= 1,
                            None => return self.error("a section is not closed"),
                            _ => {}
                        }
                        self.at += 1;
                    }
                    return Ok(());
                }
                ".pragma" | ".alias" => return self.skip_statement(),
                ".extern" => external = true,
                ".visible" | ".weak" | ".common" => {}
                ".entry" | ".func" => return self.function(ast, word == ".entry", line),
                ".global" | ".const" | ".shared" => {
                    let space = Space::parse(&word[1..]).unwrap_or(Space::Global);
                    let variables = self.variables(space, external)?;
                    ast.variables.extend(variables);
                    return self.expect(';');
                }
                _ => {
                    return Err(unreadable(
                        self.file,
                        line,
                        format!("`{word}` is not known at the top level"),
                    ));
                }
            }
        }
    }

    fn function(&mut self, ast: &mut Ast, is_entry: bool, line: u32) -> Parsed<()> {
        while self.peek_word().is_some_and(|w| w.starts_with('.')) {
            self.at += 1; // .noreturn, .attribute
        }
        let returns = if self.next_is('(') { self.parameters()? } else { Vec::new() };
        let name = self.word()?;
        let params = if self.next_is('(') { self.parameters()? } else { Vec::new() };
        // Performance directives: .maxntid 256, 1, 1 and the like.
        while !self.next_is('{') && !self.next_is(';') {
            if self.peek().is_none() {
                return self.error(format!("function {name} has no body"));
            }
            self.at += 1;
        }
        let body = if self.eat(';') {
            ast.externs.push(name.clone());
            None
        } else {
            self.at += 1;
            Some(self.body()?)
        };
        ast.functions.push(FunctionAst { name, is_entry, returns, params, body, line });
        Ok(())
    }

    fn parameters(&mut self) -> Parsed<Vec<Variable>> {
        self.expect('(')?;
        let mut params = Vec::new();
        while !self.eat(')') {
            let word = self.word()?;
            if word != ".param" && word != ".reg" {
                return self.error(format!("expected `.param`, found `{word}`"));
            }
            params.extend(self.variable(Space::Param, false)?);
            self.eat(',');
        }
        Ok(params)
    }

    /// `.align 4 .b8 name[12]`, without the space and without the `;`.
    fn variable(&mut self, space: Space, external: bool) -> Parsed<Option<Variable>> {
        let mut all = self.variables_up_to(space, external, 1)?;
        Ok(all.pop())
    }

    fn variables(&mut self, space: Space, external: bool) -> Parsed<Vec<Variable>> {
        self.variables_up_to(space, external, usize::MAX)
    }

    fn variables_up_to(&mut self, space: Space, external: bool, most: usize) -> Parsed<Vec<Variable>> {
        let mut align = None;
        let mut element = 0;
        let mut kind = String::new();
        let mut vector = 1;
        while let Some(word) = self.peek_word().map(str::to_string) {
            let Some(word) = word.strip_prefix('.') else { break };
            self.at += 1;
            match word {
                "align" => align = Some(self.small()? as usize),
                "v2" => vector = 2,
                "v4" => vector = 4,
                "ptr" | "global" | "shared" | "const" | "local" => {}
                "attribute" => {
                    while !self.eat(')') {
                        if self.peek().is_none() {
                            return self.error("an attribute is not closed");
                        }
                        self.at += 1;
                    }
                }
                "pred" => element = 1,
                _ => match type_bytes(word) {
                    Some(bytes) => (element, kind) = (bytes, word.to_string()),
                    None => return self.error(format!("`.{word}` is not a type")),
                },
            }
        }
        if element == 0 {
            return self.error("a variable without a type");
        }
        let element = element * vector;
        let mut variables = Vec::new();
        loop {
            let line = self.line();
            let name = self.word()?;
            let mut count = 1usize;
            while self.eat('[') {
                if self.eat(']') {
                    count = 0;
                    continue;
                }
                let n = self.number()?;
                count = usize::try_from(n)
                    .ok()
                    .and_then(|n| count.checked_mul(n))
                    .filter(|n| *n <= 1 << 34)
                    .map_or_else(
                        || Err(unreadable(self.file, line, format!("`{name}` has an impossible size"))),
                        Ok,
                    )?;
                self.expect(']')?;
            }
            let mut init = Vec::new();
            if self.eat('=') {
                self.initialiser(&mut init, 0)?;
                if count == 0 {
                    count = init.len();
                }
            }
            let align = align.unwrap_or(element).max(1);
            if !align.is_power_of_two() || align > 4096 {
                return Err(unreadable(
                    self.file,
                    line,
                    format!("`{name}` has the impossible alignment {align}"),
                ));
            }
            variables.push(Variable {
                space,
                name,
                element,
                count,
                align,
                kind: kind.clone(),
                external,
                init,
            });
            if variables.len() >= most || !self.eat(',') {
                return Ok(variables);
            }
        }
    }

    fn initialiser(&mut self, out: &mut Vec<Init>, depth: usize) -> Parsed<()> {
        if depth > MOST_NESTED {
            return self.error("an initialiser with too many braces");
        }
        if self.eat('{') {
            while !self.eat('}') {
                self.initialiser(out, depth + 1)?;
                self.eat(',');
            }
            return Ok(());
        }
        let negative = self.eat('-');
        let word = self.word()?;
        let value = match literal(&word) {
            Some(Operand::Int(v)) => Init::Number(if negative { v.wrapping_neg() } else { v }),
            Some(Operand::F32(v)) => Init::Number(v as u64),
            Some(Operand::F64(v)) => Init::Number(v),
            _ => {
                let generic = word == "generic" && self.eat('(');
                let name = if generic { self.word()? } else { word };
                if generic {
                    self.expect(')')?;
                }
                let offset = if self.eat('+') || self.next_is('-') { self.number()? } else { 0 };
                Init::Symbol { name, offset, generic }
            }
        };
        out.push(value);
        Ok(())
    }

    fn body(&mut self) -> Parsed<Vec<Statement>> {
        let mut out = Vec::new();
        let mut depth = 1;
        loop {
            let line = self.line();
            match self.peek().cloned() {
                None => return self.error("a function is not closed with `}`"),
                Some(Token::Punct('{')) => {
                    self.at += 1;
                    depth += 1;
                    out.push(Statement::Open);
                }
                Some(Token::Punct('}')) => {
                    self.at += 1;
                    depth -= 1;
                    if depth == 0 {
                        return Ok(out);
                    }
                    out.push(Statement::Close);
                }
                Some(Token::Punct(';')) => self.at += 1,
                Some(Token::Punct('@')) => out.push(Statement::Instruction(self.instruction()?)),
                Some(Token::Word(word)) => {
                    let label = self.tokens.get(self.at + 1).is_some_and(|t| t.0 == Token::Punct(':'));
                    if label {
                        self.at += 2;
                        if self.eat_word(".branchtargets") {
                            let mut targets = vec![self.word()?];
                            while self.eat(',') {
                                targets.push(self.word()?);
                            }
                            self.expect(';')?;
                            out.push(Statement::Targets { label: word, targets });
                        } else if self.eat_word(".callprototype") {
                            self.skip_statement()?;
                            out.push(Statement::Prototype);
                        } else {
                            out.push(Statement::Label(word));
                        }
                    } else if word.starts_with('.') {
                        self.at += 1;
                        self.directive(&word, line, &mut out)?;
                    } else {
                        out.push(Statement::Instruction(self.instruction()?));
                    }
                }
                Some(_) => {
                    let found = self.describe();
                    return self.error(format!("expected an instruction, found {found}"));
                }
            }
        }
    }

    fn directive(&mut self, word: &str, line: u32, out: &mut Vec<Statement>) -> Parsed<()> {
        match word {
            ".loc" => {
                let at = (self.small()?, self.small()?, self.small()?);
                let mut inlined_at = None;
                while self.eat(',') {
                    if self.eat_word("function_name") {
                        self.word()?;
                        if self.eat('+') {
                            self.number()?;
                        }
                    } else if self.eat_word("inlined_at") {
                        inlined_at = Some((self.small()?, self.small()?, self.small()?));
                    } else {
                        let found = self.describe();
                        return self.error(format!("`.loc` does not take {found}"));
                    }
                }
                out.push(Statement::Loc { at, inlined_at });
                Ok(())
            }
            ".reg" => {
                let kind = self.word()?;
                let is_pred = kind == ".pred";
                let bytes = if is_pred { 1 } else { type_bytes(kind.trim_start_matches('.')).unwrap_or(0) };
                if bytes == 0 {
                    return Err(unreadable(
                        self.file,
                        line,
                        format!("registers of type `{kind}` are not supported"),
                    ));
                }
                let mut names = Vec::new();
                loop {
                    let name = self.word()?;
                    let count = if self.eat('<') {
                        let count = self.small()?;
                        self.expect('>')?;
                        if count > 1 << 20 {
                            return Err(unreadable(
                                self.file,
                                line,
                                format!("{count} registers are too many"),
                            ));
                        }
                        Some(count)
                    } else {
                        None
                    };
                    names.push((name, count));
                    if !self.eat(',') {
                        break;
                    }
                }
                self.expect(';')?;
                out.push(Statement::Registers { is_pred, bytes, names, line });
                Ok(())
            }
            ".param" | ".local" | ".shared" | ".global" | ".const" => {
                let space = Space::parse(&word[1..]).unwrap_or(Space::Local);
                out.extend(self.variables(space, false)?.into_iter().map(Statement::Variable));
                self.expect(';')
            }
            ".pragma" => self.skip_statement(),
            _ => Err(unreadable(self.file, line, format!("`{word}` is not known inside a function"))),
        }
    }

    fn instruction(&mut self) -> Parsed<Instruction> {
        let line = self.line();
        let guard = if self.eat('@') {
            let negated = self.eat('!');
            Some((self.word()?, negated))
        } else {
            None
        };
        let opcode = self.word()?;
        let words = opcode.split('.').map(str::to_string).collect();
        let mut operands = Vec::new();
        while !self.eat(';') {
            if self.peek().is_none() {
                return self.error("an instruction does not end with `;`");
            }
            operands.push(self.operand(0)?);
            if !self.eat(',') && !self.next_is(';') {
                let found = self.describe();
                return self.error(format!("expected `,` or `;` after an operand, found {found}"));
            }
        }
        Ok(Instruction { guard, words, operands, line })
    }

    fn operand(&mut self, depth: usize) -> Parsed<Operand> {
        if depth > MOST_NESTED {
            return self.error("an operand with too many braces");
        }
        if self.eat('!') {
            return Ok(Operand::Not(self.word()?));
        }
        if self.eat('-') {
            let word = self.word()?;
            return match literal(&word) {
                Some(Operand::Int(v)) => Ok(Operand::Int(v.wrapping_neg())),
                _ => self.error(format!("`-{word}` is not a number")),
            };
        }
        if self.eat('[') {
            let operand = if let Some(Token::Word(word)) = self.peek().cloned() {
                self.at += 1;
                match literal(&word) {
                    Some(Operand::Int(v)) => Operand::Address(None, v as i64),
                    _ => {
                        let offset = if self.eat('+') || self.next_is('-') { self.number()? } else { 0 };
                        Operand::Address(Some(word), offset)
                    }
                }
            } else {
                let found = self.describe();
                return self.error(format!("expected an address, found {found}"));
            };
            if self.next_is(',') {
                while !self.eat(']') {
                    if self.peek().is_none() || self.next_is(';') {
                        return self.error("an address is not closed with `]`");
                    }
                    self.at += 1;
                }
                return Ok(Operand::Other);
            }
            self.expect(']')?;
            return Ok(operand);
        }
        for (open, close) in [('{', '}'), ('(', ')')] {
            if self.eat(open) {
                let mut items = Vec::new();
                while !self.eat(close) {
                    if self.peek().is_none() {
                        return self.error(format!("expected `{close}`"));
                    }
                    items.push(self.operand(depth + 1)?);
                    self.eat(',');
                }
                return Ok(if open == '{' { Operand::Vector(items) } else { Operand::List(items) });
            }
        }
        let word = self.word()?;
        if let Some(value) = literal(&word) {
            return Ok(value);
        }
        if self.eat('|') {
            return Ok(Operand::Pair(word, self.word()?));
        }
        if self.eat('+') {
            return Ok(Operand::Sum(word, self.number()?));
        }
        Ok(Operand::Name(word))
    }
}

/// A literal (PTX ISA 4.5): decimal, hex, octal, binary, `0f…` and `0d…`.
fn literal(word: &str) -> Option<Operand> {
    let first = word.as_bytes().first()?;
    if !first.is_ascii_digit() {
        return None;
    }
    if let Some(hex) = word.strip_prefix("0f").or(word.strip_prefix("0F")) {
        return (hex.len() == 8).then(|| u32::from_str_radix(hex, 16).ok().map(Operand::F32)).flatten();
    }
    if let Some(hex) = word.strip_prefix("0d").or(word.strip_prefix("0D")) {
        return (hex.len() == 16).then(|| u64::from_str_radix(hex, 16).ok().map(Operand::F64)).flatten();
    }
    let digits = word.trim_end_matches('U');
    let value = if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        u64::from_str_radix(hex, 16)
    } else if let Some(bits) = digits.strip_prefix("0b").or(digits.strip_prefix("0B")) {
        u64::from_str_radix(bits, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(&digits[1..], 8)
    } else {
        digits.parse()
    };
    value.ok().map(Operand::Int)
}

/// Bytes of a type word (PTX ISA 5.2), predicates apart.
pub fn type_bytes(word: &str) -> Option<usize> {
    Some(match word {
        "b8" | "s8" | "u8" => 1,
        "b16" | "s16" | "u16" | "f16" | "bf16" => 2,
        "b32" | "s32" | "u32" | "f32" | "f16x2" | "bf16x2" => 4,
        "b64" | "s64" | "u64" | "f64" => 8,
        "b128" => 16,
        _ => return None,
    })
}
