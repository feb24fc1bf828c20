//! The interface of engines: procedures that decide whether the error of a program can be reached.
//!
//! Everything an engine needs comes through [`Env`]; everything it found out goes into its [`Verdict`]. Engines share code, never state. The
//! engines themselves and their registry are in crate `engines`.
//!
//! Knows no engine, no files and no flags.

mod contain;
mod contracts;
mod env;
mod events;
mod exchange;
mod settings;
mod tree;
mod work;

use passes::Prepared;
use verdict::Verdict;

pub use contain::solve_contained;
pub use contracts::{ContractStore, Identity, Version};
pub use env::Env;
pub use events::{CheckVerdict, Counter, Decision, Events, Recorder, TreeWanted};
pub use exchange::{Exchange, Fact};
pub use settings::{Executions, Part, Settings, SettingsError};
pub use tree::{NodeState, SearchTree, TREE_HEAD, TreeNode};
pub use work::{Attempt, Decided, Outcome, Share, Work};

/// A way to decide whether the error can be reached.
pub trait Engine {
    /// Decides the program, or says why it cannot. Consumes the engine: there is no second round and nothing to reset.
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict;
}

/// An entry of the registry of engines.
#[derive(Debug)]
pub struct EngineSpec {
    /// The name by which the user chooses it.
    pub name: &'static str,
    /// One line for people.
    pub purpose: &'static str,
    /// The key of the paper in docs/papers.bib, or empty if there is none.
    pub paper: &'static str,
    /// The parts that can be left out, for ablations.
    pub parts: &'static [Part],
    /// Makes a fresh engine. The settings leave out parts of the list above only.
    pub configure: fn(&Settings) -> Box<dyn Engine>,
}

impl EngineSpec {
    /// A fresh engine with some of its parts left out.
    pub fn create(&self, settings: &Settings) -> Result<Box<dyn Engine>, SettingsError> {
        match settings.without().find(|part| !self.parts.contains(part)) {
            Some(part) => Err(SettingsError { engine: self.name, part, parts: self.parts }),
            None => Ok((self.configure)(settings)),
        }
    }
}
