//! What a statement reads and writes: updates by several threads, a write of many, bounds, first values.

use std::ops::Range;

use crate::lex::{Token, placed};

use super::assignment::{Assignment, in_parentheses, mentions, subscripts};
use super::candidate::Candidate;
use super::change::{Edit, in_place_of_updates};
use super::ends;
use super::finding::Finding;
use super::host;
use super::places::{Gap, Place, before, spot};
use super::statements::{Function, Kind, Source, Statement, Step, code};

/// The innermost statements of the finding's lines, each once.
fn steps<'s>(source: &'s Source, finding: &Finding) -> Vec<Step<'s>> {
    let mut all: Vec<Step> = Vec::new();
    for line in &finding.lines {
        let Some(spot) = spot(source, *line) else { continue };
        let Some(step) = source.functions[spot.function].path_of(spot.place).pop() else { continue };
        if !all.iter().any(|known| known.statement().range == step.statement().range) {
            all.push(step);
        }
    }
    all
}

fn text_of<'a>(source: &Source<'a>, statement: &Statement) -> &'a str {
    &source.text[statement.range.clone()]
}

fn line_of(source: &Source, statement: &Statement) -> u32 {
    source.lines.line(statement.range.start)
}

/// What names a scope that may be too narrow, and the wider one.
const SCOPES: [(&str, &str); 3] = [
    ("__threadfence_block()", "__threadfence()"),
    ("thread_scope_block", "thread_scope_device"),
    ("_block(", "("),
];

/// The scope of the GPU in place of that of a block.
pub fn wider(source: &Source) -> Vec<Candidate> {
    let widened = |(narrow, wide): (&str, &str)| {
        let is_atomic = |at: usize| narrow != "_block(" || is_name_of_an_atomic(&source.text[..at]);
        let places = source.text.match_indices(narrow).filter(|(at, _)| is_atomic(*at));
        let edits = places.map(|(at, old)| Edit::replace(at..at + old.len(), wide)).collect();
        let says = match narrow {
            "_block(" => "leave `_block` out of the atomic's name".to_string(),
            _ => format!("put `{wide}` in place of `{narrow}`"),
        };
        Candidate::new(says, edits)
    };
    SCOPES.map(widened).into_iter().filter(|candidate| !candidate.edits.is_empty()).collect()
}

fn is_name_of_an_atomic(before: &str) -> bool {
    before.rsplit(|c: char| !c.is_alphanumeric()).next().is_some_and(|word| word.starts_with("atomic"))
}

/// An atomic operation in place of an update.
pub fn updates(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let steps = steps(source, finding);
    let call = |step: &Step| atomic(Assignment::of(text_of(source, step.statement()))?);
    // The other side may be one already.
    let is_atomic = |step: &Step| text_of(source, step.statement()).contains("atomic");
    if !steps.iter().all(|step| is_atomic(step) || call(step).is_some()) {
        return Vec::new();
    }
    let edit = |step: &Step| Some(Edit::replace(step.statement().range.clone(), call(step)?));
    let edits: Vec<Edit> = steps.iter().filter_map(edit).collect();
    if edits.is_empty() {
        return Vec::new();
    }
    vec![Candidate::new(in_place_of_updates(source, &edits), edits)]
}

/// The call that does the same in one step. What reads elements beside the one that it writes is a step of a
/// sum, and no update.
fn atomic(assignment: Assignment) -> Option<String> {
    let Assignment { left, operator, right } = assignment;
    let (name, value) = match operator? {
        '+' => ("atomicAdd", right.to_string()),
        '-' => ("atomicAdd", format!("-{}", in_parentheses(right))),
        '&' => ("atomicAnd", right.to_string()),
        '|' => ("atomicOr", right.to_string()),
        '^' => ("atomicXor", right.to_string()),
        _ => return None,
    };
    (!mentions(right, assignment.base())).then(|| format!("{name}({}, {value});", address(left)))
}

