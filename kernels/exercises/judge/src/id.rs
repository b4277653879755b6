//! The number of an exercise, `3.1`.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// `3.1`: chapter, then number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Id {
    /// From 0: the first puzzles.
    pub chapter: u32,
    /// Within the chapter, from 1.
    pub number: u32,
}

impl From<Id> for String {
    fn from(id: Id) -> String {
        id.to_string()
    }
}

impl TryFrom<String> for Id {
    type Error = String;

    fn try_from(text: String) -> Result<Id, String> {
        text.parse()
    }
}

impl FromStr for Id {
    type Err = String;

    fn from_str(text: &str) -> Result<Id, String> {
        let numbers = text.split_once('.').and_then(|(chapter, number)| {
            Some(Id { chapter: chapter.parse().ok()?, number: number.parse().ok()? })
        });
        numbers.ok_or(format!("`{text}` is not an exercise's number; write it like 3.1"))
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.chapter, self.number)
    }
}
