//! From bytes to tokens.

mod intern;

pub use intern::{Interner, Name};
