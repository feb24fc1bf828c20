//! The C front end: from C text to a typed tree to a `cfa::Program`.
//!
//! The only crate that knows C. Knows no solver and no engine.

pub mod ast;
pub mod check;
pub mod driver;
pub mod hir;
pub mod lex;
pub mod library;
pub mod lower;
pub mod models;
pub mod parse;
pub mod preprocess;
pub mod types;

mod load;
mod stack;

pub use driver::{Compiled, Failure, FailureKind, Options, Parsed, Unit, compile, compile_units};
pub use lex::{Interner, Name};
pub use load::{Input, Loaded, load};
pub use stack::with_large_stack;
