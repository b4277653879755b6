//! The options of a directive, `kernel=A,B n=2^20 scale=linear`, and what they mean everywhere.

use anyhow::{Context, Result, bail};
use workbook::arguments;
use workbook::record::chart::Vertical;

use crate::records::list;

/// Words of the form `key=value`.
pub struct Options<'a> {
    given: Vec<(&'a str, &'a str)>,
}

impl<'a> Options<'a> {
    /// Reads `words`, each of which sets one of the `known` options.
    pub fn parse(words: &[&'a str], known: &[&str]) -> Result<Options<'a>> {
        let mut given: Vec<(&str, &str)> = Vec::new();
        for word in words {
            let Some((key, value)) = word.split_once('=').filter(|(_, value)| !value.is_empty()) else {
                bail!("`{word}` is no option; options are written key=value, without blanks: kernel=A,B");
            };
            if !known.contains(&key) {
                bail!("there is no option `{key}`; there are: {}", list(known));
            }
            if given.iter().any(|(other, _)| *other == key) {
                bail!("`{key}` is given twice; several values are separated by commas: {key}=A,B");
            }
            given.push((key, value));
        }
        Ok(Options { given })
    }

    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    pub fn get(&self, key: &str) -> Option<&'a str> {
        self.given.iter().find(|(given, _)| *given == key).map(|(_, value)| *value)
    }

    /// The values of `key`, which are separated by commas.
    pub fn list(&self, key: &str) -> Vec<&'a str> {
        self.get(key)
            .into_iter()
            .flat_map(|values| values.split(','))
            .filter(|value| !value.is_empty())
            .collect()
    }

    /// The numbers of `key`.
    pub fn numbers(&self, key: &str) -> Result<Vec<u64>> {
        self.list(key).into_iter().map(number).collect()
    }

    /// The only number of `key`, if it is given.
    pub fn number(&self, key: &str) -> Result<Option<u64>> {
        match self.numbers(key)?[..] {
            [] => Ok(None),
            [number] => Ok(Some(number)),
            _ => bail!("{key} is one number here"),
        }
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

/// Threads per block.
pub fn threads(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
