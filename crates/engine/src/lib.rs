//! Engines: procedures that decide whether the error of a program can be reached.
//!
//! A new engine is one folder and one line in [`ENGINES`]. Engines share code, never state: everything an engine needs
//! comes through [`Env`], everything it found out goes into its [`Verdict`].
//!
//! Knows no files and no flags.

mod cra;
mod explicit;
mod gps;
mod problem;

use base::Budget;
use cfa::Program;
use witness::Verdict;

/// A way to decide whether the error can be reached.
pub trait Engine {
    /// Decides the program, or says why it cannot. Consumes the engine: there is no second round and nothing to reset.
    fn solve(self: Box<Self>, program: &Program, env: &mut Env) -> Verdict;
}

/// What an engine works with.
#[derive(Debug)]
pub struct Env {
    /// How much it may do.
    pub budget: Budget,
    /// What it did, in numbers; it adds to them.
    pub statistics: Vec<(&'static str, u64)>,
}

/// An entry of the registry.
#[derive(Debug)]
pub struct EngineSpec {
    /// By which the user chooses it.
    pub name: &'static str,
    /// One line for people.
    pub purpose: &'static str,
    /// Makes a fresh one.
    pub create: fn() -> Box<dyn Engine>,
}

/// All engines; the first is the default.
pub static ENGINES: &[EngineSpec] = &[
    EngineSpec {
        name: "gps",
        purpose: "searches for the error guided by path summaries, and proves its absence by dead ends",
        create: gps::create,
    },
    EngineSpec {
        name: "explicit",
        purpose: "decides programs without nondeterminism by running them",
        create: explicit::create,
    },
    EngineSpec {
        name: "cra",
        purpose: "proves programs by the summary of all their paths",
        create: cra::create,
    },
];

/// The engine of a name.
pub fn find(name: &str) -> Option<&'static EngineSpec> {
    ENGINES.iter().find(|spec| spec.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (position, spec) in ENGINES.iter().enumerate() {
            assert!(ENGINES[..position].iter().all(|other| other.name != spec.name), "{}", spec.name);
            assert!(find(spec.name).is_some_and(|found| std::ptr::eq(found, spec)));
        }
    }
}
