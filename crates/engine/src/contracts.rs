//! What earlier runs have found out about procedures.
//!
//! # Invariants
//! * I1: nothing that is recalled is trusted. An engine takes it for candidates, which it checks.

/// What a procedure is recognised by in another program, or in another version of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// What all versions of the procedure have in common: its name, its signature, and what operations mean.
    pub signature: String,
    /// Its automaton, its footprint and the signatures of what it calls, without numbers and places.
    pub form: String,
}

/// Which version of a procedure something was found out about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// The one that is asked for.
    Same,
    /// One with the same signature.
    Other,
}

/// Keeps texts about procedures from run to run.
pub trait ContractStore: Sync {
    /// What an earlier run has found out: about this version of the procedure if there is something, otherwise about the one that was seen last.
    fn recall(&self, identity: &Identity) -> Option<(Version, String)>;
    /// Something was found out about a procedure.
    fn learn(&self, identity: &Identity, text: String);
}
