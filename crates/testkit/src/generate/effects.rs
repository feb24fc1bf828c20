//! What an expression reads and writes, to keep unsequenced operands independent.
//!
//! # Invariants
//! * I1: a variable whose address is never taken is touched only under its own number.
//! * I2: a *shared* variable (global, static or address taken) may also be touched through pointers and
//!   by calls, so an access to it sets a shared flag besides its number.

/// Number of a variable in the generator's table.
pub(super) type VarId = usize;

/// Reads and writes of an expression; order is not kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    reads: Vec<VarId>,
    writes: Vec<VarId>,
    flags: u8,
}

const SHARED_READ: u8 = 1;
const SHARED_WRITE: u8 = 2;
const INDIRECT_READ: u8 = 4;
const INDIRECT_WRITE: u8 = 8;
const CALL: u8 = 16;
const ANY_SHARED: u8 = SHARED_READ | SHARED_WRITE | INDIRECT_READ | INDIRECT_WRITE | CALL;

/// The object at the root of an access path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// A variable and whether it is shared (I2).
    Variable { id: VarId, shared: bool },
    /// Whatever a pointer points to.
    Indirect,
}

impl Effects {
    pub(super) fn read(root: Root) -> Effects {
        match root {
            Root::Variable { id, shared } => {
                Effects { reads: vec![id], writes: vec![], flags: if shared { SHARED_READ } else { 0 } }
            }
            Root::Indirect => Effects { flags: INDIRECT_READ, ..Effects::default() },
        }
    }

    pub(super) fn write(root: Root) -> Effects {
        match root {
            Root::Variable { id, shared } => {
                Effects { reads: vec![], writes: vec![id], flags: if shared { SHARED_WRITE } else { 0 } }
            }
            Root::Indirect => Effects { flags: INDIRECT_WRITE, ..Effects::default() },
        }
    }

    /// A call of a function that may read and write everything shared.
    pub(super) fn call() -> Effects {
        Effects { flags: CALL, ..Effects::default() }
    }

    /// Nothing is written and nothing is called.
    pub(super) fn pure(&self) -> bool {
        self.writes.is_empty() && self.flags & (SHARED_WRITE | INDIRECT_WRITE | CALL) == 0
    }

    pub(super) fn join(mut self, other: &Effects) -> Effects {
        self.reads.extend_from_slice(&other.reads);
        self.writes.extend_from_slice(&other.writes);
        self.flags |= other.flags;
        self
    }

    /// Drops a local variable that does not exist outside of the expression.
    pub(super) fn forget(&mut self, id: VarId) {
        self.reads.retain(|&other| other != id);
        self.writes.retain(|&other| other != id);
    }

    /// Evaluating both in an unspecified order could differ or be undefined.
    pub(super) fn conflicts(&self, other: &Effects) -> bool {
        self.spoils(other) || other.spoils(self)
    }

    /// A write of `self` may touch what `other` reads or writes.
    pub(super) fn spoils(&self, other: &Effects) -> bool {
        self.writes.iter().any(|id| other.reads.contains(id) || other.writes.contains(id))
            || self.flags & (INDIRECT_WRITE | CALL) != 0 && other.flags & ANY_SHARED != 0
            || self.flags & SHARED_WRITE != 0 && other.flags & (INDIRECT_READ | INDIRECT_WRITE | CALL) != 0
    }

    /// A write of `self` outside of calls may touch `target`, which is stored to after `self` is computed.
    /// Writes inside calls are sequenced before the store and do no harm.
    pub(super) fn races_with_store(&self, target: Root) -> bool {
        Effects { flags: self.flags & !CALL, ..self.clone() }.spoils(&Effects::write(target))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCAL: Root = Root::Variable { id: 0, shared: false };
    const GLOBAL: Root = Root::Variable { id: 1, shared: true };

    #[test]
    fn writes_conflict_with_accesses_to_the_same_object_only() {
        assert!(Effects::write(LOCAL).conflicts(&Effects::read(LOCAL)));
        assert!(!Effects::write(LOCAL).conflicts(&Effects::read(GLOBAL)));
        assert!(!Effects::read(LOCAL).conflicts(&Effects::read(LOCAL)));
    }

    #[test]
    fn pointers_and_calls_touch_shared_objects() {
        assert!(Effects::write(Root::Indirect).conflicts(&Effects::read(GLOBAL)));
        assert!(Effects::read(Root::Indirect).conflicts(&Effects::write(GLOBAL)));
        assert!(Effects::call().conflicts(&Effects::read(GLOBAL)));
        assert!(Effects::call().conflicts(&Effects::call()));
        assert!(!Effects::call().conflicts(&Effects::write(LOCAL)));
    }

    #[test]
    fn a_call_is_finished_before_the_store_of_its_result() {
        assert!(!Effects::call().races_with_store(GLOBAL));
        assert!(Effects::write(GLOBAL).races_with_store(Root::Indirect));
    }
}
