//! What an engine reports while it works: counters and the search tree. Nothing that decides a verdict reads them back.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use base::Region;
use cfa::CheckKind;

use crate::tree::SearchTree;
use crate::work::{Attempt, Work};

/// What is counted. The order is that of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counter {
    /// Loops whose star was computed.
    LoopsSummarised,
    /// Stars that are exact.
    ExactSummaries,
    /// Loops that were split into phases.
    PhaseSplits,
    /// Hulls that were replaced by bounds in template directions.
    TemplateHulls,
    /// Hulls that were given up.
    LostHulls,
    /// Queries of summaries without answer.
    UnansweredSummaryQueries,
    /// Tests that were run.
    Tests,
    /// Guided choices that were those of the last visit.
    ChoicesRemembered,
    /// Repeated choices that took several stops with one query.
    Skips,
    /// States that were known not to reach the error.
    DeadStatesRemembered,
    /// Nodes of the abstract reachability tree.
    TreeNodes,
    /// Dead ends.
    DeadEnds,
    /// Covers.
    Covers,
    /// Covers that were removed again.
    CoversRemoved,
    /// Clauses of labels.
    Clauses,
    /// Greatest height of derivations for which bounded safety was decided.
    Height,
    /// Queries of bounded safety: whether a procedure may end in certain states.
    BoundedQueries,
    /// Facts that all activations of a procedure satisfy.
    SummaryFacts,
    /// Facts all of whose states are reached.
    ReachabilityFacts,
    /// Procedures about which everything holds that an earlier run has found out.
    ContractsRecalled,
    /// Procedures that are new or changed, or about which something does not hold any more that an earlier run has found out.
    ProceduresProved,
    /// Infeasible paths to the error that refined an abstraction.
    Refinements,
    /// Refinements by a path invariant that the summary of the path program gave.
    InvariantsBySummaries,
    /// Refinements by a path invariant that fits a template.
    InvariantsByTemplates,
    /// Predicates of an abstraction.
    Predicates,
    /// Obligations of a backward search.
    Obligations,
    /// Loops that were folded into an invariant.
    Folds,
    /// Foldings that were given up.
    FoldsGivenUp,
    /// Questions of foldings.
    FoldQuestions,
    /// The number of arcs of the longest paths that k-induction looked at.
    Depth,
    /// Clauses that engines have told each other.
    FactsTold,
    /// Clauses of others that an engine has proved and used.
    FactsUsed,
    /// Solver queries.
    SolverQueries,
}

impl Counter {
    /// All counters, in the order of reports.
    pub const ALL: [Self; 33] = [
        Self::LoopsSummarised,
        Self::ExactSummaries,
        Self::PhaseSplits,
        Self::TemplateHulls,
        Self::LostHulls,
        Self::UnansweredSummaryQueries,
        Self::Tests,
        Self::ChoicesRemembered,
        Self::Skips,
        Self::DeadStatesRemembered,
        Self::TreeNodes,
        Self::DeadEnds,
        Self::Covers,
        Self::CoversRemoved,
        Self::Clauses,
        Self::Height,
        Self::BoundedQueries,
        Self::SummaryFacts,
        Self::ReachabilityFacts,
        Self::ContractsRecalled,
        Self::ProceduresProved,
        Self::Refinements,
        Self::InvariantsBySummaries,
        Self::InvariantsByTemplates,
        Self::Predicates,
        Self::Obligations,
        Self::Folds,
        Self::FoldsGivenUp,
        Self::FoldQuestions,
        Self::Depth,
        Self::FactsTold,
        Self::FactsUsed,
        Self::SolverQueries,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::LoopsSummarised => "loops summarised",
            Self::ExactSummaries => "exact loop summaries",
            Self::PhaseSplits => "phase splits",
            Self::TemplateHulls => "hulls by templates",
            Self::LostHulls => "hulls given up",
            Self::UnansweredSummaryQueries => "unanswered summary queries",
            Self::Tests => "tests",
            Self::ChoicesRemembered => "choices remembered",
            Self::Skips => "skips",
            Self::DeadStatesRemembered => "dead states remembered",
            Self::TreeNodes => "tree nodes",
            Self::DeadEnds => "dead ends",
            Self::Covers => "covers",
            Self::CoversRemoved => "covers removed",
            Self::Clauses => "clauses",
            Self::Height => "height of derivations",
            Self::BoundedQueries => "queries of bounded safety",
            Self::SummaryFacts => "summary facts",
            Self::ReachabilityFacts => "reachability facts",
            Self::ContractsRecalled => "contracts from the cache",
            Self::ProceduresProved => "procedures proved anew",
            Self::Refinements => "refinements",
            Self::InvariantsBySummaries => "path invariants by summaries",
            Self::InvariantsByTemplates => "path invariants by templates",
            Self::Predicates => "predicates",
            Self::Obligations => "obligations",
            Self::Folds => "loops folded",
            Self::FoldsGivenUp => "foldings given up",
            Self::FoldQuestions => "questions of foldings",
            Self::Depth => "depth of induction",
            Self::FactsTold => "facts told",
            Self::FactsUsed => "facts of others used",
            Self::SolverQueries => "solver queries",
        }
    }
}

