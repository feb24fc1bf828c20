//! Tests of the interpreter on whole programs.

mod builder;
