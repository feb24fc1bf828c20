//! Test helpers for the other crates: random C programs, programs of the C library, mutated inputs, the task corpus, fuzzing of
//! verdicts.
//!
//! Does not know, except for [`verdicts`], [`lockstep`] and [`library_calls`]: any other crate of the workspace. What is tested is passed in as a closure or
//! as the path of an executable.

pub mod compiler;
pub mod differential;
pub mod explore;
pub mod fuzz;
mod generate;
pub mod library;
pub mod library_calls;
pub mod lockstep;
mod memory;
pub mod mutate;
pub mod process;
mod random;
mod recursive;
pub mod require;
pub mod shrink;
pub mod tasks;
pub mod verdicts;

pub use generate::{Model, Options, Program, Size, generate, generate_program};
pub use memory::{Length, memory_program};
pub use mutate::mutate;
pub use random::Random;
pub use recursive::recursive_program;

#[cfg(test)]
mod tests {
    use crate::require::{Requirement, is_required};

    #[test]
    fn a_requirement_is_a_whole_word_of_the_list() {
        assert!(is_required("bench, gcc32", Requirement::Bench));
        assert!(is_required("bench, gcc32", Requirement::Gcc32));
        assert!(!is_required("bench, gcc32", Requirement::Gcc));
        assert!(!is_required("", Requirement::Pip));
    }
}
