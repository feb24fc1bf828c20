//! Tests of the interpreter on whole programs.

mod arithmetic;
mod builder;
mod control;
mod leaps;
mod memory;
mod parts;
mod random;
mod tail_calls;
mod uninitialised;
mod variables;
mod watching;
