//! What goes in and out of a job while it works: totals, the tree, facts.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use engine::{Attempt, Counter, Decision, Events, Exchange, Fact, Recorder, SearchTree, TreeWanted};

/// Records what a job reports, and passes totals on to who watches. What the watcher has seen of a job is forgotten when its round is over.
pub(super) struct Relay<'a> {
    pub(super) own: Recorder,
    watcher: &'a dyn Events,
}

impl<'a> Relay<'a> {
    pub(super) fn new(watcher: &'a dyn Events) -> Self {
        Self { own: Recorder::new(watcher.tree_wanted()), watcher }
    }
}

impl Events for Relay<'_> {
    fn total(&self, counter: Counter, value: u64) {
        self.own.total(counter, value);
        self.watcher.total(counter, value);
    }
    fn restart(&self) {
        self.own.restart();
    }
    fn tree_wanted(&self) -> TreeWanted {
        self.own.tree_wanted()
    }
    fn tree(&self, tree: SearchTree) {
        self.own.tree(tree);
    }
    fn works(&self, engine: &'static str, round: u32) {
        self.watcher.works(engine, round);
    }
    fn attempted(&self, attempt: Attempt) {
        self.own.attempted(attempt);
    }
    fn decided(&self, decision: Decision<'_>) {
        self.watcher.decided(decision);
    }
}

/// What a job hears, and what it tells.
pub(super) struct Talk<'a> {
    engine: &'static str,
    facts: &'a [Fact],
    told: Mutex<Option<Fact>>,
    used: Mutex<BTreeMap<&'static str, u64>>,
}

impl<'a> Talk<'a> {
    /// Of an engine that hears what all have told. What it has told itself is of use, too: it starts afresh.
    pub(super) fn new(engine: &'static str, facts: &'a [Fact]) -> Self {
        Self { engine, facts, told: Mutex::new(None), used: Mutex::new(BTreeMap::new()) }
    }

    /// What it has told at last, and how many clauses of which origin it has used.
    pub(super) fn finish(self) -> (Option<Fact>, Vec<(&'static str, u64)>) {
        let told = self.told.into_inner().unwrap_or_else(PoisonError::into_inner);
        let used = self.used.into_inner().unwrap_or_else(PoisonError::into_inner);
        (told, used.into_iter().collect())
    }
}

impl Exchange for Talk<'_> {
    fn heard(&self) -> &[Fact] {
        self.facts
    }
    fn tell(&self, texts: Vec<String>, clauses: u64) {
        let fact = Fact { origin: self.engine, texts, clauses };
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Some(fact);
    }
    fn used(&self, origin: &'static str, clauses: u64) {
        if origin != self.engine {
            self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(origin, clauses);
        }
    }
}
