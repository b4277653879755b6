//! The functions of a source that run on a GPU, taken apart into statements: where an edit may stand.

use std::ops::Range;

use super::volatiles::volatiles;
use crate::lex::{Lines, Token, placed};

/// A source, taken apart once.
pub struct Source<'a> {
    pub text: &'a str,
    pub lines: Lines,
    pub functions: Vec<Function<'a>>,
    /// The variables and parameters that are volatile.
    pub volatiles: Vec<&'a str>,
}

impl<'a> Source<'a> {
    pub fn new(text: &'a str) -> Source<'a> {
        Source {
            text,
            lines: Lines::new(text),
            functions: functions(text),
            volatiles: volatiles(&code(text)),
        }
    }

    /// The function that holds this place; none if that is the host's.
    pub fn function_at(&self, place: usize) -> Option<&Function<'a>> {
        self.functions.iter().find(|function| function.body.range.contains(&place))
    }
}

/// A kernel, or a function that kernels call.
pub struct Function<'a> {
    pub name: &'a str,
    /// A block.
    pub body: Statement,
}

/// A statement, with its last `;` or `}`.
pub struct Statement {
    pub range: Range<usize>,
    pub kind: Kind,
}

pub enum Kind {
    /// An expression, a declaration, a label.
    Plain,
    Block(Vec<Statement>),
    If {
        condition: Range<usize>,
        then: Box<Statement>,
        otherwise: Option<Box<Statement>>,
    },
    /// `head` stands between the parentheses.
    Loop {
        head: Range<usize>,
        body: Box<Statement>,
    },
    Switch(Box<Statement>),
}

/// Statements that follow each other.
#[derive(Clone, Copy)]
pub struct List<'s> {
    pub statements: &'s [Statement],
    /// From the `{` to the `}`; without braces the one statement.
    pub around: &'s Range<usize>,
    pub has_braces: bool,
    pub of: Owner,
}

/// What runs a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    Function,
    Loop,
    /// An `if`, an `else` or a `switch`.
    Branch,
    /// A block of its own.
    Block,
}

/// A statement in the list that holds it.
#[derive(Clone, Copy)]
pub struct Step<'s> {
    pub list: List<'s>,
    pub index: usize,
}

impl<'s> Step<'s> {
    pub fn statement(&self) -> &'s Statement {
        &self.list.statements[self.index]
    }
}

impl Statement {
    fn as_list(&self, of: Owner) -> List<'_> {
        match &self.kind {
            Kind::Block(statements) => List { statements, around: &self.range, has_braces: true, of },
            _ => List { statements: std::slice::from_ref(self), around: &self.range, has_braces: false, of },
        }
    }

    /// The lists that it runs itself.
    pub fn lists(&self) -> Vec<List<'_>> {
        match &self.kind {
            Kind::Plain => Vec::new(),
            Kind::Block(_) => vec![self.as_list(Owner::Block)],
            Kind::If { then, otherwise, .. } => {
                let both = [Some(then), otherwise.as_ref()].into_iter().flatten();
                both.map(|side| side.as_list(Owner::Branch)).collect()
            }
            Kind::Loop { body, .. } => vec![body.as_list(Owner::Loop)],
            Kind::Switch(body) => vec![body.as_list(Owner::Branch)],
        }
    }
}

impl<'a> Function<'a> {
    pub fn list(&self) -> List<'_> {
        self.body.as_list(Owner::Function)
    }

    /// The statements that hold the first one of a `line`, from the outermost; empty if none does.
    pub fn path(&self, lines: &Lines, line: u32) -> Vec<Step<'_>> {
        let is_here = |range: &Range<usize>| {
            (lines.line(range.start)..=lines.line(range.end.saturating_sub(1))).contains(&line)
        };
        self.path_to(is_here)
    }

    /// The statements that hold the byte at `place`.
    pub fn path_of(&self, place: usize) -> Vec<Step<'_>> {
        self.path_to(|range| range.contains(&place))
    }

    fn path_to(&self, is_here: impl Fn(&Range<usize>) -> bool) -> Vec<Step<'_>> {
        let mut path = Vec::new();
        let mut lists = vec![self.list()];
        let find = |list: &List<'_>| list.statements.iter().position(|statement| is_here(&statement.range));
        while let Some((list, index)) = lists.iter().find_map(|list| Some((*list, find(list)?))) {
            path.push(Step { list, index });
            lists = list.statements[index].lists();
        }
        path
    }
}

