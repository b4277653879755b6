//! The output of a process: stdout, stderr, the record's file, and how far it is.

use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use device::DeviceKind;
use kernel_compiler::build::Build;
use text::files::{check_place, lock, write_whole};
use text::path::shown;
use text::say;

use super::options::Options;
use super::output::Output;
use super::run::run_with;
use super::shape::Place;
use super::variant::Chapter;
use crate::record::chart::Vertical;
use crate::record::{Record, Run};
use crate::{kernels, what_if};

/// Runs `chapter` as the command line of this process says. Returns the exit status: 0, all agreed; 1, a
/// wrong sum or a diagnostic; 2, the command line or the environment is wrong.
pub fn run(chapter: &Chapter) -> ExitCode {
    let options = Options::parse_for(chapter);
    let mut terminal = Terminal { progress: None };
    let build = match there_is_room(chapter, &options).and_then(|()| wanted_build(chapter, &options)) {
        Ok(build) => build,
        Err(error) => {
            terminal.complain(&format!("error: {error:#}"));
            return say::status(2);
        }
    };
    say::status(run_with(chapter, build, &options, &mut terminal).status)
}

/// Sees that a record can be written.
fn there_is_room(chapter: &Chapter, options: &Options) -> Result<()> {
    let records = records_directory()?;
    let records = if options.record { records } else { records.join("local") };
    for kind in [DeviceKind::Gpu, DeviceKind::Sim, DeviceKind::Cpu] {
        let path = records.join(Record::file_name(chapter.stem, kind));
        check_place(&path).with_context(|| format!("no record can be written to {}", shown(&path)))?;
    }
    Ok(())
}

/// The build that is asked for in place of the chapter's own.
fn wanted_build(chapter: &Chapter, options: &Options) -> Result<Option<Build>> {
    if let Some(maker) = options.compiler {
        ensure!(!matches!(chapter.place, Place::Cpu), "{} has no kernel to compile", chapter.stem);
        return kernels::build_with(maker, chapter.stem).map(Some);
    }
    options.what_if.as_ref().map(|name| what_if_build(chapter.stem, name)).transpose()
}

/// The committed build of an edit of the chapter's kernels.
fn what_if_build(stem: &str, name: &str) -> Result<Build> {
    let root = crate::root()?;
    let edits = what_if::all(root)?;
    let of_chapter: Vec<_> = edits.iter().filter(|edit| edit.stem == stem).collect();
    if !of_chapter.iter().any(|edit| edit.name == name) {
        let names: Vec<_> = of_chapter.iter().map(|edit| edit.name.as_str()).collect();
        let there_are = if names.is_empty() { "there is none".into() } else { names.join(", ") };
        bail!("{stem} has no edit {name} in {}: {there_are}", what_if::FILE);
    }
    let path = root.join(what_if::path(stem, name));
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", shown(&path)))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not a build of a kernel", shown(&path)))
}

struct Terminal {
    progress: Option<Progress>,
}

/// Nobody may be reading any more (`| head`); the run goes on and leaves its record.
impl Output for Terminal {
    fn has_colour(&self) -> bool {
        say::has_colour(&stderr())
    }

    fn begin(&mut self, name: &str, done: u64, all: u64) {
        self.progress.get_or_insert_with(|| Progress::new(all)).show(done, || name.to_string());
    }

    fn end(&mut self) {
        self.progress = None;
    }

    fn keep(&mut self, chapter: &Chapter, options: &Options, record: &Record) -> Result<Option<String>> {
        // The book and the other runs are of the kernels as they stand.
        if options.what_if.is_some() || options.compiler.is_some() {
            Ok(None)
        } else {
            write(chapter, options, record).map(Some)
        }
    }
}

/// The environment variable that names another directory for records than `book/records`.
const RECORDS_DIR: &str = "WORKBOOK_RECORDS_DIR";

/// `book/records` of the checkout that this program was built from, or [`RECORDS_DIR`] in its place.
fn records_directory() -> Result<PathBuf> {
    let given = std::env::var_os(RECORDS_DIR).filter(|directory| !directory.is_empty());
    given.map_or_else(|| Ok(crate::root()?.join("book/records")), |given| Ok(PathBuf::from(given)))
}

