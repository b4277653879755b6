//! What a page asks about its compiler, in `request.json`; the answer is JSON on stdout:
//!
//! | verb | asks | answer |
//! | --- | --- | --- |
//! | `calls` | [`Request`]: which calls of clang's front end a source takes | the arguments of each |
//! | `answers` | [`Answered`]: what becomes of clang's answers | [`in_page::Compiled`] |

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use workbook::kernel_compiler::in_page::{self, Answer, Request};

/// What clang has answered to the calls for one source.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answered {
    path: String,
    source: String,
    answers: Vec<Answer>,
}

pub fn answer(verb: Option<&str>, request: &str) -> Result<String> {
    let wrong = || "request.json is not what is to be answered";
    Ok(match verb {
        Some("calls") => {
            let request: Request = serde_json::from_str(request).with_context(wrong)?;
            serde_json::to_string(&in_page::calls(&request)?)?
        }
        Some("answers") => {
            let Answered { path, source, answers } = serde_json::from_str(request).with_context(wrong)?;
            serde_json::to_string(&in_page::compiled(&path, &source, answers))?
        }
        _ => bail!("clang is asked for `calls` or `answers`"),
    })
}