/// The functions of `source` that run on a GPU, in its order.
pub fn functions(source: &str) -> Vec<Function<'_>> {
    let mut parser = Parser { source, tokens: code(source), at: 0, depth: 0 };
    let mut found = Vec::new();
    let mut head = 0;
    while let Some(&(_, token)) = parser.tokens.get(parser.at) {
        if token.is_mark("{") {
            match parser.function(head) {
                Some(function) => found.push(function),
                None if parser.is_scope(head) => parser.at += 1,
                None => parser.skip_braces(),
            }
            head = parser.at;
            continue;
        }
        parser.at += 1;
        if token.is_mark(";") || token.is_mark("}") {
            head = parser.at;
        }
    }
    found
}

/// The tokens of `source` that are no part of a directive.
pub fn code(source: &str) -> Vec<(usize, Token<'_>)> {
    let mut is_directive = false;
    let mut is_first = true;
    let mut kept = Vec::new();
    for (place, token) in placed(source) {
        if token == Token::LineEnd {
            is_directive &= source[..place].trim_end_matches('\r').ends_with('\\');
            is_first = true;
            continue;
        }
        is_directive |= is_first && token.is_mark("#");
        is_first = false;
        if !is_directive {
            kept.push((place, token));
        }
    }
    kept
}

struct Parser<'a> {
    source: &'a str,
    tokens: Vec<(usize, Token<'a>)>,
    at: usize,
    /// How many statements are open.
    depth: usize,
}

/// Statements in each other that are looked into: nobody nests them deeper.
const MAX_DEPTH: usize = 64;

impl<'a> Parser<'a> {
    fn token(&self, at: usize) -> Option<Token<'a>> {
        self.tokens.get(at).map(|(_, token)| *token)
    }

    fn is_mark(&self, mark: &str) -> bool {
        self.token(self.at).is_some_and(|token| token.is_mark(mark))
    }

    fn is_word(&self, word: &str) -> bool {
        self.token(self.at).is_some_and(|token| token.is_word(word))
    }

    /// Where in the source the next token begins.
    fn start(&self) -> usize {
        self.tokens.get(self.at).map_or(self.source.len(), |(place, _)| *place)
    }

    /// Where in the source the last token ended.
    fn end(&self) -> usize {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        last.map_or(0, |(place, token)| place + token.text().len())
    }

    /// The function whose `{` is next, and whose head began at token `head`.
    fn function(&mut self, head: usize) -> Option<Function<'a>> {
        let words = &self.tokens[head..self.at];
        let runs_there =
            words.iter().any(|(_, token)| token.is_word("__global__") || token.is_word("__device__"));
        let (name, open) =
            words.windows(2).enumerate().find_map(|(at, pair)| match (pair[0].1, pair[1].1) {
                (Token::Word(name), open) if open.is_mark("(") && !is_attribute(name) => Some((name, at + 1)),
                _ => None,
            })?;
        if !runs_there {
            return None;
        }
        self.closing(head + open)?;
        Some(Function { name, body: self.statement() })
    }

    /// Whether definitions stand between the braces that come next.
    fn is_scope(&self, head: usize) -> bool {
        let scopes = ["namespace", "extern", "struct", "class"];
        self.tokens[head..self.at].iter().any(|(_, token)| scopes.iter().any(|word| token.is_word(word)))
    }

    fn skip_braces(&mut self) {
        self.at = self.closing(self.at).map_or(self.tokens.len(), |close| close + 1);
    }

    /// The token that closes the parenthesis, bracket or brace at `open`.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        for at in open..self.tokens.len() {
            match self.tokens[at].1 {
                Token::Mark("(" | "[" | "{") => depth += 1,
                Token::Mark(")" | "]" | "}") => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// Goes past what stands in parentheses, and says where that is.
    fn parentheses(&mut self) -> Range<usize> {
        let close = self.closing(self.at).filter(|_| self.is_mark("("));
        let Some(close) = close else { return self.start()..self.start() };
        let inside = self.start() + 1..self.tokens[close].0;
        self.at = close + 1;
        inside
    }

    fn statement(&mut self) -> Statement {
        let start = self.start();
        self.depth += 1;
        let kind = if self.depth > MAX_DEPTH { self.plain() } else { self.kind() };
        self.depth -= 1;
        Statement { range: start..self.end().max(start), kind }
    }

    fn kind(&mut self) -> Kind {
        match self.token(self.at) {
            Some(Token::Mark("{")) => self.block(),
            Some(Token::Word("if")) => {
                self.at += 1;
                self.at += usize::from(self.is_word("constexpr"));
                let condition = self.parentheses();
                let then = Box::new(self.statement());
                let has_else = self.is_word("else");
                self.at += usize::from(has_else);
                let otherwise = has_else.then(|| Box::new(self.statement()));
                Kind::If { condition, then, otherwise }
            }
            Some(Token::Word("for" | "while")) => {
                self.at += 1;
                let head = self.parentheses();
                Kind::Loop { head, body: Box::new(self.statement()) }
            }
            Some(Token::Word("do")) => {
                self.at += 1;
                let body = Box::new(self.statement());
                self.at += usize::from(self.is_word("while"));
                let head = self.parentheses();
                self.at += usize::from(self.is_mark(";"));
                Kind::Loop { head, body }
            }
            Some(Token::Word("switch")) => {
                self.at += 1;
                self.parentheses();
                Kind::Switch(Box::new(self.statement()))
            }
            Some(Token::Word("case" | "default")) => {
                while self.at < self.tokens.len() && !self.is_mark(":") {
                    self.at += 1;
                }
                self.at += 1;
                Kind::Plain
            }
            _ => self.plain(),
        }
    }

    fn block(&mut self) -> Kind {
        self.at += 1;
        let mut statements = Vec::new();
        while self.at < self.tokens.len() && !self.is_mark("}") {
            statements.push(self.statement());
        }
        self.at = (self.at + 1).min(self.tokens.len());
        Kind::Block(statements)
    }

    fn plain(&mut self) -> Kind {
        while let Some(token) = self.token(self.at) {
            match token {
                Token::Mark("(" | "[" | "{") => {
                    self.at = self.closing(self.at).unwrap_or(self.tokens.len() - 1) + 1;
                }
                Token::Mark("}") => break,
                _ => self.at += 1,
            }
            if token.is_mark(";") {
                break;
            }
        }
        // Whatever this is, the parser goes on.
        Kind::Plain
    }
}

