//! What stars were made of, and where they had to be weaker than their domains allow.

use std::ops::AddAssign;

/// Counts over all stars of a [`super::Stars`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StarStatistics {
    /// Loops summarised.
    pub stars: u64,
    /// Those of which the summary is the closure itself.
    pub exact: u64,
    /// Splits into phases, phases of phases included.
    pub phase_splits: u64,
    /// Exact convex hulls.
    pub hulls: u64,
    /// Hulls that took too much and were replaced by bounds of template directions.
    pub template_hulls: u64,
    /// Template directions that were given up.
    pub lost_directions: u64,
    /// Hulls of which nothing was found because the solver did not answer.
    pub lost_hulls: u64,
    /// Questions to the solver.
    pub questions: u64,
    /// Those that it did not answer, or that came after the effort of their star was spent.
    pub unanswered: u64,
}

impl AddAssign for StarStatistics {
    fn add_assign(&mut self, other: Self) {
        self.stars += other.stars;
        self.exact += other.exact;
        self.phase_splits += other.phase_splits;
        self.hulls += other.hulls;
        self.template_hulls += other.template_hulls;
        self.lost_directions += other.lost_directions;
        self.lost_hulls += other.lost_hulls;
        self.questions += other.questions;
        self.unanswered += other.unanswered;
    }
}
