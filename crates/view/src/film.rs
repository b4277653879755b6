//! A film: a drawing in several frames, with words to each; on paper and without scripts one of its frames.

use serde_json::{Value, json};
use text::columns::escape;

use super::drawing::{Drawing, Look, Looks};

/// A moment.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// What happens, in a sentence.
    pub say: String,
    /// The line of the listing that runs.
    pub line: Option<u32>,
    /// How things look.
    pub looks: Looks,
}

impl Frame {
    /// Gives an item a class.
    pub fn class(&mut self, key: &str, class: &str) {
        self.looks.entry(key.to_string()).or_default().class = Some(class.to_string());
    }

    /// Gives a text other words.
    pub fn words(&mut self, key: &str, words: impl ToString) {
        self.looks.entry(key.to_string()).or_default().words = Some(words.to_string());
    }
}

/// One run.
#[derive(Clone, Debug)]
pub struct Track {
    /// Its name among the others.
    pub label: String,
    /// What the simulator says of it.
    pub message: Option<String>,
    /// The frame in which that happens: the message stands there from this one on, else always.
    pub found: Option<usize>,
    /// Lines of the source beside it: number from 1, text.
    pub listing: Vec<(u32, String)>,
    /// Its moments.
    pub frames: Vec<Frame>,
}

impl Track {
    /// A run without a listing, of which the simulator has nothing to say.
    pub fn new(label: impl Into<String>, frames: Vec<Frame>) -> Track {
        Track { label: label.into(), message: None, found: None, listing: Vec::new(), frames }
    }
}

/// Lines of a source, with their numbers; without the indent that they share and the book's `// ANCHOR`.
pub fn lines(source: &str, from: u32, to: u32) -> Vec<(u32, String)> {
    let is_shown = |(line, text): &(u32, &str)| {
        (from..=to).contains(line) && !text.trim_start().starts_with("// ANCHOR")
    };
    let all: Vec<_> = (1..).zip(source.lines()).filter(is_shown).collect();
    let indent = |text: &str| text.len() - text.trim_start().len();
    let written = all.iter().filter(|(_, text)| !text.trim().is_empty());
    let shared = written.map(|(_, text)| indent(text)).min().unwrap_or(0);
    all.into_iter().map(|(line, text)| (line, text.get(shared..).unwrap_or("").to_string())).collect()
}

/// Pixels for a unit of the drawing, where there is room: its text is as large as that of a page.
const SCALE: f64 = 1.5;

/// A drawing that moves.
#[derive(Clone, Debug)]
pub struct Film {
    /// For its address on the page.
    pub name: String,
    /// What is drawn.
    pub drawing: Drawing,
    /// The runs; the first is shown first.
    pub tracks: Vec<Track>,
    /// The frame of the first run that stands where nothing moves; none: the last.
    pub still: Option<usize>,
    /// What stands below, as HTML.
    pub caption: String,
    /// KIND and data for a script of the book that makes more of it, `book/src/live/film_KIND.js`.
    pub script: Option<(&'static str, serde_json::Value)>,
}

impl Film {
    /// A film whose last frame stands where nothing moves.
    pub fn new(name: &str, drawing: Drawing, tracks: Vec<Track>, caption: impl Into<String>) -> Film {
        Film { name: name.into(), drawing, tracks, still: None, caption: caption.into(), script: None }
    }

    /// The figure as HTML without blank lines. The player opens where something is found, else with the frame
    /// that stands where nothing moves.
    pub fn html(&self) -> String {
        let Some((kind, data)) = &self.script else { return self.figure() };
        let data = escape(&data.to_string());
        format!("<div data-film=\"{kind}\" data-of=\"{data}\">\n{}</div>\n", self.figure())
    }

    fn figure(&self) -> String {
        let first = &self.tracks[0];
        let at = self.still.unwrap_or(first.frames.len() - 1);
        let still = &first.frames[at];
        let moves = self.tracks.len() > 1 || first.frames.len() > 1;
        let mut html = format!("<figure class=\"film\" id=\"film-{}\">\n", self.name);
        if self.tracks.len() > 1 {
            html += &format!("<p class=\"film-run\">{}:</p>\n", escape(&first.label));
        }
        html += "<div class=\"film-stage\">\n";
        html += &self.drawing.svg(&still.looks, SCALE);
        html += &listing(first, still.line);
        html += "</div>\n";
        if moves {
            html += &format!("<p class=\"film-say\">{}</p>\n", escape(&still.say));
        }
        if let Some(message) = &first.message {
            html += &format!("<p class=\"film-message\">{}</p>\n", escape(message));
        }
        if self.tracks.len() > 1 {
            html += &self.others();
        }
        html += &format!("<figcaption>{}</figcaption>\n", self.caption);
        if moves {
            html += &self.in_words();
            html += &format!("<script type=\"application/json\">{}</script>\n", self.data(at));
        }
        html + "</figure>\n"
    }

