//! What a record shows: its table and its charts.

mod charts;
mod edits;
#[path = "../fixtures/mod.rs"]
mod fixtures;
mod table;
