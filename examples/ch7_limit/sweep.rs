//! The sweep behind the table of `choice.rs`: what `cargo bench --bench limit` measures,
//! as JSON and as the tables that the book shows.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use workbook::build::kernels;
use workbook::build::prebuilt;
use workbook::number::{power_of_two, raised, thousands, three_digits};
use workbook::record::columns::{Column, markdown_table};
use workbook::record::{DeviceInfo, read_json, write_json};

use super::comparison::NOTHING;

/// The committed measurement, from the repository root.
pub const FILE: &str = "benches/limit.json";

/// The candidates, from the repository root.
pub const SOURCE: &str = "kernels/libraries/tune.cu";

/// Version of the JSON layout.
pub const SCHEMA: u32 = 2;

/// One run of `cargo bench --bench limit`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// [`SCHEMA`] when it was written.
    pub schema: u32,
    /// UTC, RFC 3339, to the second.
    pub date: String,
    /// Where it was measured.
    pub device: DeviceInfo,
    /// Identity of the candidates: [`source_hash`].
    pub source_hash: String,
    /// By type, then by size.
    pub sizes: Vec<Size>,
}

/// All candidates of one type, at one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Size {
    /// `i32`, `f32` or `i64`.
    pub element: String,
    /// Elements in the array.
    pub n: u64,
    /// Candidates in the first round, each in one shape.
    pub tried: u32,
    /// The second round: the best of the first, the best of each way, and an empty kernel.
    pub contenders: Vec<Contender>,
}

/// Medians in microseconds, by the three measures of [`super::timing`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contender {
    /// A kernel of [`SOURCE`] or [`NOTHING`].
    pub kernel: String,
    /// How a candidate works; `None` for what it is compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way: Option<Way>,
    /// Threads per block; 0 if unknown.
    pub block: u32,
    /// Blocks; 0 if unknown.
    pub grid: u32,
    /// The work alone, per call.
    pub alone: f64,
    /// One call with a cold cache.
    pub cold: f64,
    /// One call with a warm cache.
    pub warm: f64,
}

/// How a candidate makes its sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Way {
    /// How it loads the elements.
    pub load: Load,
    /// How it adds up the blocks' partial sums.
    pub finish: Finish,
}

/// How 16 bytes are loaded: `Load` of `kernels/ch7_limit.cu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Load {
    /// As data that nobody writes: `__ldg`.
    ReadOnly,
    /// As data that is read once: `__ldcs`.
    Streaming,
    /// With `L1::no_allocate`.
    PassL1,
    /// The same, with 256 bytes fetched into L2 at a time.
    PassL1By256,
}

/// How the partial sums of the blocks become one: `Way` of [`SOURCE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Finish {
    /// There is a single block.
    Alone,
    /// Each block adds its digits, with a count, to words in memory.
    InDigits,
    /// The last block waits for the others' sums, one slot each.
    Gather,
    /// The last block to take a ticket adds up the others' sums.
    Ticket,
    /// The blocks are one cluster and read each other's shared memory.
    Cluster,
}

/// The rows of a table: each way, and what the page calls it.
pub const WAYS: [(Way, &str); 8] = [
    (Way { load: Load::ReadOnly, finish: Finish::Alone }, "one block"),
    (Way { load: Load::ReadOnly, finish: Finish::InDigits }, "digits"),
    (Way { load: Load::ReadOnly, finish: Finish::Gather }, "slots"),
    (Way { load: Load::ReadOnly, finish: Finish::Ticket }, "ticket"),
    (Way { load: Load::ReadOnly, finish: Finish::Cluster }, "cluster of 8"),
    (Way { load: Load::PassL1, finish: Finish::InDigits }, "— past L1"),
    (Way { load: Load::Streaming, finish: Finish::InDigits }, "— streaming"),
    (Way { load: Load::PassL1By256, finish: Finish::InDigits }, "— 256 bytes"),
];

/// Of the candidates' source without its comments, and of chapter 7's code, as this was compiled.
pub fn source_hash() -> String {
    let source = include_str!("../../kernels/libraries/tune.cu").lines();
    let mut code: String =
        source.map(|line| format!("{}\n", line.split("//").next().unwrap_or_default().trim())).collect();
    code +=
        kernels::all().iter().find(|build| build.stem == "ch7_limit").map_or("", |build| &*build.code_hash);
    prebuilt::text_hash(&code)
}

impl Sweep {
    /// Reads a measurement.
    pub fn read(path: &Path) -> Result<Sweep> {
        read_json(path, SCHEMA)
            .context("make it anew, with a GPU and nvcc: cargo bench --bench limit -- --record")
    }