/// A write of many threads, by one.
pub fn one_writer(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let steps = steps(source, finding);
    let [step] = steps[..] else { return Vec::new() };
    let statement = step.statement();
    let text = text_of(source, statement);
    let Some(assignment) = Assignment::of(text).filter(|assignment| assignment.operator.is_none()) else {
        return Vec::new();
    };
    let line = line_of(source, statement);
    let exchanged = exchange(source, statement, line);
    // Where all write, whatever is there, any of them is as good as the last.
    let selects = is_conditional(source, statement) || mentions(assignment.right, assignment.base());
    let guarded = ["threadIdx.x == 0", "blockIdx.x == 0 && threadIdx.x == 0"].map(|one| Candidate {
        selects,
        ..Candidate::new(
            format!("let one thread write: put {}", guarded(source, step, one)),
            guard(source, step, one),
        )
    });
    guarded.into_iter().chain(exchanged).collect()
}

/// Whether a statement stands below a condition.
fn is_conditional(source: &Source, statement: &Statement) -> bool {
    let place = statement.range.start;
    let Some(function) = source.function_at(place) else { return true };
    function.path_of(place).iter().any(|step| matches!(step.statement().kind, Kind::If { .. }))
}

/// An atomic write in place of a plain one.
fn exchange(source: &Source, statement: &Statement, line: u32) -> Option<Candidate> {
    let Assignment { left, right, .. } = Assignment::of(text_of(source, statement))?;
    let call = format!("atomicExch({}, {right});", address(left));
    let edits = vec![Edit::replace(statement.range.clone(), call.clone())];
    let says = format!("put `{call}` in line {line}, in place of the write");
    Some(Candidate { selects: true, ..Candidate::new(says, edits) })
}

/// An atomic write in place of the plain one that releases a lock, where another line takes it.
pub fn releases(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let steps = steps(source, finding);
    let takes = |step: &Step| text_of(source, step.statement()).contains("atomic");
    if !steps.iter().any(takes) {
        return Vec::new();
    }
    let is_release = |text: &str| Assignment::of(text).is_some_and(|found| found.operator.is_none());
    let releases = steps.iter().filter(|step| is_release(text_of(source, step.statement())));
    releases
        .filter_map(|step| exchange(source, step.statement(), line_of(source, step.statement())))
        .map(|candidate| Candidate { selects: false, ..candidate })
        .collect()
}

/// An atomic write in place of the plain one that sets a flag, where another line reads that by an atomic.
pub fn set_flag(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let steps = steps(source, finding);
    let text = |step: &Step| text_of(source, step.statement());
    let is_set = |step: &&Step| {
        let found = Assignment::of(text(step)).filter(|found| found.operator.is_none());
        found.map(|found| format!("({},", address(found.left))).is_some_and(|first_argument| {
            steps.iter().any(|other| text(other).contains("atomic") && text(other).contains(&first_argument))
        })
    };
    let set = steps.iter().filter(is_set).map(Step::statement);
    set.filter_map(|statement| exchange(source, statement, line_of(source, statement)))
        .map(|candidate| Candidate { selects: false, ..candidate })
        .collect()
}

/// `&x[3]`; of `*p` the `p`.
fn address(left: &str) -> String {
    left.strip_prefix('*').map_or(format!("&{left}"), |pointer| pointer.trim().to_string())
}

/// `condition` before a statement, in words.
fn guarded(source: &Source, step: Step, condition: &str) -> String {
    let braces = if would_take_an_else(source, step) { ", with braces around both" } else { "" };
    format!("`if ({condition})` {}{braces}", before(source, step.statement()))
}

/// Whether an `else` comes after a statement, which would be that of an `if` before it.
fn would_take_an_else(source: &Source, step: Step) -> bool {
    let rest = code(&source.text[step.statement().range.end..]);
    rest.first().is_some_and(|(_, token)| token.is_word("else"))
}

