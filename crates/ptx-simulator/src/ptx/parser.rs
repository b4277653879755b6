//! Tokens -> statements: the grammar of PTX.

use super::ast::*;
use super::lexer::{Token, literal, tokens};
use super::space::Space;
use crate::diagnostic::Diagnostic;

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
        self.fail(self.line(), message)
    }

    fn fail<T>(&self, line: u32, message: impl Into<String>) -> Parsed<T> {
        Err(unreadable(self.file, line, message))
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
            _ => self.fail(line, format!("expected a number, found `{word}`")),
        }
    }

    fn small(&mut self) -> Parsed<u32> {
        let line = self.line();
        let number = self.number()?;
        u32::try_from(number).or_else(|_| self.fail(line, format!("{number} is out of range here")))
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
                            ast.files.push((number, path.into()));
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
                    return self.fail(line, format!("`{word}` is not known at the top level"));
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
        let (mut most_threads, mut block, mut cluster) = (None, None, None);
        let (mut most_in_cluster, mut explicit_cluster) = (None, false);
        while !self.next_is('{') && !self.next_is(';') {
            match self.peek() {
                Some(Token::Word(word)) if word == ".maxntid" => most_threads = Some(self.block_size()?),
                Some(Token::Word(word)) if word == ".reqntid" => block = Some(self.block_size()?),
                Some(Token::Word(word)) if word == ".reqnctapercluster" => cluster = Some(self.block_size()?),
                Some(Token::Word(word)) if word == ".maxclusterrank" => {
                    self.at += 1;
                    most_in_cluster = Some(self.small()?);
                }
                Some(Token::Word(word)) if word == ".explicitcluster" => {
                    self.at += 1;
                    explicit_cluster = true;
                }
                // What machine code is to be like: .minnctapersm, .maxnreg.
                Some(_) => self.at += 1,
                None => return self.error(format!("function {name} has no body")),
            }
        }
        let body = if self.eat(';') {
            ast.externs.push(name.clone());
            None
        } else {
            self.at += 1;
            Some(self.body()?)
        };
        ast.functions.push(FunctionAst {
            name,
            is_entry,
            returns,
            params,
            most_threads,
            block,
            cluster,
            most_in_cluster,
            explicit_cluster,
            body,
            line,
        });
        Ok(())
    }

    /// `.maxntid 256, 1, 1`: what is left out is 1.
    fn block_size(&mut self) -> Parsed<[u32; 3]> {
        self.at += 1;
        let mut size = [self.small()?, 1, 1];
        for axis in &mut size[1..] {
            if self.eat(',') {
                *axis = self.small()?;
            }
        }
        Ok(size)
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
        // Behind `.ptr` stands what a pointer points to: where it lies, and its alignment.
        let mut of_pointee = false;
        let mut element = 0;
        let mut kind = String::new();
        let mut vector = 1;
        while let Some(word) = self.peek_word().map(str::to_string) {
            let Some(word) = word.strip_prefix('.') else { break };
            self.at += 1;
            match word {
                "align" => {
                    let bytes = self.small()? as usize;
                    align = align.or(Some(bytes).filter(|_| !of_pointee));
                }
                "v2" => vector = 2,
                "v4" => vector = 4,
                "ptr" => of_pointee = true,
                "global" | "shared" | "const" | "local" => {}
                "attribute" => {
                    while !self.eat(')') {
                        if self.peek().is_none() {
                            return self.error("an attribute is not closed");
                        }
                        self.at += 1;
                    }
                }
                "pred" => element = 1,
                "texref" | "surfref" | "samplerref" => {
                    return self.error(format!("`.{word}`: the simulator has no textures or surfaces"));
                }
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
                    .filter(|n| *n as u64 <= 1 << 34 && n.checked_mul(16).is_some()) // bytes of an element
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
                return self.fail(line, format!("`{name}` has the impossible alignment {align}"));
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
                        } else if self.eat_word(".callprototype") || self.eat_word(".calltargets") {
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
                    return self.fail(line, format!("registers of type `{kind}` are not supported"));
                }
                let mut names = Vec::new();
                loop {
                    let name = self.word()?;
                    let count = if self.eat('<') {
                        let count = self.small()?;
                        self.expect('>')?;
                        if count > 1 << 20 {
                            return self.fail(line, format!("{count} registers are too many"));
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
            _ => self.fail(line, format!("`{word}` is not known inside a function")),
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
