//! The interface of engines: procedures that decide whether the error of a program can be reached.
//!
//! Engines share code, never state: everything an engine needs comes through [`Env`], everything it found out goes into its [`Verdict`].
//! The engines themselves, and the registry of them, are in crate `engines`.
//!
//! Knows no engine, no files and no flags.

mod drawing;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base::Budget;
use passes::Prepared;
use verdict::Verdict;

pub use drawing::{Drawing, NodeState, SearchTree, TREE_HEAD, TreeNode};

/// A way to decide whether the error can be reached.
pub trait Engine {
    /// Decides the program, or says why it cannot. Consumes the engine: there is no second round and nothing to reset.
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env) -> Verdict;
}

/// What an engine works with.
#[derive(Debug)]
pub struct Env {
    /// How much it may do.
    pub budget: Budget,
    /// What it did, in numbers; it adds to them.
    pub statistics: Vec<(&'static str, u64)>,
    /// Where others can see how far it is.
    pub progress: Arc<Progress>,
    /// Whether to keep the search tree; then the tree.
    pub drawing: Drawing,
}

impl Env {
    /// Within a budget; nothing is drawn.
    pub fn new(budget: Budget) -> Self {
        Self { budget, statistics: Vec::new(), progress: Arc::default(), drawing: Drawing::Unwanted }
    }
}

/// How far an engine is. For the eyes only: nothing depends on it.
#[derive(Debug, Default)]
pub struct Progress {
    /// Tests run.
    pub tests: AtomicU64,
    /// Nodes of the search tree.
    pub nodes: AtomicU64,
    /// Dead ends found.
    pub dead_ends: AtomicU64,
    /// Questions to the solver.
    pub queries: AtomicU64,
}

impl Progress {
    /// One line for people; empty before there is something to say.
    pub fn line(&self) -> String {
        let [tests, nodes, dead_ends, queries] = [&self.tests, &self.nodes, &self.dead_ends, &self.queries]
            .map(|count| count.load(Ordering::Relaxed));
        if nodes == 0 {
            return String::new();
        }
        format!("{tests} tests, {nodes} tree nodes, {dead_ends} dead ends, {queries} solver calls")
    }
}

/// What the user may switch off in an engine.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// Count the rounds of loops in summaries for tests.
    pub gas: bool,
    /// Compute summaries at all.
    pub summaries: bool,
    /// Congruences in summaries of loops.
    pub congruences: bool,
}

impl Default for Tuning {
    /// Everything is on.
    fn default() -> Self {
        Self { gas: true, summaries: true, congruences: true }
    }
}

/// An entry of the registry.
#[derive(Debug)]
pub struct EngineSpec {
    /// By which the user chooses it.
    pub name: &'static str,
    /// One line for people.
    pub purpose: &'static str,
    /// Makes a fresh one.
    pub create: fn(Tuning) -> Box<dyn Engine>,
}
