//! A drawing: shapes and texts, some of them with a key, by which a frame changes how they look.

use std::collections::BTreeMap;

use text::columns::escape;

/// A shape or a text.
#[derive(Clone, Debug)]
struct Item {
    key: Option<String>,
    class: String,
    /// Its element and what that has besides its class.
    tag: &'static str,
    attributes: String,
    /// Those of a text.
    words: Option<String>,
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

    fn add(
        &mut self,
        key: Option<&str>,
        class: &str,
        tag: &'static str,
        attributes: String,
        words: Option<&str>,
    ) {
        let key = key.map(str::to_string);
        let class = class.to_string();
        self.items.push(Item { key, class, tag, attributes, words: words.map(str::to_string) });
    }

    fn add_rect(&mut self, key: Option<&str>, class: &str, at: (f64, f64), size: (f64, f64)) {
        let [x, y, width, height] = [at.0, at.1, size.0, size.1].map(short);
        let place = format!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"");
        self.add(key, class, "rect", place, None);
    }

    fn add_text(&mut self, key: Option<&str>, class: &str, (x, y): (f64, f64), words: &str) {
        let anchor = class.split(' ').find(|name| ["start", "end"].contains(name)).unwrap_or("middle");
        let place = format!("x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\"", short(x), short(y));
        self.add(key, class, "text", place, Some(words));
    }

    /// A box.
    pub fn rect(&mut self, class: &str, at: (f64, f64), size: (f64, f64)) {
        self.add_rect(None, class, at, size);
    }

    /// A box that frames change.
    pub fn keyed_rect(&mut self, key: &str, class: &str, at: (f64, f64), size: (f64, f64)) {
        self.add_rect(Some(key), class, at, size);
    }

    /// A line or an outline, as SVG writes it.
    pub fn path(&mut self, class: &str, path: &str) {
        self.add(None, class, "path", format!("d=\"{path}\""), None);
    }

    /// One that frames change.
    pub fn keyed_path(&mut self, key: &str, class: &str, path: &str) {
        self.add(Some(key), class, "path", format!("d=\"{path}\""), None);
    }

    /// Words; `class` has `start` or `end` among its names where they are not centred.
    pub fn text(&mut self, class: &str, at: (f64, f64), words: &str) {
        self.add_text(None, class, at, words);
    }

    /// Words that frames change.
    pub fn keyed_text(&mut self, key: &str, class: &str, at: (f64, f64), words: &str) {
        self.add_text(Some(key), class, at, words);
    }

    /// The keyed items, with how they look at first.
    pub fn keyed(&self) -> impl Iterator<Item = (&str, Look)> {
        let look = |item: &Item| Look { class: Some(item.class.clone()), words: item.words.clone() };
        self.items.iter().filter_map(move |item| Some((item.key.as_deref()?, look(item))))
    }

    /// The SVG, as it looks in a frame.
    pub fn svg(&self, looks: &Looks, scale: f64) -> String {
        let width = self.width;
        let height = self.height;
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
            let Item { tag, attributes, .. } = item;
            svg += &format!("<{tag}{key} class=\"{class}\" {attributes}");
            svg += &match look.and_then(|look| look.words.as_ref()).or(item.words.as_ref()) {
                Some(words) => format!(">{}</{tag}>\n", escape(words)),
                None => "/>\n".to_string(),
            };
        }
        svg + "</svg>\n"
    }
}

/// A number with at most one decimal.
pub fn short(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_string()
}

/// A straight arrow, which ends a little before `to`.
pub fn arrow(from: (f64, f64), to: (f64, f64)) -> String {
    let dx = to.0 - from.0;
    let dy = to.1 - from.1;
    let length = dx.hypot(dy).max(1.0);
    let ux = dx / length;
    let uy = dy / length;
    let tip = (to.0 - 2.0 * ux, to.1 - 2.0 * uy);
    let base = (tip.0 - 7.0 * ux, tip.1 - 7.0 * uy);
    let side = |sign: f64| (base.0 - sign * 3.5 * uy, base.1 + sign * 3.5 * ux);
    let left = side(1.0);
    let right = side(-1.0);
    let at = |(x, y): (f64, f64)| format!("{} {}", short(x), short(y));
    format!("M{}L{}L{}L{}L{}", at(from), at(base), at(left), at(tip), at(right)) + &format!("L{}", at(base))
}
