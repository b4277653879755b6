//! Tokens -> statements: the grammar of PTX.

use super::ast::*;
use super::lexer::{Token, literal, tokens};
use super::space::Space;
use crate::diagnostic::Diagnostic;

/// Reads a module. `file` stands in messages.
pub fn parse<'a>(text: &'a str, file: &'a str) -> Result<Ast<'a>, Box<Diagnostic>> {
    let tokens = tokens(text, file)?;
    let mut parser = Parser { tokens, at: 0, file };
    let mut ast = Ast::default();
    while parser.at < parser.tokens.len() {
        parser.top_level(&mut ast)?;
    }
    Ok(ast)
}

/// Braces within braces, in an operand or an initialiser.
const MAX_NESTED: usize = 64;

struct Parser<'a> {
    tokens: Vec<(Token<'a>, u32)>,
    at: usize,
    file: &'a str,
}

type Parsed<T> = Result<T, Box<Diagnostic>>;

impl<'a> Parser<'a> {
    fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |t| t.1)
    }

    fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        self.fail(self.line(), message)
    }

    fn fail<T>(&self, line: u32, message: impl Into<String>) -> Parsed<T> {
        Err(unreadable(self.file, line, message))
    }

    fn expected<T>(&self, what: &str) -> Parsed<T> {
        let found = self.describe();
        self.error(format!("expected {what}, found {found}"))
    }

    fn describe(&self) -> String {
        match self.peek() {
            None => "the end of the text".to_string(),
            Some(Token::Word(w)) => format!("`{w}`"),
            Some(Token::Text(t)) => format!("\"{t}\""),
            Some(Token::Punct(c)) => format!("`{c}`"),
        }
    }

    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).map(|t| t.0)
    }

    fn next_is(&self, c: char) -> bool {
        self.peek() == Some(Token::Punct(c))
    }

    fn eat(&mut self, c: char) -> bool {
        self.eat_token(Token::Punct(c))
    }

    fn eat_word(&mut self, word: &str) -> bool {
        self.eat_token(Token::Word(word))
    }

    fn eat_token(&mut self, token: Token) -> bool {
        let found = self.peek() == Some(token);
        self.at += found as usize;
        found
    }

    fn expect(&mut self, c: char) -> Parsed<()> {
        if self.eat(c) { Ok(()) } else { self.expected(&format!("`{c}`")) }
    }

    fn word(&mut self) -> Parsed<&'a str> {
        let Some(Token::Word(word)) = self.peek() else { return self.expected("a name") };
        self.at += 1;
        Ok(word)
    }

    fn number(&mut self) -> Parsed<i64> {
        let negative = self.eat('-');
        let line = self.line();
        let word = self.word()?;
        match literal(word) {
            Some(Operand::Int(value)) if negative => Ok((value as i64).wrapping_neg()),
            Some(Operand::Int(value)) => Ok(value as i64),
            _ => self.fail(line, format!("expected a number, found `{word}`")),
        }
    }

    fn small(&mut self) -> Parsed<u32> {
        let line = self.line();
        let number = self.number()?;
        u32::try_from(number).or_else(|_| self.fail(line, format!("{number} is out of range here")))
    }

    /// `+8` or `-8` behind a name; 0 without it.
    fn offset(&mut self) -> Parsed<i64> {
        if self.eat('+') || self.next_is('-') { self.number() } else { Ok(0) }
    }

    /// One or more, with commas between them.
    fn separated<T>(&mut self, mut one: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut all = vec![one(self)?];
        while self.eat(',') {
            all.push(one(self)?);
        }
        Ok(all)
    }

    /// Those up to a bracket that closes, with commas between them or behind them.
    fn up_to<T>(&mut self, close: char, mut one: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut all = Vec::new();
        while !self.eat(close) {
            if self.peek().is_none() {
                return self.error(format!("expected `{close}`"));
            }
            all.push(one(self)?);
            self.eat(',');
        }
        Ok(all)
    }

    /// Skips to behind the next `end`.
    fn skip(&mut self, end: char, unless: &str) -> Parsed<()> {
        while !self.eat(end) {
            if self.peek().is_none() || self.next_is(';') {
                return self.error(unless);
            }
            self.at += 1;
        }
        Ok(())
    }

    fn skip_statement(&mut self) -> Parsed<()> {
        self.skip(';', "a statement does not end with `;`")
    }

    fn top_level(&mut self, ast: &mut Ast<'a>) -> Parsed<()> {
        let line = self.line();
        let mut external = false;
        loop {
            let word = self.word()?;
            match word {
                ".version" | ".address_size" | ".target" => return self.skip_list(),
                ".file" => {
                    let number = self.small()?;
                    let Some(Token::Text(path)) = self.peek() else {
                        return self.error("`.file` without a path");
                    };
                    ast.files.push((number, path.into()));
                    return self.skip_list();
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
                ".entry" | ".func" => {
                    ast.functions.push(self.function(word == ".entry", line)?);
                    return Ok(());
                }
                ".global" | ".const" | ".shared" => {
                    let space = Space::parse(&word[1..]).unwrap_or(Space::Global);
                    ast.variables.extend(self.variables(space, external)?);
                    return Ok(());
                }
                _ => return self.fail(line, format!("`{word}` is not known at the top level")),
            }
        }
    }

    fn skip_list(&mut self) -> Parsed<()> {
        loop {
            self.at += 1;
            if !self.eat(',') {
                return Ok(());
            }
        }
    }

    fn function(&mut self, is_entry: bool, line: u32) -> Parsed<FunctionAst<'a>> {
        while matches!(self.peek(), Some(Token::Word(word)) if word.starts_with('.')) {
            self.at += 1; // .noreturn, .attribute
        }
        let returns = self.parameters()?;
        let name = self.word()?;
        let params = self.parameters()?;
        let mut bounds = Bounds::default();
        while !self.next_is('{') && !self.next_is(';') {
            let Some(token) = self.peek() else {
                return self.error(format!("function {name} has no body"));
            };
            self.at += 1;
            match token {
                Token::Word(".maxntid") => bounds.most_threads = Some(self.size()?),
                Token::Word(".reqntid") => bounds.block = Some(self.size()?),
                Token::Word(".reqnctapercluster") => bounds.cluster = Some(self.size()?),
                Token::Word(".maxclusterrank") => bounds.most_in_cluster = Some(self.small()?),
                Token::Word(".explicitcluster") => bounds.explicit_cluster = true,
                // What machine code is to be like: .minnctapersm, .maxnreg.
                _ => {}
            }
        }
        let body = if self.eat(';') { None } else { Some(self.body()?) };
        Ok(FunctionAst { name, is_entry, returns, params, bounds, body, line })
    }

    /// `256, 1, 1` behind `.maxntid`: what is left out is 1.
    fn size(&mut self) -> Parsed<[u32; 3]> {
        let mut size = [self.small()?, 1, 1];
        for axis in &mut size[1..] {
            if self.eat(',') {
                *axis = self.small()?;
            }
        }
        Ok(size)
    }

    /// `(.param .u64 a, …)`, if there are any.
    fn parameters(&mut self) -> Parsed<Vec<Variable>> {
        if !self.eat('(') {
            return Ok(Vec::new());
        }
        self.up_to(')', |this| {
            let word = this.word()?;
            if word != ".param" && word != ".reg" {
                return this.error(format!("expected `.param`, found `{word}`"));
            }
            let declared = this.declared(Space::Param, false)?;
            this.variable(declared)
        })
    }

    /// `.align 4 .b8 name[12], other;`, without the space.
    fn variables(&mut self, space: Space, external: bool) -> Parsed<Vec<Variable>> {
        let declared = self.declared(space, external)?;
        let all = self.separated(|this| this.variable(declared.clone()))?;
        self.expect(';')?;
        Ok(all)
    }

    /// What a declaration says before its names: `.align 4 .b8`.
    fn declared(&mut self, space: Space, external: bool) -> Parsed<Variable> {
        let mut align = None;
        let mut element = 0;
        let mut kind = "";
        // Behind `.ptr` stands what a pointer points to: where it lies, and its alignment.
        let mut of_pointee = false;
        let mut vector = 1;
        while let Some(Token::Word(word)) = self.peek() {
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
                "attribute" => self.skip(')', "an attribute is not closed")?,
                "pred" => element = 1,
                "texref" | "surfref" | "samplerref" => {
                    return self.error(format!("`.{word}`: the simulator has no textures or surfaces"));
                }
                _ => match type_bytes(word) {
                    Some(bytes) => (element, kind) = (bytes, word),
                    None => return self.error(format!("`.{word}` is not a type")),
                },
            }
        }
        if element == 0 {
            return self.error("a variable without a type");
        }
        element *= vector;
        let name = String::new();
        let kind = kind.to_string();
        let align = align.unwrap_or(element);
        Ok(Variable { space, name, element, count: 1, align, kind, external, init: Vec::new() })
    }

    /// One of the names behind it, with its size and its initialiser.
    fn variable(&mut self, declared: Variable) -> Parsed<Variable> {
        let line = self.line();
        let name = self.word()?.to_string();
        let align = declared.align.max(1);
        let mut count = 1usize;
        while self.eat('[') {
            if self.eat(']') {
                count = 0;
                continue;
            }
            let size = usize::try_from(self.number()?).ok().and_then(|n| count.checked_mul(n));
            let most = isize::MAX as usize / declared.element;
            let Some(fits) = size.filter(|n| *n as u64 <= 1 << 34 && *n <= most) else {
                return self.fail(line, format!("`{name}` has an impossible size"));
            };
            count = fits;
            self.expect(']')?;
        }
        let mut init = Vec::new();
        if self.eat('=') {
            self.initialiser(&mut init, 0)?;
            if count == 0 {
                count = init.len();
            }
        }
        if !align.is_power_of_two() || align > 4096 {
            return self.fail(line, format!("`{name}` has the impossible alignment {align}"));
        }
        Ok(Variable { name, count, align, init, ..declared })
    }

    fn initialiser(&mut self, out: &mut Vec<Init>, depth: usize) -> Parsed<()> {
        if depth > MAX_NESTED {
            return self.error("an initialiser with too many braces");
        }
        if self.eat('{') {
            return self.up_to('}', |this| this.initialiser(out, depth + 1)).map(|_| ());
        }
        let negative = self.eat('-');
        let word = self.word()?;
        out.push(match literal(word) {
            Some(Operand::Int(v)) => Init::Number(if negative { v.wrapping_neg() } else { v }),
            Some(Operand::F32(v)) => Init::Number(v as u64),
            Some(Operand::F64(v)) => Init::Number(v),
            _ => {
                let generic = word == "generic" && self.eat('(');
                let name = if generic { self.word()? } else { word };
                if generic {
                    self.expect(')')?;
                }
                Init::Symbol { name: name.to_string(), offset: self.offset()?, generic }
            }
        });
        Ok(())
    }

    fn body(&mut self) -> Parsed<Vec<Statement<'a>>> {
        self.expect('{')?;
        let mut out = Vec::new();
        let mut depth = 1;
        loop {
            match self.peek() {
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
                Some(Token::Word(label))
                    if matches!(self.tokens.get(self.at + 1), Some((Token::Punct(':'), _))) =>
                {
                    self.at += 2;
                    out.extend(self.labelled(label)?);
                }
                Some(Token::Word(word)) if word.starts_with('.') => self.directive(word, &mut out)?,
                Some(Token::Word(_) | Token::Punct('@')) => {
                    out.push(Statement::Instruction(self.instruction()?));
                }
                Some(_) => return self.expected("an instruction"),
            }
        }
    }

    fn labelled(&mut self, label: &'a str) -> Parsed<Option<Statement<'a>>> {
        if self.eat_word(".branchtargets") {
            let targets = self.separated(Self::word)?;
            self.expect(';')?;
            return Ok(Some(Statement::Targets { label, targets }));
        }
        if self.eat_word(".callprototype") || self.eat_word(".calltargets") {
            self.skip_statement()?;
            return Ok(None);
        }
        Ok(Some(Statement::Label(label)))
    }

    fn directive(&mut self, word: &'a str, out: &mut Vec<Statement<'a>>) -> Parsed<()> {
        let line = self.line();
        self.at += 1;
        match word {
            ".loc" => out.push(self.loc()?),
            ".reg" => {
                let kind = self.word()?;
                let is_pred = kind == ".pred";
                let bytes = if is_pred { Some(1) } else { type_bytes(kind.trim_start_matches('.')) };
                let Some(bytes) = bytes else {
                    return self.fail(line, format!("registers of type `{kind}` are not supported"));
                };
                let names = self.separated(|this| Ok((this.word()?, this.range(line)?)))?;
                self.expect(';')?;
                out.push(Statement::Registers { is_pred, bytes, names, line });
            }
            ".param" | ".local" | ".shared" | ".global" | ".const" => {
                let space = Space::parse(&word[1..]).unwrap_or(Space::Local);
                out.extend(self.variables(space, false)?.into_iter().map(Statement::Variable));
            }
            ".pragma" => self.skip_statement()?,
            _ => return self.fail(line, format!("`{word}` is not known inside a function")),
        }
        Ok(())
    }

    /// `<5>` behind a register's name.
    fn range(&mut self, line: u32) -> Parsed<Option<u32>> {
        if !self.eat('<') {
            return Ok(None);
        }
        let count = self.small()?;
        self.expect('>')?;
        if count > 1 << 20 {
            return self.fail(line, format!("{count} registers are too many"));
        }
        Ok(Some(count))
    }

    fn loc(&mut self) -> Parsed<Statement<'a>> {
        let at = (self.small()?, self.small()?, self.small()?);
        let mut inlined_at = None;
        while self.eat(',') {
            if self.eat_word("function_name") {
                self.word()?;
                self.offset()?;
            } else if self.eat_word("inlined_at") {
                inlined_at = Some((self.small()?, self.small()?, self.small()?));
            } else {
                let found = self.describe();
                return self.error(format!("`.loc` does not take {found}"));
            }
        }
        Ok(Statement::Loc { at, inlined_at })
    }

    fn instruction(&mut self) -> Parsed<Instruction<'a>> {
        let line = self.line();
        let guard = if self.eat('@') {
            let negated = self.eat('!');
            Some((self.word()?, negated))
        } else {
            None
        };
        let words = self.word()?.split('.').collect();
        let mut operands = Vec::new();
        while !self.eat(';') {
            if self.peek().is_none() {
                return self.error("an instruction does not end with `;`");
            }
            operands.push(self.operand(0)?);
            if !self.eat(',') && !self.next_is(';') {
                return self.expected("`,` or `;` after an operand");
            }
        }
        Ok(Instruction { guard, words, operands, line })
    }

    fn operand(&mut self, depth: usize) -> Parsed<Operand<'a>> {
        if depth > MAX_NESTED {
            return self.error("an operand with too many braces");
        }
        if self.eat('!') {
            return Ok(Operand::Not(self.word()?));
        }
        if self.eat('-') {
            let word = self.word()?;
            return match literal(word) {
                Some(Operand::Int(v)) => Ok(Operand::Int(v.wrapping_neg())),
                _ => self.error(format!("`-{word}` is not a number")),
            };
        }
        if self.eat('[') {
            return self.address();
        }
        if self.eat('{') {
            return Ok(Operand::Vector(self.up_to('}', |this| this.operand(depth + 1))?));
        }
        if self.eat('(') {
            return Ok(Operand::List(self.up_to(')', |this| this.operand(depth + 1))?));
        }
        let word = self.word()?;
        if let Some(value) = literal(word) {
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

    /// What stands behind `[`.
    fn address(&mut self) -> Parsed<Operand<'a>> {
        let Some(Token::Word(word)) = self.peek() else { return self.expected("an address") };
        self.at += 1;
        let operand = match literal(word) {
            Some(Operand::Int(v)) => Operand::Address(None, v as i64),
            _ => Operand::Address(Some(word), self.offset()?),
        };
        if !self.next_is(',') {
            self.expect(']')?;
            return Ok(operand);
        }
        self.skip(']', "an address is not closed with `]`")?;
        Ok(Operand::Other)
    }
}
