//! Chapter 4.3's last rung beside CUB on rows that nobody chose: kinds, lengths, orders and sizes are drawn.
//! `cargo bench --bench ragged -- --record` keeps what it prints in `benches/ragged.txt`.

use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::Result;
use chapters::ch4_ragged::compare::Stage;
use chapters::ch4_ragged::cub::Cub;
use chapters::ch4_ragged::rows::{Rows, Summand};
use clap::Parser;
use workbook::device::{Device, DeviceChoice};
use workbook::kernels;
use workbook::reduction::data;
use workbook::text::columns::{Column, text_table};
use workbook::text::files::write_whole;
use workbook::text::number::{thousands, three_digits};
use workbook::text::say;

/// What is printed, from the repository root.
const FILE: &str = "benches/ragged.txt";
/// Sizes are drawn from 2^14 up to 2^28.
const LOGS: (f64, f64) = (14.0, 28.0);
/// The longest row that is asked for, but for giants.
const LONGEST: f64 = (1 << 20) as f64;
/// The least ratios that are listed.
const LISTED: usize = 12;
/// Sizes that are listed together: so many powers of two.
const GROUP: f64 = 2.0;

#[derive(Parser)]
#[command(about = "Chapter 4.3's last rung beside CUB on random kinds of rows; needs a GPU and CUB")]
struct Options {
    /// How many arrays
    #[arg(long, default_value_t = 300)]
    arrays: u32,
    /// What they are drawn from
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Nothing but this one of the large arrays, for ragged_ncu.py: 0, 1 or 2
    #[arg(long, value_parser = clap::value_parser!(u32).range(..3))]
    large: Option<u32>,
    /// Write benches/ragged.txt
    #[arg(long, conflicts_with = "large")]
    record: bool,
    /// What cargo adds
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    match compare(&Options::parse()) {
        Ok(()) => say::status(0),
        Err(error) => {
            say::err(&format!("error: {error:#}\n"));
            say::status(2)
        }
    }
}

fn compare(options: &Options) -> Result<()> {
    let device = Device::open(DeviceChoice::Auto)?;
    let info = device.info();
    if info.gpu.is_none() {
        say::out("the comparison with CUB measures times, and there is no usable GPU\n");
        return Ok(());
    }
    let root = workbook::root()?;
    let module = kernels::load(&device, "ch4_ragged")?;
    let cub = Cub::open(&device, root)?;
    let name = cub.name();
    let stage = Stage::new(&device, &module, Some(cub))?;
    let numbers = data::numbers(1 << LOGS.1 as u32, options.seed);
    let mut draw = Draw::new(options.seed, options.arrays);
    if let Some(one) = options.large {
        let (_, lengths) = large_rows(&mut draw, numbers.len() as u64).swap_remove(one as usize);
        stage.against_cub(&rows_of(&lengths, numbers.len() as u64)?, &i32::elements(&numbers))?;
        return Ok(());
    }
    let mut compared = Vec::new();
    for place in 0..options.arrays {
        compared.push(Compared::of(&stage, &mut Draw::new(options.seed, place), &numbers, place % 2 == 1)?);
    }
    let date = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let source = format!("on an {} on {} by benches/ragged.rs, beside {name}", info.name, &date[..10]);
    let told = told(options, &mut compared);
    let large = large(&stage, &mut draw, &numbers)?;
    let text = format!(
        "// Printed {source}\n// ANCHOR: drawn\n{told}// ANCHOR_END: drawn\n\
         // ANCHOR: large\n{large}// ANCHOR_END: large\n"
    );
    say::out(&text);
    if options.record {
        write_whole(&root.join(FILE), &text)?;
        say::out(&format!("Recorded in {FILE}.\n"));
    }
    Ok(())
}

/// Random numbers, one after another.
struct Draw {
    seed: u64,
    at: u64,
}

impl Draw {
    /// Those of array `place`.
    fn new(seed: u64, place: u32) -> Draw {
        Draw { seed, at: u64::from(place) << 32 }
    }

