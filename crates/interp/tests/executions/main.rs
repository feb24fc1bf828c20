//! Tests of the interpreter on whole programs.

mod arithmetic;
mod builder;
mod control;
mod leaps;
mod memory;
mod random;
mod watching;
