//! Rows and columns of a buffer, as a launch of two dimensions has its threads.

use super::number::Type;
use super::script::{Launch, Script, Value};
use super::shape::Shape;

/// That of a buffer of `script` with `count` elements: the threads of the first launch on it that has two
/// dimensions, but for those of the last blocks that its numbers leave out.
pub fn shape_of_launch(script: &Script, buffer: &str, count: u64) -> Option<Shape> {
    let is_on_it = |launch: &&Launch| {
        launch.args.iter().any(|arg| matches!(&arg.value, Value::Pointer(to) if to.buffer == buffer))
    };
    script.launches().filter(is_on_it).find_map(|launch| {
        let [columns, rows] = [sizes(launch, |(x, _, _)| x), sizes(launch, |(_, y, _)| y)];
        let all = rows.iter().flat_map(|rows| columns.iter().map(|columns| (*rows, *columns)));
        let (rows, columns) = all
            .filter(|(rows, columns)| *rows > 1 && *columns > 1)
            .find(|(r, c)| r.checked_mul(*c) == Some(count))?;
        Some(Shape { rows, columns, is_of_launch: true })
    })
}

/// How many elements a launch may mean along one dimension: all its threads, or a number that it is given and
/// that needs all its blocks.
fn sizes(launch: &Launch, along: impl Fn((u32, u32, u32)) -> u32) -> Vec<u64> {
    let block = u64::from(along(launch.config.block_dim));
    let threads = u64::from(along(launch.config.grid_dim)) * block;
    let number = |value: &Value| match value {
        Value::Number(Type::Signed(_) | Type::Unsigned(_), bits) => Some(*bits),
        _ => None,
    };
    let given = launch.args.iter().filter_map(|arg| number(&arg.value));
    std::iter::once(threads).chain(given.filter(|size| *size < threads && size + block > threads)).collect()
}