    /// The ends of the other runs with what is said of them, for paper and where nothing moves.
    fn others(&self) -> String {
        let mut html = "<div class=\"film-others\">\n".to_string();
        for track in &self.tracks[1..] {
            let end = track.frames.last().cloned().unwrap_or_default();
            let drawing = self.drawing.svg(&end.looks, 1.0);
            html += &format!("<p>{}:</p>\n{drawing}<p>{}</p>\n", escape(&track.label), escape(&end.say));
        }
        html + "</div>\n"
    }

    /// All frames in words.
    fn in_words(&self) -> String {
        let mut html =
            "<details class=\"film-words\"><summary>Step by step, in words</summary>\n".to_string();
        for track in &self.tracks {
            if self.tracks.len() > 1 {
                html += &format!("<p>{}</p>\n", escape(&track.label));
            }
            let steps: String =
                track.frames.iter().map(|frame| format!("<li>{}</li>", escape(&frame.say))).collect();
            html += &format!("<ol>{steps}</ol>\n");
        }
        html + "</details>\n"
    }

    /// What the player plays from its first frame on. It opens with the frame `opens`; on paper it shows the
    /// frame `at`. `base`: class and words of each keyed item, in the order of the drawing; a frame's `set`:
    /// number, class and words of each that looks otherwise than in the frame before.
    fn data(&self, at: usize) -> String {
        let keyed: Vec<(&str, Look)> = self.drawing.keyed().collect();
        let look = |frame: &Frame, (key, base): &(&str, Look)| {
            let look = frame.looks.get(*key).cloned().unwrap_or_default();
            Look { class: look.class.or(base.class.clone()), words: look.words.or(base.words.clone()) }
        };
        let track = |track: &Track| {
            let mut now: Vec<Look> = keyed.iter().map(|(_, base)| base.clone()).collect();
            let mut frames = Vec::new();
            for frame in &track.frames {
                let mut set = Vec::new();
                for (number, item) in keyed.iter().enumerate() {
                    let next = look(frame, item);
                    if next != now[number] {
                        set.push(match &next.words {
                            None => json!([number, next.class]),
                            Some(words) => json!([number, next.class, words]),
                        });
                        now[number] = next;
                    }
                }
                frames.push(json!({"line": frame.line, "say": frame.say, "set": set}));
            }
            let Track { label, message, found, listing, .. } = track;
            json!({
                "frames": frames, "label": label, "listing": listing, "message": message, "found": found
            })
        };
        let base: Vec<Value> = keyed.iter().map(|(_, look)| json!([look.class, look.words])).collect();
        let tracks: Vec<Value> = self.tracks.iter().map(track).collect();
        // Before somebody plays it.
        let opens = self.tracks[0].found.unwrap_or(at);
        let data = json!({"base": base, "frame": at, "opens": opens, "tracks": tracks}).to_string();
        // No end of the script, and no directive of mdBook: JSON itself has no two braces side by side.
        data.replace('<', "\\u003c").replace("{{", "{\\u007b")
    }
}

fn listing(track: &Track, runs: Option<u32>) -> String {
    if track.listing.is_empty() {
        return String::new();
    }
    let lines = track.listing.iter().map(|(line, text)| {
        let now = if Some(*line) == runs { " class=\"runs\"" } else { "" };
        format!("<span{now} data-line=\"{line}\">{}\n</span>", escape(text))
    });
    format!(
        "<pre class=\"film-code\"><code class=\"nohighlight\">{}</code></pre>\n",
        lines.collect::<String>()
    )
}

/// What figures look like, wherever they stand; the book gets it from here.
pub const STYLES: &str = include_str!("film/film.css");
/// What makes them play.
pub const PLAYER: &str = include_str!("film/player.js");
/// What a page of its own has besides.
const OWN_PAGE: &str = include_str!("film/page.css");

/// Makes the page dark for those who ask for that.
const DARK: &str =
    "if (matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.className = 'navy';";

/// A film as a page of its own: one file, which asks for nothing else.
pub fn page(title: &str, film: &Film) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<title>{title}</title>\n<script>\n\
         {DARK}\n</script>\n<style>\n{STYLES}{OWN_PAGE}</style>\n\
         <h1>{title}</h1>\n{}<script>\n{PLAYER}</script>\n",
        film.html(),
        title = escape(title),
    )
}
