//! Fuzzing of the C library: random programs that call its functions, with gcc and glibc as judges of what they do.
//!
//! ```text
//!   scenes ──▶ program without assertions ──gcc, sanitizers, all inputs──▶ values ──assertion──▶ program
//!                                                                                                  │
//!                                   judge: gcc -O0 -fno-builtin, all inputs, several worlds        │
//!                                                                                                  ▼
//!                        runner: `wayproof check`; a wrong verdict or a crash is a finding, made smaller by shrink
//! ```
//!
//! What the library returns may depend on the world: what stands in stdin, the time, the process. Such conditions are *claims*:
//! the scene knows whether they hold in every world, or fail in some.
//!
//! # Invariants
//! * L1: the program of a seed depends on the seed, the kinds of scenes and on gcc and glibc alone.
//! * L2: a truth is stated only if no execution has undefined behaviour that the sanitizers see, and if gcc with sanitizers and
//!   uninitialised memory full of patterns, gcc without builtins and, on demand, plain gcc agree.

mod assertion;
mod builder;
mod judge;
mod program;
mod runner;
mod scenes;

pub use self::judge::{Judge, Truth};
pub use self::program::{Sample, sample};
pub use self::runner::{Answer, Counts, Finding, Settings, Summary, run};
pub use self::scenes::Kinds;