/// A listener to what an engine does. Engines of several threads may share one listener.
pub trait Events: Sync {
    /// The total of a counter so far.
    fn total(&self, counter: Counter, value: u64);
    /// The attempt so far does not count: its totals and its tree are forgotten.
    fn restart(&self);
    /// Whether the search tree is wanted at the end.
    fn tree_wanted(&self) -> TreeWanted;
    /// The search tree at the end.
    fn tree(&self, tree: SearchTree);
    /// One of several engines begins to work, in a round.
    fn works(&self, engine: &'static str, round: u32);
    /// What the attempt of one of several engines has come to. It counts, even if there is a restart.
    fn attempted(&self, attempt: Attempt);
    /// One of several checks has its verdict, which was certified.
    fn decided(&self, decision: Decision<'_>);
}

/// The verdict about one of several checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision<'a> {
    /// What is checked.
    pub kind: CheckKind,
    /// Where.
    pub place: Region,
    /// The expression, as the source writes it where that is known.
    pub what: &'a str,
    /// The verdict.
    pub verdict: CheckVerdict,
}

/// Whether a check holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckVerdict {
    /// It does.
    Holds,
    /// It does not.
    Fails,
}

/// Whether the search tree is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeWanted {
    /// It is.
    Yes,
    /// Nobody does.
    No,
}

/// Records what it is notified of.
#[derive(Debug)]
pub struct Recorder {
    /// By counter; `u64::MAX` if nothing was reported.
    totals: [AtomicU64; Counter::ALL.len()],
    wanted: TreeWanted,
    tree: Mutex<Option<SearchTree>>,
    /// Which of several engines works.
    working: Mutex<Option<(&'static str, u32)>>,
    /// What each of several engines has done.
    work: Mutex<Work>,
}

const NOTHING: u64 = u64::MAX;

impl Recorder {
    /// Nothing was reported yet.
    pub fn new(wanted: TreeWanted) -> Self {
        Self {
            totals: [const { AtomicU64::new(NOTHING) }; Counter::ALL.len()],
            wanted,
            tree: Mutex::new(None),
            working: Mutex::new(None),
            work: Mutex::new(Work::default()),
        }
    }

    /// Repeats to a listener the totals and the tree.
    pub fn repeat(&self, listener: &dyn Events) {
        for counter in Counter::ALL {
            if let Some(value) = self.told(counter) {
                listener.total(counter, value);
            }
        }
        if let Some(tree) = self.search_tree() {
            listener.tree(tree);
        }
    }

    /// What each of several engines has done.
    pub fn work(&self) -> Work {
        self.work.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The total of a counter, zero if nothing was reported.
    pub fn get(&self, counter: Counter) -> u64 {
        self.told(counter).unwrap_or(0)
    }

    fn told(&self, counter: Counter) -> Option<u64> {
        let value = self.totals[counter as usize].load(Ordering::Relaxed);
        (value != NOTHING).then_some(value)
    }

    /// The counters that were reported, in the order of reports.
    pub fn statistics(&self) -> Vec<(&'static str, u64)> {
        Counter::ALL.iter().filter_map(|counter| Some((counter.name(), self.told(*counter)?))).collect()
    }

    /// The search tree, if there was a search and the tree was wanted.
    pub fn search_tree(&self) -> Option<SearchTree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// One line for people about a search in progress; empty before there is something to say.
    pub fn progress_line(&self) -> String {
        let working = *self.working.lock().unwrap_or_else(PoisonError::into_inner);
        let who = working.map(|(engine, round)| format!("{engine}, round {}", round + 1)).unwrap_or_default();
        let nodes = self.get(Counter::TreeNodes);
        if nodes == 0 {
            return who;
        }
        let separator = if who.is_empty() { "" } else { ": " };
        let [tests, dead_ends, queries] =
            [Counter::Tests, Counter::DeadEnds, Counter::SolverQueries].map(|counter| self.get(counter));
        format!(
            "{who}{separator}{tests} tests, {nodes} tree nodes, {dead_ends} dead ends, {queries} solver calls"
        )
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new(TreeWanted::No)
    }
}

impl Events for Recorder {
    fn total(&self, counter: Counter, value: u64) {
        self.totals[counter as usize].store(value.min(NOTHING - 1), Ordering::Relaxed);
    }
    fn restart(&self) {
        for total in &self.totals {
            total.store(NOTHING, Ordering::Relaxed);
        }
        *self.tree.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
    fn tree_wanted(&self) -> TreeWanted {
        self.wanted
    }
    fn tree(&self, tree: SearchTree) {
        *self.tree.lock().unwrap_or_else(PoisonError::into_inner) = Some(tree);
    }
    fn works(&self, engine: &'static str, round: u32) {
        *self.working.lock().unwrap_or_else(PoisonError::into_inner) = Some((engine, round));
    }
    fn attempted(&self, attempt: Attempt) {
        self.work.lock().unwrap_or_else(PoisonError::into_inner).add(attempt);
    }
    fn decided(&self, _: Decision<'_>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_told_is_reported_in_the_order_of_the_list() {
        let recorder = Recorder::default();
        recorder.total(Counter::Clauses, 3);
        recorder.total(Counter::Tests, 0);
        assert_eq!(recorder.statistics(), [("tests", 0), ("clauses", 3)]);
        recorder.restart();
        assert_eq!(recorder.statistics(), []);
    }

    #[test]
    fn the_list_of_counters_is_in_their_order() {
        assert!(Counter::ALL.iter().enumerate().all(|(at, counter)| *counter as usize == at));
    }
}
