//! Tests that drive the real binary, and tests of the repository's text.

mod bad_input;
mod commands;
mod support;
mod tidy;
