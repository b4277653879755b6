//! The traces that the book's figures are drawn from.

mod traces;