    /// Writes the measurement.
    pub fn write(&self, path: &Path) -> Result<()> {
        write_json(self, path)
    }

    /// The least time of the work alone for each way and size of `element`, as a Markdown table that also
    /// reads in a terminal. Ends in a newline.
    pub fn markdown(&self, element: &str) -> Result<String> {
        let sizes: Vec<&Size> = self.sizes.iter().filter(|size| size.element == element).collect();
        ensure!(!sizes.is_empty(), "the sweep has no sizes of {element}");
        let mut rows: Vec<(&str, Vec<String>)> = Vec::new();
        let mut row = |name, cell: &dyn Fn(&Size) -> Option<String>| {
            let cells: Vec<_> = sizes.iter().map(|size| cell(size)).collect();
            if cells.iter().any(Option::is_some) {
                rows.push((name, cells.into_iter().map(Option::unwrap_or_default).collect()));
            }
        };
        let named =
            |size: &Size, kernel: &str| least(size, |other| other.kernel == kernel).map(|(time, _)| time);
        row("an empty kernel", &|size| named(size, NOTHING).map(three_digits));
        let best = |size: &Size| {
            least(size, |other| other.way.is_some()).map(|(time, best)| (time, best.block, best.grid))
        };
        for (way, name) in WAYS {
            row(name, &|size| {
                let (time, _) = least(size, |other| other.way == Some(way))?;
                let text = three_digits(time);
                Some(if best(size)?.0 == time { format!("**{text}**") } else { text })
            });
        }
        row("threads of the best", &|size| Some(best(size)?.1.to_string()));
        row("its blocks", &|size| Some(thousands(best(size)?.2.into())));
        let mut columns = vec![Column::left(&format!("`{element}`"), rows.iter().map(|(name, _)| *name))];
        columns.extend(sizes.iter().enumerate().map(|(i, size)| {
            Column::right(
                &raised(&power_of_two(size.n as f64)),
                rows.iter().map(|(_, cells)| cells[i].as_str()),
            )
        }));
        Ok(markdown_table(&columns))
    }
}

/// The contender with the least time of the work alone among those that are `right`.
fn least(size: &Size, right: impl Fn(&Contender) -> bool) -> Option<(f64, &Contender)> {
    let all = size.contenders.iter().filter(|contender| right(contender));
    all.map(|contender| (contender.alone, contender)).min_by(|a, b| a.0.total_cmp(&b.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbook::record::DeviceKind;

    #[test]
    fn a_row_has_the_least_time_of_its_way_and_the_best_of_all_is_bold() {
        let contender = |way, grid, alone| Contender {
            kernel: "candidate".to_string(),
            way: Some(way),
            block: 128,
            grid,
            alone,
            cold: 5.0,
            warm: 5.0,
        };
        let in_digits = Way { load: Load::ReadOnly, finish: Finish::InDigits };
        let gather = Way { load: Load::ReadOnly, finish: Finish::Gather };
        let other = |kernel: &str, alone| Contender {
            kernel: kernel.to_string(),
            way: None,
            ..contender(gather, 0, alone)
        };
        let at = |n, digits| Size {
            element: "f32".into(),
            n,
            tried: 1234,
            contenders: vec![
                other("doNothing", 0.57),
                contender(gather, 16, 2.1),
                contender(gather, 32, 2.2),
                contender(in_digits, 16, digits),
                contender(Way { load: Load::PassL1, finish: Finish::InDigits }, 16, 12.34),
            ],
        };
        let sizes = vec![at(1 << 16, 1.987), at(1 << 18, 2.345)];
        let sweep = Sweep {
            schema: SCHEMA,
            date: "2025-01-02T03:04:05Z".into(),
            device: DeviceInfo::new(DeviceKind::Gpu, "a GPU"),
            source_hash: "0".into(),
            sizes,
        };
        let text = sweep.markdown("f32").unwrap();
        for line in [
            "| `f32` | 2¹⁶ | 2¹⁸ |",
            "| an empty kernel | 0.57 | 0.57 |",
            "| digits | **1.99** | 2.35 |",
            "| slots | 2.10 | **2.10** |",
            "| — past L1 | 12.3 | 12.3 |",
            "| threads of the best | 128 | 128 |",
            "| its blocks | 16 | 16 |",
        ] {
            let cells = |line: &str| line.split_whitespace().map(str::to_string).collect::<Vec<_>>();
            assert!(text.lines().any(|other| cells(other) == cells(line)), "{line} is not in:\n{text}");
        }
        assert!(!text.contains("ticket"), "{text}");
        assert!(sweep.markdown("i32").unwrap_err().to_string().contains("no sizes of i32"));
    }
}
