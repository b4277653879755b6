//! The words of a directive, read as its usage has them: `STEM.KIND NAME [kernel=A,B] [scale=linear]`.

use anyhow::{Context, Result, bail, ensure};
use workbook::arguments;
use workbook::record::chart::Vertical;

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
                    bail!("`{word}` is no option; options are written key=value, without blanks: kernel=A,B")
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
    arguments::number(text, u64::MAX).with_context(|| format!("`{text}` is no number; write 1024 or 2^10"))
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
