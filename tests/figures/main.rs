//! The book's figures: the traces that they are drawn from, and the drawings.

mod numbers;
mod traces;
