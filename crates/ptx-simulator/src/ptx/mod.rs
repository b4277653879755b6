//! PTX text → statements.

mod ast;
mod lexer;
mod parser;
mod space;

pub use ast::*;
pub use parser::parse;
pub use space::*;
