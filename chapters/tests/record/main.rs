//! What a record shows: its table and its charts.

mod charts;
mod edits;
#[path = "../../../tests/fixtures/mod.rs"]
mod fixtures;
mod table;
