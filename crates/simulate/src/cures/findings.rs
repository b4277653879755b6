//! What the simulator has found, as an edit may cure it.

use std::path::Path;

use cuda_source::cures::{Finding, Mistake, Sides};
use ptx_simulator::{Diagnostic, Kind, Region, Severity, Shape, What};
use text::number::thousands;

/// A finding as it is found again in another run.
pub type Wrong = (Kind, Vec<u32>);

/// What is wrong: its kind and its lines of `file`, in their order.
pub fn wrong(found: &[Diagnostic], file: &Path) -> Vec<Wrong> {
    found.iter().filter(|found| is_serious(found)).map(|found| identity(found, file)).collect()
}

/// What makes a finding the same in another run.
pub fn identity(found: &Diagnostic, file: &Path) -> Wrong {
    let mut lines = lines(found, file);
    lines.sort_unstable();
    lines.dedup();
    (found.kind, lines)
}

/// An error or a warning.
pub fn is_serious(found: &Diagnostic) -> bool {
    found.severity != Severity::Note
}

/// What an edit may cure: an error or a warning in a kernel of the reader's file. `numbers`: the names of
/// numbers in that kernel, with their values.
pub fn finding(found: &Diagnostic, file: &Path, numbers: &[(String, u64)]) -> Option<Finding> {
    let mistake = mistake(found)?;
    let lines = lines(found, file);
    let is_in_a_kernel = found.kernel.is_some() && !lines.is_empty();
    let is_limit = |value| elements(found).is_some_and(|elements| elements == value);
    let limits = numbers.iter().filter(|(_, value)| is_limit(*value)).map(|(name, _)| name.clone()).collect();
    let pairs = numbers.iter().flat_map(|rows| numbers.iter().map(move |columns| (rows, columns)));
    let is_shape = |((_, rows), (_, columns)): &(&(String, u64), &(String, u64))| {
        *rows > 1 && *columns > 1 && rows.checked_mul(*columns).is_some_and(is_limit)
    };
    let shapes = pairs.filter(is_shape).map(|((rows, _), (columns, _))| (rows.clone(), columns.clone()));
    let shapes = shapes.collect();
    (is_serious(found) && is_in_a_kernel).then_some(Finding { mistake, lines, limits, shapes })
}

/// How many elements the array has that an access is outside of.
fn elements(found: &Diagnostic) -> Option<u64> {
    let What::Outside { bytes, spot, .. } = found.what.plain() else { return None };
    let element = u64::from(spot.element.unwrap_or(*bytes));
    spot.size?.checked_div(element)
}

/// What to do where a thread accesses its own element of an array of shared memory that has fewer.
pub fn more_threads(found: &Diagnostic) -> Option<String> {
    let elements = elements(found)?;
    let What::Outside { spot, .. } = found.what.plain() else { return None };
    let [thread, 0, 0] = found.thread? else { return None };
    let name = spot.name.as_ref().filter(|_| matches!(spot.region, Region::Shared { .. }))?;
    let element = spot.byte.checked_div(spot.element?.into())?;
    (elements > 1 && element == i64::from(thread)).then(|| {
        format!(
            "the block has more threads than `{name}` has elements: launch at most {} threads per block, or \
             give it an element for each thread",
            thousands(elements as i64)
        )
    })
}

/// Lines before that of an access in which its index is compared, at most.
const LINES_OF_A_GUARD: usize = 3;

/// The number that an index is compared with, where the array has fewer elements: it may be that of another
/// array. `line`: that of the access in `source`; `numbers`: as [`finding`] has them.
pub fn number_beyond(
    found: &Diagnostic,
    (source, line): (&str, u32),
    numbers: &[(String, u64)],
) -> Option<String> {
    let elements = elements(found)?;
    let line = line as usize;
    let guards = source.lines().skip(line.saturating_sub(LINES_OF_A_GUARD)).take(LINES_OF_A_GUARD.min(line));
    let is_word = |text: &str, name: &str| {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
    };
    let is_asked = |name: &str| guards.clone().any(|text| text.contains('<') && is_word(text, name));
    let (name, value) = numbers.iter().find(|(name, value)| *value > elements && is_asked(name))?;
    let [value, elements] = [*value, elements].map(|number| thousands(number as i64));
    Some(format!(
        "`{name}` is {value} here, and the array has {elements} elements: is it the right number for it?"
    ))
}

/// The lines of `file` that a finding names, its own first.
fn lines(found: &Diagnostic, file: &Path) -> Vec<u32> {
    // The compiler names a file from the working directory, whatever the reader does.
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let is_here = |name: &str| whole(Path::new(name)) == whole(file);
    let own = found.line.filter(|_| found.file.as_deref().is_some_and(is_here));
    let related = found.related().into_iter().filter(|site| is_here(&site.file)).map(|site| site.line);
    own.into_iter().chain(related).collect()
}

fn mistake(found: &Diagnostic) -> Option<Mistake> {
    let sides = match found.shape {
        Some(Shape::SameWarp) => Sides::Lanes,
        Some(Shape::SameBlock | Shape::Overlap) => Sides::Block,
        Some(Shape::SameCluster) => Sides::Cluster,
        Some(Shape::OtherBlock) => Sides::Blocks,
        Some(Shape::TwoWriters) => Sides::Writers,
        Some(Shape::OtherGrid) => Sides::Grids,
        Some(Shape::ParentAndChild) => Sides::Family,
        Some(Shape::Lock) => Sides::Lock,
        Some(Shape::AsyncCopy) => return Some(Mistake::Copy),
        Some(Shape::OtherGpu | Shape::UnreadIndex | Shape::InHeader) | None => return kind(found.kind),
    };
    Some(Mistake::Race(sides))
}

/// The mistake of what is no race.
fn kind(kind: Kind) -> Option<Mistake> {
    match kind {
        Kind::BarrierDivergence => Some(Mistake::Divergence),
        Kind::OutOfBounds => Some(Mistake::OutOfBounds),
        Kind::UninitializedRead => Some(Mistake::Uninitialized),
        _ => None,
    }
}
