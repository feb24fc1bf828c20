//! Which names are typedef names where.
//!
//! # Invariants
//! * I1: `undo` restores the state before the innermost scope when it is replayed backwards down to its mark.

use crate::lex::Name;

/// The ordinary identifiers in scope, as far as parsing depends on them.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    /// Whether a name is a typedef name now, by number.
    is_typedef: Vec<bool>,
    undo: Vec<(Name, bool)>,
    marks: Vec<usize>,
}

impl Scopes {
    /// Whether a name is a typedef name here.
    pub(super) fn is_typedef(&self, name: Name) -> bool {
        self.is_typedef.get(name.0 as usize).copied().unwrap_or(false)
    }
    /// Starts an inner scope.
    pub(super) fn open(&mut self) {
        self.marks.push(self.undo.len());
    }
    /// Ends the innermost scope.
    pub(super) fn close(&mut self) {
        let mark = self.marks.pop().expect("I1: a scope should be opened before it is closed");
        for (name, before) in self.undo.drain(mark..).rev() {
            self.is_typedef[name.0 as usize] = before;
        }
    }
    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, name: Name, declared: Declared) {
        let is_typedef = declared == Declared::Typedef;
        let before = self.is_typedef(name);
        if before == is_typedef {
            return;
        }
        let index = name.0 as usize;
        if index >= self.is_typedef.len() {
            self.is_typedef.resize(index + 1, false);
        }
        self.is_typedef[index] = is_typedef;
        if !self.marks.is_empty() {
            self.undo.push((name, before));
        }
    }
}

/// What a declaration makes of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    /// A typedef name.
    Typedef,
    /// A variable, function, parameter or enumerator.
    Ordinary,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_declarations_end_with_their_scope() {
        let mut scopes = Scopes::default();
        let name = Name(3);
        scopes.declare(name, Declared::Typedef);
        scopes.open();
        scopes.declare(name, Declared::Ordinary);
        scopes.open();
        scopes.declare(name, Declared::Typedef);
        scopes.declare(name, Declared::Ordinary);
        assert!(!scopes.is_typedef(name));
        scopes.close();
        assert!(!scopes.is_typedef(name));
        scopes.close();
        assert!(scopes.is_typedef(name));
        assert!(!scopes.is_typedef(Name(99)));
    }
}
