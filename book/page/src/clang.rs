//! What a page asks about its compiler, in `request.json`: what is to be done next for a source, whose calls
//! of clang's front end so far have these answers. The answer, [`in_page::Next`], is JSON on stdout.

use anyhow::{Context, Result};
use serde::Deserialize;
use workbook::kernel_compiler::in_page::{self, Answer, Request};

/// A source, and what clang has answered so far.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    request: Request,
    answers: Vec<Answer>,
}

pub fn answer(request: &str) -> Result<String> {
    let asked = serde_json::from_str(request).context("request.json is not what is to be answered")?;
    let Asked { request, answers } = asked;
    Ok(serde_json::to_string(&in_page::next(&request, answers)?)?)
}
