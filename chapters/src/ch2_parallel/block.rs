//! A small block at work: its threads above, the elements below, and arrows between them.

use workbook::sim::Kind;
use workbook::sim::trace::Trace;
use workbook::view::{Drawing, Frame, Looks, Track, arrow};

use super::moments::{Access, Moment, moments, who};

const LEFT: f64 = 14.0;
const PITCH: f64 = 42.0;
const BOX: f64 = 36.0;
const THREADS: f64 = 24.0;
const ELEMENTS: f64 = 132.0;

fn middle(column: u64) -> f64 {
    LEFT + PITCH * column as f64 + BOX / 2.0
}

/// The drawing for `threads` threads over as many elements; the arrows are those of all `traces`.
pub fn drawing(threads: u32, traces: &[&Trace], words: &str) -> Drawing {
    let mut drawing = Drawing::new(360.0, 236.0, words);
    drawing.text("start quiet", (LEFT, 15.0), "threads");
    for thread in 0..threads {
        let x = LEFT + PITCH * f64::from(thread);
        drawing.keyed_rect(&format!("t{thread}"), "thread", (x, THREADS), (BOX, 28.0));
        drawing.text("name", (x + BOX / 2.0, THREADS + 19.0), &format!("t{thread}"));
    }
    let mut drawn = Vec::new();
    for moment in traces.iter().flat_map(|trace| moments(trace)) {
        for (sort, access) in sorted(&moment).filter(|(_, access)| access.buffer == 0) {
            let key = key(sort, access);
            if !drawn.contains(&key) {
                let above = (middle(access.thread.into()), THREADS + 28.0);
                let below = (middle(access.element), ELEMENTS);
                let path = if sort == 'r' { arrow(below, above) } else { arrow(above, below) };
                drawing.keyed_path(&key, "off", &path);
                drawn.push(key);
            }
        }
    }
    for element in 0..u64::from(threads) {
        let x = LEFT + PITCH * element as f64;
        drawing.keyed_rect(&format!("e{element}"), "element", (x, ELEMENTS), (BOX, 32.0));
        drawing.keyed_text(&format!("v{element}"), "value", (x + BOX / 2.0, ELEMENTS + 21.0), "");
        drawing.text("quiet", (x + BOX / 2.0, ELEMENTS + 48.0), &element.to_string());
    }
    drawing.text("start quiet", (LEFT, ELEMENTS + 64.0), "elements");
    let middle = (THREADS + 28.0 + ELEMENTS) / 2.0;
    drawing.keyed_path(
        "barrier",
        "off",
        &format!("M{LEFT} {middle}H{}", LEFT + PITCH * f64::from(threads) - 6.0),
    );
    drawing.keyed_text("here", "off", (180.0, middle - 8.0), "");

    drawing.keyed_text("verdict", "verdict", (180.0, ELEMENTS + 92.0), "");
    drawing
}

fn sorted(moment: &Moment) -> impl Iterator<Item = (char, &Access)> {
    let reads = moment.reads.iter().map(|access| ('r', access));
    reads.chain(moment.writes.iter().map(|access| ('w', access)))
}

fn key(sort: char, access: &Access) -> String {
    format!("{sort}{}-{}", access.thread, access.element)
}

/// A read that comes before the write that it should have seen, in the same step.
#[derive(Clone, Copy, Debug)]
pub struct Clash {
    pub read: Access,
    pub write: Access,
}

/// The first element that a thread reads although another will still write it before the next barrier.
pub fn clash(all: &[Moment]) -> Option<Clash> {
    for (at, moment) in all.iter().enumerate() {
        for read in moment.reads.iter().filter(|read| read.buffer == 0) {
            let later = all[at + 1..].iter().take_while(|later| later.opens.is_none());
            let write = later.flat_map(|later| &later.writes).find(|write| {
                (write.buffer, write.element) == (0, read.element) && write.thread != read.thread
            });
            if let Some(write) = write {
                return Some(Clash { read: *read, write: *write });
            }
        }
    }
    None
}

/// The state of the block while its moments are told.
struct Stage {
    values: Vec<u64>,
    waiting: Vec<u32>,
    clash: Option<Clash>,
    /// A race that the sum does not show.
    by_luck: bool,
    expected: u64,
}

/// The moments of a trace as frames. `listing` are lines of the source.
pub fn track(label: &str, trace: &Trace, threads: u32, listing: Vec<(u32, String)>) -> Track {
    let all = moments(trace);
    let values: Vec<u64> = (1..=u64::from(threads)).collect();
    let mut stage = Stage {
        expected: values.iter().sum(),
        values,
        waiting: Vec::new(),
        clash: clash(&all),
        by_luck: trace.findings.iter().any(|found| found.kind == Kind::DataRace),
    };
    let mut frames = vec![stage.frame(&Moment::default(), "The numbers 1 to 8. Nothing has been added yet.")];
    for moment in &all {
        let frame = stage.moment(moment, threads);
        frames.push(frame);
    }
    let message = trace.findings.first().map(|found| format!("{}: {}", found.kind, found.message()));
    let happens = |moment: &Moment| {
        let is_clash = stage.clash.is_some_and(|clash| moment.reads.contains(&clash.read));
        is_clash || moment.opens.is_some_and(|exited| exited > 0)
    };
    // Behind the frame before all of them; what no moment shows is told with the result.
    let found = all.iter().position(happens).map_or(all.len(), |moment| moment + 1);
    let found = message.is_some().then_some(found);
    Track { message, found, listing, ..Track::new(label, frames) }
}