/// `condition` before a statement.
fn guard(source: &Source, step: Step, condition: &str) -> Vec<Edit> {
    let Range { start, end } = step.statement().range;
    let mut edits = vec![Edit::replace(start..start, format!("if ({condition}) "))];
    if would_take_an_else(source, step) {
        edits[0].text.insert_str(0, "{ ");
        edits.push(Edit::replace(end..end, " }"));
    }
    edits
}

/// `<` for `<=`, a guard, a larger array.
pub fn bounds(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let Some(line) = finding.lines.first() else { return Vec::new() };
    let Some(spot) = spot(source, *line) else { return Vec::new() };
    let function = &source.functions[spot.function];
    let path = function.path_of(spot.place);
    let Some(step) = path.last().copied() else { return Vec::new() };
    let mut all: Vec<Candidate> =
        path.iter().rev().filter_map(|step| smaller(source, step.statement())).collect();
    let text = text_of(source, step.statement());
    let indices = subscripts(text);
    let is_statement = Assignment::of(text).is_some() || text.contains("atomic") && !text.contains('=');
    for (_, index) in indices.iter().filter(|_| matches!(step.statement().kind, Kind::Plain)) {
        let limits = finding.limits.iter().filter(|limit| !mentions(index, limit));
        let limits = limits.map(|limit| format!("{index} < {limit}"));
        let from_below = index.split_once('-').map(|(a, b)| format!("{} >= {}", a.trim(), b.trim()));
        let both_ends = from_below
            .iter()
            .flat_map(|below| from_above(&indices, finding).map(move |above| format!("{below} && {above}")));
        let conditions: Vec<String> = from_below.iter().cloned().chain(both_ends).chain(limits).collect();
        for condition in conditions {
            all.push(if is_statement {
                let says = format!("put {}", guarded(source, step, &condition));
                Candidate::new(says, guard(source, step, &condition))
            } else {
                let place = Place::before(source, Gap { list: step.list, index: step.index });
                place.candidate(source, &format!("if (!({condition})) return;"))
            });
        }
    }
    all.extend(ends::zeros(source, step, finding));
    all.extend(ends::clamped(source, step, finding));
    all.extend(
        indices.iter().flat_map(|element| ends::elements_for_bytes(source, step.statement(), *element)),
    );
    for (array, _) in &indices {
        all.extend(larger(source, function.body.range.clone(), array));
    }
    all
}

/// The conditions that keep an index such as `i + 1` below the number of elements: `i + 1 < n`.
fn from_above<'a>(
    indices: &'a [(&'a str, &'a str)],
    finding: &'a Finding,
) -> impl Iterator<Item = String> + Clone + 'a {
    let above = indices.iter().filter(|(_, index)| index.contains('+') && !index.contains('-'));
    above.flat_map(|(_, index)| finding.limits.iter().map(move |limit| format!("{index} < {limit}")))
}

/// The condition of a loop or an `if` with `<` for its `<=`.
fn smaller(source: &Source, statement: &Statement) -> Option<Candidate> {
    let (Kind::Loop { head: range, .. } | Kind::If { condition: range, .. }) = &statement.kind else {
        return None;
    };
    let at = range.start + source.text[range.clone()].find("<=")?;
    let line = source.lines.line(at);
    let edits = vec![Edit::replace(at..at + 2, "<")];
    Some(Candidate::new(format!("put `<` in place of `<=` in line {line}"), edits))
}

/// `float tile[64 + 1]`
fn larger(source: &Source, within: Range<usize>, array: &str) -> Option<Candidate> {
    let (size, _) = declared(source, within, array)?;
    let own = source.text[size.clone()].trim();
    let line = source.lines.line(size.start);
    let larger = format!("{own} + 1");
    let says = format!("give `{array}` one element more: `{array}[{larger}]` in line {line}");
    Some(Candidate::new(says, vec![Edit::replace(size, larger)]))
}

