//! A drawing: shapes and texts, some of them with a key, by which a frame changes how they look.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::record::columns::escape;

/// A shape.
#[derive(Clone, Debug)]
enum Shape {
    Rect { x: f64, y: f64, width: f64, height: f64 },
    Path(String),
    Text { x: f64, y: f64, anchor: &'static str, words: String },
}

#[derive(Clone, Debug)]
struct Item {
    key: Option<String>,
    class: String,
    shape: Shape,
}

/// How a keyed item looks in a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Its class, if it is another than at first.
    pub class: Option<String>,
    /// Its words, if they are others than at first.
    pub words: Option<String>,
}

/// The looks of a frame by key; what is not named looks as at first.
pub type Looks = BTreeMap<String, Look>;

/// Shapes and texts on a page of this many units; text is 12 units high or more.
#[derive(Clone, Debug)]
pub struct Drawing {
    width: f64,
    height: f64,
    /// What it shows, in words.
    words: String,
    items: Vec<Item>,
}

impl Drawing {
    /// An empty one.
    pub fn new(width: f64, height: f64, words: &str) -> Drawing {
        Drawing { width, height, words: words.to_string(), items: Vec::new() }
    }

    fn add(&mut self, key: Option<String>, class: &str, shape: Shape) {
        self.items.push(Item { key, class: class.to_string(), shape });
    }

    /// A box.
    pub fn rect(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64)) {
        self.add(None, class, Shape::Rect { x, y, width, height });
    }

    /// A box that frames change.
    pub fn keyed_rect(&mut self, key: &str, class: &str, at: (f64, f64), (width, height): (f64, f64)) {
        self.add(Some(key.to_string()), class, Shape::Rect { x: at.0, y: at.1, width, height });
    }

    /// A line or an outline, as SVG writes it.
    pub fn path(&mut self, class: &str, path: &str) {
        self.add(None, class, Shape::Path(path.to_string()));
    }

    /// One that frames change.
    pub fn keyed_path(&mut self, key: &str, class: &str, path: &str) {
        self.add(Some(key.to_string()), class, Shape::Path(path.to_string()));
    }

    /// Words; `class` has `start` or `end` among its names where they are not centred.
    pub fn text(&mut self, class: &str, (x, y): (f64, f64), words: &str) {
        self.add(None, class, text(class, x, y, words));
    }

    /// Words that frames change.
    pub fn keyed_text(&mut self, key: &str, class: &str, (x, y): (f64, f64), words: &str) {
        self.add(Some(key.to_string()), class, text(class, x, y, words));
    }

    /// The keyed items, with how they look at first.
    pub fn keyed(&self) -> impl Iterator<Item = (&str, Look)> {
        self.items.iter().filter_map(|item| {
            let words = match &item.shape {
                Shape::Text { words, .. } => Some(words.clone()),
                _ => None,
            };
            Some((item.key.as_deref()?, Look { class: Some(item.class.clone()), words }))
        })
    }

    /// The SVG, as it looks in a frame.
    pub fn svg(&self, looks: &Looks, scale: f64) -> String {
        let (width, height) = (self.width, self.height);
        let mut svg = format!(
            "<svg class=\"drawn\" viewBox=\"0 0 {width} {height}\" width=\"{}\" role=\"img\" \
             aria-label=\"{}\">\n",
            (width * scale).round(),
            escape(&self.words)
        );
        for item in &self.items {
            let look = item.key.as_ref().and_then(|key| looks.get(key));
            let class = look.and_then(|look| look.class.as_ref()).unwrap_or(&item.class);
            let key = if item.key.is_some() { " data-k" } else { "" };
            let _ = match &item.shape {
                Shape::Rect { x, y, width, height } => {
                    let (x, y, width, height) = (short(*x), short(*y), short(*width), short(*height));
                    let size = format!("width=\"{width}\" height=\"{height}\"");
                    writeln!(svg, "<rect{key} class=\"{class}\" x=\"{x}\" y=\"{y}\" {size}/>")
                }
                Shape::Path(path) => writeln!(svg, "<path{key} class=\"{class}\" d=\"{path}\"/>"),
                Shape::Text { x, y, anchor, words } => {
                    let words = look.and_then(|look| look.words.as_ref()).unwrap_or(words);
                    let (x, y, words) = (short(*x), short(*y), escape(words));
                    let place = format!("x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\"");
                    writeln!(svg, "<text{key} class=\"{class}\" {place}>{words}</text>")
                }
            };
        }
        svg + "</svg>\n"
    }
}

fn text(class: &str, x: f64, y: f64, words: &str) -> Shape {
    let has = |name: &str| class.split(' ').any(|class| class == name);
    let anchor = if has("start") {
        "start"
    } else if has("end") {
        "end"
    } else {
        "middle"
    };
    Shape::Text { x, y, anchor, words: words.to_string() }
}

/// A number with at most one decimal.
pub fn short(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_string()
}

/// A straight arrow, which ends a little before `to`.
pub fn arrow(from: (f64, f64), to: (f64, f64)) -> String {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let tip = (to.0 - 2.0 * ux, to.1 - 2.0 * uy);
    let base = (tip.0 - 7.0 * ux, tip.1 - 7.0 * uy);
    let side = |sign: f64| (base.0 - sign * 3.5 * uy, base.1 + sign * 3.5 * ux);
    let (left, right) = (side(1.0), side(-1.0));
    let at = |(x, y): (f64, f64)| format!("{} {}", short(x), short(y));
    format!("M{}L{}L{}L{}L{}", at(from), at(base), at(left), at(tip), at(right)) + &format!("L{}", at(base))
}