    /// Evenly from 0 to 1, without 1.
    fn unit(&mut self) -> f64 {
        self.at += 1;
        (data::bits(self.seed, self.at) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn among(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    /// With evenly distributed logarithm.
    fn scale(&mut self, least: f64, most: f64) -> f64 {
        least * (most / least).powf(self.unit())
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// How the lengths of rows are distributed.
#[derive(Clone, Copy)]
enum Kind {
    Equal(f64),
    Uniform(f64, f64),
    LogNormal { median: f64, sigma: f64 },
    Power { least: f64, exponent: f64 },
    Two { short: f64, long: f64, of_long: f64 },
    MostlyEmpty { of_others: f64, length: f64 },
    Giant { share: f64, others: f64 },
}

impl Kind {
    fn drawn(draw: &mut Draw, n: f64) -> Kind {
        let longest = LONGEST.min(n);
        match draw.among(7) {
            0 => Kind::Equal(draw.scale(1.0, longest).round()),
            1 => {
                let most = draw.scale(2.0, longest);
                Kind::Uniform(most * draw.unit(), most)
            }
            2 => Kind::LogNormal { median: draw.scale(1.0, longest / 64.0), sigma: 0.5 + 2.0 * draw.unit() },
            3 => Kind::Power { least: draw.scale(1.0, 64.0), exponent: 0.7 + draw.unit() },
            4 => {
                let short = draw.scale(1.0, longest / 4.0);
                Kind::Two { short, long: draw.scale(2.0 * short, longest), of_long: draw.scale(0.001, 0.5) }
            }
            5 => {
                let of_others = draw.scale(0.05, 0.5);
                Kind::MostlyEmpty { of_others, length: draw.scale(2.0 / of_others, 4096.0) }
            }
            _ => Kind::Giant { share: 0.1 + 0.8 * draw.unit(), others: draw.scale(1.0, longest / 16.0) },
        }
    }

    fn length(self, draw: &mut Draw) -> f64 {
        match self {
            Kind::Equal(length) | Kind::Giant { others: length, .. } => length,
            Kind::Uniform(least, most) => least + (most - least) * draw.unit(),
            Kind::LogNormal { median, sigma } => median * (sigma * draw.normal()).exp(),
            Kind::Power { least, exponent } => least * (1.0 - draw.unit()).powf(-1.0 / exponent),
            Kind::Two { short, long, of_long } => {
                if draw.unit() < of_long {
                    long
                } else {
                    short
                }
            }
            Kind::MostlyEmpty { of_others, length } => {
                if draw.unit() < of_others {
                    length
                } else {
                    0.0
                }
            }
        }
    }

    /// The lengths of all rows of `n` elements.
    fn lengths(self, draw: &mut Draw, n: u64) -> Vec<u32> {
        let mut left = n;
        let mut lengths = Vec::new();
        if let Kind::Giant { share, .. } = self {
            lengths.push((share * n as f64) as u32);
            left -= u64::from(lengths[0]);
        }
        while left > 0 {
            let length = (self.length(draw).round() as u64).min(left);
            lengths.push(length as u32);
            left -= length;
        }
        let last = lengths.len() - 1;
        if matches!(self, Kind::Giant { .. }) {
            lengths.swap(0, draw.among(last + 1)); // the giant stands anywhere
        }
        lengths
    }

    fn words(self) -> String {
        let whole = |length: f64| thousands(length.round() as i64);
        match self {
            Kind::Equal(length) => format!("equal, {}", whole(length)),
            Kind::Uniform(least, most) => format!("evenly from {} to {}", whole(least), whole(most)),
            Kind::LogNormal { median, sigma } => format!("log-normal, {}, sigma {sigma:.1}", whole(median)),
            Kind::Power { least, exponent } => format!("power law from {}, {exponent:.1}", whole(least)),
            Kind::Two { short, long, of_long } => {
                format!("{}, {:.1} % of them {}", whole(short), 100.0 * of_long, whole(long))
            }
            Kind::MostlyEmpty { of_others, length } => {
                format!("empty, {:.0} % of them {}", 100.0 * of_others, whole(length))
            }
            Kind::Giant { share, others } => format!("{}, one {:.0} % of all", whole(others), 100.0 * share),
        }
    }
}

/// One array, and what it took.
struct Compared {
    rows: String,
    n: u64,
    m: u32,
    type_name: &'static str,
    /// Microseconds of ours, and of CUB.
    times: [f64; 2],
}

impl Compared {
    fn of(stage: &Stage, draw: &mut Draw, numbers: &[i32], is_f32: bool) -> Result<Compared> {
        let n = (LOGS.0 + (LOGS.1 - LOGS.0) * draw.unit()).exp2() as u64;
        let kind = Kind::drawn(draw, n as f64);
        let mut lengths = kind.lengths(draw, n);
        let order = match draw.among(4) {
            0 => {
                lengths.sort_unstable_by(|a, b| b.cmp(a));
                ", longest first"
            }
            1 => {
                lengths.sort_unstable();
                ", longest last"
            }
            _ => "",
        };
        let rows = rows_of(&lengths, n)?;
        let numbers = &numbers[..n as usize];
        let times = if is_f32 {
            stage.against_cub(&rows, &f32::elements(numbers))?
        } else {
            stage.against_cub(&rows, &i32::elements(numbers))?
        };
        let type_name = if is_f32 { "f32" } else { "i32" };
        Ok(Compared { rows: format!("{}{order}", kind.words()), n, m: rows.count(), type_name, times })
    }

    /// CUB's time over ours.
    fn ratio(&self) -> f64 {
        self.times[1] / self.times[0]
    }
}

fn told(options: &Options, compared: &mut [Compared]) -> String {
    compared.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
    let Some(worst) = compared.first().map(Compared::ratio) else { return "no arrays\n".into() };
    let mean = geometric_mean(compared.iter());
    let behind = compared.iter().filter(|array| array.ratio() < 1.0).count();
    let count = compared.len();
    let seed = options.seed;
    let head = format!(
        "{count} arrays, seed {seed}: CUB's time over ours {mean:.2}, worst {worst:.2}, below 1: {behind}\n"
    );
    let listed = &compared[..count.min(LISTED)];
    let column = |title: &str, of: &dyn Fn(&Compared) -> String| Column::right(title, listed.iter().map(of));
    let worst_ones = [
        Column::left("rows", listed.iter().map(|array| array.rows.as_str())),
        column("n", &|array| thousands(array.n as i64)),
        column("m", &|array| thousands(array.m.into())),
        column("type", &|array| array.type_name.into()),
        column("ours, µs", &|array| three_digits(array.times[0])),
        column("CUB, µs", &|array| three_digits(array.times[1])),
        column("ratio", &|array| format!("{:.2}", array.ratio())),
    ];
    format!("{head}{}\n{}", text_table(&by_size(compared)), text_table(&worst_ones))
}

/// The names and the lengths of very short rows, of short and long ones in order, and of mostly empty ones.
fn large_rows(draw: &mut Draw, n: u64) -> Vec<(&'static str, Vec<u32>)> {
    let equal = Kind::Equal(3.0).lengths(draw, n);
    let mut power = Kind::Power { least: 2.0, exponent: 1.0 }.lengths(draw, n);
    power.sort_unstable_by(|a, b| b.cmp(a));
    let empty = Kind::MostlyEmpty { of_others: 0.1, length: 40.0 }.lengths(draw, n);
    vec![("equal, 3", equal), ("power law from 2, longest first", power), ("empty, 10 % of them 40", empty)]
}

/// The times of those at the largest size.
fn large(stage: &Stage, draw: &mut Draw, numbers: &[i32]) -> Result<String> {
    let n = numbers.len() as u64;
    let mut compared = Vec::new();
    for (words, lengths) in large_rows(draw, n) {
        let rows = rows_of(&lengths, n)?;
        let times = stage.against_cub(&rows, &i32::elements(numbers))?;
        compared.push(Compared { rows: words.into(), n, m: rows.count(), type_name: "i32", times });
    }
    let column =
        |title: &str, of: &dyn Fn(&Compared) -> String| Column::right(title, compared.iter().map(of));
    Ok(text_table(&[
        Column::left("rows", compared.iter().map(|array| array.rows.as_str())),
        column("n", &|array| thousands(array.n as i64)),
        column("m", &|array| thousands(array.m.into())),
        column("ours, µs", &|array| three_digits(array.times[0])),
        column("CUB, µs", &|array| three_digits(array.times[1])),
        column("TB/s of 4 n + 8 m bytes", &|array| {
            let bytes = 4.0 * array.n as f64 + 8.0 * f64::from(array.m);
            format!("{:.2}", bytes / array.times[0] * 1e-6)
        }),
    ]))
}

fn rows_of(lengths: &[u32], n: u64) -> Result<Rows> {
    let mut offsets = vec![0];
    offsets.extend(lengths.iter().scan(0, |end, length| {
        *end += length;
        Some(*end)
    }));
    Rows::new(offsets, n)
}

/// Count, mean and worst ratio of each group of sizes.
fn by_size(compared: &[Compared]) -> [Column; 4] {
    let group = |array: &Compared| ((array.n as f64).log2().floor() / GROUP) as u32;
    let groups: std::collections::BTreeSet<u32> = compared.iter().map(group).collect();
    let each = |of: &dyn Fn(Vec<&Compared>) -> String| -> Vec<String> {
        groups
            .iter()
            .map(|wanted| of(compared.iter().filter(|array| group(array) == *wanted).collect()))
            .collect()
    };
    let least = groups.iter().map(|group| format!("2^{}", group * GROUP as u32));
    [
        Column::left("n from", least),
        Column::right("arrays", each(&|arrays| arrays.len().to_string())),
        Column::right(
            "CUB's time over ours",
            each(&|arrays| format!("{:.2}", geometric_mean(arrays.into_iter()))),
        ),
        Column::right("worst", each(&|arrays| format!("{:.2}", arrays[0].ratio()))),
    ]
}

fn geometric_mean<'a>(compared: impl ExactSizeIterator<Item = &'a Compared>) -> f64 {
    let count = compared.len() as f64;
    (compared.map(|array| array.ratio().ln()).sum::<f64>() / count).exp()
}
