//! Finds the directives of a page, `{{#name arguments}}`, and reads their words as the usage has them:
//! `STEM.KIND NAME [kernel=A,B] [scale=linear]`.

use std::ops::Range;
use std::sync::LazyLock;

use anyhow::{Context, Result, bail, ensure};
use regex::Regex;
use workbook::record::chart::Vertical;
use workbook::text::arguments;

/// One directive, not yet understood.
#[derive(Debug)]
pub struct Found<'a> {
    /// Its bytes in the page, braces included.
    pub range: Range<usize>,
    /// Those bytes.
    pub text: &'a str,
    /// Whether it is written `\{{#…}}`, and so to be shown.
    pub escaped: bool,
    /// Line in the page, from 1.
    pub line: usize,
    pub name: &'a str,
    pub words: Vec<&'a str>,
    /// Whether `}}` follows on the same line.
    pub closed: bool,
    /// Whether it has its line for itself, from the first column on.
    pub alone: bool,
}

/// On one line; an escaped one with its backslash.
static DIRECTIVE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\\?\{\{\s*#(.*?)(\}\}|\s*$)").expect("a valid pattern"));

/// The directives of `page` in order, those escaped as `\{{#` among them.
pub fn find(page: &str) -> Vec<Found<'_>> {
    let mut found = Vec::new();
    let mut start = 0;
    for (line, text) in (1..).zip(page.split_inclusive('\n')) {
        for captures in DIRECTIVE.captures_iter(text) {
            let (whole, [inside, end]) = captures.extract();
            let Some(at) = captures.get(0) else { continue };
            let mut words = inside.split_whitespace();
            found.push(Found {
                range: start + at.start()..start + at.end(),
                text: whole,
                escaped: whole.starts_with('\\'),
                line,
                name: words.next().unwrap_or(""),
                words: words.collect(),
                closed: end == "}}",
                alone: at.start() == 0 && text[at.end()..].trim().is_empty(),
            });
        }
        start += text.len();
    }
    found
}

/// The words of a directive.
pub struct Words<'a> {
    /// Those that are no options, in order: as many as the usage has.
    pub of: Vec<&'a str>,
    options: Vec<(&'a str, &'a str)>,
}

impl<'a> Words<'a> {
    /// Reads `words` of the directive `name`. In `usage`, what has a `=` is an option, brackets are around
    /// what may be missing, and `…` ends one whose last word may be several.
    pub fn parse(name: &str, usage: &str, words: &[&'a str]) -> Result<Words<'a>> {
        let (options, slots): (Vec<&str>, Vec<&str>) =
            usage.split_whitespace().partition(|slot| slot.contains('='));
        let known: Vec<&str> =
            options.iter().filter_map(|slot| Some(slot.trim_matches('[').split_once('=')?.0)).collect();
        let least = slots.iter().filter(|slot| !slot.starts_with('[')).count();
        let most = if usage.ends_with('…') { usize::MAX } else { slots.len() };
        let usage = format!("{{{{#{}}}}}", format!("{name} {usage}").trim());
        let mut read = Words { of: Vec::new(), options: Vec::new() };
        for word in words {
            match word.split_once('=') {
                Some((key, value)) if !value.is_empty() => {
                    ensure!(known.contains(&key), "there is no option `{key}`; there are: {}", list(&known));
                    if read.get(key).is_some() {
                        bail!("`{key}` is given twice; several values are separated by commas: {key}=A,B");
                    }
                    read.options.push((key, value));
                }
                None if read.of.len() < most => read.of.push(word),
                _ if known.is_empty() => bail!("wants no more than {usage}"),
                _ => {
                    bail!(
                        "`{word}` is not an option; options are written key=value, without blanks: kernel=A,B"
                    )
                }
            }
        }
        ensure!(read.of.len() >= least, "wants arguments: {usage}");
        Ok(read)
    }

    pub fn has_options(&self) -> bool {
        !self.options.is_empty()
    }

    pub fn get(&self, key: &str) -> Option<&'a str> {
        self.options.iter().find(|(given, _)| *given == key).map(|(_, value)| *value)
    }

    /// The values of `key`, which are separated by commas.
    pub fn list(&self, key: &str) -> Vec<&'a str> {
        let values = self.get(key).into_iter().flat_map(|values| values.split(','));
        values.filter(|value| !value.is_empty()).collect()
    }

    /// The numbers of `key`.
    pub fn numbers<T: TryFrom<u64>>(&self, key: &str) -> Result<Vec<T>> {
        let of_type =
            |text| T::try_from(number(text)?).ok().with_context(|| format!("{key} is at most 2^32"));
        self.list(key).into_iter().map(of_type).collect()
    }

    /// The only number of `key`, if it is given.
    pub fn number<T: TryFrom<u64>>(&self, key: &str) -> Result<Option<T>> {
        let mut numbers = self.numbers(key)?;
        ensure!(numbers.len() < 2, "{key} is one number here");
        Ok(numbers.pop())
    }

    /// The vertical axis that `scale=` asks for.
    pub fn vertical(&self) -> Result<Vertical> {
        match self.get("scale") {
            None | Some("log") => Ok(Vertical::Logarithmic),
            Some("linear") => Ok(Vertical::Linear),
            Some(other) => bail!("there is no scale `{other}`; there are: linear, log"),
        }
    }
}

/// `1024`, `2^10`, `1e6`.
pub fn number(text: &str) -> Result<u64> {
    arguments::number(text, u64::MAX).with_context(|| format!("`{text}` is not a number; write 1024 or 2^10"))
}

/// The one of `items` that is called `name`; else an error that begins with `none` and ends with what there
/// is.
pub fn pick<T>(
    items: impl IntoIterator<Item = T>,
    name: &str,
    name_of: impl Fn(&T) -> &str,
    none: &str,
) -> Result<T> {
    let mut names = Vec::new();
    for item in items {
        if name_of(&item) == name {
            return Ok(item);
        }
        names.push(name_of(&item).to_string());
    }
    bail!("{none} `{name}`; there are: {}", list(names))
}

/// `a, b, c`, each once; `none` if there is nothing.
pub fn list(items: impl IntoIterator<Item = impl ToString>) -> String {
    let mut words: Vec<String> = Vec::new();
    for item in items {
        let word = item.to_string();
        if !words.contains(&word) {
            words.push(word);
        }
    }
    if words.is_empty() { "none".to_string() } else { words.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(page: &str) -> Vec<(usize, &str)> {
        let found = find(page).into_iter().filter(|directive| !directive.escaped);
        found.map(|directive| (directive.line, directive.name)).collect()
    }

    #[test]
    fn finds_them_with_their_lines_and_arguments() {
        let page = "text\n{{#cell ch4_nested}}\n\nIt took {{#value a b n=1 time}} and {{ #record  x }}.\n";
        let found = find(page);
        assert_eq!(names(page), [(2, "cell"), (4, "value"), (4, "record")]);
        assert_eq!(found[1].words, ["a", "b", "n=1", "time"]);
        assert_eq!(&page[found[0].range.clone()], "{{#cell ch4_nested}}");
        assert_eq!(&page[found[2].range.clone()], "{{ #record  x }}");
        assert!(found[0].alone && !found[1].alone);
    }

    #[test]
    fn leaves_escaped_ones_and_other_braces() {
        assert_eq!(names(r"`\{{#cell x}}` {{x}} {{ }} { {#cell x}}"), []);
        assert_eq!(names(r"\{{#cell x}} {{#cell y}}"), [(1, "cell")]);
    }

    #[test]
    fn notices_when_the_end_is_missing() {
        assert!(!find("{{#cell x\n}}")[0].closed);
    }
}
