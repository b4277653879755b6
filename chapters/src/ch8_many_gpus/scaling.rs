//! What more GPUs would give, as a model beside what two gave.

use anyhow::Result;
use workbook::record::chart::{self, Against, Chart, Point, Quantity, Scale, Series, Style, Vertical, plot};
use workbook::record::{Record, Run};
use workbook::text::number::{size, three_digits};

/// How many times as fast as one GPU.
const SCALING: Quantity = Quantity {
    name: "scaling",
    title: "Speed",
    axis: "times as fast as one GPU; dashed: a model",
    words: |value| format!("{} times", three_digits(value)),
    scale: Scale::decades,
    vertical: Vertical::Linear,
};

/// The sizes that are drawn: one where the memory is all, and one where the launches count.
const SIZES: [u64; 2] = [1 << 30, 1 << 26];

/// Times of one GPU and of several, as a model has them. Of n elements on G GPUs it is
/// `start + n / (G · rate) + (G - 1) · further`.
struct Model {
    /// Microseconds of one GPU that has next to nothing to do.
    start: f64,
    /// Elements per microsecond, when there are many.
    rate: f64,
    /// Microseconds that each further GPU adds, if all have as much as one had.
    further: f64,
}

impl Model {
    /// The three numbers, out of the record of one GPU and of two; `None` if it lacks one.
    fn of(record: &Record) -> Option<Model> {
        let [small, half, large] = [1 << 20, 1 << 28, 1 << 30].map(|n| time(record, "oneGpu", n));
        let small = small?;
        let half = half?;
        let large = large?;
        let further = time(record, "intoPeerByThreads", 1 << 21)? - small;
        Some(Model { start: small, rate: f64::from((1u32 << 30) - (1 << 28)) / (large - half), further })
    }

    /// Microseconds.
    fn time(&self, n: u64, gpus: u32) -> f64 {
        self.start + n as f64 / (f64::from(gpus) * self.rate) + f64::from(gpus - 1) * self.further
    }
}

/// After those of every record `scaling`: how many times as fast as one GPU two were, and what the model says
/// of up to eight.
pub fn charts(record: &Record, vertical: Vertical) -> Result<Vec<Chart>> {
    let mut charts = chart::charts(record, &[], vertical)?;
    let Some(model) = Model::of(record).filter(|_| record.device.gpus == Some(2)) else {
        return Ok(charts);
    };
    let mut lines = Vec::new();
    for (i, n) in SIZES.into_iter().enumerate() {
        let Some((one, two)) = time(record, "oneGpu", n).zip(time(record, "intoPeerByThreads", n)) else {
            continue;
        };
        let points = vec![Point::new(1.0, 1.0), Point::new(2.0, one / two)];
        lines.push(Series { name: format!("measured, n = {}", size(n)), style: Style::Kernel(i), points });
        let at = |gpus: u32| Point::new(gpus.into(), model.time(n, 1) / model.time(n, gpus));
        let points = [1, 2, 4, 8].map(at).to_vec();
        lines.push(Series { name: format!("model, n = {}", size(n)), style: Style::Limit, points });
    }
    if lines.is_empty() {
        return Ok(charts);
    }
    let against = Against {
        word: "GPUs",
        axis: "GPUs",
        scale: Scale::powers_of_two,
        detail: " · intoPeerByThreads".into(),
    };
    charts.push(plot(record, &SCALING, &against, lines)?);
    Ok(charts)
}

/// The median, in microseconds.
fn time(record: &Record, kernel: &str, n: u64) -> Option<f64> {
    let mut runs = record.runs.iter().chain(&record.sweep);
    let run: &Run = runs.find(|run| run.kernel == kernel && run.n == n)?;
    run.time_us.map(|time| time.median)
}