/// Whether a word in front of a parenthesis is no name of a function.
fn is_attribute(word: &str) -> bool {
    word.starts_with("__") && word.ends_with("__") || word == "alignas"
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
#define TWICE(x) { x; \\
    x; }
namespace lab {
template <int N> __device__ float inner(float *p) { return p[N]; }
}
void host() { if (1) {} }
extern \"C\" __global__ void __launch_bounds__(64) k(int *p, int n)
{
    int list[] = {1, 2};
#pragma unroll
    for (int i = 0; i < n; i++)
        if (p[i]) p[i] = 1;
        else { p[i] = 2; n--; }
    do n--; while (n > 0);
    switch (n) { case 1: p[0] = 1; break; default: p[1] = 1; }
}
";

    fn texts<'a>(source: &'a str, list: &List) -> Vec<&'a str> {
        list.statements.iter().map(|statement| &source[statement.range.clone()]).collect()
    }

    #[test]
    fn functions_of_the_gpu_are_found_with_their_statements() {
        let found = functions(SOURCE);
        let names: Vec<_> = found.iter().map(|function| function.name).collect();
        assert_eq!(names, ["inner", "k"]);
        assert_eq!(texts(SOURCE, &found[0].list()), ["return p[N];"]);
        let body = texts(SOURCE, &found[1].list());
        assert_eq!(body.len(), 4, "{body:?}");
        assert_eq!((body[0], body[2]), ("int list[] = {1, 2};", "do n--; while (n > 0);"));
        assert!(body[1].starts_with("for") && body[1].ends_with("n--; }"), "{}", body[1]);
    }

    #[test]
    fn a_line_leads_to_its_innermost_statement() {
        let found = functions(SOURCE);
        let lines = Lines::new(SOURCE);
        let owners = |line| -> Vec<_> {
            let path = found[1].path(&lines, line);
            path.iter().map(|step| (step.list.of, step.list.has_braces)).collect()
        };
        let (function, of_loop) = ((Owner::Function, true), (Owner::Loop, false));
        assert_eq!(owners(12), [function, of_loop, (Owner::Branch, false)]);
        assert_eq!(owners(13), [function, of_loop, (Owner::Branch, true)]);
        assert_eq!(owners(9), [function]);
        assert_eq!(owners(3), []);
        let at = found[1].path(&lines, 15).last().map(|step| step.statement().range.clone());
        assert_eq!(at.map(|range| &SOURCE[range]), Some("case 1:"));
    }

    #[test]
    fn a_text_that_is_no_program_ends() {
        for source in ["__global__ void k() { if (", "__global__ void k(", "__device__ void f() { } } {", "{"]
        {
            functions(source);
        }
        assert_eq!(functions(&format!("__global__ void k() {}", "{".repeat(100_000))).len(), 1);
        let all = SOURCE.char_indices().map(|(end, _)| functions(&SOURCE[..end]).len());
        assert_eq!(all.max(), Some(2));
    }
}