/// Writes the record: with `--record` the committed one, whose charts the book draws; else the reader's own
/// with its charts, into which runs of the kernels named by `--kernel` are merged. Returns what it wrote.
///
/// # Errors
/// If a file cannot be written, or an older record cannot be read.
fn write(chapter: &Chapter, options: &Options, record: &Record) -> Result<String> {
    let records = records_directory()?;
    let doing = || {
        format!(
            "the runs were made, but no record of them was written; {RECORDS_DIR} may name another directory \
             for it"
        )
    };
    if options.record {
        let path = record.write(&records).with_context(doing)?;
        return Ok(format!("record  {}", from_here(&path)));
    }
    let local = records.join("local");
    let earlier = local.join(Record::file_name(chapter.stem, record.device.kind));
    // A run of another kernel may end at the same time, and each adds to what the other has written.
    std::fs::create_dir_all(&local)
        .with_context(|| format!("cannot create {}", shown(&local)))
        .with_context(doing)?;
    let _lock =
        lock(&earlier).with_context(|| format!("cannot lock {}", shown(&earlier))).with_context(doing)?;
    let mut note = String::new();
    let mut record = record.clone();
    if options.names_kernels() && earlier.exists() {
        let earlier = Record::read(&earlier).with_context(doing)?;
        if same_setting(&earlier, &record) {
            record = merged(chapter, earlier, record);
        } else {
            note = "the record of other code, another device or another seed is replaced\n".to_string();
        }
    }
    let path = record.write(&local).with_context(doing)?;
    let charts = (chapter.extras.charts)(&record, Vertical::Logarithmic)?;
    for chart in &charts {
        let path = path.with_extension(format!("{}.svg", chart.name));
        write_whole(&path, &chart.svg).with_context(|| format!("cannot write {}", shown(&path)))?;
    }
    let said = format!("{note}record  {}", from_here(&path));
    let names: Vec<_> = charts.iter().map(|chart| chart.name).collect();
    if names.is_empty() {
        return Ok(said);
    }
    let kind = record.device.kind.as_str();
    Ok(format!("{said}\ncharts  {}.{kind}.{{{}}}.svg, beside it", record.stem, names.join(",")))
}

/// Whether the runs of two records may stand in one.
fn same_setting(one: &Record, other: &Record) -> bool {
    (&one.source_hash, &one.device, one.seed) == (&other.source_hash, &other.device, other.seed)
}

/// `later` with the runs of `earlier` that it does not replace, in the order of the chapter's variants.
fn merged(chapter: &Chapter, earlier: Record, later: Record) -> Record {
    let key = |run: &Run| (run.kernel.clone(), run.n, run.block, run.grid);
    let new: Vec<_> = later.runs.iter().chain(&later.sweep).map(key).collect();
    let again = |old: &Run| new.contains(&key(old));
    let (at_n, others): (Vec<_>, Vec<_>) =
        earlier.runs.into_iter().filter(|run| !again(run)).partition(|run| run.n == later.n);
    let swept = earlier.sweep.into_iter().filter(|run| !again(run));
    let place = |run: &Run| chapter.variants.iter().position(|variant| variant.name == run.kernel);
    let sorted = |mut runs: Vec<Run>| {
        runs.sort_by_key(|run| place(run).unwrap_or(usize::MAX));
        runs
    };
    let runs = sorted([at_n, later.runs].concat());
    let sweep = sorted(others.into_iter().chain(swept).chain(later.sweep).collect());
    let ok = runs.iter().chain(&sweep).all(Run::as_expected);
    Record { runs, sweep, ok, ..later }
}

/// A path as seen from the working directory.
fn from_here(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    shown(path.strip_prefix(here).unwrap_or(path))
}

/// Clears the line.
const CLEAR: &str = "\r\x1b[2K";

/// A line on stderr that says how far a run is: after a second, and only where somebody watches. It goes when
/// this is dropped.
pub struct Progress {
    /// When the line is drawn next; `None` where nobody watches.
    next: Option<Instant>,
    drawn: bool,
    all: u64,
}

impl Progress {
    /// `all` things are to be done.
    pub fn new(all: u64) -> Progress {
        let next = say::is_lively(&stderr()).then(|| Instant::now() + Duration::from_secs(1));
        Progress { next, drawn: false, all }
    }

    /// `done` of them are; `words` says more. The line is drawn ten times per second at most, however often
    /// this is called.
    pub fn show(&mut self, done: u64, words: impl FnOnce() -> String) {
        if self.next.is_some_and(|next| Instant::now() >= next) {
            let words = say::visible(&words());
            let _ = write!(stderr(), "{CLEAR}{}", line(done, self.all, &words));
            self.next = Some(Instant::now() + Duration::from_millis(100));
            self.drawn = true;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn {
            let _ = write!(stderr(), "{CLEAR}");
        }
    }
}

fn line(done: u64, all: u64, words: &str) -> String {
    format!("{:.0} %  {words}", 100.0 * done.min(all) as f64 / all.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_run_says_how_far_it_is() {
        for (done, percent) in [(0, 0), (500, 50), (1000, 100), (2000, 100)] {
            assert_eq!(line(done, 1000, "n = 2^20"), format!("{percent} %  n = 2^20"));
        }
        assert_eq!(line(0, 0, ""), "0 %  ", "an empty run has a line as well");
    }
}
