//! Where the expressions and places of a program stand in its source, and what the members of its structures are called.
//!
//! Expressions are shared by all that compute the same, so one of them may stand at many places of a procedure; who wants to know asks for the one at a statement.
//! Only what can go wrong has an entry. Nothing but messages depends on it.

use std::collections::hash_map::Entry;
use std::sync::Arc;

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

/// A member of a structure or union. Bit-fields are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name; empty for an anonymous structure.
    pub name: Arc<str>,
    /// Offset of its first byte.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// Its C type.
    pub c_type: Arc<str>,
}

/// The places of expressions, by procedure, and the members of types, by their C names.
#[derive(Clone, Debug, Default)]
pub struct Spelling {
    known: FxHashMap<(ProcId, Spelled), Vec<Region>>,
    members: FxHashMap<String, Vec<Member>>,
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
    /// Notes the members of a structure or union. Several types may have one name, in different scopes: then none of them has members.
    pub fn add_members(&mut self, c_type: String, members: Vec<Member>) {
        match self.members.entry(c_type) {
            Entry::Vacant(entry) => {
                entry.insert(members);
            }
            Entry::Occupied(mut entry) if *entry.get() != members => entry.get_mut().clear(),
            Entry::Occupied(_) => {}
        }
    }
    /// The members of a structure or union; nothing for any other type.
    pub fn members(&self, c_type: &str) -> Option<&[Member]> {
        self.members.get(c_type).map(Vec::as_slice)
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

    #[test]
    fn types_of_one_name_have_no_members() {
        let member = |name: &str| Member { name: name.into(), offset: 0, size: 4, c_type: "int".into() };
        let mut spelling = Spelling::default();
        assert_eq!(spelling.members("struct s"), None);
        for _ in 0..2 {
            spelling.add_members("struct s".to_owned(), vec![member("x")]);
            assert_eq!(spelling.members("struct s").map(<[_]>::len), Some(1));
        }
        for name in ["y", "x", "y"] {
            spelling.add_members("struct s".to_owned(), vec![member(name)]);
            assert_eq!(spelling.members("struct s").map(<[_]>::len), Some(0), "{name}");
        }
    }
}
