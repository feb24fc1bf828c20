//! What this project asks of the operating system beyond the standard library: programs that are started with limits and ended with all that
//! they start ([`process`]), and files that are read with a limit ([`file`]).
//!
//! Knows no logic and no C.

pub mod file;
pub mod process;
