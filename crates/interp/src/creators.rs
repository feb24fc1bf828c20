//! Which operations made the objects of a run.

use rustc_hash::FxHashMap;

use super::Tracking;
use super::oracle::{Creator, MemoryPlace, Position};

/// The creators of objects, by their index; only if somebody wants to know them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Creators {
    tracking: Tracking,
    of_object: FxHashMap<u32, Creator>,
    executed: FxHashMap<(Vec<Position>, Position), u32>,
}

impl Creators {
    pub(crate) fn new(tracking: Tracking) -> Self {
        Self { tracking, ..Self::default() }
    }
    pub(crate) fn is_tracking(&self) -> bool {
        self.tracking == Tracking::Creators
    }
    /// An operation has made an object.
    pub(crate) fn made(&mut self, object: u32, calls: Vec<Position>, at: Position) {
        let executed = self.executed.entry((calls.clone(), at)).or_default();
        let occurrence = *executed;
        *executed += 1;
        self.of_object.insert(object, Creator { calls, at, occurrence });
    }
    /// A place in an object, if it is known who made it.
    pub(crate) fn place(&self, (object, offset): (u32, u32)) -> Option<MemoryPlace<'_>> {
        self.of_object.get(&object).map(|creator| MemoryPlace { creator, offset })
    }
}