impl Stage {
    fn moment(&mut self, moment: &Moment, threads: u32) -> Frame {
        let say = self.say(moment, threads);
        for write in moment.writes.iter().filter(|write| write.buffer == 0) {
            self.values[write.element as usize] = write.value;
        }
        self.waiting.extend(&moment.arrive);
        let mut frame = self.frame(moment, &say);
        if moment.opens.is_some() {
            self.waiting.clear();
            frame = self.frame(moment, &say);
        }
        if let Some(sum) = moment.writes.iter().find(|write| write.buffer == 1) {
            self.verdict(&mut frame, sum.value);
        }
        frame
    }

    fn frame(&self, moment: &Moment, say: &str) -> Frame {
        let mut frame = Frame { say: say.to_string(), line: moment.line, looks: Looks::default() };
        for (element, value) in self.values.iter().enumerate() {
            frame.words(&format!("v{element}"), value);
        }
        if !self.waiting.is_empty() {
            frame.class("barrier", "barrier");
            frame.class("here", "strong");
            frame.words("here", format!("{} of {} at the barrier", self.waiting.len(), self.values.len()));
        }
        for thread in &self.waiting {
            frame.class(&format!("t{thread}"), "thread waits");
        }
        for thread in moment.threads.iter().filter(|thread| !moment.arrive.contains(thread)) {
            frame.class(&format!("t{thread}"), "thread works");
        }
        for (sort, access) in sorted(moment).filter(|(_, access)| access.buffer == 0) {
            let (class, element) =
                if sort == 'r' { ("read", "element") } else { ("write", "element written") };
            frame.class(&key(sort, access), class);
            frame.class(&format!("e{}", access.element), element);
        }
        self.show_clash(moment, &mut frame);
        frame
    }

    fn show_clash(&self, moment: &Moment, frame: &mut Frame) {
        let Some(Clash { read, write }) = self.clash else { return };
        for (sort, access) in [('r', read), ('w', write)] {
            let here = sorted(moment).any(|(s, a)| s == sort && *a == access);
            if here {
                frame.class(&key(sort, &access), "bad");
                frame.class(&format!("e{}", access.element), "element bad");
            }
        }
    }

    fn say(&self, moment: &Moment, threads: u32) -> String {
        if let Some(exited) = moment.opens {
            return match exited {
                0 => {
                    format!("All {threads} are here: the barrier opens, and everyone sees what was written.")
                }
                _ => format!(
                    "The others never come; {exited} of them have ended. The barrier opens this time. \
                     Nothing promises that."
                ),
            };
        }
        if !moment.arrive.is_empty() {
            let here = self.waiting.len() + moment.arrive.len();
            let verb = if moment.arrive.len() == 1 { "arrives and waits" } else { "arrive and wait" };
            return format!("{} {verb}: {here} of {threads}.", who(&moment.arrive));
        }
        if let Some(sum) = moment.writes.iter().find(|write| write.buffer == 1) {
            return format!("{} writes the result: {}.", who(&moment.threads), sum.value);
        }
        let adds: Vec<String> = moment.writes.iter().filter_map(|write| sum(moment, write)).collect();
        let mut say = format!("{}: {}.", who(&moment.threads), adds.join(", "));
        if let Some(Clash { read, write }) = self.clash {
            if moment.reads.contains(&read) {
                say += &format!(
                    " It reads {} in element {} before thread {} has written {} there.",
                    read.value, read.element, write.thread, write.value
                );
            }
            if moment.writes.contains(&write) {
                say += &format!(" Too late for thread {}.", read.thread);
            }
        }
        say
    }

    fn verdict(&self, frame: &mut Frame, sum: u64) {
        let right = sum == self.expected;
        frame.words(
            "verdict",
            match (right, self.by_luck) {
                (true, false) => format!("sum {sum}"),
                (true, true) => format!("sum {sum}, by luck"),
                (false, _) => format!("sum {sum}, not {}", self.expected),
            },
        );
        frame.class("verdict", if right { "verdict right" } else { "verdict wrong" });
        // The end keeps in view what went wrong.
        if let Some(Clash { read, write }) = self.clash {
            frame.say += &format!(
                " Thread {} had read {} in element {}; thread {} wrote {} there later.",
                read.thread, read.value, read.element, write.thread, write.value
            );
            frame.class(&key('r', &read), "bad");
            frame.class(&key('w', &write), "bad");
            frame.class(&format!("e{}", read.element), "element bad");
        }
    }
}

/// `5 + 6 = 11`
fn sum(moment: &Moment, write: &Access) -> Option<String> {
    let mine: Vec<u64> =
        moment.reads.iter().filter(|read| read.thread == write.thread).map(|read| read.value).collect();
    match mine[..] {
        [one, other] => Some(format!("{one} + {other} = {}", write.value)),
        _ => None,
    }
}
