//! C text to a typed tree to a `cfa::Program`.
//!
//! The only crate that knows C. Knows no solver and no engine.

pub mod ast;
pub mod hir;
pub mod lex;
pub mod types;

pub use lex::{Interner, Name};