/// Where the size of an array stands that is declared here, and whether it is shared memory.
fn declared(source: &Source, within: Range<usize>, array: &str) -> Option<(Range<usize>, bool)> {
    let tokens: Vec<_> = placed(&source.text[within.clone()]).into_iter().collect();
    let number = tokens.windows(3).position(|three| {
        matches!(three[0].1, Token::Word(word) if word != "return")
            && three[1].1.is_word(array)
            && three[2].1.is_mark("[")
    })?;
    let open = within.start + tokens[number + 2].0;
    let close = tokens[number + 3..].iter().find(|(_, token)| token.is_mark("]"))?.0 + within.start;
    let before =
        tokens[..number].iter().rev().take_while(|(_, token)| !token.is_mark(";") && !token.is_mark("{"));
    let is_shared = before.into_iter().any(|(_, token)| token.is_word("__shared__"));
    (close > open + 1).then_some((open + 1..close, is_shared))
}

/// A value before the first read.
pub fn initial(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let steps = steps(source, finding);
    let updates = |step: &Step| {
        let text = text_of(source, step.statement());
        text.contains("atomic") || Assignment::of(text).is_some_and(|found| found.operator.is_some())
    };
    // What is only read has to come from somewhere.
    let is_updated = steps.iter().any(updates);
    let mut all = if is_updated { host::set_to_zero(source, finding) } else { Vec::new() };
    for step in steps {
        let Some(function) = source.function_at(step.statement().range.start) else { continue };
        for name in names(source, &step) {
            all.extend(of_the_block(source, function.body.range.clone(), name));
            all.extend(scalar(source, function.body.range.clone(), name));
            // 0 changes a sum in nothing, but a minimum or a maximum.
            if !compares(source, function, name) {
                all.extend(stores(source, function.list().statements, name));
                all.extend(shared(source, function, name));
            }
        }
    }
    all.extend(super::barriers::missing(source, finding));
    all
}

/// A first value for each variable of a statement that has none: what only some threads set is anything in
/// the others.
pub fn first_values(source: &Source, finding: &Finding) -> Vec<Candidate> {
    let mut all = Vec::new();
    for step in steps(source, finding) {
        let place = step.statement().range.start;
        let Some(function) = source.function_at(place) else { continue };
        let within = &function.body.range;
        all.extend(names(source, &step).into_iter().filter_map(|name| scalar(source, within.clone(), name)));
    }
    all
}

/// The words of a statement.
fn names<'a>(source: &Source<'a>, step: &Step) -> Vec<&'a str> {
    let tokens = placed(text_of(source, step.statement()));
    let mut names: Vec<&str> = tokens.iter().filter_map(|(_, token)| token.word()).collect();
    names.dedup();
    names
}

/// Whether a function takes the smaller or the larger of two values somewhere, or compares two elements of
/// `name`.
fn compares(source: &Source, function: &Function, name: &str) -> bool {
    const NAMES: [&str; 8] = ["min", "max", "fmin", "fmax", "fminf", "fmaxf", "atomicMin", "atomicMax"];
    let tokens = placed(&source.text[function.body.range.clone()]);
    let is_asked = |(at, (_, token)): (usize, &(usize, Token))| {
        let mut depth = 0;
        let is_condition = |token: &&Token| {
            depth += i32::from(token.is_mark("(")) - i32::from(token.is_mark(")"));
            depth > 0
        };
        let rest = tokens[at + 1..].iter().map(|(_, token)| token);
        token.is_word("if") && rest.take_while(is_condition).filter(|token| token.is_word(name)).count() > 1
    };
    tokens.iter().any(|(_, token)| NAMES.iter().any(|name| token.is_word(name)))
        || tokens.iter().enumerate().any(is_asked)
}

