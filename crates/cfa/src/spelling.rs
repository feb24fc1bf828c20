//! Where the expressions and places of a program stand in its source.
//!
//! Expressions are shared by all that compute the same, so one of them may stand at many places of a procedure; who wants to know asks for the one at a statement.
//! Only what can go wrong has an entry. Nothing but messages depends on it.

use base::Region;
use rustc_hash::FxHashMap;

use crate::{ExprId, Place, ProcId};

/// What stands somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spelled {
    /// A value.
    Value(ExprId),
    /// A place that is written.
    Place(Place),
}

/// The places of expressions, by procedure.
#[derive(Clone, Debug, Default)]
pub struct Spelling {
    known: FxHashMap<(ProcId, Spelled), Vec<Region>>,
}

impl Spelling {
    /// Notes that something stands at a place.
    pub fn add(&mut self, proc: ProcId, what: Spelled, region: Region) {
        let regions = self.known.entry((proc, what)).or_default();
        if !regions.contains(&region) {
            regions.push(region);
        }
    }
    /// Where something stands in a statement or, after a keyword, next to it; nothing if that is not known.
    pub fn find(&self, proc: ProcId, what: Spelled, near: Region) -> Option<Region> {
        let regions = self.known.get(&(proc, what))?;
        let start = |region: &Region| (region.line, region.column);
        let within = regions.iter().find(|region| near.contains(**region));
        let after = || {
            let behind = |region: &&Region| region.file == near.file && start(region) >= start(&near);
            regions.iter().filter(behind).min_by_key(|region| start(region))
        };
        within.or_else(after).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_in_the_statement_is_found_or_the_next_one() {
        let at = |line: u32, column: u32, end: u32| Region {
            line,
            column,
            end_line: line,
            end_column: end,
            ..Region::NOWHERE
        };
        let (proc, what) = (ProcId(0), Spelled::Value(ExprId(3)));
        let mut spelling = Spelling::default();
        for line in [9, 5, 7] {
            spelling.add(proc, what, at(line, 8, 13));
        }
        assert_eq!(spelling.find(proc, what, at(7, 1, 20)), Some(at(7, 8, 13)));
        assert_eq!(spelling.find(proc, what, at(6, 1, 3)), Some(at(7, 8, 13)));
        assert_eq!(spelling.find(proc, what, at(10, 1, 3)), None);
        assert_eq!(spelling.find(proc, Spelled::Value(ExprId(4)), at(7, 1, 20)), None);
    }
}
