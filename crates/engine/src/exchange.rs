//! What engines that work on the same program tell each other.
//!
//! # Invariants
//! * X1: nothing that is heard is trusted. An engine takes it for candidates, which it checks.
//! * X2: what is told is text: no arena, no symbol and no solver is shared, so it crosses threads.

/// Facts about points that an engine tells the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Which engine tells it.
    pub origin: &'static str,
    /// Clauses for locations of the prepared program: texts of annotations (crates/verdict/src/store.rs), each with at most one clause for a location. Clauses may
    /// contradict each other.
    pub texts: Vec<String>,
    /// How many clauses there are.
    pub clauses: u64,
}

/// What an engine hears of others, and what it tells them.
pub trait Exchange: Sync {
    /// What others have told.
    fn heard(&self) -> &[Fact];
    /// Tells others so many clauses.
    fn tell(&self, texts: Vec<String>, clauses: u64);
    /// So many clauses of an origin were proved, and are of use.
    fn used(&self, origin: &'static str, clauses: u64);
}