/// `__shared__ float sums[256];` for `float sums[256];`, of which each thread has its own.
fn of_the_block(source: &Source, within: Range<usize>, name: &str) -> Option<Candidate> {
    let mut tokens = placed(&source.text[within.clone()]);
    tokens.retain(|(_, token)| *token != Token::LineEnd);
    let number = tokens.windows(2).position(|two| two[0].1.is_word(name) && two[1].1.is_mark("["))?;
    let ends = |(_, token): &(usize, Token)| [";", "{", "}"].iter().any(|mark| token.is_mark(mark));
    let first = tokens[..number].iter().rposition(ends)? + 1;
    let words = &tokens[first..number];
    let is_type = |(_, token): &(usize, Token)| token.word().is_some_and(|word| word != "return");
    let is_declared = !words.is_empty() && words.iter().all(is_type);
    let has_place = words.iter().any(|(_, token)| token.is_word("__shared__") || token.is_word("static"));
    let mut rest = tokens[number..].iter().map(|(_, token)| token).take_while(|token| !token.is_mark(";"));
    if !is_declared || has_place || rest.any(|token| token.is_mark("=")) {
        return None;
    }
    let start = within.start + tokens[first].0;
    let line = source.lines.line(start);
    let says = format!("declare `{name}` as `__shared__` in line {line}, for all threads of the block");
    Some(Candidate::new(says, vec![Edit::replace(start..start, "__shared__ ")]))
}

/// `float sum = 0;` for `float sum;`
fn scalar(source: &Source, within: Range<usize>, name: &str) -> Option<Candidate> {
    let tokens = placed(&source.text[within.clone()]);
    let number = tokens.windows(3).position(|three| {
        matches!(three[0].1, Token::Word(word) if word != "return" && word != "__shared__")
            && three[1].1.is_word(name)
            && three[2].1.is_mark(";")
    })?;
    let is_shared = tokens[..number]
        .iter()
        .rev()
        .take_while(|(_, token)| !token.is_mark(";"))
        .any(|(_, token)| token.is_word("__shared__"));
    let end = within.start + tokens[number + 2].0;
    let line = source.lines.line(end);
    let says = format!("give `{name}` a first value: `{name} = 0` in line {line}");
    (!is_shared).then(|| Candidate::new(says, vec![Edit::replace(end..end, " = 0")]))
}

/// `x[t] = t < n ? in[t] : 0;` for a store of only some threads.
fn stores(source: &Source, statements: &[Statement], name: &str) -> Vec<Candidate> {
    let mut all = Vec::new();
    for statement in statements {
        for list in statement.lists() {
            all.extend(stores(source, list.statements, name));
        }
        let Kind::If { condition, then, otherwise: None } = &statement.kind else { continue };
        let inner = match &then.kind {
            Kind::Block(only) if only.len() == 1 => &only[0],
            _ => &**then,
        };
        let Some(own) = Assignment::of(text_of(source, inner)) else { continue };
        if own.base() != name || own.operator.is_some() || own.left == name {
            continue;
        }
        let condition = source.text[condition.clone()].trim();
        // What is there already stays where the condition asks for it.
        if mentions(condition, name) || mentions(own.right, name) {
            continue;
        }
        let text = format!("{} = {condition} ? {} : 0;", own.left, own.right);
        let line = line_of(source, statement);
        let says = format!("let every thread write: `{text}` in line {line}, in place of the `if`");
        all.push(Candidate::new(says, vec![Edit::replace(statement.range.clone(), text)]));
    }
    all
}

/// Shared memory that is set to zero, and a barrier after it.
fn shared(source: &Source, function: &Function, name: &str) -> Option<Candidate> {
    let list = function.list();
    let is_it = |statement: &Statement| {
        let text = text_of(source, statement);
        text.starts_with("__shared__") && mentions(text, name)
    };
    let index = list.statements.iter().position(is_it)?;
    let last =
        list.statements[index..].iter().take_while(|s| text_of(source, s).starts_with("__shared__")).count();
    let zero = match declared(source, list.statements[index].range.clone(), name) {
        Some((size, _)) => {
            let size = source.text[size].trim();
            format!("for (int i = threadIdx.x; i < {size}; i += blockDim.x) {name}[i] = 0;")
        }
        None => format!("if (threadIdx.x == 0) {name} = 0;"),
    };
    let place = Place::after(source, Gap { list, index: index + last });
    Some(place.candidate(source, &format!("{zero} __syncthreads();")))
}
