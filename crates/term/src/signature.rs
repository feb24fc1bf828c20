//! Which symbols a term may mention, as a few bits.
//!
//! Formulas of large programs share most of their parts, and most parts mention few of the variables that a substitution replaces. Signatures tell so without a look at the parts.
//!
//! # Invariants
//! * S1: sets of symbols that have an element in common have signatures that meet. The converse does not hold.

use base::Idx;

use crate::{SymbolId, SymbolKind};

/// A set of symbols, rounded up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Signature {
    /// There are few variables, and many choices on the way: these do not hide those.
    variables: u64,
    others: u64,
}

impl Signature {
    /// That of one symbol.
    pub(crate) fn of(symbol: SymbolId, kind: SymbolKind) -> Self {
        let bit = 1 << (symbol.index() % 64);
        match kind {
            SymbolKind::Variable => Self { variables: bit, others: 0 },
            _ => Self { variables: 0, others: bit },
        }
    }
    /// Adds the symbols of another set.
    pub(crate) fn add(&mut self, other: Self) {
        self.variables |= other.variables;
        self.others |= other.others;
    }
    /// Whether the sets may have a symbol in common (S1).
    pub(crate) fn meets(self, other: Self) -> bool {
        self.variables & other.variables != 0 || self.others & other.others != 0
    }
}
