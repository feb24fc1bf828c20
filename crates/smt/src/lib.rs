//! Questions to an SMT solver and their answers; projection, elimination and optimisation over the integers.
//!
//! [`Solver`] is the interface, [`Z3`] what is behind it. [`project`] eliminates symbols, [`replay`] asks a second
//! solver.
//!
//! The only crate that links a solver. Knows no program.

mod answer;
mod effort;
mod log;
mod logic;
pub mod project;
pub mod replay;
mod solver;
mod z3;

pub use answer::{Answer, Core, Statistics, Why};
pub use log::{log_all_queries, query_log_failure};
pub use logic::Logic;
pub use solver::{Solver, SolverFactory, check_formula, minimise};
pub use z3::{
    Arithmetic, Derivable, Z3, Z3Settings, Z3Solver, free_context_with_thread, keep_contexts, limit_memory,
    spacer, z3_version,
};
